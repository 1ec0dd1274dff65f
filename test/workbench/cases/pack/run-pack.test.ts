import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runPack, SCENARIOS } from '../../../../src/workbench/cases/pack/run-pack.ts';
import type { ScenarioReport } from '../../../../src/workbench/cases/report.ts';
import { carrierOf } from '../../../engine/dispatch/world.ts';
import { memoryCaseFiles } from '../../../../src/workbench/cases/read.ts';
import { ONE_BOX } from '../running.ts';

const PROFILE = `carrier: acme
name: Acme
capabilities: { cod: true }
environments: { production: { url: 'https://api.acme.example' } }
credentials: { id: {}, key: { secret: true } }
auth: { oauth2: { grant: client_credentials, tokenUrl: /token, clientId: '\${credentials.id}', clientSecret: '\${credentials.key}' } }
operations:
  create:
    post: /orders
    body: { json: order.jsonata }
    result: |
      { "itemsTrackDetails": [response.body.parcels.{ "trackingNumber": number, "label": { "content": label } }] }
  update: { put: '/orders/\${shipment.trackingNumber}', body: { json: order.jsonata } }
  cancel: { delete: '/orders/\${shipment.trackingNumber}' }
statuses: { table: { P: Order Picked Up, T: In Transit, D: Order Delivered } }
`;
const ORDER = `consignment.{
  "kind": typeOfOrder, "to": destinationContactPerson, "street": destinationAddressLine1,
  "cash": paymentMode = "COD" ? amountToBeCollected,
  "parcels": [itemList.{ "name": itemName, "kg": $convert(itemWeight, itemWeightUom, "KG", 3) }] }
`;
const CREATED = `case: created
given: { consignment: one-box }
flow:
  - do: create
    exchanges:
      - request: { post: 'https://api.acme.example/token' }
        response: { status: 200, json: { access_token: example-token, token_type: Bearer, expires_in: 3600 } }
      - request: { post: 'https://api.acme.example/orders' }
        response: { status: 200, json: { parcels: [ { number: A1, label: JVBERi0xLjQKJSVFT0YK } ] } }
`;

type Home = Partial<Record<'profile' | 'order' | 'created', string>>;

const why = ({ outcome, reason, problems }: ScenarioReport) =>
  outcome === 'passed' ? outcome : `${outcome}: ${reason ?? problems.map(({ message }) => message).join('; ')}`;

/** How each scenario ends, and why. */
const packOf = async ({ profile = PROFILE, order = ORDER, created = CREATED }: Home) => {
  const carrier = carrierOf(profile, { 'order.jsonata': order });
  const cases = created === '' ? {} : { 'fixtures/acme/created.yaml': created };
  const pack = await runPack(carrier, memoryCaseFiles({ 'fixtures/_consignments/one-box.yaml': ONE_BOX, ...cases }));
  return Object.fromEntries(pack.map((one) => [one.scenario, why(one)]));
};

test('a carrier that does all it should passes every scenario', async () => {
  const pack = await packOf({});
  expect(new Set(Object.values(pack))).toEqual(new Set(['passed']));
  expect(Object.keys(pack).join(' ')).toBe(
    'one-package many-packages missing-optionals non-ascii units cash-on-delivery return update cancel ' +
      'duplicate-status out-of-order-status unknown-status ' +
      'too-many-requests timeout-after-send html-502 expired-token truncated-label',
  );
});

const TO = 'destinationContactPerson';
const PROMISED = 'idempotency: reference\n    retry: { attempts: 1 }\n    post: /orders';
/** Only the URL says that it is a return. */
const inUrl: Home = {
  profile: PROFILE.replace('post: /orders', 'post: \'/${consignment.typeOfOrder = "REVERSE" ? "returns" : "orders"}\''),
  order: ORDER.replace('"kind": typeOfOrder,', ''),
};
const rule = (text: string): Home => ({ profile: `${PROFILE}outcomes: [ ${text} ]\n` });
const mapped = (from: string, to: string): Home => ({ order: ORDER.replace(from, to) });
const said = (from: string, to: string): Home => ({ profile: PROFILE.replace(from, to) });

