import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { EXAMPLE_CONSIGNMENT } from '../../src/workbench/scaffold/write-case.ts';
import { homeWith, typed } from './home.ts';

const OPENAPI = `openapi: 3.0.3
info: { title: Acme Parcels API, version: '1' }
servers: [ { url: 'https://api.acme.example/v2' }, { url: 'https://sandbox.acme.example/v2', description: Sandbox } ]
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas:
    Address:
      type: object
      required: [street, zip, town, countryCode]
      properties: { street: { type: string, maxLength: 35 }, zip: { type: string }, town: { type: string }, countryCode: { type: string }, fullName: { type: string } }
paths:
  /rates: { post: { summary: Quote, requestBody: { content: { application/json: { schema: { type: object } } } } } }
  /shipments:
    post:
      operationId: createShipment
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [customerReference, recipient, parcels, colour]
              properties:
                customerReference: { type: string }
                recipient: { $ref: '#/components/schemas/Address' }
                colour: { type: string, enum: [RED, BLUE] }
                voucher: { type: string }
                parcels:
                  type: array
                  items: { type: object, required: [weightInGrams], properties: { weightInGrams: { type: integer }, height: { type: number, description: in mm } } }
      responses:
        '201': { content: { application/json: { schema: { type: object, properties: { trackingNumber: { type: string }, label: { type: object, properties: { url: { type: string } } } } } } } }
        '400': { content: { application/json: { schema: { type: object, properties: { message: { type: string } } } } } }
  /shipments/{id}: { delete: { operationId: cancelShipment, responses: { '204': {} } } }
`;

const unmarked = (text: string): string => text.replaceAll(/\/\* unconfirmed: .*? \*\/ /g, '');
const errorsIn = async ({ json }: ReturnType<typeof homeWith>): Promise<readonly string[]> => {
  const { findings } = (await json('lint', 'acme')).value as { findings: { rule: string; severity: string }[] };
  return findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule);
};

