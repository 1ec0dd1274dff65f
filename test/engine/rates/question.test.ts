import { expect, it } from 'vitest';
import { offerIssues, repriced } from '../../../src/engine/rates/of-order.ts';
import { gistOf, orderToAsk } from '../../../src/engine/rates/question.ts';
import { carrierWith, consignmentOf } from './tariffs.ts';

const ends = {
  shipFrom: { address: { country: 'DE', pincode: '10115' } },
  shipTo: { address: { country: 'DE', pincode: '80331' } },
};
const asked = (consignmentDetails: object, more: object = {}) =>
  orderToAsk({ ...ends, consignmentDetails, ...more }, 'acme', 'Standard', '2026-03-02') as {
    readonly consignmentDetails: Readonly<Record<string, unknown>>;
  };

it.each([
  ['of the packages', { packageDetails: [{ weight: 10 }] }, 10, 'KG'],
  [
    'of the packages, in the unit of the whole',
    { packageDetails: [{ weight: 10 }], totalWeightUom: 'LB' },
    22.046,
    'LB',
  ],
  ['as the shipper says it', { packageDetails: [{ weight: 10 }], totalWeight: 25 }, 25, 'KG'],
  ['of a basket', { skuDetails: [{ weight: 2, weightUom: 'LB', quantity: 3 }] }, 2.722, 'KG'],
])('the weight of all is that %s', (_, details, weight, unit) => {
  const { totalWeight, totalWeightUom } = asked(details).consignmentDetails;
  expect([Number(Number(totalWeight).toFixed(3)), totalWeightUom]).toEqual([weight, unit]);
});

it('an offer of a carrier that is asked is for the day that was asked about', () => {
  const order = asked({ packageDetails: [{ weight: 1 }], shipByDate: '2026-03-04' });
  const offered = {
    carrierCode: 'acme',
    service: 'Standard',
    total: 5,
    currency: 'EUR',
    expiresAtMs: 1,
    gist: gistOf(order),
  };
  const on = (shipByDate: string): object => ({
    ...order,
    consignmentDetails: { ...order.consignmentDetails, shipByDate, referenceNumber: 'R' },
  });
  expect(offerIssues(on('2026-03-04'), offered, 0)).toEqual([]);
  expect(offerIssues(on('2026-03-05'), offered, 0)).toMatchObject([{ code: 'offer_fits' }]);
});

it('an offer of a carrier with a tariff is for an order of that price', async () => {
  const carrier = carrierWith('services: { Standard: { typeOfService: STANDARD } }\ntariff: std\n', {
    'tariffs/std.yaml': `tariff: std
currency: EUR
zones: { home: { countries: [DE] } }
fuel: [{ from: '2026-01-01', percent: 10 }, { from: '2026-06-01', percent: 20 }]
services: { Standard: { prices: "to,home\\n5,10\\n" } }
`,
  });
  const service = carrier.services!.get('standard') ?? [...carrier.services!.values()][0]!;
  const offered = { carrierCode: 'acme', service: 'Standard', total: 11, currency: 'EUR', expiresAtMs: 1, gist: '' };
  const on = async (day: string) =>
    await repriced(
      offered,
      { carrier, consignment: consignmentOf({ shippingDateTime: `${day} 09:00:00` }), service },
      0,
    );
  expect(await on('2026-03-02')).toEqual([]);
  expect(await on('2026-06-02')).toMatchObject([{ code: 'offer_fits' }]);
});
