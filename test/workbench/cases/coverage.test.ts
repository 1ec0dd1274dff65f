import { expect, test } from 'vitest';
import { coverageOf } from '../../../src/workbench/cases/coverage.ts';
import { waiversIn } from '../../../src/workbench/cases/report.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { memoryCaseFiles } from '../../../src/workbench/cases/read.ts';

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

const coverageWith = async (files: Record<string, string>) => {
  const all = { 'carriers/acme.yaml': PROFILE, 'fixtures/acme/a.yaml': CASE, ...files };
  const homes = { home: memoryFiles(all), shipped: memoryFiles({}) };
  const { percent, missed, waived } = (await coverageOf('acme', homes, memoryCaseFiles(all)))!;
  const fields = missed.filter(({ kind }) => kind === 'field').map(({ what }) => what);
  const places = missed.map(({ kind, what, place }) => `${place.line}:${place.column} ${kind} ${what}`);
  return { percent, missed: places, fields, waived };
};

test('what no case comes by is named with its place', async () => {
  expect(await coverageWith({})).toMatchObject({
    percent: 33.3,
    missed: ['8:80 branch then', '10:5 rule reject', '11:5 rule succeed', '12:37 row L'],
  });
});

test('a case more covers more', async () => {
  const covered = await coverageWith({
    'fixtures/acme/b.yaml': CASE.replace('{ code: A }', '{ late: true }'),
    'fixtures/acme/c.yaml': CASE.replace('{ code: A }', '{ error: x }').concat('    expect: { outcome: reject }\n'),
    'fixtures/acme/d.yaml': CASE.replace('{ code: A }', '{ gone: x, code: A }'),
  });
  expect(covered).toMatchObject({ percent: 100, missed: [] });
});

test('a side of a condition that ends in $reject or a mistake is taken by the case that comes to it', async () => {
  const sides = 'late ? $reject("too late") : early ? $string($number(code)) : code';
  const profile = PROFILE.replace('late ? "L" : code', sides);
  const branches = async (...answers: string[]) => {
    const cases = answers.map((answer, at) => [`fixtures/acme/${at}.yaml`, CASE.replace('{ code: A }', answer)]);
    const { missed } = await coverageWith({ 'carriers/acme.yaml': profile, ...Object.fromEntries(cases) });
    return missed.filter((one) => one.includes('branch'));
  };
  expect(await branches()).toEqual(['8:110 branch then', '8:80 branch then']);
  expect(await branches('{ late: true }')).toEqual(['8:110 branch then']);
  expect(await branches('{ late: true }', '{ early: true, code: x }')).toEqual([]);
});

/** The profile with a create of which almost nothing is mapped, and `lines` before it. */
const creating = (lines: string): Record<string, string> => ({
  'carriers/acme.yaml': PROFILE.replace(
    'operations:',
    `${lines}\noperations:\n  create: { post: /o, body: { json: '{ "n": consignment.referenceId }' }, result: '{ "itemsTrackDetails": [] }' }`,
  ),
});

test('a mandatory field that is not read is named, unless it is waived with a reason', async () => {
  const { fields, waived } = await coverageWith(
    creating('# unread: consignmentNumber, originName - acme has one form'),
  );
  expect(fields).toContain('destinationCity');
  expect(waived).toContainEqual({ field: 'originName', reason: 'acme has one form' });
  // What the choice of carrier and operation says already, and what only sums others up, is not asked for.
  const implied = ['carrierCode', 'typeOfAction', 'typeOfService', 'totalWeight', 'numberOfShipments'];
  expect(fields.filter((field) => ['consignmentNumber', ...implied].includes(field))).toEqual([]);
});

test.each([
  [
    '# unread: a.b, c - one form; unread: d - none\n#   unread: e - far off',
    'a.b: one form | c: one form | d: none | e: far off',
  ],
  ['/* unread: a - none;\n   unread: b - two-way; the rest */ x', 'a: none | b: two-way; the rest'],
  ['/* unread: a - none */ "x" /* unread: b - far off */', 'a: none | b: far off'],
  ['# waived: a - b\n# unread: a', ''],
])('several waivers may stand in one comment: %j', (text, waived) => {
  const found = waiversIn('unread', [text]).map(({ name, reason }) => `${name}: ${reason}`);
  expect(found.join(' | ')).toBe(waived);
});

test.each([
  ['{ orders: [FORWARD], from: [AU], to: [AU] }', []],
  ['{ orders: [FORWARD, REVERSE], from: [AU, NZ] }', ['typeOfOrder', 'originCountry', 'destinationCountry']],
])('with capabilities %s, of the fields that may have one value only %j have to be read', async (given, read) => {
  const { fields } = await coverageWith(creating(`capabilities: ${given}`));
  expect(fields.filter((field) => /^(?:typeOfOrder|originCountry|destinationCountry)$/.test(field))).toEqual(read);
});
