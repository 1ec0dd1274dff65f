import { describe, expect, it } from 'vitest';
import { held, rejected } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { shop, carrier } = api;
const DETAILS = 'consignmentDetails.';

type Changes = Readonly<Record<string, unknown>>;
const create = async (reference: string, changes: Changes = {}, headers = {}) =>
  await shop.create(order(changes, reference), headers);
const numbered = (consignmentNumber: string) => ({ [`${DETAILS}consignmentNumber`]: consignmentNumber });
const assigned = (trackingNumber: string) => ({
  [`${DETAILS}packageDetails[0].trackingDetails`]: [{ trackingNumber }],
});
const withNumber = (trackingNumber: string) => {
  const [entry] = order().consignmentDetails.packageDetails;
  return { packageDetails: [{ ...entry, trackingDetails: [{ trackingNumber }] }] };
};
const statusesOf = (replies: readonly { status: number }[]) =>
  replies.map(({ status }) => status).toSorted((a, b) => a - b);

/** The consignment that was accepted last is one of its own to its carrier. */
const renumber = async (number: string): Promise<void> => {
  const isLast = 'consignment_id = (select max(id) from consignments)';
  await api.sql(`update packages set tracking_number = $1 where ${isLast}`, [number]);
  await api.sql(`update identifiers set value = $1 where kind = 'Tracking' and ${isLast}`, [number]);
};

describe('a consignmentNumber', () => {
  it('is one consignment’s: 409 with that one', async () => {
    await create('REF-1');
    const { status, body } = await create('REF-2', numbered('CON-1'));
    expect([status, body]).toMatchObject([
      409,
      {
        code: 'duplicate_consignment_number',
        errors: ['consignmentDetails.consignmentNumber CON-1 is in use by REF-1'],
        data: { referenceNumber: 'REF-1', consignmentNumber: 'CON-1', trackingDetails: [{ packageId: 'P1' }] },
      },
    ]);
  });

  it('is one consignment’s also of many at once, in as many statements as ever', async () => {
    const references = Array.from({ length: 8 }, (_, at) => `REF-${at}`);
    const replies = await Promise.all(references.map((reference) => create(reference, numbered('CON-1'))));
    expect(statusesOf(replies)).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
  });

  it('may be another shipper’s, and one of the sandbox’s', async () => {
    await create('REF-1');
    expect((await (await api.newShipper()).create(order({}, 'REF-9'))).status).toBe(200);
  });

  it('is also that of a consignment from before it had to be its own', async () => {
    await create('REF-1');
    await api.sql(`update consignments set is_numbered = null where consignment_number = 'CON-1'`);
    expect((await create('REF-2', numbered('CON-1'))).status).toBe(409);
  });

  it('is free again once the carrier has rejected the order', async () => {
    carrier.answers(rejected('no'));
    await create('REF-1');
    carrier.answers('as usual');
    expect((await create('REF-2', numbered('CON-1'))).status).toBe(200);
  });
});

