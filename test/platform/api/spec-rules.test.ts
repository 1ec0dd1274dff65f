/** What the specification says, one row a rule; `line` is its line in spec/shipper-api.md. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/platform/processes/config.ts';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { changed, leastOrder, put } from '../../engine/consignment/orders.ts';
import { PROFILE_NAMES, type Profile, profiles, wholeOrder } from './four-profiles.ts';
import { accepts, apiUnderTest, done, rejected } from './harness.ts';
import { LEVELS } from './spec-levels.ts';

const api = apiUnderTest({}, { profiles });

const reference = (): string => `REF-${randomBytes(6).toString('hex')}`;

/** Under a reference of its own. */
const newOrder = (profile: Profile): Record<string, unknown> => wholeOrder(profile, reference());

let shipper: Awaited<ReturnType<typeof api.newShipper>> | undefined;
const call = async (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) => {
  shipper ??= await api.newShipper('shop');
  return await shipper(method, url, body);
};
const create = async (body: unknown) => await call('POST', '/v2/consignments', body);
const details400 = (data: { errors: { details: string[] }[] }): string => data.errors[0]?.details.join('\n') ?? '';

describe('the fields of a create', () => {
  it.each(PROFILE_NAMES)('are all taken together by profile %s, and kept', async (profile) => {
    api.state.answering = accepts();
    const order = newOrder(profile);
    const { statusCode, body } = await create(order);
    expect(statusCode, body).toBe(200);
    const { rows } = await api.database.pool.query('select order_text from consignments order by id desc limit 1');
    expect(JSON.parse(rows[0].order_text)).toEqual(order);
  });

  it.each(LEVELS)('line %i: %s is %s', async (line, path, levels, _right, wrong) => {
    api.state.answering = accepts(false);
    for (const [index, profile] of PROFILE_NAMES.entries()) {
      const without = newOrder(profile);
      put(without, path, undefined);
      const lacking = await create(without);
      if (levels[index] === 'M') {
        expect(lacking.statusCode, `${profile}: ${lacking.body}`).toBe(400);
        expect(details400(lacking.data)).toContain(`${path} is required`);
      } else expect(lacking.statusCode, `${profile}: ${lacking.body}`).toBe(200);
    }
    // The type is the same for all, so one of them is asked.
    const profile = PROFILE_NAMES[line % 4] ?? 'OP';
    const broken = newOrder(profile);
    put(broken, path, wrong);
    const refused = await create(broken);
    expect(refused.statusCode, `${profile}: ${refused.body}`).toBe(400);
    expect(details400(refused.data)).toContain(path);
  });
});

interface Broken {
  readonly line: number;
  readonly rule: string;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly profile?: Profile;
  readonly named: string;
}
const sku = { code: 'S', quantity: 1, packageIds: ['P1'], lineItemNo: '1' };

