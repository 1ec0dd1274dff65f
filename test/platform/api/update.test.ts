import { describe, expect, it } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, done, held, rejected } from './harness.ts';

const details = (fields: object) => ({ consignmentDetails: { referenceNumber: 'REF-1', ...fields } });

describe('PUT /v2/consignments', () => {
  const api = apiUnderTest();
  const create = async (changes: Record<string, unknown> = {}) => {
    const shipper = await api.newShipper();
    const created = await shipper.create(changed(leastOrder(), changes));
    expect(created.statusCode).toBe(200);
    const put = async (body: unknown, url = '/v2/consignments', headers = {}) =>
      await shipper('PUT', url, body, headers);
    return { shipper, put };
  };
  const setStatus = async (status: string) => {
    await api.database.pool.query('update packages set status = $1', [status]);
  };

  it.each(['/v2/consignments', '/api/v2/consignments'])('sends the change to the carrier at PUT %s', async (url) => {
    const { shipper, put } = await create();
    let sent: Consignment | undefined;
    api.state.answering = (operation, consignment) => {
      expect(operation).toBe('update');
      sent = consignment;
      return done();
    };
    const { statusCode, data } = await put(details({ deliveryInstructions: 'ring twice' }), url);
    expect(statusCode).toBe(200);
    expect(data.data[0].trackingDetails[0].trackingNumber).toBe('T-REF-1-P1');
    expect(sent).toMatchObject({
      typeOfAction: 'UPDATE',
      deliveryInstructions: 'ring twice',
      destinationName: 'Bob Example',
    });
    const { rows } = await api.database.pool.query(
      'select order_text, canonical from consignments order by id desc limit 1',
    );
    expect(JSON.parse(rows[0].order_text)).toEqual(
      changed(leastOrder(), { 'consignmentDetails.deliveryInstructions': 'ring twice' }),
    );
    expect(JSON.parse(rows[0].canonical).deliveryInstructions).toBe('ring twice');
    expect((await shipper.read('REF-1')).dispatches).toHaveLength(2);
  });

  it('gives the carrier what it gave us', async () => {
    const { put } = await create();
    await put(details({ deliveryInstructions: 'x' }));
    const { rows } = await api.database.pool.query(
      `select input from dispatches where operation = 'update' order by id desc limit 1`,
    );
    expect(JSON.parse(rows[0].input).shipment).toEqual({
      trackingNumber: 'T-REF-1-P1',
      memo: {},
      packages: [{ itemReferenceNumber: 'P1', trackingNumber: 'T-REF-1-P1', memo: {} }],
    });
  });

  it('takes the flat names of the specification’s sample', async () => {
    const { put } = await create();
    let sent: Consignment | undefined;
    api.state.answering = (_, consignment) => {
      sent = consignment;
      return done();
    };
    const shipTo = {
      contactName: 'Cleo Example',
      phoneNumber: '+91 22 3',
      addressLine1: '9 Example Lane',
      pinCode: '400002',
    };
    expect((await put({ ...details({}), shipTo })).statusCode).toBe(200);
    expect(sent).toMatchObject({
      destinationName: 'Cleo Example',
      destinationPostalCode: '400002',
      destinationCountry: 'IN',
    });
  });

  it('leaves the order as it was when the carrier rejects the change', async () => {
    const { shipper, put } = await create();
    api.state.answering = () => rejected('too late');
    const { statusCode, data } = await put(details({ deliveryInstructions: 'x' }));
    expect(statusCode).toBe(422);
    expect(data.errors).toEqual(['too late']);
    expect(data.message).toBe('Acme Parcels rejected the update');
    const { rows } = await api.database.pool.query('select order_text from consignments order by id desc limit 1');
    expect(JSON.parse(rows[0].order_text)).toEqual(leastOrder());
    expect((await shipper.read('REF-1')).acceptance).toBe('accepted');
  });

  it('answers with empty tracking details when the carrier has not answered in time', async () => {
    const { put } = await create();
    api.state.answering = () => undefined;
    const { statusCode, data } = await put(details({ deliveryInstructions: 'x' }));
    expect(statusCode).toBe(200);
    expect(data.data[0].trackingDetails).toEqual([]);
  });

  it.each([
    ['refused', rejected('too late'), 'consignment.rejected'],
    ['done without numbers', done(), 'consignment.tracking'],
  ] as const)('that ends after its answer is told of by webhook: %s', async (_, outcome, event) => {
    const { put } = await create();
    api.state.answering = () => undefined;
    await put(details({ deliveryInstructions: 'x' }));
    const { rows } = await api.database.pool.query<{ id: number }>('select max(id) as id from dispatches');
    api.state.answering = () => outcome;
    await api.perform(rows[0]!.id);
    const { rows: notices } = await api.database.pool.query<{ body: string }>(
      'select body from notices order by consignment_id desc, sequence',
    );
    expect(JSON.parse(notices[1]!.body)).toMatchObject({
      event,
      referenceNumber: 'REF-1',
      trackingNumber: 'T-REF-1-P1',
      info: { operation: 'update' },
    });
  });

  it('asks no carrier when nothing changes that it must know', async () => {
    const { put } = await create({ 'carrier.code': 'solo' });
    api.state.answering = () => {
      throw new Error('the carrier was asked');
    };
    expect((await put(details({ businessUnit: 'north', routingTags: ['a'] }))).statusCode).toBe(200);
    const { rows } = await api.database.pool.query('select order_text from consignments order by id desc limit 1');
    expect(JSON.parse(rows[0].order_text).consignmentDetails.businessUnit).toBe('north');
  });

  it('is 422 for a carrier that takes no updates', async () => {
    const { put } = await create({ 'carrier.code': 'solo' });
    const { statusCode, data } = await put(details({ totalWeight: 9 }));
    expect(statusCode).toBe(422);
    expect(data.errors[0]).toContain('takes no updates');
  });

  it.each(['Order Picked Up', 'In Transit', 'Order Delivered'])(
    'is 409 with the tracking data at %s',
    async (status) => {
      const { put } = await create();
      await setStatus(status);
      const { statusCode, data } = await put(details({ deliveryInstructions: 'x' }));
      expect(statusCode).toBe(409);
      expect(data.data.trackingDetails[0]).toMatchObject({ trackingNumber: 'T-REF-1-P1', label: expect.any(String) });
    },
  );

  it('is 422 for another order number, another carrier, and both at once', async () => {
    const { put } = await create();
    const { statusCode, data } = await put({ ...details({ orderNumber: 'ORD-2' }), carrier: { code: 'solo' } });
    expect(statusCode).toBe(422);
    expect(data.errors).toHaveLength(2);
  });

  it('is 404 for a reference that is not known, or another shipper’s', async () => {
    await create();
    const other = await api.newShipper();
    expect((await other.update(details({}))).statusCode).toBe(404);
  });

  it('is 400 without a reference, and for parts that are not complete in themselves', async () => {
    const { put } = await create();
    expect((await put({ consignmentDetails: {} })).data.errors[0].details).toEqual([
      'consignmentDetails.referenceNumber is required',
    ]);
    expect((await put({ ...details({}), shipTo: { contact: { name: 'x' } } })).statusCode).toBe(400);
  });

  it('waits for an earlier update and is laid over what that left', async () => {
    const { put } = await create();
    const both = await Promise.all([
      put(details({ deliveryInstructions: 'one' })),
      put(details({ specialInstructions: 'two' })),
    ]);
    expect(both.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const { rows } = await api.database.pool.query('select order_text from consignments order by id desc limit 1');
    expect(JSON.parse(rows[0].order_text).consignmentDetails).toMatchObject({
      deliveryInstructions: 'one',
      specialInstructions: 'two',
    });
  });

  it('is 409 while the carrier has not answered the create', async () => {
    api.state.answering = () => undefined;
    const { put } = await create();
    expect((await put(details({ deliveryInstructions: 'x' }))).statusCode).toBe(409);
  });

  it('changes what a retry will send when the create certainly failed', async () => {
    api.state.answering = () => held('fail');
    const { shipper, put } = await create();
    expect((await put(details({ deliveryInstructions: 'new' }))).statusCode).toBe(200);
    let sent: Consignment | undefined;
    api.state.answering = (operation, consignment) => {
      sent = consignment;
      return accepts()(operation, consignment);
    };
    expect((await shipper.retry('REF-1')).statusCode).toBe(200);
    expect(sent).toMatchObject({ typeOfAction: 'CREATE', deliveryInstructions: 'new' });
  });

  it('is 409 when nobody knows whether the carrier has the consignment', async () => {
    api.state.answering = () => held('unknown_outcome');
    const { put } = await create();
    const { statusCode, data } = await put(details({ deliveryInstructions: 'x' }));
    expect(statusCode).toBe(409);
    expect(data.message).toContain('Nobody knows');
  });
});
