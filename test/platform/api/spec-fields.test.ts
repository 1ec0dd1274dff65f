/** What the specification says of the fields of a create; `line` is its line in spec/shipper-api.md. */
import { describe, expect, it } from 'vitest';
import { leastOrder, put } from '../../engine/consignment/orders.ts';
import { PROFILE_NAMES, type Profile, wholeOrder } from './four-profiles.ts';
import { accepts } from './harness.ts';
import { LEVELS } from './spec-levels.ts';
import { details400, least, reference, specShop } from './spec-shop.ts';

const { api, create } = specShop();

describe('the fields of a create', () => {
  it.each(PROFILE_NAMES)('are all taken together by profile %s, and kept', async (profile) => {
    const order = wholeOrder(profile, reference());
    const { statusCode, body } = await create(order);
    expect(statusCode, body).toBe(200);
    const { rows } = await api.database.pool.query('select order_text from consignments order by id desc limit 1');
    expect(JSON.parse(rows[0].order_text)).toEqual(order);
  });

  it.each(LEVELS)('line %i: %s is %s', async (line, path, levels, _right, wrong) => {
    api.state.answering = accepts(false);
    for (const [index, profile] of PROFILE_NAMES.entries()) {
      const without = wholeOrder(profile, reference());
      put(without, path, undefined);
      const lacking = await create(without);
      if (levels[index] === 'M') {
        expect(lacking.statusCode, `${profile}: ${lacking.body}`).toBe(400);
        expect(details400(lacking.data)).toContain(`${path} is required`);
      } else expect(lacking.statusCode, `${profile}: ${lacking.body}`).toBe(200);
    }
    // The type is the same for all, so one of them is asked.
    const profile = PROFILE_NAMES[line % 4] ?? 'OP';
    const broken = wholeOrder(profile, reference());
    put(broken, path, wrong);
    const refused = await create(broken);
    expect(refused.statusCode, `${profile}: ${refused.body}`).toBe(400);
    expect(details400(refused.data)).toContain(path);
  });
});

type Changes = Readonly<Record<string, unknown>>;
type Broken = readonly [line: number, profile: Profile | undefined, rule: string, named: string, changes: Changes];
const sku = { code: 'S', quantity: 1, packageIds: ['P1'], lineItemNo: '1' };

const BROKEN: readonly Broken[] = [
  [
    30,
    undefined,
    'the service must be configured for the carrier',
    'consignmentDetails.serviceType',
    { 'consignmentDetails.serviceType': 'Teleport' },
  ],
  [
    39,
    undefined,
    'COD needs an amount',
    'paymentTobeCollected.amount',
    { 'consignmentDetails.paymentTobeCollected': { paymentMode: 'COD', currency: 'EUR' } },
  ],
  [
    48,
    undefined,
    'package ids are unique',
    'packageDetails[1].id',
    {
      'consignmentDetails.packageDetails': [
        ...leastOrder().consignmentDetails.packageDetails,
        ...leastOrder().consignmentDetails.packageDetails,
      ],
      'consignmentDetails.totalQuantity': 2,
    },
  ],
  [
    70,
    undefined,
    'a SKU’s quantity equals the units of its package',
    'skuDetails[0].quantity',
    { 'consignmentDetails.skuDetails': [{ ...sku, quantity: 2 }] },
  ],
  [
    72,
    undefined,
    'packageIds are ids of packages',
    'skuDetails[0].packageIds[0]',
    { 'consignmentDetails.skuDetails': [{ ...sku, packageIds: ['P9'] }] },
  ],
  [
    90,
    'OB',
    'the carrier must support the value-added service',
    'vas[0].vasCode',
    { 'consignmentDetails.vas': [{ vasCode: 'HAUL_AWAY_OLD', level: 'CONSIGNMENT' }] },
  ],
  [
    92,
    undefined,
    'targetIds are required when level is SKU',
    'vas[0].targetIds',
    {
      'consignmentDetails.skuDetails': [sku],
      'consignmentDetails.vas': [{ vasCode: 'INSTALLATION', level: 'SKU' }],
    },
  ],
  [
    92,
    undefined,
    'targetIds name SKUs or packages',
    'vas[0].targetIds[0]',
    { 'consignmentDetails.vas': [{ vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['7'] }] },
  ],
  [100, undefined, 'the carrier must be configured in the platform', 'carrier.code', { 'carrier.code': 'nobody' }],
  [
    111,
    undefined,
    'the pickup does not end before it starts',
    'shipFrom.pickupEndDateTime',
    {
      'shipFrom.pickupStartDateTime': '2026-05-02 12:00:00',
      'shipFrom.pickupEndDateTime': '2026-05-02 09:00:00',
    },
  ],
  [
    134,
    undefined,
    'the delivery does not end before it starts',
    'shipTo.deliveryEndDateTime',
    {
      'shipTo.deliveryStartDateTime': '2026-05-03 12:00:00',
      'shipTo.deliveryEndDateTime': '2026-05-03 09:00:00',
    },
  ],
  [
    145,
    undefined,
    'a return address has a line where there is no facility code',
    'returnTo.address.line1',
    { returnTo: { address: { city: 'Berlin' } } },
  ],
];

describe('linked rules of a create are 422', () => {
  it.each(BROKEN)('line %i, profile %s: %s', async (_line, profile, _rule, named, changes) => {
    const order = profile === undefined ? least() : wholeOrder(profile, reference());
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
