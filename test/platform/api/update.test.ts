import { beforeEach, describe, expect, it } from 'vitest';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { done, held, rejected } from './carrier.ts';
import { apiWorld, order, STAMP, TRACKED, TRACKED_ENTRY } from './world.ts';

const api = apiWorld();
const { shop, carrier } = api;
const instruct = (deliveryInstructions = 'ring twice') => shop.change({ deliveryInstructions });
const exchange = () => shop.change({ additionalInformation: { exchangeOrderNumber: 'O-0' } });
const types = async () => {
  const { order_types: orderTypes, consignment_type: type } = await api.stored();
  return [...orderTypes, type];
};

describe('PUT /v2/consignments, of an order that the carrier has', () => {
  beforeEach(async () => {
    await shop.create();
  });

  it.each(['/v2/consignments', '/api/v2/consignments'])('sends the change to the carrier at PUT %s', async (url) => {
    const body = { consignmentDetails: { referenceNumber: 'REF-1', deliveryInstructions: 'ring twice' } };
    const updated = await shop.put(url, body);
    expect(updated).toMatchObject({ status: 200, body: { data: [{ trackingDetails: [TRACKED] }] } });
    expect(carrier.sent[1]).toMatchObject({
      operation: 'update',
      consignment: { typeOfAction: 'UPDATE', deliveryInstructions: 'ring twice', destinationName: 'Bob Example' },
    });
    const { order: kept, canonical } = await api.stored();
    expect(kept).toEqual(order({ 'consignmentDetails.deliveryInstructions': 'ring twice' }));
    expect(canonical.deliveryInstructions).toBe('ring twice');
    expect((await shop.read()).dispatches).toHaveLength(2);
  });

  it('gives the carrier what it gave us', async () => {
    await instruct();
    expect(carrier.sent[1]?.input.shipment).toEqual({
      trackingNumber: 'T-REF-1-P1',
      memo: {},
      packages: [{ itemReferenceNumber: 'P1', trackingNumber: 'T-REF-1-P1', memo: {} }],
    });
  });

  it('fixes weight, window and services', async () => {
    const [first] = leastOrder().consignmentDetails.packageDetails;
    const window = { deliveryStartDateTime: '2026-05-03 09:00:00', deliveryEndDateTime: '2026-05-03 12:00:00' };
    const vas = [{ vasCode: 'INSTALLATION', level: 'CONSIGNMENT' }];
    const changes = { packageDetails: [{ ...first, weight: 4 }], totalWeight: 4, vas };
    const { status, text } = await shop.change(changes, { shipTo: { ...leastOrder().shipTo, ...window } });
    expect(status, text).toBe(200);
    expect((await api.stored()).order).toMatchObject({ consignmentDetails: changes, shipTo: window });
  });

  it('clears what null is given for, and tells the carrier', async () => {
    const [first] = leastOrder().consignmentDetails.packageDetails;
    const details = { deliveryInstructions: 'ring twice', routingTags: ['a'], specialInstructions: 'kept' };
    const shipTo = { ...leastOrder().shipTo, timezone: 'Asia/Kolkata' };
    const returnTo = { returnFacilityCode: 'NORTH', contact: { name: 'Eve' } };
    const packageDetails = [{ ...first, description: 'vase', additionalInformation: { colour: 'red', size: 'M' } }];
    await shop.change({ ...details, packageDetails }, { shipTo, returnTo, own: { b: 1 } });
    const { status, text } = await shop.change(
      {
        deliveryInstructions: null,
        routingTags: null,
        packageDetails: [{ ...first, description: null, additionalInformation: { colour: null } }],
        vas: [{ vasCode: 'INSTALLATION', level: 'CONSIGNMENT', remark: null }],
      },
      { shipTo: { ...leastOrder().shipTo, timezone: null }, returnTo: null, own: { b: null } },
    );
    expect(status, text).toBe(200);
    const { order: kept, canonical } = await api.stored();
    expect(kept).toEqual({
      ...order({
        'consignmentDetails.specialInstructions': 'kept',
        'consignmentDetails.packageDetails': [{ ...first, additionalInformation: { size: 'M' } }],
        'consignmentDetails.vas': [{ vasCode: 'INSTALLATION', level: 'CONSIGNMENT' }],
      }),
      own: {},
    });
    expect(canonical).not.toHaveProperty('deliveryInstructions');
    expect(carrier.sent.at(-1)?.consignment).not.toHaveProperty('deliveryInstructions');
  });

  it('clears by flat names as well', async () => {
    await shop.change({}, { shipTo: { companyName: 'Example', state: 'HH', addressLine1: '3 Example Way' } });
    expect((await shop.change({}, { shipTo: { companyName: null, addressLine1: '4 Example Way' } })).status).toBe(200);
    const { order: kept } = await api.stored();
    expect(kept.shipTo.contact).toEqual(leastOrder().shipTo.contact);
    expect(kept.shipTo.address).toMatchObject({ line1: '4 Example Way', state: 'HH' });
  });

  it.each([
    [{ orderNumber: null }, {}, 'consignmentDetails.orderNumber must be a string'],
    [{ packageDetails: null }, {}, 'consignmentDetails.packageDetails must be an array'],
    [{}, { shipTo: null }, 'shipTo must be an object'],
    [{}, { shipTo: { addressLine1: null } }, 'shipTo.address.line1 must be a string'],
    [{ consignmentType: 'SIDEWARD' }, {}, 'consignmentDetails.consignmentType must be one of FORWARD, REVERSE'],
    [{ labelFormat: 'PNG' }, {}, 'consignmentDetails.labelFormat must be one of PDF, ZPL, null'],
  ])('does not clear what has to be there: %j %j', async (fields, rest, message) => {
    const { status, body } = await shop.change(fields, rest);
    expect([status, body.errors?.[0]?.details]).toEqual([400, [message]]);
  });

  it('takes flat names for the address', async () => {
    const names = { contactName: 'Cem Example', phoneNumber: '+49 1' };
    const shipTo = { ...names, addressLine1: '3 Example Way', state: 'HH', pinCode: '20097' };
    expect((await shop.change({}, { shipTo })).status).toBe(200);
    expect(carrier.sent[1]?.consignment).toMatchObject({
      destinationName: 'Cem Example',
      destinationPostalCode: '20097',
      destinationCountry: 'IN',
    });
    expect((await api.stored()).order.shipTo).toMatchObject({
      contact: { name: 'Cem Example', contactNumber: '+49 1' },
      address: { line1: '3 Example Way', state: 'HH', pincode: '20097', county: 'Fort' },
    });
  });

  it('leaves the order as it was when the carrier rejects the change', async () => {
    carrier.answers(rejected('too late'));
    expect(await instruct()).toMatchObject({
      status: 422,
      body: { errors: ['too late'], message: 'Acme Parcels rejected the update' },
    });
    expect((await api.stored()).order).toEqual(leastOrder());
    expect((await shop.read()).acceptance).toBe('accepted');
  });

  it.each([
    ['refused', rejected('too late'), 'consignment.rejected'],
    ['done without numbers', done(), 'consignment.tracking.2'],
  ] as const)(
    'is pending, with what is known, while the carrier has not answered, and a webhook tells its end: %s',
    async (_, outcome, event) => {
      carrier.answers('nothing');
      const pending = { acceptance: 'pending', trackingDetails: [TRACKED] };
      expect(await instruct()).toMatchObject({ status: 200, body: { data: [pending] } });
      carrier.answers(outcome);
      await api.work();
      const [, told] = await api.sql('select body from notices order by consignment_id desc, sequence');
      expect(JSON.parse(told.body)).toMatchObject({
        event,
        referenceNumber: 'REF-1',
        trackingNumber: 'T-REF-1-P1',
        info: { operation: 'update' },
      });
    },
  );

  it.each(['Order Picked Up', 'In Transit', 'Order Delivered'])(
    'is 409 with the tracking data at %s, and changes nothing',
    async (status) => {
      await api.reached(status);
      const body = { timestamp: STAMP, status: 'CONFLICT', data: TRACKED_ENTRY };
      expect(await instruct()).toMatchObject({ status: 409, body });
      expect((await api.stored()).order).toEqual(leastOrder());
      expect(carrier.asked()).toEqual(['create']);
    },
  );

  it('is 422 for another order number, another carrier, and both at once', async () => {
    const errors = ['consignmentDetails.orderNumber', 'carrier.code'].map((path) => expect.stringContaining(path));
    const changed = shop.change({ orderNumber: 'ORD-2' }, { carrier: { code: 'solo' } });
    expect(await changed).toMatchObject({ status: 422, body: { errors } });
  });

  it.each([
    ['a reference', { consignmentDetails: {} }, /^consignmentDetails.referenceNumber is required$/],
    [
      'parts that are complete in themselves',
      { consignmentDetails: { referenceNumber: 'REF-1' }, shipTo: { contact: { name: 'x' } } },
      /shipTo\.address is required[^]*shipTo\.contact\.contactNumber is required/,
    ],
  ])('is 400 without %s', async (_, update, details) => {
    const { status, body } = await shop.update(update);
    expect(status).toBe(400);
    expect(body.errors[0].details.join('\n')).toMatch(details);
  });

  it('waits for an earlier update and is laid over what that left', async () => {
    const both = await Promise.all([instruct('one'), shop.change({ specialInstructions: 'two' })]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await api.stored()).order.consignmentDetails).toMatchObject({
      deliveryInstructions: 'one',
      specialInstructions: 'two',
    });
  });
});