const BROKEN: readonly Broken[] = [
  {
    line: 30,
    rule: 'the service must be configured for the carrier',
    changes: { 'consignmentDetails.serviceType': 'Teleport' },
    named: 'consignmentDetails.serviceType',
  },
  {
    line: 39,
    rule: 'COD needs an amount',
    changes: { 'consignmentDetails.paymentTobeCollected': { paymentMode: 'COD', currency: 'EUR' } },
    named: 'paymentTobeCollected.amount',
  },
  {
    line: 48,
    rule: 'package ids are unique',
    changes: {
      'consignmentDetails.packageDetails': [
        ...leastOrder().consignmentDetails.packageDetails,
        ...leastOrder().consignmentDetails.packageDetails,
      ],
      'consignmentDetails.totalQuantity': 2,
    },
    named: 'packageDetails[1].id',
  },
  {
    line: 70,
    rule: 'a SKU’s quantity equals the units of its package',
    changes: { 'consignmentDetails.skuDetails': [{ ...sku, quantity: 2 }] },
    named: 'skuDetails[0].quantity',
  },
  {
    line: 72,
    rule: 'packageIds are ids of packages',
    changes: { 'consignmentDetails.skuDetails': [{ ...sku, packageIds: ['P9'] }] },
    named: 'skuDetails[0].packageIds[0]',
  },
  {
    line: 90,
    rule: 'the carrier must support the value-added service',
    profile: 'OB',
    changes: { 'consignmentDetails.vas': [{ vasCode: 'HAUL_AWAY_OLD', level: 'CONSIGNMENT' }] },
    named: 'vas[0].vasCode',
  },
  {
    line: 92,
    rule: 'targetIds are required when level is SKU',
    changes: {
      'consignmentDetails.skuDetails': [sku],
      'consignmentDetails.vas': [{ vasCode: 'INSTALLATION', level: 'SKU' }],
    },
    named: 'vas[0].targetIds',
  },
  {
    line: 92,
    rule: 'targetIds name SKUs or packages',
    changes: { 'consignmentDetails.vas': [{ vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['7'] }] },
    named: 'vas[0].targetIds[0]',
  },
  {
    line: 100,
    rule: 'the carrier must be configured in the platform',
    changes: { 'carrier.code': 'nobody' },
    named: 'carrier.code',
  },
  {
    line: 111,
    rule: 'the pickup does not end before it starts',
    changes: {
      'shipFrom.pickupStartDateTime': '2026-05-02 12:00:00',
      'shipFrom.pickupEndDateTime': '2026-05-02 09:00:00',
    },
    named: 'shipFrom.pickupEndDateTime',
  },
  {
    line: 134,
    rule: 'the delivery does not end before it starts',
    changes: {
      'shipTo.deliveryStartDateTime': '2026-05-03 12:00:00',
      'shipTo.deliveryEndDateTime': '2026-05-03 09:00:00',
    },
    named: 'shipTo.deliveryEndDateTime',
  },
  {
    line: 145,
    rule: 'a return address has a line where there is no facility code',
    changes: { returnTo: { address: { city: 'Berlin' } } },
    named: 'returnTo.address.line1',
  },
];

const least = (changes: Readonly<Record<string, unknown>> = {}) =>
  changed(leastOrder(), { 'consignmentDetails.referenceNumber': reference(), ...changes });
const referenceOf = (order: ReturnType<typeof least>): string => order.consignmentDetails.referenceNumber;

describe('linked rules of a create are 422', () => {
  it.each(BROKEN)('line $line: $rule', async ({ changes, named, profile }) => {
    const order = profile === undefined ? least() : newOrder(profile);
    for (const [path, value] of Object.entries(changes)) put(order, path, value);
    const { statusCode, data, body } = await create(order);
    expect(statusCode, body).toBe(422);
    expect(data).toEqual({
      timestamp: expect.stringMatching(/GMT\+0000$/),
      status: 'UNPROCESSABLE_ENTITY',
      message: expect.any(String),
      errors: expect.arrayContaining([expect.stringContaining(named)]),
      data: {
        orderNumber: 'ORD-1',
        referenceNumber: expect.stringMatching(/^REF-/),
        trackingDetails: [],
      },
    });
  });
});

const created = async (changes: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  api.state.answering = accepts();
  const order = least(changes);
  const { statusCode, body } = await create(order);
  expect(statusCode, body).toBe(200);
  return referenceOf(order);
};
const pickUp = async (ref: string): Promise<void> => {
  await api.database.pool.query(
    `update packages set status = 'Order Picked Up'
     where consignment_id in (select id from consignments where reference_number = $1)`,
    [ref],
  );
};
const cancel = async (...references: string[]) =>
  await call('POST', '/v2/consignments-cancel', {
    consignments: references.map((referenceNumber) => ({ referenceNumber })),
  });
const update = async (ref: string, fields: object = {}, rest: object = {}, url = '/api/v2/consignments') =>
  await call('PUT', url, { consignmentDetails: { referenceNumber: ref, ...fields }, ...rest });
const read = async (ref: string) => (await call('GET', `/v2/consignments?referenceNumber=${ref}`)).data.data[0];
const stored = async (ref: string) => {
  const { rows } = await api.database.pool.query('select order_text from consignments where reference_number = $1', [
    ref,
  ]);
  return JSON.parse(rows[0].order_text);
};
const stamp = expect.stringMatching(/^\w{3} \w{3} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT\+0000$/);
/** Everything the carrier is sent from now on. */
const atCarrier = (): { operation: string; consignment: Consignment }[] => {
  const sent: { operation: string; consignment: Consignment }[] = [];
  api.state.answering = (operation, consignment) => {
    sent.push({ operation, consignment });
    return operation === 'create' ? accepts()(operation, consignment) : done();
  };
  return sent;
};

