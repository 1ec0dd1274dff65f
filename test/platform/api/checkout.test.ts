/** What a checkout refuses to ask, what a basket is asked as, and for which orders an offer holds. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { changed } from '../../engine/consignment/orders.ts';
import { apiWorld, order } from './world.ts';

const RATED = `
carrier: rated
environments: { production: { url: 'https://rated.example.com' } }
services: { Express: { typeOfService: EXPRESS } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  rates: { post: /rates, body: { json: consignment }, result: '[]' }
statuses: { table: { DELIVERED: Order Delivered } }
`;

const asked: Consignment[] = [];
const api = apiWorld(
  {
    quote: ({ consignment }) => {
      asked.push(consignment);
      return Promise.resolve({ quoted: { offers: [{ service: 'Express', total: 7, currency: 'EUR' }] }, askedAtMs: 0 });
    },
  },
  { profiles: { rated: RATED } },
);
const { shop, clock } = api;
beforeEach(() => void asked.splice(0));

const D = 'consignmentDetails.';
const whole = order();
const question = (changes: object = {}) => ({
  ...changed(
    {
      consignmentDetails: { packageDetails: whole.consignmentDetails.packageDetails },
      shipFrom: whole.shipFrom,
      shipTo: whole.shipTo,
    } as never,
    changes as never,
  ),
  carriers: ['rated'],
});
const rates = async (changes: object = {}) => await shop.post('/v2/checkout/rates', question(changes));
const offerId = async (changes: object = {}): Promise<string> => {
  const { body } = await rates(changes);
  return body.data.offers[0].offerId;
};
const codesOf = (body: { findings?: readonly { code: string; field: string }[] }) =>
  body.findings?.map(({ code, field }) => `${field} ${code}`);

describe('a checkout', () => {
  it.each([
    ['no packages', { [`${D}packageDetails`]: undefined }, 400, `${D}packageDetails required`],
    [
      'a basket of unknown weight',
      { [`${D}packageDetails`]: undefined, [`${D}skuDetails`]: [{ code: 'A' }] },
      400,
      `${D}skuDetails[0].weight required`,
    ],
    ['a day that is over', { [`${D}shipByDate`]: '2026-04-29' }, 422, `${D}shipByDate window_past`],
    [
      'a pickup that is over there',
      { 'shipFrom.timezone': 'Asia/Kolkata', 'shipFrom.pickupEndDateTime': '2026-05-01 14:00:00' },
      422,
      'shipFrom.pickupEndDateTime window_past',
    ],
    [
      'a delivery that is over',
      { 'shipTo.deliveryEndDateTime': '2026-04-30 14:00:00', [`${D}shipByDate`]: '2026-05-01' },
      422,
      'shipTo.deliveryEndDateTime window_past',
    ],
    [
      'an amount in no currency',
      { [`${D}paymentTobeCollected`]: { paymentMode: 'COD', amount: 5, currency: 'XYZ' } },
      422,
      `${D}paymentTobeCollected.currency currency_known`,
    ],
    ['a place beyond the pole', { 'shipTo.address.latitude': 91 }, 422, 'shipTo.address.latitude on_earth'],
  ])('with %s is refused at the field, and nobody is asked', async (_, changes, status, finding) => {
    for (const path of ['rates', 'turnaround']) {
      const { status: got, body } = await shop.post(`/v2/checkout/${path}`, question(changes));
      expect([got, JSON.stringify(codesOf(body))]).toEqual([status, expect.stringContaining(finding)]);
    }
    expect(asked).toEqual([]);
  });

  it('takes a day and a window that are not over everywhere', async () => {
    const changes = { [`${D}shipByDate`]: '2026-04-30', 'shipFrom.pickupEndDateTime': '2026-04-30 22:00:00' };
    expect((await rates(changes)).body.data.offers).toHaveLength(1);
  });

  it('asks for a basket as one package of its weight, and of the size that is usual', async () => {
    const skuDetails = [
      { code: 'A', quantity: 3, weight: 500, weightUom: 'KG' },
      { code: 'B', quantity: 2 },
      { code: 'C', weight: 1, weightUom: 'LB' },
    ];
    const { status, text } = await shop.post('/v2/checkout/rates', {
      ...question({ [`${D}packageDetails`]: undefined, [`${D}skuDetails`]: skuDetails }),
      packageDefaults: { weight: 0.25, length: 40, width: 30, height: 20 },
    });
    expect(status, text).toBe(200);
    expect(asked).toMatchObject([
      {
        totalWeight: 1500.954,
        numberOfShipments: 1,
        itemList: [{ itemWeight: 1500.954, itemWeightUom: 'KG', itemQuantity: 6, itemLength: 40, itemHeight: 20 }],
        skuList: [{ skuCode: 'A' }, { skuCode: 'B' }, { skuCode: 'C' }],
      },
    ]);
  });
});

const create = async (id: string, changes: object = {}) => {
  const { status, body } = await shop.create(order({ carrier: { code: 'rated', offerId: id }, ...changes }));
  return [status, codesOf(body)];
};

describe('an offer', () => {
  it('holds for half an hour', async () => {
    const id = await offerId();
    clock.advance(30 * 60_000 - 1);
    expect(await create(id)).toEqual([200, undefined]);
    const next = await offerId();
    clock.advance(30 * 60_000);
    expect(await create(next, { [`${D}referenceNumber`]: 'REF-2', [`${D}consignmentNumber`]: 'CON-2' })).toEqual([
      422,
      ['carrier.offerId offer_expired'],
    ]);
    expect(await api.sql(`select count(*)::int as n from consignments where reference_number = 'REF-2'`)).toEqual([
      { n: 0 },
    ]);
  });

  it('that was changed anywhere is none', async () => {
    const id = await offerId();
    for (let at = 0; at < id.length; at += 9) {
      const other = id[at] === 'A' ? 'B' : 'A';
      expect(await create(`${id.slice(0, at)}${other}${id.slice(at + 1)}`)).toEqual([
        422,
        ['carrier.offerId offer_known'],
      ]);
    }
  });

  it.each([
    ['weighs more in all', { [`${D}totalWeight`]: 25 }],
    ['is several packages of the kind', { [`${D}packageDetails[0].quantity`]: 3, [`${D}totalQuantity`]: 3 }],
    ['goes to a home', { 'shipTo.address.type': 'Residential' }],
    ['is paid on delivery', { [`${D}paymentTobeCollected`]: { paymentMode: 'COD', amount: 5, currency: 'EUR' } }],
    ['has a service more', { [`${D}vas`]: [{ vasCode: 'SIGNATURE_REQUIRED', level: 'CONSIGNMENT' }] }],
    ['is insured', { [`${D}additionalInformation`]: { insuredAmount: 900, currency: 'EUR' } }],
    ['is a return', { [`${D}consignmentType`]: 'REVERSE' }],
  ])('is not for an order that %s, unless that was asked', async (_, changes) => {
    expect(await create(await offerId(), changes)).toEqual([422, ['carrier.offerId offer_fits']]);
    expect(await create(await offerId(changes), changes)).toEqual([200, undefined]);
  });
});
