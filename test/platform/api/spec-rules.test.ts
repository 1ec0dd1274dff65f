/** What the specification says of creates and of all requests; each names its line in spec/shipper-api.md. */
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/platform/processes/config.ts';
import { rejected } from './harness.ts';
import { details400, least, referenceOf, specShop, stamp, trackingOf } from './spec-shop.ts';

const { api, shop, call, create, created, atCarrier } = specShop();

describe('what the specification says', () => {
  it('line 26: a referenceNumber is unique: 409 with the existing tracking', async () => {
    const ref = await created();
    const { statusCode, data } = await create(least({ 'consignmentDetails.referenceNumber': ref }));
    expect(statusCode).toBe(409);
    expect(data).toMatchObject({
      status: 'CONFLICT',
      data: { referenceNumber: ref, trackingDetails: trackingOf(ref) },
    });
  });

  it('line 29: a return is a consignment of type REVERSE', async () => {
    const sent = atCarrier();
    expect((await create(least({ 'consignmentDetails.consignmentType': 'REVERSE' }))).statusCode).toBe(200);
    expect(sent[0]?.consignment.typeOfOrder).toBe('REVERSE');
  });

  it('line 40: labelFormat is PDF unless said', async () => {
    const sent = atCarrier();
    await create(least());
    expect(sent[0]?.consignment.labelFormat).toBe('PDF');
  });

  it('line 112: originFacilityCode fills in the address', async () => {
    const address = { line1: '5 Example Yard', city: 'Berlin', pincode: '10117', country: 'DE' };
    const contact = { name: 'Example Warehouse', contactNumber: '+49 30 5' };
    const shipper = await shop();
    await shipper('PUT', '/v2/facilities/WH', { address, contact });
    const sent = atCarrier();
    await create({ ...least(), shipFrom: { originFacilityCode: 'WH' } });
    expect(sent[0]?.consignment).toMatchObject({ originCode: 'WH', originAddressLine1: '5 Example Yard' });
  });

  it('line 166: a success carries the numbers, package by package', async () => {
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
  });

  it('line 174: each by its referenceNumber', async () => {
    const { statusCode, data } = await call('POST', '/v2/consignments-cancel', { consignments: [{ remark: 'x' }] });
    expect(statusCode).toBe(400);
    expect(details400(data)).toContain('consignments[0].referenceNumber');
  });

  it('line 203: requests are JSON by their Content-Type', async () => {
    const shipper = await shop();
    const headers = { authorization: `Bearer ${shipper.token}`, 'content-type': 'text/plain' };
    const payload = JSON.stringify(least());
    expect((await api.call({ method: 'POST', url: '/v2/consignments', payload, headers })).statusCode).toBe(415);
  });

  it('line 230: a shipper subscribes by order type, each with its own URL or a shared one', async () => {
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
    const told = async (order: object) => {
      await shop.create(order);
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
  });

  it('line 235: every call carries a bearer token', async () => {
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
  });

  it('line 253: 400 names the reference and every failing field at once', async () => {
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
  });

  it('line 255: a carrier’s refusal is 422 in its own words', async () => {
    api.state.answering = () => rejected('no such street', 'no such town');
    const order = least();
    const { statusCode, data } = await create(order);
    expect(statusCode).toBe(422);
    expect(data).toMatchObject({
      status: 'UNPROCESSABLE_ENTITY',
      errors: ['no such street', 'no such town'],
      data: { orderNumber: 'ORD-1', referenceNumber: referenceOf(order), trackingDetails: [] },
    });
  });

  it('line 256: 500 says that something went wrong, and no more', async () => {
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
  });

  it('line 265: webhooks are retried up to 4 times, 30 minutes apart (kept by test/engine/webhooks/deliver.test.ts)', async () => {
    await Promise.resolve();
    expect(SETTINGS.webhookRetries.read(undefined)).toBe(4);
    expect(SETTINGS.webhookRetryMs.read(undefined)).toBe(30 * 60_000);
  });
});
