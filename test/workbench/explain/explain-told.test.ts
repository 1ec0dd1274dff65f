import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { unwrittenCase } from '../../../src/workbench/cases/read.ts';
import type { Case } from '../../../src/workbench/cases/schema.ts';
import { explainCase } from '../../../src/workbench/explain/explain-case.ts';
import type { Explanation } from '../../../src/workbench/explain/explain-run.ts';
import { watchMappings } from '../../../src/workbench/explain/watch.ts';

const BOX = parse(
  readFileSync(fileURLToPath(new URL('../../../fixtures/_consignments/one-box-de.yaml', import.meta.url)), 'utf8'),
) as object;
const KEY = 'k3y-of/Acme&Co+7';
const ASKED = { request: { post: 'https://acme.example/parcels' }, response: { status: 200, json: { number: 'A1' } } };
const TRACKED = { get: 'https://acme.example/track/', response: { status: 200, json: { code: 'NEW' } } };

/** A case of these steps, explained. `create`: keys of its operation; `rest`: further sections of the profile. */
const told = async (
  create: string,
  rest = '',
  flow: readonly object[] = [{ do: 'create', exchanges: [ASKED] }],
  numbers: readonly string[] = [],
) => {
  const shipment = { packages: numbers.map((trackingNumber) => ({ itemReferenceNumber: 'PKG-1', trackingNumber })) };
  const profile = `carrier: acme
name: Acme
environments: { production: { url: 'https://acme.example', code: '\${credentials.key}' } }
credentials: { key: { secret: true, example: '${KEY}' }, user: { example: shop-user } }
settings: { account: { example: '77' } }
operations:
  create:
    post: /parcels
${create.replaceAll(/^/gm, '    ')}
    result: '{ "itemsTrackDetails": [{ "trackingNumber": response.body.number }] }'
${rest}`;
  const homes = { home: memoryFiles({ 'carriers/acme.yaml': profile }), shipped: memoryFiles({}) };
  const watch = watchMappings();
  const { carrier, findings } = loadCarrier('acme', homes, undefined, watch.engine);
  if (carrier === undefined) throw new Error(JSON.stringify(findings));
  const content = { case: 'one', given: { consignment: BOX, service: 'EXPRESS', shipment }, flow };
  return await explainCase(unwrittenCase(content as unknown as Case, carrier.place, 'acme'), carrier, watch);
};

const body = (mapping: string): string => `body:\n  json: |\n    ${mapping}`;

/** By path: what is sent, or why it is not, and the shipper's fields behind it. */
const valuesOf = ({ exchanges }: Explanation, at = 0): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (exchanges[at]?.values ?? []).map(({ path, value, absent, shipper }) => [
      path,
      `${absent ?? JSON.stringify(value)} ← ${shipper.join(', ')}`,
    ]),
  );

test('of a secret and its neighbours only the secret is hidden, wherever it stands', async () => {
  const mapping = `(
      $who := { "user": credentials.user, "key": credentials.key, "to": consignment.destinationName };
      { "list": [credentials.key, consignment.orderNumber], "user": $who.user, "key": $who.key, "to": $who.to,
        "pruned": $prune({ "key": credentials.key, "to": consignment.destinationName, "none": "" }),
        "xml": "<?xml?>" & $toXml({ "a": { "key": credentials.key, "to": consignment.destinationName } }) } )`;
  const name = 'shipTo.contact.name';
  expect(valuesOf(await told(body(mapping)))).toMatchObject({
    'body.list.0': '"***" ← ',
    'body.list.1': '"ORD-1001" ← consignmentDetails.orderNumber',
    'body.user': '"shop-user" ← ',
    'body.key': '"***" ← ',
    'body.to': `"Max Sample" ← ${name}`,
    'body.pruned.key': '"***" ← ',
    'body.pruned.to': `"Max Sample" ← ${name}`,
    'body.xml.a.key': '"***" ← ',
    'body.xml.a.to': `"Max Sample" ← ${name}`,
  });
});

test.each([
  '$base64("shop:" & credentials.key)',
  '$hash("sha256", credentials.key)',
  '$substring(credentials.key, 0, 6)',
  '$string({ "k": credentials.key, "x": 1 })',
  '$split(credentials.key, "")',
  '$map([credentials.key], function($k) { $uppercase($k) })',
  '[credentials.key].$',
  '$environment.code',
  '$each({ "k": credentials.key }, function($v) { $v })',
  '$reduce([credentials.key, "x"], function($a, $b) { $a & $b })',
  '( $k := function() { credentials.key }; $k() )',
  '"AB" ~> $replace("B", credentials.key)',
  'credentials.*',
  '$lookup(credentials, "key")',
  '{ credentials.key: 1 }',
  '{ $uppercase(credentials.key): 1 }',
  '$type(credentials.key) & $length(credentials.key)',
])('no secret and nothing made of one is shown: %s', async (expression) => {
  const made = await told(body(`{ "x": (${expression}), "other": consignment.orderNumber }`));
  const { value, path } = made.exchanges[0]?.values.find((one) => one.path.startsWith('body.x')) ?? {};
  expect(JSON.stringify([path, value]).replaceAll('shop-user', '')).toMatch(/^\["body\.x[\w.*]*","\*\*\*"\]$/);
  expect(JSON.stringify(made)).not.toContain(KEY.slice(0, 5));
  expect(valuesOf(made)['body.other']).toBe('"ORD-1001" ← consignmentDetails.orderNumber');
});

test('what a secret decides is not shown either', async () => {
  const mapping =
    '{ "x": credentials.key = "a" ? { "mode": "test" } : { "mode": "live" }, "y": credentials.key ? 1 : 2 }';
  expect(valuesOf(await told(body(mapping)))).toMatchObject({ 'body.x.mode': '"***" ← ', 'body.y': '"***" ← ' });
});

