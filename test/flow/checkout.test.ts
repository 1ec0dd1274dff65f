/** Prices before the order: ten carriers, of which one is silent and one refuses, and an order by an offer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { type Listening, listenLocally, textOf } from './carrier.ts';
import { call } from './server.ts';
import { flowWorld } from './world.ts';

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'silent', 'cross'];

const question = (changes: object = {}, weight = 2) => ({
  consignmentDetails: { packageDetails: [{ weight }] },
  shipFrom: { address: { country: 'DE', pincode: '10115' } },
  shipTo: { address: { country: 'DE', pincode: '20095' } },
  waitMs: 10_000,
  ...changes,
});

const order = (offerId: string, reference: string, changes: object = {}, weight = 5) => ({
  consignmentDetails: {
    referenceNumber: reference,
    orderNumber: reference,
    consignmentNumber: reference,
    consignmentType: 'FORWARD',
    shipByDate: new Date().toISOString().slice(0, 10),
    totalWeight: weight,
    totalWeightUom: 'KG',
    totalQuantity: 1,
    packageDetails: [
      {
        id: 'P1',
        type: 'Carton',
        length: 1,
        width: 1,
        height: 1,
        dimensionUom: 'CM',
        weight,
        weightUom: 'KG',
        quantity: 1,
      },
    ],
  },
  carrier: { offerId },
  shipFrom: {
    contact: { name: 'Ann Example', contactNumber: '+49 30 000001' },
    address: { line1: '1 Example Street', city: 'Berlin', pincode: '10115', country: 'DE' },
  },
  shipTo: {
    contact: { name: 'Bob Example', contactNumber: '+49 40 000002', email: 'bob@example.com' },
    address: { line1: '2 Example Road', pincode: '20095', county: 'Mitte', country: 'DE' },
  },
  ...changes,
});

interface Placed {
  readonly data: readonly {
    readonly trackingDetails: readonly { readonly carrierDetails: { readonly info: object } }[];
  }[];
}

describe('a checkout', () => {
  let carriers: Listening;
  const asked: { path: string; body: Record<string, unknown> }[] = [];

  const flow = flowWorld({
    profiles: async () => {
      carriers = await listenLocally(async (request, response) => {
        const [, name = '', what] = request.url?.split('/') ?? [];
        const body = JSON.parse(await textOf(request)) as Record<string, string>;
        asked.push({ path: `${name} ${what}`, body });
        if (name === 'silent') return;
        response.writeHead(name === 'cross' ? 403 : 200, { 'content-type': 'application/json' });
        const price = 10 + NAMES.indexOf(name);
        const rates = [
          { service: 'E1', total: price + 5.555, days: 1, id: `quote-${name}` },
          { service: 'S1', total: price, days: 3, id: `quote-${name}-slow` },
        ];
        const shops = [{ id: `shop-${name}`, name: 'Kiosk', address: { country: 'DE', postalCode: body['near'] } }];
        const slots = [{ id: 'S-1', from: '2099-05-05 08:00:00', to: '2099-05-05 12:00:00' }];
        const answers: Readonly<Record<string, object>> = { rates: { rates }, shops: { shops }, slots: { slots } };
        response.end(JSON.stringify(answers[what ?? ''] ?? { number: `T-${body['reference']}` }));
      });
      const profileOf = (name: string): string => `
carrier: ${name}
environments: { production: { url: '${carriers.url}/${name}' } }
auth: none
capabilities: { to: [DE, AT] }
requires: [destinationEmail]
services: { Express: { typeOfService: EXPRESS, code: E1 }, Standard: { typeOfService: STANDARD, code: S1 } }
operations:
  rates:
    post: /rates
    body: { json: { to: '\${consignment.destinationPostalCode}', kg: '\${consignment.totalWeight}' } }
    result: '[response.body.rates.{ "service": service, "total": total, "currency": "EUR", "transitDays": days, "rateId": id }]'
  locations: { post: /shops, body: { json: { near: '\${search.near.postalCode}' } }, result: response.body.shops }
  create:
    post: /orders
    idempotency: reference
    body: { json: { reference: '\${consignment.referenceId}', product: '\${service.code}', quote: '\${consignment.info.rateId}' } }
    result: { itemsTrackDetails: { trackingNumber: '\${response.body.number}' } }
  update: { put: /orders, body: { json: { reference: '\${consignment.referenceId}', quote: '\${consignment.info.rateId}' } } }
`;
      const timed = `
carrier: timed
environments: { production: { url: '${carriers.url}/timed' } }
auth: none
services: { Express: { typeOfService: EXPRESS }, Economy: { typeOfService: ECONOMY }, Rail: { typeOfService: GROUND } }
transit: timed
operations:
  slots: { post: /slots, body: { json: { postcode: '\${consignment.destinationPostalCode}' } }, result: response.body.slots }
  reserveSlot: { post: /holds, body: { json: { slot: '\${slot.id}' } }, result: { reservation: '\${response.body.number}' } }
  confirmSlot: { post: /confirms, body: { json: { hold: '\${slot.reservation}', reference: '\${consignment.referenceId}' } } }
  releaseSlot: { post: /releases, body: { json: { hold: '\${slot.reservation}' } } }
  cancel: { post: /cancels, body: { json: { reference: '\${consignment.referenceId}' } } }
  create: { post: /orders, idempotency: reference, body: { json: { reference: '\${consignment.referenceId}' } }, result: { itemsTrackDetails: { trackingNumber: '\${response.body.number}' } } }
`;
      const transit = `
transit: timed
timeZone: Europe/Berlin
cutOff: { mon-fri: '16:00' }
zones: { home: { countries: [DE] } }
services: { Express: { days: { home: 1 } }, Economy: { days: { home: 2-5 } } }
`;
      const profiles = NAMES.map((name) => [name, profileOf(name)] as const);
      return Object.fromEntries([...profiles, ['timed', timed], ['transit/timed', transit]]);
    },
    isServing: false,
  });
  beforeAll(async () => {
    await flow.serve();
    const { body } = await flow.asAdmin('POST', '/admin/shippers', { code: 'shop', name: 'Example Shop' });
    flow.shop = String(body['token']);
    await Promise.all([...NAMES, 'timed'].map(async (name) => await flow.openAccount(name, {})));
  });
  afterAll(async () => await carriers.close());

  interface Offers {
    readonly offers: readonly Record<'offerId' | 'carrierCode' | 'service' | 'askedAt', string>[];
    readonly unavailable: readonly Record<'carrierCode' | 'code', string>[];
  }
  const rates = async (changes?: object, weight?: number): Promise<Offers> => {
    const { body } = await flow.asShop('POST', '/v2/checkout/rates', question(changes, weight));
    return (body as unknown as { data: Offers }).data;
  };
  const questions = (): number => asked.filter(({ path }) => path.endsWith('rates')).length;

  it('has the offers of all carriers, the cheapest first, and names the one that refuses', async () => {
    const { offers, unavailable } = await rates({ carriers: NAMES.filter((name) => name !== 'silent') });
    expect(offers).toHaveLength(16);
    expect(offers[0]).toMatchObject({
      carrierCode: 'one',
      service: 'Standard',
      total: 10,
      currency: 'EUR',
      transitDays: 3,
    });
    expect(offers.find(({ service }) => service === 'Express')).toMatchObject({ total: 15.56 });
    expect(unavailable).toMatchObject([{ carrierCode: 'cross', code: 'http_403' }]);
    expect(asked.find(({ path }) => path === 'one rates')?.body).toEqual({ to: '20095', kg: 2 });
  });

  it('waits for a silent carrier no longer than it is told, and names it beside the offers', async () => {
    // What the others said just now is known still.
    const { offers, unavailable } = await rates({ waitMs: 700 });
    expect(offers).toHaveLength(16);
    expect(unavailable).toContainEqual({ carrierCode: 'silent', code: 'late', messages: ['no answer within 700 ms'] });
  });

  it('asks an equal question once, and says when', async () => {
    const first = await rates({ carriers: ['one'] }, 3);
    const before = questions();
    const second = await rates({ carriers: ['one'] }, 3);
    expect(questions()).toBe(before);
    expect(second.offers.map(({ askedAt }) => askedAt)).toEqual(first.offers.map(({ askedAt }) => askedAt));
    await rates({ carriers: ['one'] }, 4);
    expect(questions()).toBe(before + 1);
  });

  it('asks no carrier that would refuse such an order, nor one without an account, and says so', async () => {
    const before = questions();
    const { offers, unavailable } = await rates({
      carriers: ['one', 'nobody'],
      shipTo: { address: { country: 'FR', pincode: '75001' } },
    });
    expect([offers, questions()]).toEqual([[], before]);
    expect(unavailable).toMatchObject([
      { carrierCode: 'one', code: 'refused', messages: [expect.stringContaining('FR')] },
      { carrierCode: 'nobody', code: 'account_known' },
    ]);
  });

  it('says without prices when it would arrive, the quickest first, by one set of answers', async () => {
    const before = questions();
    const changes = {
      carriers: ['timed', 'one', 'cross', 'nobody'],
      consignmentDetails: { packageDetails: [{ weight: 2 }], shipByDate: '2099-03-02' },
      shipFrom: { ...question().shipFrom, pickupStartDateTime: '2099-03-02 09:00:00', timezone: 'Europe/Berlin' },
    };
    const ask = async () =>
      (await flow.asShop('POST', '/v2/checkout/turnaround', question(changes))).body as {
        data?: { services: object[]; unavailable: object[] };
      };
    const { data } = await ask();
    expect(data?.services).toMatchObject([
      {
        carrierCode: 'timed',
        service: 'Express',
        deliveryFrom: '2099-03-03 00:00:00',
        deliveryTo: '2099-03-03 23:59:59',
        transitDays: 1,
        cutOff: '2099-03-02 16:00:00',
      },
      {
        carrierCode: 'timed',
        service: 'Economy',
        deliveryFrom: '2099-03-04 00:00:00',
        deliveryTo: '2099-03-09 23:59:59',
      },
      { carrierCode: 'one', service: 'Express', transitDays: 1 },
      { carrierCode: 'one', service: 'Standard', transitDays: 3 },
    ]);
    expect(JSON.stringify(data?.services)).not.toMatch(/total|offerId/);
    expect(data?.unavailable).toMatchObject([
      { carrierCode: 'cross', code: 'http_403' },
      { carrierCode: 'nobody', code: 'account_known' },
    ]);
    await rates({ ...changes, carriers: ['one'] });
    expect(questions()).toBe(before + 2);
    expect(
      (
        await flow.asShop(
          'POST',
          '/v2/checkout/turnaround',
          question({ carriers: ['timed'], shipTo: { address: { country: 'FR', pincode: '75001' } } }),
        )
      ).body,
    ).toMatchObject({ data: { services: [], unavailable: [{ code: 'no_times' }] } });
  });

  it('finds where parcels of a carrier are collected', async () => {
    const { body } = await flow.asShop('POST', '/v2/locations', {
      carrier: { code: 'one' },
      near: { country: 'DE', pincode: '10115' },
    });
    expect(body['data']).toEqual([
      { locationId: 'shop-one', name: 'Kiosk', address: { country: 'DE', pincode: '10115' } },
    ]);
  });

  it('reserves a slot that the carrier keeps, which confirms it before the order, and has it back after a cancel', async () => {
    const { shipTo } = question();
    const found = await flow.asShop('POST', '/v2/slots', { carrier: { code: 'timed' }, shipTo });
    const slotId = (found.body as { data?: { slotId: string }[] }).data?.[0]?.slotId;
    const reserved = await flow.asShop('POST', '/v2/slots/reserve', { slotId });
    const slotToken = (reserved.body as { data?: { slotToken: string }[] }).data?.[0]?.slotToken;
    const sent = order('', 'O-5', { carrier: { code: 'timed' } });
    Object.assign(sent.consignmentDetails, { serviceType: 'Express', slotToken });
    const placed = await flow.asShop('POST', '/v2/consignments', sent);
    expect(placed.status, JSON.stringify(placed.body)).toBe(200);
    await flow.asShop('POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber: 'O-5' }] });
    await until('it is given back', () => asked.some(({ path }) => path === 'timed releases'));
    expect(asked.filter(({ path }) => path.startsWith('timed'))).toEqual([
      { path: 'timed slots', body: { postcode: '20095' } },
      { path: 'timed holds', body: { slot: 'S-1' } },
      { path: 'timed confirms', body: { hold: 'T-undefined', reference: 'O-5' } },
      { path: 'timed orders', body: { reference: 'O-5' } },
      { path: 'timed cancels', body: { reference: 'O-5' } },
      { path: 'timed releases', body: { hold: 'T-undefined' } },
    ]);
  });

  it.each([
    ['no packages', { consignmentDetails: { packageDetails: [] } }, 'consignmentDetails.packageDetails'],
    ['no weight', { consignmentDetails: { packageDetails: [{}] } }, 'consignmentDetails.packageDetails[0].weight'],
    ['no country', { shipTo: { address: { pincode: '1' } } }, 'shipTo.address.country'],
    ['a wait without an end', { waitMs: 100_000 }, 'waitMs'],
  ])('with %s is 400, at the field', async (_, changes, field) => {
    const { status, body } = await flow.asShop('POST', '/v2/checkout/rates', question(changes));
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`"${field}"`)]);
  });

  const express = async (): Promise<string> => {
    const { offers } = await rates({ carriers: ['two'] }, 5);
    return offers.find(({ service }) => service === 'Express')?.offerId ?? '';
  };

  it('ends in an order by its offer, which decides carrier, service and price', async () => {
    const placed = await flow.asShop('POST', '/v2/consignments', order(await express(), 'O-1'));
    expect(placed).toMatchObject({
      status: 200,
      body: {
        data: [
          {
            acceptance: 'accepted',
            trackingDetails: [
              {
                trackingNumber: 'T-O-1',
                carrierDetails: { code: 'two', info: { service: 'Express', total: 16.56, currency: 'EUR' } },
              },
            ],
          },
        ],
      },
    });
    expect(asked.at(-1)).toEqual({ path: 'two orders', body: { reference: 'O-1', product: 'E1', quote: 'quote-two' } });
  });

  it('lets go of the offer with an update that makes another order of it, and keeps it otherwise', async () => {
    const info = async (changes: object): Promise<unknown> => {
      const update = { consignmentDetails: { referenceNumber: 'O-4', ...changes } };
      const { status, body } = await flow.asShop('PUT', '/v2/consignments', update);
      expect(status).toBe(200);
      return (body as unknown as Placed).data[0]?.trackingDetails[0]?.carrierDetails.info;
    };
    await flow.asShop('POST', '/v2/consignments', order(await express(), 'O-4'));
    expect(await info({ deliveryInstructions: 'ring once' })).toMatchObject({ total: 16.56 });
    expect(await info({ serviceType: 'Standard' })).toEqual({});
  });

  it.each([
    ['was never made', 'bm90aGluZw', {}, 5, 'offer_known'],
    ['is for another carrier', '', { carrier: { code: 'one' } }, 5, 'offer_fits'],
    ['is for less weight', '', {}, 6, 'offer_fits'],
  ])('an order by an offer that %s is 422', async (_, made, changes, weight, code) => {
    const offerId = made === '' ? await express() : made;
    const { carrier } = changes as { carrier?: object };
    const sent = order(offerId, 'O-2', { carrier: { code: 'two', ...carrier, offerId } }, weight);
    sent.consignmentDetails = { ...sent.consignmentDetails, serviceType: 'Express' } as never;
    const { status, body } = await flow.asShop('POST', '/v2/consignments', sent);
    expect([status, body['findings']]).toMatchObject([422, [{ code, field: 'carrier.offerId' }]]);
  });

  it('keeps the offers of a shipper from all others', async () => {
    const { body } = await flow.asAdmin('POST', '/admin/shippers', { code: 'other', name: 'Other' });
    await flow.asAdmin('PUT', '/admin/accounts', { shipper: 'other', carrier: 'two', credentials: {} });
    const sent = order(await express(), 'O-3', {});
    const foreign = await call(`${flow.server.url}/v2/consignments`, String(body['token']), {
      method: 'POST',
      body: JSON.stringify({
        ...sent,
        carrier: { ...sent.carrier, code: 'two' },
        consignmentDetails: { ...sent.consignmentDetails, serviceType: 'Express' },
      }),
    });
    expect(foreign.body['findings']).toMatchObject([{ code: 'offer_known' }]);
  });
});