describe('a tracking number that the shipper gives', () => {
  it('is one live consignment’s: 409 with that one', async () => {
    await create('REF-1', assigned('T-1'));
    const { status, body } = await create('REF-2', assigned('T-1'));
    expect([status, body]).toMatchObject([
      409,
      {
        code: 'duplicate_tracking_number',
        errors: [`${DETAILS}packageDetails[0].trackingDetails[0].trackingNumber T-1 is in use by REF-1`],
        data: { referenceNumber: 'REF-1' },
      },
    ]);
  });

  it('is no number that the carrier gave to another', async () => {
    await create('REF-1');
    expect((await create('REF-2', assigned('T-REF-1-P1'))).body.code).toBe('duplicate_tracking_number');
  });

  it('is one consignment’s also of many at once, and stands in nobody else’s way', async () => {
    const numbers = ['T-1', 'T-1', 'T-2', 'T-1', undefined, 'T-2', 'T-3', 'T-1'];
    const replies = await Promise.all(
      numbers.map((number, at) => create(`REF-${at}`, number === undefined ? {} : assigned(number))),
    );
    expect(statusesOf(replies)).toEqual([200, 200, 200, 200, 409, 409, 409, 409]);
    expect(replies[4]!.status).toBe(200);
  });

  it('can be used again when its consignment has ended', async () => {
    for (const [at, status] of ['Order Delivered', 'Lost'].entries()) {
      expect((await create(`REF-${at}`, assigned('T-1'))).status).toBe(200);
      await api.sql(`update consignments set status = $1 where reference_number = $2`, [status, `REF-${at}`]);
    }
    await create('REF-3', assigned('T-1'));
    await shop.cancel('REF-3');
    expect((await create('REF-4', assigned('T-1'))).status).toBe(200);
    expect((await create('REF-5', assigned('T-1'))).status).toBe(409);
  });

  it('is one package’s of an order', async () => {
    const [entry] = order(assigned('T-1')).consignmentDetails.packageDetails;
    const packageDetails = [entry, { ...entry, id: 'P2' }];
    const { status, body } = await create('REF-1', {
      [`${DETAILS}packageDetails`]: packageDetails,
      [`${DETAILS}totalQuantity`]: 2,
    });
    expect([status, body.errors]).toEqual([
      422,
      [
        `${DETAILS}packageDetails[1].trackingDetails[0].trackingNumber is the same as that of packageDetails[0]; tracking numbers must be unique`,
      ],
    ]);
  });

  it('is not to be had by an update either', async () => {
    await create('REF-2', assigned('T-1'));
    await create('REF-1', assigned('T-2'));
    expect((await shop.change(withNumber('T-1'))).body).toMatchObject({
      code: 'duplicate_tracking_number',
      data: { referenceNumber: 'REF-2' },
    });
    expect((await shop.change(withNumber('T-3'))).status).toBe(200);
    expect((await shop.change(withNumber('T-3'))).status).toBe(200);
    expect((await create('REF-3', assigned('T-3'))).status).toBe(409);
  });
});

const reused = (why: string) => [
  {
    code: 'reused',
    message: expect.stringMatching(
      new RegExp(`^consignmentDetails.referenceNumber REF-1 was in use.* ${why}`),
    ) as string,
  },
];

