/** What the specification says of updates and cancels; each names its line in spec/shipper-api.md. */
import { describe, expect, it } from 'vitest';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { details400, specShop, stamp, trackingOf } from './spec-shop.ts';

const { call, created, pickUp, cancel, update, read, stored, atCarrier } = specShop();

describe('what the specification says', () => {
  it('line 173: a cancel names at least one consignment', async () => {
    expect((await call('POST', '/v2/consignments-cancel', {})).statusCode).toBe(400);
    expect((await call('POST', '/v2/consignments-cancel', { consignments: [] })).statusCode).toBe(400);
  });

  it('line 175: the remark of a cancel is optional, and a text', async () => {
    const consignments = [{ referenceNumber: await created(), remark: 5 }];
    expect((await call('POST', '/v2/consignments-cancel', { consignments })).statusCode).toBe(400);
    expect((await cancel(consignments[0]?.referenceNumber ?? '')).statusCode).toBe(200);
  });

  it('line 183: a cancel answers for each consignment and each package', async () => {
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
  });

  it('line 188: what is cancelled cannot be cancelled again; the package’s remark says so', async () => {
    const ref = await created();
    await cancel(ref);
    const { statusCode, data } = await cancel(ref);
    expect(statusCode).toBe(200);
    expect(data).toMatchObject({ successCount: 0, failedCount: 1, data: [{ status: 'Failed' }] });
    expect(data.data[0].trackingDetails[0]).toMatchObject({
      status: 'Failed',
      remark: expect.stringContaining('cancelled'),
    });
  });

  it('line 194: an update before dispatch is applied', async () => {
    const ref = await created();
    const sent = atCarrier();
    expect((await update(ref, { deliveryInstructions: 'ring twice' })).statusCode).toBe(200);
    expect(sent).toMatchObject([{ operation: 'update', consignment: { deliveryInstructions: 'ring twice' } }]);
  });

  it('line 195: an update from Dispatched on is 409 with the tracking numbers and labels', async () => {
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
  });

  it('line 196: a cancel before pickup goes to the carrier, and labels are revoked', async () => {
    const ref = await created();
    const sent = atCarrier();
    await cancel(ref);
    expect(sent).toMatchObject([{ operation: 'cancel', consignment: { referenceId: ref } }]);
    expect(await read(ref)).toMatchObject({ status: 'Cancelled', labels: [{ state: 'revoked' }] });
  });

  it('line 197: a cancel after the carrier scanned it fails, and points to the return flow', async () => {
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
  });

  it('line 213: update 1: referenceNumber is the only required field', async () => {
    expect((await update(await created())).statusCode).toBe(200);
    const { statusCode, data } = await call('PUT', '/v2/consignments', { consignmentDetails: {} });
    expect(statusCode).toBe(400);
    expect(details400(data)).toContain('consignmentDetails.referenceNumber is required');
  });

  it('line 213: update 2: only supplied fields change', async () => {
    const ref = await created({ 'consignmentDetails.deliveryInstructions': 'before' });
    const before = await stored(ref);
    await update(ref, { specialInstructions: 'after' });
    expect(await stored(ref)).toEqual(changed(before, { 'consignmentDetails.specialInstructions': 'after' }));
  });

  it('line 213: update 3: what is included is complete in itself', async () => {
    const ref = await created();
    const { statusCode, data } = await update(ref, {}, { shipTo: { contact: { name: 'Cem Example' } } });
    expect(statusCode).toBe(400);
    expect(details400(data)).toMatch(/shipTo\.address is required[^]*shipTo\.contact\.contactNumber is required/);
  });

  it('line 213: update 4: orderNumber cannot be changed', async () => {
    const { statusCode, data } = await update(await created(), { orderNumber: 'ORD-2' });
    expect(statusCode).toBe(422);
    expect(data.errors.join()).toContain('consignmentDetails.orderNumber');
  });

  it('line 213: update 5: the carrier cannot be changed once a label exists', async () => {
    const { statusCode, data } = await update(await created(), {}, { carrier: { code: 'fleet' } });
    expect(statusCode).toBe(422);
    expect(data.errors.join()).toContain('carrier.code');
  });

  it('line 213: update 6: a dispatched consignment is 409', async () => {
    const ref = await created();
    await pickUp(ref);
    expect((await update(ref, { specialInstructions: 'x' })).statusCode).toBe(409);
    expect((await stored(ref)).consignmentDetails).not.toHaveProperty('specialInstructions');
  });

  it('line 214: an update fixes weight, window and services', async () => {
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
  });

  it('line 216: an update may use the flat names of its sample', async () => {
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
  });

  it('line 221: a cancel is 200 also when some fail', async () => {
    const [good, gone] = [await created(), await created()];
    await cancel(gone);
    const { statusCode, data } = await cancel(good, gone);
    expect(statusCode).toBe(200);
    expect(data).toMatchObject({ successCount: 1, failedCount: 1 });
  });

  it('line 253: a cancel with an unknown reference is 400 with counts, and the rest is carried out', async () => {
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
  });
});