test('a carrier begun by flags passes its cases at once, and lint asks for every suggestion until it is confirmed', async () => {
  const home = homeWith({});
  const begun = await home.json('new', 'acme', '--name', 'Acme', '--url', 'https://api.acme.example');
  const { written, toConfirm } = begun.value as { written: string[]; toConfirm: number };
  expect(begun.code).toBe(0);
  const entries = readdirSync(home.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => relative(home.home, join(parentPath, name)));
  expect(files.toSorted()).toEqual(written.toSorted());
  expect(toConfirm).toBeGreaterThan(20);
  const passed = { code: 0, out: expect.stringContaining('2 passed, 0 failed') };
  expect(await home.run('test', 'acme')).toMatchObject(passed);
  expect(await errorsIn(home)).toEqual(Array.from({ length: toConfirm }, () => 'unconfirmed'));
  for (const file of ['carriers/acme.yaml', 'mappings/acme/create.jsonata']) {
    const text = home.read(file);
    home.change(file, text, unmarked(text).replaceAll(/ # unconfirmed: .*/g, ''));
  }
  expect(await errorsIn(home)).toEqual([]);
  expect(await home.run('test', 'acme')).toMatchObject(passed);
});

test('an OpenAPI document gives paths, proof, fields with their units, and what is left to decide', async () => {
  const { run, read } = homeWith({ 'api.yaml': OPENAPI });
  expect(await run('new', 'acme', '--openapi', 'api.yaml')).toMatchObject({ code: 0, error: '' });
  for (const part of [
    "name: 'Acme Parcels API'",
    "sandbox: { url: 'https://sandbox.acme.example/v2' }",
    'auth: { bearer:',
    "post: '/shipments'",
    "delete: '/shipments/${item.trackingNumber}' # unconfirmed:",
  ])
    expect(read('carriers/acme.yaml')).toContain(part);
  const mapping = unmarked(read('mappings/acme/create.jsonata'));
  for (const part of [
    '"customerReference": referenceId',
    '"street": $cut(destinationAddressLine1, 35)',
    '"zip": destinationPostalCode',
    '"town": destinationCity',
    '"countryCode": destinationCountry',
    '"fullName": $first(destinationContactPerson, destinationName)',
    '"weightInGrams": $convert(itemWeight, itemWeightUom, "G", 0)',
    '"height": $convert(itemHeight, itemDimensionUom, "MM", 0)',
    '"colour": "RED"',
    'Not mapped, nothing is like them: voucher',
  ])
    expect(mapping).toContain(part);
  expect((await run('test', 'acme')).out).toContain('0 failed');
});

test('samples give the fields, the format and the statuses', async () => {
  const { run, read } = homeWith({
    'samples/create.request.json':
      '{"ref":"A","consignee":{"name":"Max Sample","postcode":"80331"},"packages":[{"weight":2.5,"weightUnit":"LB"}],"marks":["FRAGILE"]}',
    'samples/create.response.json':
      '{"shipment":{"tracking_number":"EX1","label":"https://api.acme.example/labels/1"}}',
    'samples/track.response.json':
      '{"events":[{"code":"DELIVERED","time":"2026-05-01T09:00:00Z"},{"code":"ON_HOLD","time":"2026-05-01T08:00:00Z"}]}',
  });
  expect(await run('new', 'acme', '--samples', 'samples')).toMatchObject({ code: 0, error: '' });
  const mapping = read('mappings/acme/create.jsonata');
  expect(mapping).toContain('"marks": [/* unconfirmed: nothing in a consignment is like it */ "FRAGILE"]');
  expect(unmarked(mapping)).toContain('"weight": $convert(itemWeight, itemWeightUom, "LB", 3)');
  expect(unmarked(mapping)).toContain('"weightUnit": "LB"');
  const profile = read('carriers/acme.yaml');
  expect(profile).toContain("'DELIVERED': Order Delivered # unconfirmed:");
  expect(profile).toMatch(/"labelUrl": .* response\.body\.shipment\.label /);
  expect((await run('test', 'acme')).out).toContain('2 passed, 0 failed');
});

test('whoever sits at a terminal is asked for what no flag says, and Enter takes what is usual', async () => {
  const { home, read } = homeWith({});
  const begin = async (code: string, flags: readonly string[], answers: readonly string[]) => {
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => Promise.resolve(answers[asked.push(question) - 1] ?? '');
    const ended = await typed(['new', code, ...flags], { home, ask });
    return { ...ended, asked };
  };
  const told = await begin('acme', ['--auth', 'basic'], ['Acme', ' https://api.acme.example/v3 ', 'xml']);
  expect([told.code, told.asked]).toEqual([
    0,
    ['Name, for people: ', 'URL of its API, https://…: ', 'Body format (json, xml, soap, form, multipart) [json]: '],
  ]);
  const profile = read('carriers/acme.yaml');
  for (const line of ["name: 'Acme'", "url: 'https://api.acme.example/v3'", 'auth: { basic:', 'body: { xml: '])
    expect(profile).toContain(line);

  const silent = await begin('beta', [], []);
  expect([silent.code, silent.asked[2]]).toEqual([
    0,
    'Authentication (none, basic, bearer, apiKey, oauth2) [apiKey]: ',
  ]);
  const usual = read('carriers/beta.yaml');
  for (const line of ["name: 'beta'", "url: 'https://api.beta.example'", 'auth: { apiKey:', 'body: { json: '])
    expect(usual).toContain(line);

  const wrong = await begin('gamma', [], ['Gamma', '', 'magic']);
  expect([wrong.code, wrong.error]).toEqual([2, 'waybill: "magic" is none of none, basic, bearer, apiKey, oauth2\n']);
  expect(existsSync(join(home, 'carriers/gamma.yaml'))).toBe(false);
});

test.each([
  [['acme'], 'waybill: there is mappings/acme already: nothing was written\n'],
  [['../acme'], 'cannot be the code of a carrier'],
  [['beta', '--url', 'http://api.beta.example'], 'is not an https URL'],
  [['beta', '--openapi', 'nowhere.yaml'], 'there is no file'],
  [['beta', '--openapi', 'bad.yaml'], 'cannot be read'],
  [['beta', '--openapi', 'other.yaml'], 'nothing here shows what a create sends'],
  [['beta', '--samples', 'mappings'], 'nothing here shows what a create sends'],
])('%j is misuse, and nothing is written: %s', async (args, why) => {
  const files = { 'bad.yaml': 'a: [', 'other.yaml': 'openapi: 3.0.0\npaths: {}' };
  const { misuse, home } = homeWith({ 'mappings/acme/own.jsonata': '1', ...files });
  await misuse(['new', ...args], why);
  expect(existsSync(join(home, 'carriers'))).toBe(false);
});

test('the example consignment has another receiver than sender, so that a mapping that mixes them up fails', () => {
  const fields = Object.entries<unknown>(EXAMPLE_CONSIGNMENT);
  const alike = fields.filter(([name, value]) =>
    fields.some(
      ([other, same]) => other === name.replace(/^origin/, 'destination') && other !== name && same === value,
    ),
  );
  expect(alike.map(([name]) => name)).toEqual(['originTimezone', 'originCountry']);
});