describe('a reference that was used', () => {
  it('can be used again when its consignment is cancelled, and the reply says so', async () => {
    await create('REF-1');
    await shop.cancel();
    const { status, body } = await create('REF-1');
    expect([status, body.data[0]]).toMatchObject([200, { acceptance: 'accepted', warnings: reused('is cancelled') }]);
    expect(carrier.asked()).toEqual(['create', 'cancel', 'create']);
    expect((await shop.read()).acceptance).toBe('accepted');
    expect((await shop.get('/v2/consignments')).body.data).toHaveLength(2);
    expect((await create('REF-1')).status).toBe(409);
  });

  it('can be used again when the order never reached the carrier, which cancels that', async () => {
    carrier.answers(held('fail'));
    await create('REF-1');
    carrier.answers('as usual');
    const { status, body } = await create('REF-1');
    expect([status, body.data[0]]).toMatchObject([200, { warnings: reused('never reached its carrier') }]);
    const listed = (await shop.get('/v2/consignments')).body.data as { acceptance: string }[];
    expect(listed.map(({ acceptance }) => acceptance)).toEqual(['accepted', 'cancelled']);
    expect(await api.sql(`select from dispatches where state = 'held'`)).toEqual([]);
  });

  it.each([['unknown_outcome'], ['undo_failed']] as const)('cannot where the carrier may have it: %s', async (why) => {
    carrier.answers(held(why));
    await create('REF-1');
    expect((await create('REF-1')).body.code).toBe('duplicate_reference');
  });

  it('is had by one of many at once', async () => {
    await create('REF-1');
    await shop.cancel();
    expect(statusesOf(await Promise.all([1, 2, 3].map(() => create('REF-1'))))).toEqual([200, 409, 409]);
  });

  it('can be used again under a key, whose repeats get the same answer', async () => {
    await create('REF-1');
    await shop.cancel();
    const key = { 'idempotency-key': 'again' };
    const { text } = await create('REF-1', {}, key);
    expect((await create('REF-1', {}, key)).text).toBe(text);
  });

  it('leaves what the carrier says of the shipment of before to that', async () => {
    await create('REF-1', numbered('CON-77'));
    await renumber('T-OLD');
    await shop.cancel();
    carrier.answers(held('unknown_outcome'));
    await create('REF-1', numbered('CON-77'));
    const { token } = await api.issue('carriers/acme');
    const said = {
      value: 'T-OLD',
      consignmentNumber: 'CON-77',
      carrierStatusCode: 'PICKED_UP',
      statusReceivedAt: '2026-05-01 12:00:00',
    };
    expect((await api.as(token).post('/v2/carriers/acme/statuses', said)).status).toBe(200);
    expect(await shop.read()).toMatchObject({ status: 'Order Created', acceptance: 'held' });
  });

  it('is told of by its own number, where another order has its consignmentNumber only', async () => {
    await create('REF-1', numbered('CON-78'));
    await renumber('T-78');
    await shop.cancel();
    expect((await create('REF-2', numbered('CON-78'))).status).toBe(200);
    const { token } = await api.issue('carriers/acme');
    const said = { value: 'T-78', carrierStatusCode: 'PICKED_UP', statusReceivedAt: '2026-05-01 12:00:00' };
    await api.as(token).post('/v2/carriers/acme/statuses', said);
    expect((await shop.read('REF-1')).status).toBe('Order Picked Up');
    expect((await shop.read('REF-2')).status).toBe('Order Created');
  });

  it('is needed still where another order wants its consignmentNumber', async () => {
    carrier.answers(held('fail'));
    await create('REF-1');
    expect((await create('REF-2', numbered('CON-1'))).status).toBe(409);
    expect((await shop.read()).acceptance).toBe('held');
  });
});

describe('totalQuantity', () => {
  const [entry] = order().consignmentDetails.packageDetails;
  const of = (totalQuantity: number, ...quantities: number[]) => ({
    [`${DETAILS}totalQuantity`]: totalQuantity,
    [`${DETAILS}packageDetails`]: quantities.map((quantity, at) => ({ ...entry, id: `P${at}`, quantity })),
  });

  it.each([
    [2, [1, 1]],
    [2, [3, 4]],
    [7, [3, 4]],
    [3, [3]],
  ])('as %i fits packages of %j', async (total, quantities) => {
    expect((await create('REF-1', of(total, ...quantities))).status).toBe(200);
  });

  it('that contradicts the packages is 422', async () => {
    const { status, body } = await create('REF-1', of(3, 1, 1));
    expect([status, body.findings]).toEqual([
      422,
      [
        {
          code: 'total_quantity',
          field: 'consignmentDetails.totalQuantity',
          message:
            'consignmentDetails.totalQuantity is 3, but packageDetails has 2 entries of 2 in all; it must be one of the two',
        },
      ],
    ]);
  });
});

describe('an update', () => {
  it.each([
    ['consignmentNumber', 'CON-2', 'CON-1'],
    ['consignmentType', 'REVERSE', 'FORWARD'],
    ['orderNumber', 'ORD-2', 'ORD-1'],
  ])('does not change %s', async (field, value, is) => {
    await create('REF-1');
    const { status, body } = await shop.change({ [field]: value });
    const says = `consignmentDetails.${field} is ${is} and cannot be changed; cancel the consignment and create it anew`;
    expect([status, body.errors]).toEqual([422, [says]]);
    expect(carrier.asked()).toEqual(['create']);
    expect((await shop.change({ [field]: is, deliveryInstructions: 'new' })).status).toBe(200);
  });
});
