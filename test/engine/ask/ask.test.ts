import { describe, expect, it, test } from 'vitest';
import { type Asking, ask } from '../../../src/engine/ask/ask.ts';
import type { AskedAbout } from '../../../src/engine/ask/operations.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { answer, carrierOf, createWorld, profileOf, type Reply, reset, runOf, single } from '../dispatch/world.ts';

const PICKUP: AskedAbout<'pickup'>['pickup'] = {
  reference: 'PU-1',
  window: { from: '2026-05-04 14:00:00', to: '2026-05-04 17:00:00' },
  address: { addressLine1: 'Example Street 1', country: 'DE' },
  packages: [{ weightKg: 2 }],
  totalWeightKg: 2,
};
const RATES = `rates:
  post: /rates
  result: 'response.body.prices.{ "service": product, "total": gross, "currency": currency }'`;
const BOOKED = `pickup:
  post: /pickups
  body: { json: { ref: '\${pickup.reference}' } }
  result: { number: '\${response.body.number}' }`;

const asking = (carrier: Carrier, ...replies: readonly Reply[]) => {
  const world = createWorld(carrier, replies);
  const { operation: _, inputs: __, ...run } = runOf(carrier, 'create');
  return { ...world, asking: { ...run, ports: world.ports } satisfies Asking };
};
const of = (operations: string, ...replies: readonly Reply[]) => asking(carrierOf(single('', operations)), ...replies);
const prices = (...list: readonly object[]) => ({ prices: list });
const RIGHT = { product: 'P', gross: 5.95, currency: 'EUR' };

describe('rates', () => {
  test.each<[string, Reply, object]>([
    [
      'one price alone is a list of one',
      prices(RIGHT),
      { ok: true, result: [{ service: 'P', total: 5.95, currency: 'EUR' }] },
    ],
    ['no price is no offer, and no error', prices(), { ok: true, result: [] }],
    [
      'an offer without a price is an error at its field',
      prices(RIGHT, { product: 'X', currency: 'EUR' }),
      { why: 'fail', problem: { code: 'result_invalid', messages: ['[1].total is required'] } },
    ],
    [
      'a currency that nobody has is one, too',
      prices({ ...RIGHT, currency: 'EURO' }),
      { why: 'fail', problem: { messages: ['[0].currency must be a currency code of ISO 4217, such as EUR'] } },
    ],
    ['503 is no answer yet', 503, { ok: false, why: 'waiting' }],
    ['a broken connection is no reason to doubt: nothing was changed', reset, { ok: false, why: 'waiting' }],
    ['422 is a refusal', answer(422, {}), { ok: false, why: 'rejected' }],
  ])('%s', async (_, reply, expected) => {
    const { asking: given } = of(RATES, reply);
    const asked = await ask('rates', { consignment: {}, service: undefined }, given);
    expect(asked).toMatchObject(expected);
  });

  it('are not offered by a profile without the operation, and nobody is asked', async () => {
    const { asking: given, sent } = asking(carrierOf(single()));
    expect(await ask('rates', { consignment: {}, service: undefined }, given)).toMatchObject({
      ok: false,
      why: 'not_offered',
      problem: { messages: ['acme has no operation rates'] },
    });
    expect(sent).toEqual([]);
  });
});

describe('what has an effect', () => {
  it('is fenced before it is sent, and after an unknown outcome not sent again', async () => {
    const { asking: given, attemptLog, requests } = of(BOOKED, reset);
    expect(await ask('pickup', { pickup: PICKUP }, given)).toMatchObject({ ok: false, why: 'unknown_outcome' });
    expect(attemptLog.calls).toMatchObject([{ step: 'pickup', state: 'unknown' }]);
    expect(await ask('pickup', { pickup: PICKUP }, given)).toMatchObject({ ok: false, why: 'unknown_outcome' });
    expect(requests()).toEqual(['POST /pickups']);
  });

  it('is repeated where the carrier knows a repeat', async () => {
    const known = BOOKED.replace('post:', 'idempotency: reference\n  post:');
    const { asking: given, clock, sent } = of(known, reset, { number: 'C1' });
    expect(await ask('pickup', { pickup: PICKUP }, given)).toMatchObject({ why: 'waiting' });
    clock.advance(60_000);
    expect(await ask('pickup', { pickup: PICKUP }, given)).toEqual({ ok: true, result: { number: 'C1' } });
    expect(sent[1]?.body).toEqual(sent[0]?.body);
  });

  it('without a number is not known to be done', async () => {
    const { asking: given } = of(BOOKED, {});
    expect(await ask('pickup', { pickup: PICKUP }, given)).toMatchObject({
      why: 'unknown_outcome',
      problem: { code: 'result_invalid', messages: ['number is required'] },
    });
  });

  it('is undone, step by step, when a later step is refused', async () => {
    const { asking: given, requests } = asking(
      carrierOf(
        profileOf(`create: { post: /, result: { itemsTrackDetails: { trackingNumber: '\${response.body.n}' } } }
pickup:
  steps:
    - { id: opened, post: /open, undo: { delete: '/open/\${response.body.id}' } }
    - { id: booked, post: /book }
  result: { number: '\${steps.booked.body.number}' }`),
      ),
      { id: 7 },
      answer(422, {}),
      204,
    );
    expect(await ask('pickup', { pickup: PICKUP }, given)).toMatchObject({ why: 'rejected' });
    expect(requests()).toEqual(['POST /open', 'POST /book', 'DELETE /open/7']);
  });

  it('takes a variant by what it is asked about', async () => {
    const { asking: given, requests } = asking(
      carrierOf(
        profileOf(`create: { post: /, result: { itemsTrackDetails: { trackingNumber: '\${response.body.n}' } } }
cancelPickup:
  variants:
    - { id: late, when: pickup.memo.orderId, delete: '/orders/\${pickup.memo.orderId}' }
    - { id: early, delete: '/pickups/\${pickup.number}' }`),
      ),
      204,
      204,
    );
    for (const more of [{ memo: { orderId: 'O1' } }, { number: 'C1' }])
      expect(
        await ask(
          'cancelPickup',
          { pickup: { ...PICKUP, ...more } },
          {
            ...given,
            seed: JSON.stringify(more),
            ports: { ...given.ports, attemptLog: createWorld(given.carrier, []).attemptLog },
          },
        ),
      ).toEqual({ ok: true, result: undefined });
    expect(requests()).toEqual(['DELETE /orders/O1', 'DELETE /pickups/C1']);
  });
});
