import { expect, test } from 'vitest';
import { coverageOf } from '../../../src/workbench/cases/coverage.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { memoryCaseFiles } from './running.ts';

const PROFILE = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  track:
    get: '/t/\${item.trackingNumber}'
    result: |
      response.body.{ "value": $item.trackingNumber, "carrierStatusCode": late ? "L" : code }
outcomes:
  - { when: response.body.error, do: reject }
  - { when: response.body.gone, do: succeed }
statuses: { table: { A: In Transit, L: Delayed } }
`;
const CASE = `case: tracked
given: { shipment: { packages: [ { itemReferenceNumber: PKG-1, trackingNumber: T1 } ] } }
flow:
  - do: track
    exchanges: [ { request: { get: 'https://api.acme.example/t/T1' }, response: { status: 200, json: { code: A } } } ]
`;

const covered = async (files: Record<string, string>): Promise<unknown> => {
  const all = { 'carriers/acme.yaml': PROFILE, ...files };
  const coverage = await coverageOf('acme', { home: memoryFiles(all), shipped: memoryFiles({}) }, memoryCaseFiles(all));
  return {
    percent: coverage?.percent,
    missed: coverage?.missed.map(({ kind, what, place }) => `${place.line}:${place.column} ${kind} ${what}`),
  };
};

test('what no case comes by is named with its place', async () => {
  expect(await covered({ 'fixtures/acme/a.yaml': CASE })).toEqual({
    percent: 33.3,
    missed: ['8:80 branch then', '10:5 rule reject', '11:5 rule succeed', '12:37 row L'],
  });
});

test('a case more covers more', async () => {
  const more = { 'fixtures/acme/b.yaml': CASE.replace('{ code: A }', '{ late: true }') };
  const rules = {
    'fixtures/acme/c.yaml': CASE.replace('{ code: A }', '{ error: x }').concat('    expect: { outcome: reject }\n'),
    'fixtures/acme/d.yaml': CASE.replace('{ code: A }', '{ gone: x, code: A }'),
  };
  expect(await covered({ 'fixtures/acme/a.yaml': CASE, ...more, ...rules })).toEqual({ percent: 100, missed: [] });
});

test('a mandatory field that is not read is named, unless it is waived with a reason', async () => {
  const create = PROFILE.replace(
    'operations:',
    'operations:\n  # unread: consignmentNumber, originName - acme has one form\n  create: { post: /o, body: { json: \'{ "n": consignment.referenceId }\' }, result: \'{ "itemsTrackDetails": [] }\' }',
  );
  const files = { 'carriers/acme.yaml': create, 'fixtures/acme/a.yaml': CASE };
  const coverage = await coverageOf(
    'acme',
    { home: memoryFiles(files), shipped: memoryFiles({}) },
    memoryCaseFiles(files),
  );
  const fields = coverage?.missed.filter(({ kind }) => kind === 'field').map(({ what }) => what);
  expect(fields).toContain('destinationCity');
  expect(fields).not.toContain('consignmentNumber');
  expect(coverage?.waived).toContainEqual({ field: 'originName', reason: 'acme has one form' });
  // What the choice of carrier and operation says already, and what only sums others up, is not asked for.
  for (const implied of ['carrierCode', 'typeOfAction', 'typeOfService', 'totalWeight', 'numberOfShipments']) {
    expect(fields).not.toContain(implied);
  }
});

/** Of those that capabilities may leave one of only. */
const fieldsOf = async (capabilities: string): Promise<unknown> => {
  const create =
    'operations:\n  create: { post: /o, body: { json: \'{ "n": consignment.referenceId }\' }, result: \'{ "itemsTrackDetails": [] }\' }';
  const { missed } = (await covered({
    'carriers/acme.yaml': PROFILE.replace('operations:', `capabilities: ${capabilities}\n${create}`),
    'fixtures/acme/a.yaml': CASE,
  })) as { missed: readonly string[] };
  return missed.flatMap((line) => /(?<=field )(?:typeOfOrder|originCountry|destinationCountry)$/.exec(line) ?? []);
};

test('what a carrier can only be given one of need not be read', async () => {
  expect(await fieldsOf('{ orders: [FORWARD], from: [AU], to: [AU] }')).toEqual([]);
  expect(await fieldsOf('{ orders: [FORWARD, REVERSE], from: [AU, NZ] }')).toEqual([
    'typeOfOrder',
    'originCountry',
    'destinationCountry',
  ]);
});