test('each field that is absent says why, below $prune in a list as well', async () => {
  const values = valuesOf(
    await told(
      `${body(`{ "all": $prune([consignment.itemList.{ "no": itemReferenceNumber, "note": itemCode,
      "from": $$.consignment.shippingDateTime, "lines": [$$.consignment.destinationAddressLine3], "empty": "" }]), "cod": consignment.paymentMode = "COD" ?
      { "amount": 1 }, "vas": consignment.vas.vasCode }`)}\nheaders: { X-Note: '\${remark}' }`,
    ),
  );
  expect(values).toMatchObject({
    'headers.X-Note': 'remark is missing ← remark',
    'body.all.0.no': '"PKG-1" ← consignmentDetails.packageDetails[0].id',
    'body.all.0.from': '"2026-05-04 10:00:00" ← shipFrom.pickupStartDateTime',
    'body.all.0.empty': 'it is empty, and a function leaves that out ← ',
    'body.all.0.lines': 'consignment.destinationAddressLine3 (shipTo.address.line3) is missing ← shipTo.address.line3',
    'body.vas': 'consignment.vas (consignmentDetails.vas) is missing ← consignmentDetails.vas',
  });
  expect(values['body.cod']).toMatch(
    /^the condition at .*:\d+:\d+ does not hold: consignment\.paymentMode \(consignmentDetails\.payment/,
  );
});

test('a request that was not sent is told as far as it came, with where and of what it broke off', async () => {
  const mapping =
    '{ "no": consignment.orderNumber, "kg": consignment.totalWeight > 2 ? $reject("too heavy", "weight") }';
  const { exchanges, ended } = await told(`${body(mapping)}\nheaders: { X-No: '\${consignment.orderNumber}' }`, '', [
    { do: 'create' },
  ]);
  expect(exchanges).toMatchObject([{ operation: 'create', step: 'create', outcome: 'not_sent' }]);
  expect(ended).toMatchObject([
    {
      operation: 'create',
      outcome: 'rejected',
      code: 'weight',
      messages: ['too heavy'],
      path: 'body.kg',
      reads: ['consignment.totalWeight'],
      shipper: ['consignmentDetails.totalWeight'],
      file: 'carriers/acme.yaml',
    },
  ]);
});

test.each([
  ['a value of the order', 'consignment.destinationName', 'rejected', ['shipTo.contact.name']],
  ['a value of the profile', 'settings.account & "x"', 'config_error', []],
])(
  'a function that refuses %s is told with the field, the place and what it was made of',
  async (_, value, word, names) => {
    const { ended } = await told(body(`{ "to": { "no": $number(${value}) } }`), '', [{ do: 'create' }]);
    expect(ended).toMatchObject([{ outcome: word, path: 'body.to.no', shipper: names }]);
  },
);

test('a step whose condition does not hold is told, with why', async () => {
  const { exchanges } = await told('when: consignment.totalWeight > 30\nbody: { json: { a: 1 } }', '', [
    { do: 'create' },
  ]);
  const [value] = exchanges[0]?.values ?? [];
  expect(exchanges).toMatchObject([{ outcome: 'skipped', message: 'consignment.totalWeight > 30 does not hold' }]);
  expect(value).toMatchObject({ path: 'when', value: false, shipper: ['consignmentDetails.totalWeight'] });
});

const LOGIN = `auths:
  login:
    session:
      login: { post: /login, body: { json: { user: '\${credentials.user}', password: '\${credentials.key}' } } }
      token: response.body.token
auth: login
`;

test('a login and the request behind it are told apart, and nothing of its token is shown', async () => {
  const login = {
    request: { post: 'https://acme.example/login' },
    response: { status: 200, json: { token: 'tok-12345' } },
  };
  const explained = await told(body('{ "no": consignment.orderNumber, "token": auths.login.token }'), LOGIN, [
    { do: 'create', exchanges: [login, ASKED] },
  ]);
  expect(explained.exchanges.map(({ operation }) => operation)).toEqual(['login', 'create']);
  expect(valuesOf(explained)).toMatchObject({ 'body.user': '"shop-user" ← ', 'body.password': '"***" ← ' });
  expect(valuesOf(explained, 1)).toMatchObject({
    'body.no': '"ORD-1001" ← consignmentDetails.orderNumber',
    'body.token': '"***" ← ',
  });
  expect(JSON.stringify(explained)).not.toMatch(/tok-12345|k3y/);
});

const TRACK = `  track:
    get: '/track/\${item.trackingNumber}'
    result: '{ "value": item.trackingNumber, "carrierStatusCode": response.body.code, "statusReceivedAt": "2026-05-04T10:00:00Z" }'
statuses: { table: { NEW: In Transit } }
`;

test('each of several results is told, and what became of each event', async () => {
  const numbers = ['A1', 'A2'];
  const asked = numbers.map((number) => ({ request: { get: TRACKED.get + number }, response: TRACKED.response }));
  const { results, events } = await told(body('{ "a": 1 }'), TRACK, [{ do: 'track', exchanges: asked }], numbers);
  expect(results.filter(({ path }) => path.endsWith('.value')).map(({ path, value }) => [path, value])).toEqual([
    ['track.result#1.value', 'A1'],
    ['track.result#2.value', 'A2'],
  ]);
  const row = { status: 'In Transit', carrierStatus: 'NEW', row: 'NEW', file: 'carriers/acme.yaml' };
  expect(events).toMatchObject(numbers.map((value) => ({ value, ...row })));
});
