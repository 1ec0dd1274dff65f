import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from './spawning.ts';
import { typed } from './typing.ts';

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

/** All files below a folder. */
const filesIn = (folder: string, below = ''): string[] =>
  readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(folder, join(below, entry.name)) : [join(below, entry.name)],
  );

test('a carrier begun by flags passes its cases at once, and lint asks for every suggestion', async () => {
  const home = folderWith({});
  const begun = await typed(['new', 'acme', '--name', 'Acme', '--url', 'https://api.acme.example', '--json'], { home });
  const { written, toConfirm } = JSON.parse(begun.out) as { written: string[]; toConfirm: number };
  expect(begun.code).toBe(0);
  expect(filesIn(home).toSorted()).toEqual(written.toSorted());
  expect(toConfirm).toBeGreaterThan(20);
  const tested = await typed(['test', 'acme'], { home });
  expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('2 passed, 0 failed')]);
  const linted = await typed(['lint', 'acme', '--json'], { home });
  const { findings } = JSON.parse(linted.out) as { findings: { rule: string; severity: string }[] };
  expect(linted.code).toBe(1);
  const errors = findings.filter(({ severity }) => severity === 'error');
  expect(errors).toHaveLength(toConfirm);
  expect(new Set(errors.map(({ rule }) => rule))).toEqual(new Set(['unconfirmed']));
});