describe('PUT /v2/consignments', () => {
  it('needs the reference only, and changes only what it supplies', async () => {
    await shop.create(order({ 'consignmentDetails.deliveryInstructions': 'before' }));
    const { order: before } = await api.stored();
    expect((await shop.change()).status).toBe(200);
    await shop.change({ specialInstructions: 'after' });
    expect((await api.stored()).order).toEqual(changed(before, { 'consignmentDetails.specialInstructions': 'after' }));
  });

  it('answers with what the carrier gave where it need not be told, though nobody would wait', async () => {
    await shop.create();
    const body = { consignmentDetails: { referenceNumber: 'REF-1', businessUnit: 'north' } };
    const { status, headers, body: answer } = await shop.put('/v2/consignments', body, { prefer: 'respond-async' });
    expect([status, headers['preference-applied'], answer.data?.[0]?.trackingDetails]).toEqual([
      200,
      undefined,
      [TRACKED],
    ]);
    expect(carrier.asked()).toEqual(['create']);
  });

  it('asks no carrier when nothing changes that it must know', async () => {
    await shop.create(order({ 'carrier.code': 'solo' }));
    expect((await shop.change({ businessUnit: 'north', routingTags: ['a'] })).status).toBe(200);
    expect((await api.stored()).order.consignmentDetails.businessUnit).toBe('north');
    expect(carrier.asked()).toEqual(['create']);
  });

  it('asks no carrier where only this platform says more of the same order than when it was accepted', async () => {
    const said = { declaredValue: 120, currency: 'CHF', incoterm: 'DDP' };
    await shop.create(order({ 'carrier.code': 'solo', 'consignmentDetails.additionalInformation': said }));
    const { canonical } = await api.stored();
    const { info, invoiceValue, currencyCode, ...before } = canonical;
    expect([info.incoterm, invoiceValue, currencyCode]).toEqual(['DDP', 120, 'CHF']);
    const less = { ...before, info: { consignmentDetails: info.consignmentDetails } };
    const last = '(select max(id) from consignments)';
    await api.sql(`update consignments set canonical = $1 where id = ${last}`, [JSON.stringify(less)]);
    expect((await shop.change({ businessUnit: 'north' })).status).toBe(200);
    expect(carrier.asked()).toEqual(['create']);
    expect((await api.stored()).canonical.info.incoterm).toBe('DDP');
  });

  it('is 422 for a carrier that takes no updates', async () => {
    await shop.create(order({ 'carrier.code': 'solo' }));
    const errors = [expect.stringContaining('takes no updates')];
    expect(await shop.change({ totalWeight: 9 })).toMatchObject({ status: 422, body: { errors } });
  });

  it('is 404 for a reference that is not known', async () => {
    expect((await shop.change()).status).toBe(404);
  });

  it.each([
    ['the carrier has not answered the create', 'nothing', ''],
    ['nobody knows whether the carrier has the consignment', held('unknown_outcome'), 'Nobody knows'],
  ] as const)('is 409 while %s', async (_, outcome, message) => {
    carrier.answers(outcome);
    await shop.create();
    expect(await instruct()).toMatchObject({ status: 409, body: { message: expect.stringContaining(message) } });
  });

  it('changes what a retry will send when the create certainly failed', async () => {
    carrier.answers(held('fail'));
    await shop.create();
    expect((await instruct('new')).status).toBe(200);
    carrier.answers('as usual');
    expect((await shop.retry()).status).toBe(200);
    expect(carrier.sent.at(-1)?.consignment).toMatchObject({ typeOfAction: 'CREATE', deliveryInstructions: 'new' });
  });

  describe('what subscriptions an order matches', () => {
    it('changes once the carrier has taken it', async () => {
      const { contact, address } = leastOrder().shipFrom;
      for (const code of ['NORTH', 'SOUTH'])
        await shop.put(`/v2/facilities/${code}`, { contact, address: { ...address, county: 'Example' } });
      await shop.create();
      carrier.answers(rejected('no'));
      expect((await exchange()).status).toBe(422);
      expect(await types()).toEqual(['FORWARD', 'FORWARD']);
      carrier.answers('as usual');
      expect((await exchange()).status).toBe(200);
      expect(await types()).toEqual(['FORWARD', 'EXCHANGE', 'FORWARD']);
      const places = { shipFrom: { originFacilityCode: 'NORTH' }, shipTo: { destinationFacilityCode: 'SOUTH' } };
      expect(await shop.change({}, places)).toMatchObject({ status: 200 });
      expect(await types()).toEqual(['FORWARD', 'EXCHANGE', 'TRANSFER', 'FORWARD']);
    });

    it('changes at once where the carrier does not have the order yet', async () => {
      carrier.answers(held('fail'));
      await shop.create();
      await exchange();
      expect((await api.stored()).order_types).toEqual(['FORWARD', 'EXCHANGE']);
    });
  });
});
