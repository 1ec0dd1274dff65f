import { describe, expect, it } from 'vitest';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, goneLabel, pendingLabel, readyLabel, rejected } from './harness.ts';

describe('GET /v2/consignments', () => {
  const api = apiUnderTest();

  it('shows packages, labels, events and dispatches', async () => {
    const shipper = await api.newShipper();
    await shipper.create(leastOrder());
    const { rows } = await api.database.pool.query('select id from consignments order by id desc limit 1');
    const push = await api.database.pool.query(
      `insert into pushes (carrier_code, source, request, body) values ('acme', 'contract', '{}', '') returning id`,
    );
    await api.database.pool.query(
      `insert into events (push_id, carrier_code, identity, match, consignment_id, position, status, carrier_status,
         carrier_sub_status, carrier_description, occurred_at, event_timezone, body)
       values ($1, 'acme', 'x', 'matched', $2, 0, 'Order Picked Up', 'picked_up', '', '', '2026-05-01T10:00:00Z', 'UTC', $3)`,
      [push.rows[0].id, rows[0].id, JSON.stringify({ value: 'T-REF-1-P1', carrierStatus: 'PICKED_UP' })],
    );
    const { statusCode, data } = await shipper('GET', '/v2/consignments?referenceNumber=REF-1');
    expect(statusCode).toBe(200);
    expect(data.status).toBe('OK');
    expect(data.data).toHaveLength(1);
    expect(data.data[0]).toMatchObject({
      referenceNumber: 'REF-1',
      orderNumber: 'ORD-1',
      consignmentNumber: 'CON-1',
      masterTrackingNumber: 'T-REF-1-P1',
      consignmentType: 'FORWARD',
      carrierCode: 'acme',
      environment: 'production',
      acceptance: 'accepted',
      packages: [{ packageId: 'P1', trackingNumber: 'T-REF-1-P1' }],
      labels: [{ packageId: 'P1', format: 'PDF', state: 'stored', url: expect.stringContaining('/v2/labels/') }],
      events: [
        {
          packageId: 'P1',
          status: 'Order Picked Up',
          occurredAt: '2026-05-01T10:00:00.000Z',
          carrierStatus: { carrierStatus: 'PICKED_UP' },
        },
      ],
      dispatches: [{ operation: 'create', state: 'done', attempts: 1 }],
    });
  });

  it('still shows one that the carrier rejected, until the reference is used again', async () => {
    const shipper = await api.newShipper();
    api.state.answering = () => rejected('no such street');
    await shipper.create(leastOrder());
    const read = async () => await shipper.read('REF-1');
    expect(await read()).toMatchObject({
      acceptance: 'rejected',
      dispatches: [{ state: 'rejected', failure: { why: 'rejected', messages: ['no such street'] } }],
    });
    api.state.answering = accepts();
    await shipper.create(leastOrder());
    expect(await read()).toMatchObject({ acceptance: 'accepted' });
  });

  it('is 404 for what is another shipper’s, of the other environment, or nobody’s', async () => {
    const [one, other] = [await api.newShipper(), await api.newShipper()];
    await one.create(leastOrder());
    const { token } = (await api.admin('POST', `/admin/shippers/${one.code}/tokens`, { environment: 'sandbox' })).data;
    for (const caller of [other, api.as(token)]) {
      expect((await caller('GET', '/v2/consignments?referenceNumber=REF-1')).statusCode).toBe(404);
    }
    expect((await one('GET', '/v2/consignments?referenceNumber=REF-2')).statusCode).toBe(404);
  });

  it.each(['?referenceNumber=', '?referenceNumber=a&referenceNumber=b', '?referenceNumber=%00'])(
    'is 400 for %j',
    async (query) => {
      const shipper = await api.newShipper();
      expect((await shipper('GET', `/v2/consignments${query}`)).statusCode).toBe(400);
    },
  );

  it('keeps a reference with characters of every kind', async () => {
    const shipper = await api.newShipper();
    const reference = 'Ä/ß? &#+%25 "😀"';
    await shipper.create(changed(leastOrder(), { 'consignmentDetails.referenceNumber': reference }));
    const { data } = await shipper('GET', `/v2/consignments?referenceNumber=${encodeURIComponent(reference)}`);
    expect(data.data[0].referenceNumber).toBe(reference);
  });
});

describe('GET /v2/labels/{id}', () => {
  const api = apiUnderTest();
  const withLabel = async () => {
    const shipper = await api.newShipper();
    api.state.answering = accepts();
    const { data } = await shipper.create(leastOrder());
    const url = new URL(data.data[0].trackingDetails[0].label).pathname;
    const id = url.split('/').at(-1)!;
    api.state.served.set(id, readyLabel('%PDF-1.4'));
    return { shipper, url, id };
  };

  it('serves the bytes to whoever has the link', async () => {
    const { url } = await withLabel();
    const response = await api.call({ method: 'GET', url });
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload.toString()).toBe('%PDF-1.4');
    expect(response.headers).toMatchObject({
      'content-type': 'application/pdf',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-disposition': 'inline; filename="label.pdf"',
    });
  });

  it('serves it to its shipper, hides it from another, and refuses a token that is none', async () => {
    const { shipper, url } = await withLabel();
    const other = await api.newShipper();
    expect((await shipper('GET', url)).statusCode).toBe(200);
    expect((await other('GET', url)).statusCode).toBe(404);
    expect((await api.as('wb_shipper_x_y')('GET', url)).statusCode).toBe(401);
  });

  it('says when it is not there: unknown, revoked, not made yet, failed', async () => {
    const { url, id } = await withLabel();
    const get = async () => await api.call({ method: 'GET', url });
    api.state.served.set(id, goneLabel('revoked'));
    expect((await get()).statusCode).toBe(404);
    api.state.served.set(id, pendingLabel(api.clock.now() + 30_500));
    expect(await get()).toMatchObject({ statusCode: 503, headers: { 'retry-after': '31' } });
    api.state.served.set(id, goneLabel('failed', 'not a label'));
    expect((await get()).data.message).toContain('not a label');
    expect((await api.call({ method: 'GET', url: '/v2/labels/AAAAAAAAAAAAAAAAAAAAAAAA' })).statusCode).toBe(404);
    expect((await api.call({ method: 'GET', url: '/v2/labels/..%2f..%2fetc' })).statusCode).toBe(400);
  });
});