test('confirmed, it is a carrier like any other', async () => {
  const home = folderWith({});
  await typed(['new', 'acme'], { home });
  for (const file of ['carriers/acme.yaml', 'mappings/acme/create.jsonata']) {
    const text = readFileSync(join(home, file), 'utf8');
    writeFileSync(
      join(home, file),
      text.replaceAll(/\/\* unconfirmed: .*? \*\/ /g, '').replaceAll(/ # unconfirmed: .*/g, ''),
    );
  }
  const linted = await typed(['lint', 'acme', '--json'], { home });
  const { findings } = JSON.parse(linted.out) as { findings: { severity: string }[] };
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect((await typed(['test', 'acme'], { home })).code).toBe(0);
});

test('an OpenAPI document gives paths, proof, fields with their units, and what is left to decide', async () => {
  const home = folderWith({ 'api.yaml': OPENAPI });
  const begun = await typed(['new', 'acme', '--openapi', 'api.yaml'], { home });
  expect([begun.code, begun.error]).toEqual([0, '']);
  const profile = readFileSync(join(home, 'carriers/acme.yaml'), 'utf8');
  expect(profile).toContain("name: 'Acme Parcels API'");
  expect(profile).toContain("sandbox: { url: 'https://sandbox.acme.example/v2' }");
  expect(profile).toContain('auth: { bearer:');
  expect(profile).toContain("post: '/shipments'");
  expect(profile).toContain("delete: '/shipments/${item.trackingNumber}' # unconfirmed:");
  const mapping = readFileSync(join(home, 'mappings/acme/create.jsonata'), 'utf8');
  const plain = mapping.replaceAll(/\/\* unconfirmed: .*? \*\/ /g, '');
  expect(plain).toContain('"customerReference": referenceId');
  expect(plain).toContain('"street": $cut(destinationAddressLine1, 35)');
  expect(plain).toContain('"zip": destinationPostalCode');
  expect(plain).toContain('"town": destinationCity');
  expect(plain).toContain('"countryCode": destinationCountry');
  expect(plain).toContain('"fullName": $first(destinationContactPerson, destinationName)');
  expect(plain).toContain('"weightInGrams": $convert(itemWeight, itemWeightUom, "G", 0)');
  expect(plain).toContain('"height": $convert(itemHeight, itemDimensionUom, "MM", 0)');
  expect(plain).toContain('"colour": "RED"');
  expect(plain).toContain('Not mapped, nothing is like them: voucher');
  expect((await typed(['test', 'acme'], { home })).out).toContain('0 failed');
});

test('samples give the fields, the format and the statuses', async () => {
  const home = folderWith({
    'samples/create.request.json':
      '{"ref":"A","consignee":{"name":"Max Sample","postcode":"80331"},"packages":[{"weight":2.5,"weightUnit":"LB"}],"marks":["FRAGILE"]}',
    'samples/create.response.json':
      '{"shipment":{"tracking_number":"EX1","label":"https://api.acme.example/labels/1"}}',
    'samples/track.response.json':
      '{"events":[{"code":"DELIVERED","time":"2026-05-01T09:00:00Z"},{"code":"ON_HOLD","time":"2026-05-01T08:00:00Z"}]}',
  });
  const begun = await typed(['new', 'acme', '--samples', 'samples'], { home });
  expect([begun.code, begun.error]).toEqual([0, '']);
  const mapping = readFileSync(join(home, 'mappings/acme/create.jsonata'), 'utf8');
  expect(mapping).toContain('"marks": [/* unconfirmed: nothing in a consignment is like it */ "FRAGILE"]');
  const plain = mapping.replaceAll(/\/\* unconfirmed: .*? \*\/ /g, '');
  expect(plain).toContain('"weight": $convert(itemWeight, itemWeightUom, "LB", 3)');
  expect(plain).toContain('"weightUnit": "LB"');
  const profile = readFileSync(join(home, 'carriers/acme.yaml'), 'utf8');
  expect(profile).toContain("'DELIVERED': Order Delivered # unconfirmed:");
  expect(profile).toMatch(/"labelUrl": .* response\.body\.shipment\.label /);
  expect((await typed(['test', 'acme'], { home })).out).toContain('2 passed, 0 failed');
});

test('whoever sits at a terminal is asked for what no flag says, and Enter takes what is usual', async () => {
  const home = folderWith({});
  const begin = async (code: string, flags: readonly string[], answers: readonly string[]) => {
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => Promise.resolve(answers[asked.push(question) - 1] ?? '');
    const ended = await typed(['new', code, ...flags], { home, ask });
    return { ...ended, asked };
  };
  const told = await begin('acme', ['--auth', 'basic'], ['Acme', ' https://api.acme.example/v3 ', 'xml']);
  expect([told.code, told.asked]).toEqual([
    0,
    ['Name, for people: ', 'URL of its API, https://…: ', 'Bodies are (json, xml, form) [json]: '],
  ]);
  const profile = readFileSync(join(home, 'carriers/acme.yaml'), 'utf8');
  for (const line of ["name: 'Acme'", "url: 'https://api.acme.example/v3'", 'auth: { basic:', 'body: { xml: '])
    expect(profile).toContain(line);

  const silent = await begin('beta', [], []);
  expect([silent.code, silent.asked[2]]).toEqual([
    0,
    'How do we prove who we are? (none, basic, bearer, apiKey, oauth2) [apiKey]: ',
  ]);
  const usual = readFileSync(join(home, 'carriers/beta.yaml'), 'utf8');
  for (const line of ["name: 'beta'", "url: 'https://api.beta.example'", 'auth: { apiKey:', 'body: { json: '])
    expect(usual).toContain(line);

  const wrong = await begin('gamma', [], ['Gamma', '', 'magic']);
  expect([wrong.code, wrong.error]).toEqual([2, 'waybill: "magic" is none of none, basic, bearer, apiKey, oauth2\n']);
  expect(existsSync(join(home, 'carriers/gamma.yaml'))).toBe(false);
});

test('nothing is written over, and nothing half', async () => {
  const home = folderWith({
    'mappings/acme/own.jsonata': '1',
    'bad.yaml': 'a: [',
    'other.yaml': 'openapi: 3.0.0\npaths: {}',
  });
  const said = async (...args: readonly string[]) => {
    const { code, error } = await typed(['new', ...args], { home });
    return [code, error];
  };
  expect(await said('acme')).toEqual([2, 'waybill: there is mappings/acme already: nothing was written\n']);
  expect(await said('../acme')).toEqual([2, expect.stringContaining('cannot be the code of a carrier')]);
  expect(await said('beta', '--url', 'http://api.beta.example')).toEqual([
    2,
    expect.stringContaining('is not an https URL'),
  ]);
  expect(await said('beta', '--openapi', 'nowhere.yaml')).toEqual([2, expect.stringContaining('there is no file')]);
  expect(await said('beta', '--openapi', 'bad.yaml')).toEqual([2, expect.stringContaining('cannot be read')]);
  expect(await said('beta', '--openapi', 'other.yaml')).toEqual([
    2,
    expect.stringContaining('looks like the order of a shipment'),
  ]);
  expect(await said('beta', '--samples', 'mappings')).toEqual([2, expect.stringContaining('no sample shows a create')]);
  expect(existsSync(join(home, 'carriers'))).toBe(false);
});
