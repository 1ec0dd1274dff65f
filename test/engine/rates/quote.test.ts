import { expect, test } from 'vitest';
import { quote } from '../../../src/engine/rates/quote.ts';
import { carrierOf, createWorld, type Reply, runOf, single } from '../dispatch/world.ts';

const PROFILE = single(
  '',
  `rates:
  post: /rates
  body: { json: { to: '\${consignment.destinationPostalCode}', product: '\${service.code}' } }
  result: 'response.body.prices.{ "service": p, "total": t, "currency": "EUR", "surcharges": [fuel.{ "code": "FUEL", "amount": $ }] }'`,
).replace(
  'operations:',
  'services: { Parcel: { typeOfService: STANDARD, code: P }, Overnight: { typeOfService: EXPRESS, code: X } }\noperations:',
);

const quoted = async (reply: Reply, wished?: string) => {
  const carrier = carrierOf(PROFILE);
  const world = createWorld(carrier, [reply]);
  const { account, environment, seed, nowMs } = runOf(carrier, 'create');
  const service = wished === undefined ? undefined : carrier.services?.get(wished);
  const context = { environment, seed, nowMs, ports: world.ports, service };
  const found = await quote(carrier, account, { destinationPostalCode: '10115' }, context);
  return { ...found, body: world.sent.map(({ body }) => JSON.parse(Buffer.from(body ?? '').toString()) as object) };
};

test('offers go by the names of the profile’s services, rounded, and others are left out', async () => {
  const prices = [
    { p: 'P', t: 5.954999, fuel: 0.445 },
    { p: 'overnight', t: 17.85 },
    { p: 'FREIGHT', t: 90 },
  ];
  expect(await quoted({ prices })).toEqual({
    offers: [
      { service: 'Parcel', total: 5.95, currency: 'EUR', surcharges: [{ code: 'FUEL', amount: 0.45 }] },
      { service: 'Overnight', total: 17.85, currency: 'EUR', surcharges: [] },
    ],
    body: [{ to: '10115' }],
  });
});

test('a wished service is asked for, and alone offered', async () => {
  const prices = [
    { p: 'P', t: 5 },
    { p: 'X', t: 17 },
  ];
  expect(await quoted({ prices }, 'overnight')).toMatchObject({
    offers: [{ service: 'Overnight' }],
    body: [{ product: 'X' }],
  });
});

test.each<[string, Reply, object]>([
  ['a carrier that is away', 503, { failed: { code: 'http_503' } }],
  [
    'prices in services that nobody could order',
    { prices: [{ p: 'Z', t: 1 }] },
    { failed: { code: 'services_unknown', messages: ['none of the services offered (Z) is one that was asked for'] } },
  ],
])('%s has failed, and says why', async (_, reply, expected) => {
  expect(await quoted(reply)).toMatchObject(expected);
});