test.each<[string, Home, string]>([
  ['one-package', mapped('typeOfOrder', '$number("no number")'), 'no request is built: mapping_failed'],
  ['many-packages', mapped('[itemList.{', '[itemList[0].{'), 'nothing of the last package reaches the carrier'],
  ['missing-optionals', mapped(TO, '$number(itemList[0].itemName ? 1 : "x")'), 'no request is built'],
  [
    'missing-optionals',
    mapped(TO, '$convert(1, itemList[0].itemVolumeUom, "L")'),
    'no request is built: unusable_value: consignmentDetails.packageDetails[0].volumeUom: it is missing',
  ],
  ['missing-optionals', mapped('"to"', '"from": $string(originEmail ? 1 : null), "to"'), 'null is sent at 0 body/from'],
  ['missing-optionals', mapped('"to"', '"from": originEmail ? 1 : null, "to"'), 'null is sent at 0 body/from'],
  ['missing-optionals', mapped('"to"', '(originEmail & ""): 1, "to"'), 'a key without a name is sent at 0 body/'],
  ['non-ascii', mapped(TO, `$replace(${TO}, "Ł", "Å")`), 'what is sent at 0 body/to is garbled: Åukasz'],
  ['units', mapped('$convert(itemWeight, itemWeightUom, "KG", 3)', 'itemWeight'), 'pounds or inches are sent as kilo'],
  ['cash-on-delivery', mapped('amountToBeCollected', 'totalWeight'), 'the amount to be collected does not reach'],
  ['return', mapped('"kind": typeOfOrder,', ''), 'the body of a return is that of a delivery'],
  ['return', inUrl, 'the body of a return is that of a delivery'],
  ['update', mapped('"street": destinationAddressLine1,', ''), 'the changed street does not reach the carrier'],
  ['cancel', said("trackingNumber}' }\nstatuses", "memo.no}' }\nmemo: [no]\nstatuses"), 'no request is built'],
  ['unknown-status', said('D: Order Delivered', "D: Order Delivered, '*': In Transit"), 'the row * takes any status'],
  ['too-many-requests', rule('{ status: 429, do: succeed }'), '429 counts as a success'],
  ['timeout-after-send', said('post: /orders', PROMISED), 'idempotency is reference, but'],
  ['html-502', rule('{ status: 5xx, do: succeed }'), 'it counts as a success'],
  ['expired-token', rule('{ status: 401, do: unknown_outcome }'), 'rule of its own for 401'],
])('what is broken is found: %s', async (scenario, home, message) => {
  expect((await packOf(home))[scenario]).toContain(message);
});

const RATES = `  rates: { post: /rates, result: 'response.body.prices.{ "service": "S", "total": TOTAL, "currency": "EUR" }' }
statuses`;
const QUOTED = `case: quoted
given: { consignment: one-box }
flow:
  - do: rates
    exchanges:
      - request: { post: 'https://api.acme.example/token' }
        response: { status: 200, json: { access_token: example-token, token_type: Bearer, expires_in: 3600 } }
      - request: { post: 'https://api.acme.example/rates' }
        response: { status: 200, json: { prices: [ { gross: '5.95' } ] } }
`;

test.each<[scenario: string, total: string, end: string, more?: string]>([
  ['rates-without-price', '$number(gross)', 'passed'],
  ['rates-without-price', '$number(gross ? gross : 0)', 'failed: a price that is missing becomes an offer of 0'],
  ['rates-empty', '$number(gross)', 'passed'],
  ['asked-unavailable', '$number(gross)', 'passed'],
  ['asked-unavailable', '$number(gross)', 'failed: rates counts as done', 'outcomes: [ { status: 503, do: succeed } ]'],
])('%s with the total %s: %s', async (scenario, total, end, more = '') => {
  const profile = `${PROFILE.replace('statuses', RATES.replace('TOTAL', total))}${more}\n`;
  const carrier = carrierOf(profile, { 'order.jsonata': ORDER });
  const files = { 'fixtures/_consignments/one-box.yaml': ONE_BOX, 'fixtures/acme/quoted.yaml': QUOTED };
  const report = (await runPack(carrier, memoryCaseFiles(files))).find((one) => one.scenario === scenario)!;
  expect(why(report)).toBe(end);
});

test('what requests lose with the optional fields is told', async () => {
  const files = memoryCaseFiles({
    'fixtures/_consignments/one-box.yaml': ONE_BOX,
    'fixtures/acme/created.yaml': CREATED,
  });
  const carrier = carrierOf(PROFILE, { 'order.jsonata': ORDER.replace('"to":', '"name": destinationName, "to":') });
  const report = (await runPack(carrier, files)).find(({ scenario }) => scenario === 'missing-optionals');
  expect(report?.used).toMatchObject([{ lost: expect.arrayContaining(['name']) }]);
});

test('labels that only a later case fetches, by their URL, are cut in half, too', async () => {
  const profile = PROFILE.replace('"label": { "content": label }', '"labelUrl": label');
  const plain = CREATED.replace(', label: JVBERi0xLjQKJSVFT0YK', '');
  const fetched = `${CREATED.replace('JVBERi0xLjQKJSVFT0YK', "'https://api.acme.example/A1.pdf'")}  - do: label
    exchanges:
      - request: { get: 'https://api.acme.example/A1.pdf' }
        response: { status: 200, headers: { Content-Type: application/pdf }, text: "%PDF-1.4\\n%%EOF\\n" }
`;
  const cases = { 'fixtures/acme/1.yaml': plain, 'fixtures/acme/2.yaml': fetched };
  const files = memoryCaseFiles({ 'fixtures/_consignments/one-box.yaml': ONE_BOX, ...cases });
  const pack = await runPack(carrierOf(profile, { 'order.jsonata': ORDER }), files);
  expect(why(pack.find(({ scenario }) => scenario === 'truncated-label')!)).toBe('passed');
});

