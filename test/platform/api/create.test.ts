import { describe, expect, it } from 'vitest';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, held, rejected } from './harness.ts';

describe('POST /v2/consignments', () => {
  const api = apiUnderTest();
  let count = 0;
  const order = (changes: Record<string, unknown> = {}) => {
    count += 1;
    return changed(leastOrder(), { 'consignmentDetails.referenceNumber': `REF-${count}`, ...changes });
  };

  it('answers with what the carrier gave, package by package', async () => {
    const shipper = await api.newShipper();
    const { statusCode, data } = await shipper.create(order());
    expect(statusCode).toBe(200);
    expect(data.timestamp).toBe('Fri May 01 2026 09:00:00 GMT+0000');
    expect(data.status).toBe('OK');
    expect(data.data).toHaveLength(1);
    expect(data.data[0]).toMatchObject({
      referenceNumber: `REF-${count}`,
      orderNumber: 'ORD-1',
      consignmentNumber: 'CON-1',
      masterTrackingNumber: `T-REF-${count}-P1`,
      trackingDetails: [
        {
          packageId: 'P1',
          trackingNumber: `T-REF-${count}-P1`,
          label: expect.stringMatching(/^https:\/\/waybill\.example\.com\/v2\/labels\/[\w-]{32}$/),
          carrierDetails: { name: 'Acme Parcels', code: 'acme', info: {} },
        },
      ],
    });
  });

  it('answers with empty tracking details when the carrier has not answered in time', async () => {
    const shipper = await api.newShipper();
    api.state.answering = () => undefined;
    const { statusCode, data } = await shipper.create(order());
    expect(statusCode).toBe(200);
    expect(data.data[0].trackingDetails).toEqual([]);
  });

  it.each(['fail', 'config_error', 'unknown_outcome'] as const)(
    'answers with empty tracking details when the dispatch is held for %s',
    async (why) => {
      const shipper = await api.newShipper();
      api.state.answering = () => held(why);
      const { statusCode, data } = await shipper.create(order());
      expect(statusCode).toBe(200);
      expect(data.data[0].trackingDetails).toEqual([]);
    },
  );

  it('does not wait for the carrier when asked not to', async () => {
    const shipper = await api.newShipper();
    api.state.answering = () => {
      throw new Error('nobody should wait');
    };
    const { statusCode, data, headers } = await shipper.create(order(), {
      prefer: 'respond-async, wait=5',
    });
    expect(statusCode).toBe(200);
    expect(headers['preference-applied']).toBe('respond-async');
    expect(data.data[0].trackingDetails).toEqual([]);
  });

  it('is 422 in the carrier’s words when the carrier rejects it, and frees the reference', async () => {
    const shipper = await api.newShipper();
    const body = order();
    api.state.answering = () => rejected('postcode unknown', 'no such street');
    const { statusCode, data } = await shipper.create(body);
    expect(statusCode).toBe(422);
    expect(data).toMatchObject({
      status: 'UNPROCESSABLE_ENTITY',
      message: 'Acme Parcels rejected the create',
      errors: ['postcode unknown', 'no such street'],
      data: { orderNumber: 'ORD-1', referenceNumber: body.consignmentDetails.referenceNumber, trackingDetails: [] },
    });
    api.state.answering = accepts();
    expect((await shipper.create(body)).statusCode).toBe(200);
  });

  it('is 409 with the existing tracking data for a reference that is in use', async () => {
    const shipper = await api.newShipper();
    const body = order();
    const first = await shipper.create(body);
    const second = await shipper.create(body);
    expect(second.statusCode).toBe(409);
    expect(second.data).toMatchObject({ status: 'CONFLICT', data: first.data.data[0] });
    expect(second.data.errors).toHaveLength(1);
  });

  it('lets another shipper use the same reference', async () => {
    const [one, other] = [await api.newShipper(), await api.newShipper()];
    const body = order();
    expect((await one.create(body)).statusCode).toBe(200);
    expect((await other.create(body)).statusCode).toBe(200);
  });

  it('accepts exactly one of many at once', async () => {
    const shipper = await api.newShipper();
    const body = order();
    const all = await Promise.all(Array.from({ length: 30 }, async () => await shipper.create(body)));
    expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(all.filter(({ statusCode }) => statusCode === 409)).toHaveLength(29);
  });

  it('names everything that is wrong with the structure at once', async () => {
    const shipper = await api.newShipper();
    const { statusCode, data } = await shipper.create(
      order({
        'consignmentDetails.totalWeight': '2.5',
        'shipTo.address.country': 'UK',
        'shipFrom.contact.name': undefined,
      }),
    );
    expect(statusCode).toBe(400);
    expect(data.status).toBe('BAD_REQUEST');
    expect(data.errors[0].referenceNumber).toBe(`REF-${count}`);
    expect(data.errors[0].details.join('\n')).toMatch(/totalWeight[\s\S]*|country[\s\S]*|shipFrom.contact.name/);
    expect(data.errors[0].details).toHaveLength(3);
  });

  it('names every rule that is broken at once', async () => {
    const shipper = await api.newShipper();
    const { statusCode, data } = await shipper.create(
      order({
        'carrier.code': 'solo',
        'consignmentDetails.consignmentType': 'REVERSE',
        'consignmentDetails.serviceType': 'Rocket',
      }),
    );
    expect(statusCode).toBe(422);
    expect(data.errors).toHaveLength(2);
    expect(data.data.trackingDetails).toEqual([]);
  });

  it('is 422 for a carrier that the platform does not have', async () => {
    const shipper = await api.newShipper();
    const { statusCode, data } = await shipper.create(order({ 'carrier.code': 'nobody' }));
    expect(statusCode).toBe(422);
    expect(data.errors).toEqual(['carrier.code "nobody" is not a carrier of this platform']);
  });

  it('is 422 where the shipper has no account with the carrier in the token’s environment', async () => {
    const shipper = await api.newShipper();
    const sandbox = (await api.admin('POST', `/admin/shippers/${shipper.code}/tokens`, { environment: 'sandbox' }))
      .data;
    const { statusCode, data } = await api.as(sandbox.token)('POST', '/v2/consignments', order());
    expect(statusCode).toBe(422);
    expect(data.errors).toEqual(['carrier.code acme is a carrier with which you have no sandbox account']);
  });

  it.each([
    ['half a surrogate pair', '"\\ud800"'],
    ['NUL', '"a\\u0000b"'],
  ])('is 400 for %s, naming the field', async (_, text) => {
    const shipper = await api.newShipper();
    const payload = JSON.stringify(order()).replace('"Ann Example"', text);
    const { statusCode, data } = await shipper.create(payload, {
      'content-type': 'application/json',
    });
    expect(statusCode).toBe(400);
    expect(data.errors[0].details[0]).toContain('shipFrom.contact.name');
  });

  it('keeps any other text as it is', async () => {
    const shipper = await api.newShipper();
    const name = 'שרה 👩🏽‍🚒 \u202Eabc\u202C \u0007';
    const body = order({ 'shipTo.contact.name': name });
    expect((await shipper.create(body)).statusCode).toBe(200);
    const { rows } = await api.database.pool.query(
      'select order_text, canonical from consignments order by id desc limit 1',
    );
    expect(JSON.parse(rows[0].order_text)).toEqual(body);
    expect(JSON.parse(rows[0].canonical).destinationName).toBe(name);
  });

  it('tells the carrier of the registered shipper', async () => {
    const shipper = await api.newShipper();
    await api.admin('POST', '/admin/shippers', {
      code: shipper.code,
      name: 'Example Shop',
      details: { name: 'Example Shop Ltd', city: 'Berlin', merchantCode: 'M1', taxNumber: 'DE000' },
    });
    const seen: unknown[] = [];
    api.state.answering = (operation, consignment) => {
      seen.push(consignment);
      return accepts()(operation, consignment);
    };
    await shipper.create(order());
    expect(seen[0]).toMatchObject({
      shipper: { name: 'Example Shop Ltd', city: 'Berlin' },
      merchantCode: 'M1',
      shipperTaxNumber: 'DE000',
      typeOfAction: 'CREATE',
    });
  });
});