type Rule = readonly [line: number, rule: string, check: () => Promise<void>];
const trackingOf = (ref: string) => [
  {
    packageId: 'P1',
    trackingNumber: `T-${ref}-P1`,
    label: expect.stringMatching(/^https:\/\/waybill\.example\.com\/v2\/labels\//),
    carrierDetails: { name: 'Acme Parcels', code: 'acme', info: {} },
  },
];

const RULES: readonly Rule[] = [
  [
    26,
    'a referenceNumber is unique: 409 with the existing tracking',
    async () => {
      const ref = await created();
      const { statusCode, data } = await create(least({ 'consignmentDetails.referenceNumber': ref }));
      expect(statusCode).toBe(409);
      expect(data).toMatchObject({
        status: 'CONFLICT',
        data: { referenceNumber: ref, trackingDetails: trackingOf(ref) },
      });
    },
  ],
  [
    29,
    'a return is a consignment of type REVERSE',
    async () => {
      const sent = atCarrier();
      expect((await create(least({ 'consignmentDetails.consignmentType': 'REVERSE' }))).statusCode).toBe(200);
      expect(sent[0]?.consignment.typeOfOrder).toBe('REVERSE');
    },
  ],
  [
    40,
    'labelFormat is PDF unless said',
    async () => {
      const sent = atCarrier();
      await create(least());
      expect(sent[0]?.consignment.labelFormat).toBe('PDF');
    },
  ],
  [
    112,
    'originFacilityCode fills in the address',
    async () => {
      const address = { line1: '5 Example Yard', city: 'Berlin', pincode: '10117', country: 'DE' };
      const contact = { name: 'Example Warehouse', contactNumber: '+49 30 5' };
      shipper ??= await api.newShipper('shop');
      await shipper('PUT', '/v2/facilities/WH', { address, contact });
      const sent = atCarrier();
      await create({ ...least(), shipFrom: { originFacilityCode: 'WH' } });
      expect(sent[0]?.consignment).toMatchObject({ originCode: 'WH', originAddressLine1: '5 Example Yard' });
    },
  ],
  [
    166,
    'a success carries the numbers, package by package',
    async () => {
      api.state.answering = accepts();
      const order = least();
      const { statusCode, data } = await create(order);
      expect(statusCode).toBe(200);
      expect(data).toEqual({
        timestamp: stamp,
        status: 'OK',
        data: [
          {
            referenceNumber: referenceOf(order),
            orderNumber: 'ORD-1',
            consignmentNumber: 'CON-1',
            masterTrackingNumber: `T-${referenceOf(order)}-P1`,
            trackingDetails: trackingOf(referenceOf(order)),
          },
        ],
      });
    },
  ],
  [
    173,
    'a cancel names at least one consignment',
    async () => {
      expect((await call('POST', '/v2/consignments-cancel', {})).statusCode).toBe(400);
      expect((await call('POST', '/v2/consignments-cancel', { consignments: [] })).statusCode).toBe(400);
    },
  ],
  [
    174,
    'each by its referenceNumber',
    async () => {
      const { statusCode, data } = await call('POST', '/v2/consignments-cancel', { consignments: [{ remark: 'x' }] });
      expect(statusCode).toBe(400);
      expect(details400(data)).toContain('consignments[0].referenceNumber');
    },
  ],
  [
    175,
    'the remark of a cancel is optional, and a text',
    async () => {
      const consignments = [{ referenceNumber: await created(), remark: 5 }];
      expect((await call('POST', '/v2/consignments-cancel', { consignments })).statusCode).toBe(400);
      expect((await cancel(consignments[0]?.referenceNumber ?? '')).statusCode).toBe(200);
    },
  ],
  [
    183,
    'a cancel answers for each consignment and each package',
    async () => {
      const ref = await created();
      const { statusCode, data } = await cancel(ref);
      expect(statusCode).toBe(200);
      expect(data).toEqual({
        timestamp: stamp,
        successCount: 1,
        failedCount: 0,
        data: [
          {
            referenceNumber: ref,
            status: 'Success',
            message: expect.any(String),
            trackingDetails: [{ trackingNumber: `T-${ref}-P1`, status: 'Success', remark: expect.any(String) }],
          },
        ],
      });
    },
  ],
  [
    188,
    'what is cancelled cannot be cancelled again; the package’s remark says so',
    async () => {
      const ref = await created();
      await cancel(ref);
      const { statusCode, data } = await cancel(ref);
      expect(statusCode).toBe(200);
      expect(data).toMatchObject({ successCount: 0, failedCount: 1, data: [{ status: 'Failed' }] });
      expect(data.data[0].trackingDetails[0]).toMatchObject({
        status: 'Failed',
        remark: expect.stringContaining('cancelled'),
      });
    },
  ],
  [
    194,
    'an update before dispatch is applied',
    async () => {
      const ref = await created();
      const sent = atCarrier();
      expect((await update(ref, { deliveryInstructions: 'ring twice' })).statusCode).toBe(200);
      expect(sent).toMatchObject([{ operation: 'update', consignment: { deliveryInstructions: 'ring twice' } }]);
    },
  ],
  [
    195,
    'an update from Dispatched on is 409 with the tracking numbers and labels',
    async () => {
      const ref = await created();
      await pickUp(ref);
      const { statusCode, data } = await update(ref, { deliveryInstructions: 'x' });
      expect(statusCode).toBe(409);
      expect(data).toEqual({
        timestamp: stamp,
        status: 'CONFLICT',
        message: expect.any(String),
        errors: [expect.any(String)],
        data: {
          referenceNumber: ref,
          orderNumber: 'ORD-1',
          consignmentNumber: 'CON-1',
          masterTrackingNumber: `T-${ref}-P1`,
          trackingDetails: trackingOf(ref),
        },
      });
    },
  ],
  [
    196,
    'a cancel before pickup goes to the carrier, and labels are revoked',
    async () => {
      const ref = await created();
      const sent = atCarrier();
      await cancel(ref);
      expect(sent).toMatchObject([{ operation: 'cancel', consignment: { referenceId: ref } }]);
      expect(await read(ref)).toMatchObject({ status: 'Cancelled', labels: [{ state: 'revoked' }] });
    },
  ],
  [
    197,
    'a cancel after the carrier scanned it fails, and points to the return flow',
    async () => {
      const ref = await created();
      await pickUp(ref);
      const sent = atCarrier();
      const { statusCode, data } = await cancel(ref);
      expect(statusCode).toBe(200);
      expect(data).toMatchObject({
        failedCount: 1,
        data: [{ status: 'Failed', message: expect.stringContaining('return flow') }],
      });
      expect(sent).toEqual([]);
    },
  ],
  [
    203,
    'requests are JSON by their Content-Type',
    async () => {
      shipper ??= await api.newShipper('shop');
      const headers = { authorization: `Bearer ${shipper.token}`, 'content-type': 'text/plain' };
      const payload = JSON.stringify(least());
      expect((await api.call({ method: 'POST', url: '/v2/consignments', payload, headers })).statusCode).toBe(415);
    },
  ],
  [
    213,
    'update 1: referenceNumber is the only required field',
    async () => {
      expect((await update(await created())).statusCode).toBe(200);
      const { statusCode, data } = await call('PUT', '/v2/consignments', { consignmentDetails: {} });
      expect(statusCode).toBe(400);
      expect(details400(data)).toContain('consignmentDetails.referenceNumber is required');
    },
  ],
  [
    213,
    'update 2: only supplied fields change',
    async () => {
      const ref = await created({ 'consignmentDetails.deliveryInstructions': 'before' });
      const before = await stored(ref);
      await update(ref, { specialInstructions: 'after' });
      expect(await stored(ref)).toEqual(changed(before, { 'consignmentDetails.specialInstructions': 'after' }));
    },
  ],
  [
    213,
    'update 3: what is included is complete in itself',
    async () => {
      const ref = await created();
      const { statusCode, data } = await update(ref, {}, { shipTo: { contact: { name: 'Cem Example' } } });
      expect(statusCode).toBe(400);
      expect(details400(data)).toMatch(/shipTo\.address is required[^]*shipTo\.contact\.contactNumber is required/);
    },
  ],
  [
    213,
    'update 4: orderNumber cannot be changed',
    async () => {
      const { statusCode, data } = await update(await created(), { orderNumber: 'ORD-2' });
      expect(statusCode).toBe(422);
      expect(data.errors.join()).toContain('consignmentDetails.orderNumber');
    },
  ],
  [
    213,
    'update 5: the carrier cannot be changed once a label exists',
    async () => {
      const { statusCode, data } = await update(await created(), {}, { carrier: { code: 'fleet' } });
      expect(statusCode).toBe(422);
      expect(data.errors.join()).toContain('carrier.code');
    },
  ],
  [
    213,
    'update 6: a dispatched consignment is 409',
    async () => {
      const ref = await created();
      await pickUp(ref);
      expect((await update(ref, { specialInstructions: 'x' })).statusCode).toBe(409);
      expect((await stored(ref)).consignmentDetails).not.toHaveProperty('specialInstructions');
    },
  ],
  [
    214,
    'an update fixes weight, window and services',
    async () => {
      const ref = await created();
      const [first] = leastOrder().consignmentDetails.packageDetails;
      const window = { deliveryStartDateTime: '2026-05-03 09:00:00', deliveryEndDateTime: '2026-05-03 12:00:00' };
      const changes = {
        packageDetails: [{ ...first, weight: 4 }],
        totalWeight: 4,
        vas: [{ vasCode: 'INSTALLATION', level: 'CONSIGNMENT' }],
      };
      const { statusCode, body } = await update(ref, changes, { shipTo: { ...leastOrder().shipTo, ...window } });
      expect(statusCode, body).toBe(200);
      const after = await stored(ref);
      expect(after.consignmentDetails).toMatchObject(changes);
      expect(after.shipTo).toMatchObject(window);
    },
  ],
  [
    216,
    'an update may use the flat names of its sample',
    async () => {
      const ref = await created();
      const flat = {
        contactName: 'Cem Example',
        phoneNumber: '+49 1',
        addressLine1: '3 Example Way',
        state: 'HH',
        pinCode: '20097',
      };
      for (const url of ['/api/v2/consignments', '/v2/consignments'])
        expect((await update(ref, {}, { shipTo: flat }, url)).statusCode).toBe(200);
      expect((await stored(ref)).shipTo).toMatchObject({
        contact: { name: 'Cem Example', contactNumber: '+49 1' },
        address: { line1: '3 Example Way', state: 'HH', pincode: '20097', county: 'Fort' },
      });
    },
  ],
  [
    221,
    'a cancel is 200 also when some fail',
    async () => {
      const [good, gone] = [await created(), await created()];
      await cancel(gone);
      const { statusCode, data } = await cancel(good, gone);
      expect(statusCode).toBe(200);
      expect(data).toMatchObject({ successCount: 1, failedCount: 1 });
    },
  ],
  [
    230,
    'a shipper subscribes by order type, each with its own URL or a shared one',
    async () => {
      const shop = await api.newShipper();
      const subscribe = async (path: string, orderTypes: string[]) =>
        (await shop('POST', '/v2/webhooks', { url: `https://hooks.example.com/${path}`, orderTypes })).data.id;
      const place = {
        address: { line1: '5 Example Yard', city: 'Berlin', county: 'Mitte', pincode: '10117', country: 'DE' },
        contact: { name: 'Example Warehouse', contactNumber: '+49 30 5' },
      };
      await shop('PUT', '/v2/facilities/A', place);
      await shop('PUT', '/v2/facilities/B', place);
      const ids = {
        forward: await subscribe('forward', ['Forward']),
        shared: await subscribe('shared', ['REVERSE', 'exchange']),
        transfer: await subscribe('transfer', ['TRANSFER']),
      };
      api.state.answering = accepts();
      const told = async (order: object) => {
        await shop('POST', '/v2/consignments', order);
        const { rows } = await api.database.pool.query(
          `select distinct d.subscription_id as id from deliveries d join notices n on n.id = d.notice_id
           where n.consignment_id = (select max(id) from consignments)`,
        );
        return new Set(rows.map(({ id }) => id));
      };
      expect(await told(least())).toEqual(new Set([ids.forward]));
      expect(await told(least({ 'consignmentDetails.consignmentType': 'REVERSE' }))).toEqual(new Set([ids.shared]));
      const exchange = { 'consignmentDetails.additionalInformation.exchangeOrderNumber': 'ORD-0' };
      expect(await told(least(exchange))).toEqual(new Set([ids.forward, ids.shared]));
      const between = { shipFrom: { originFacilityCode: 'A' }, shipTo: { destinationFacilityCode: 'B' } };
      expect(await told({ ...least(), ...between })).toEqual(new Set([ids.forward, ids.transfer]));
    },
  ],
  [
    235,
    'every call carries a bearer token',
    async () => {
      for (const [method, url] of [
        ['POST', '/v2/consignments'],
        ['PUT', '/api/v2/consignments'],
        ['POST', '/v2/consignments-cancel'],
      ] as const) {
        const { statusCode, data } = await api.call({ method, url, payload: {} });
        expect(statusCode).toBe(401);
        expect(data).toEqual({
          timestamp: stamp,
          status: 'UNAUTHORIZED',
          message: expect.any(String),
          errors: [expect.any(String)],
        });
      }
    },
  ],
  [
    253,
    '400 names the reference and every failing field at once',
    async () => {
      const order = least({
        'consignmentDetails.totalWeight': '2',
        'shipTo.address.county': undefined,
        'carrier.code': 5,
      });
      const { statusCode, data } = await create(order);
      expect(statusCode).toBe(400);
      expect(data).toEqual({
        timestamp: stamp,
        status: 'BAD_REQUEST',
        errors: [{ referenceNumber: referenceOf(order), details: expect.any(Array) }],
      });
      for (const path of ['consignmentDetails.totalWeight', 'shipTo.address.county', 'carrier.code'])
        expect(details400(data)).toContain(path);
    },
  ],
  [
    253,
    'a cancel with an unknown reference is 400 with counts, and the rest is carried out',
    async () => {
      const ref = await created();
      const { statusCode, data } = await cancel(ref, 'NOBODY');
      expect(statusCode).toBe(400);
      expect(data).toEqual({
        timestamp: stamp,
        status: 'BAD_REQUEST',
        errors: [{ referenceNumber: 'NOBODY', details: [expect.any(String)] }],
        successCount: 1,
        failedCount: 1,
        data: [expect.objectContaining({ referenceNumber: ref, status: 'Success' })],
      });
    },
  ],
  [
    255,
    'a carrier’s refusal is 422 in its own words',
    async () => {
      api.state.answering = () => rejected('no such street', 'no such town');
      const order = least();
      const { statusCode, data } = await create(order);
      expect(statusCode).toBe(422);
      expect(data).toMatchObject({
        status: 'UNPROCESSABLE_ENTITY',
        errors: ['no such street', 'no such town'],
        data: { orderNumber: 'ORD-1', referenceNumber: referenceOf(order), trackingDetails: [] },
      });
    },
  ],
  [
    256,
    '500 says that something went wrong, and no more',
    async () => {
      api.state.answering = () => {
        throw new Error('inner');
      };
      const { statusCode, data } = await create(least());
      expect(statusCode).toBe(500);
      expect(data).toEqual({
        timestamp: stamp,
        status: 'INTERNAL_SERVER_ERROR',
        message: expect.not.stringContaining('inner'),
        errors: [expect.any(String)],
      });
    },
  ],
  [
    265,
    'webhooks are retried up to 4 times, 30 minutes apart (kept by test/engine/webhooks/deliver.test.ts)',
    async () => {
      await Promise.resolve();
      expect(SETTINGS.webhookRetries.read(undefined)).toBe(4);
      expect(SETTINGS.webhookRetryMs.read(undefined)).toBe(30 * 60_000);
    },
  ],
];

describe('what the specification says', () => {
  it.each(RULES)('line %i: %s', async (_line, _rule, check) => {
    await check();
  });
});