const LABELLED = PROFILE.replace(', "label": { "content": label }', '').replace(
  '  update:',
  `  label:
    post: /orders
    body: { json: { number: '\${shipment.trackingNumber}' } }
    result: 'response.body.pdf ? { "content": response.body.pdf }'
  update:`,
);
const labelled = (body: string, labels: string) => `  - do: label
    exchanges: [ { request: { post: 'https://api.acme.example/orders' }, response: { status: 200, json: ${body} } } ]
    expect: { labels: ${labels} }
`;

test('of operations at one URL each is answered as its own cases show, and a label that comes later counts', async () => {
  const later = labelled('{ pdf: JVBERi0xLjQKJSVFT0YK }', "{ '*': PDF }");
  const pack = await packOf({ profile: LABELLED, created: CREATED + labelled('{}', '{}') + later });
  expect(pack['truncated-label']).toBe('passed');
});

test('without a case it runs from the first minute, and says what it waits for', async () => {
  const pack = await packOf({ created: '' });
  const waits = 'pending: no case shows what the carrier answers to POST';
  expect(pack['one-package']).toBe(`${waits} https://api.acme.example/token`);
  for (const name of ['update', 'truncated-label', 'units']) expect(pack[name]).toContain(waits);
});

test('without a token to fetch, requests are seen without any case', async () => {
  const profile = PROFILE.replace(/auth: .*\n/, '').replace(/credentials: .*\n/, '');
  const pack = await packOf({ profile, created: '', ...mapped('[itemList.{', '[itemList[0].{') });
  expect(pack['one-package']).toBe('passed');
  for (const name of ['many-packages', 'return'])
    expect(pack[name]).toBe('pending: no case shows a create that succeeds');
  expect(pack['expired-token']).toBe('pending: no auth has a token');
});

describe('services and environments', () => {
  const SERVICES =
    'services: { Out: { typeOfService: STANDARD, code: OUT, orders: [FORWARD] }, Back: { typeOfService: ECONOMY, code: BACK, orders: [REVERSE] } }';
  const profile = PROFILE.replace('credentials:', `${SERVICES}\ncredentials:`);
  const created = CREATED.replace('one-box }', 'one-box, service: Out, environment: production }');
  const reportOf = async (home: Home, name: string, texts: string[] = []) => {
    const carrier = carrierOf(home.profile ?? profile, { 'order.jsonata': home.order ?? ORDER });
    const files = {
      'fixtures/_consignments/one-box.yaml': ONE_BOX,
      'fixtures/acme/created.yaml': home.created ?? created,
    };
    return (await runPack(carrier, memoryCaseFiles(files), texts)).find(({ scenario }) => scenario === name)!;
  };

  test('a return has a service that takes returns, a delivery one that takes deliveries, and the report says so', async () => {
    const report = await reportOf({}, 'return');
    expect(why(report)).toBe('passed');
    const file = { case: 'fixtures/acme/created.yaml', environment: 'production' };
    expect(report.used).toEqual([
      { ...file, service: 'Back', change: { typeOfOrder: 'REVERSE' } },
      { ...file, service: 'Out', change: { typeOfOrder: 'FORWARD' } },
    ]);
  });

  test('a return that the profile refuses is pending until a case has one', async () => {
    const order = ORDER.replace('"kind": typeOfOrder', '"kind": typeOfOrder = "REVERSE" ? $reject("no returns") : 1');
    expect(why(await reportOf({ order }, 'return'))).toContain(
      'pending: the profile refuses it: rejected_by_profile: no returns',
    );
  });

  test('what fails may be waived with a reason, and passes again without', async () => {
    const same = ORDER.replace('"kind": typeOfOrder,', '');
    const waiver = ['# waived: units, return - acme tells returns by their sender'];
    expect(why(await reportOf({ order: same }, 'return'))).toContain('failed: the body of a return');
    expect(why(await reportOf({ order: same }, 'return', waiver))).toBe(
      'pending: waived: acme tells returns by their sender',
    );
    expect(why(await reportOf({}, 'return', waiver))).toBe('passed');
    expect(why(await reportOf({}, 'retrun', ['# waived: retrun - x']))).toContain(
      'no scenario "retrun" to waive: did you mean "return"?',
    );
  });
});

test('the documentation has every scenario', () => {
  const page = readFileSync(new URL('../../../../docs/cases.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## The built-in scenario pack');
  for (const { name } of SCENARIOS) expect(section).toContain(`\`${name}\``);
});
