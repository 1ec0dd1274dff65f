import { expect, test } from 'vitest';
import { ACME, homeWith, PING } from './home.ts';
import { read } from '../support/project.ts';

const withAcme = () =>
  homeWith({
    'carriers/acme.yaml': `${ACME.replace('get: /ping', "get: '/ping/${settings.depot}'")}settings: { depot: { example: D7 } }\nstatuses: { table: { OK: In Transit } }\n`,
    'fixtures/acme/ping.yaml': PING.replace('/ping', '/ping/D7'),
  });

test('a case is explained, as text and as JSON', async () => {
  const { run, json } = withAcme();
  expect(await run('explain', 'acme', 'ping')).toEqual({
    code: 0,
    error: '',
    out: `acme: it is there

probe/probe: GET https://api.acme.example/ping/D7
  url = "D7"
    carriers/acme.yaml:9:26 ← settings.depot
  answered 200: succeed
    ✓ built in
`,
  });
  const { value } = await json('explain', 'acme', 'ping');
  const asked = { operation: 'probe', step: 'probe', method: 'GET', url: 'https://api.acme.example/ping/D7' };
  const place = { file: 'carriers/acme.yaml', line: 9, column: 26 };
  const values = [{ path: 'url', value: 'D7', reads: ['settings.depot'], shipper: [], ...place }];
  expect(value.exchanges).toEqual([{ ...asked, status: 200, outcome: 'succeed', values, rules: [] }]);
});

test('a status is explained', async () => {
  expect((await withAcme().run('explain', 'acme', '--status', 'ok')).out).toBe(
    'acme: ok is In Transit\n  ✓ carriers/acme.yaml:11:22 OK: In Transit\n',
  );
});

test.each([
  [['acne', 'ping'], 'did you mean "acme"?'],
  [['acme', 'pign'], 'did you mean "ping"?'],
  [['acme'], 'say what to explain'],
])('%j is misuse: %s', (args, why) => withAcme().misuse(['explain', ...args], why));

test.each([
  ['url', true],
  ['body.to', false],
])('only the field that is asked for is told: %s', async (field, isTold) => {
  const { out } = await withAcme().run('explain', 'acme', 'ping', '--field', field);
  expect(out).toContain('probe/probe: GET');
  expect(out.includes('url = "D7"')).toBe(isTold);
});

test('a case of a tariff is explained by what its prices are made of', async () => {
  const { run, json } = homeWith({
    'carriers/acme.yaml': `${ACME}tariff: acme\ntransit: acme\n`,
    'carriers/tariffs/acme.yaml':
      'tariff: acme\ncurrency: EUR\nfuel: 10\ntax: 20\nzones: { home: { countries: [DE] } }\nservices: { STANDARD: { prices: "to,home\\n5,4.00\\n" } }\n',
    'carriers/transit/acme.yaml':
      "transit: acme\ncutOff: { mon-fri: '16:00' }\nservices: { STANDARD: { days: { '*': 1 } } }\n",
    'fixtures/_consignments/one-box-de.yaml': read('fixtures/_consignments/one-box-de.yaml'),
    'fixtures/acme/prices.yaml': `case: prices
given:
  now: '2026-05-04T06:00:00Z'
  consignment: one-box-de
flow: [ { do: rates, expect: { result: [ { service: STANDARD, total: 5.28 } ] } } ]
`,
  });
  const { code, out } = await run('explain', 'acme', 'prices');
  expect([code, out]).toEqual([
    0,
    `acme: prices

prices of tariff acme for zone home  carriers/tariffs/acme.yaml:1:1
  STANDARD: 4 + FUEL 0.4 + tax 0.88 = 5.28 EUR, there by 2026-05-05 23:59:59 if handed over by 2026-05-04 16:00:00
`,
  ]);
  const { value } = await json('explain', 'acme', 'prices');
  expect(value).toMatchObject({ prices: { tariff: 'acme', zone: 'home', offers: [{ price: 4, total: 5.28 }] } });
});
