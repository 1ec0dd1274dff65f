import { beforeAll, expect, it, vi } from 'vitest';
import { until } from '../support/until.ts';
import { flowWorld, onBothQueues } from './world.ts';

onBothQueues('the journey of the minimal carrier', (options) => {
  const flow = flowWorld(options);
  beforeAll(async () => await flow.subscribe());

  it('brings the consignment to the carrier complete, and its numbers back in the reply', async () => {
    const reply = await flow.create('REF-1', 2);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      status: 'OK',
      data: [
        {
          referenceNumber: 'REF-1',
          trackingDetails: [
            { packageId: 'PKG-1', trackingNumber: 'T-REF-1-PKG-1', carrierDetails: { code: 'plain' } },
            { packageId: 'PKG-2', trackingNumber: 'T-REF-1-PKG-2' },
          ],
        },
      ],
    });
    expect(flow.carrier.seen).toHaveLength(1);
    expect(flow.carrier.seen[0]).toMatchObject({
      authorization: 'Bearer carrier-token-1',
      body: {
        referenceId: 'REF-1',
        orderNumber: 'O-REF-1',
        consignmentNumber: 'C-REF-1',
        typeOfOrder: 'FORWARD',
        typeOfService: 'STANDARD',
        typeOfAction: 'CREATE',
        carrierCode: 'plain',
        originName: 'Example Goods',
        originAddressLine1: 'Example Street 1',
        destinationAddressLine1: 'Sample Road 22',
        destinationCity: 'Munich',
        destinationTimezone: 'Europe/Berlin',
        numberOfShipments: 2,
        totalQuantity: 2,
        totalWeight: 3,
        uomTotalWeight: 'KG',
        labelFormat: 'PDF',
        itemList: [{ itemReferenceNumber: 'PKG-1', itemWeight: 1.5, itemLength: 30 }, { itemReferenceNumber: 'PKG-2' }],
      },
    });
  });

  it('brings a pushed status to the subscribed webhook, rightly signed', async () => {
    const pushed = await flow.push({
      orderNo: 'O-REF-1',
      type: 'Tracking',
      value: 'T-REF-1-PKG-1',
      carrierCode: 'plain',
      carrierStatusCode: 'OUT_FOR_DELIVERY',
      statusReceivedAt: '2026-05-02 08:15:00',
      eventTimezone: 'Europe/Berlin',
    });
    expect(pushed.status).toBe(200);
    const told = { event: 'consignment.status', status: 'Out for Delivery', trackingNumber: 'T-REF-1-PKG-1' };
    await vi.waitFor(() => expect(flow.receiver.received).toContainEqual(expect.objectContaining(told)), 25_000);
    expect(flow.receiver.forged()).toBe(0);
    const stored = await flow.read('REF-1');
    expect(JSON.stringify(stored.body)).toContain('"Out for Delivery"');
  });

  const labelTold = () =>
    flow.receiver.received.find((one) => one.event === 'consignment.label' && one.trackingNumber === 'T-REF-1-PKG-2');

  it('serves a label that comes with a status, and tells of it', async () => {
    const content = Buffer.from('^XA^FDexample label^FS^XZ').toString('base64');
    await flow.push({
      type: 'Tracking',
      value: 'T-REF-1-PKG-2',
      carrierStatusCode: 'SHIPMENT_CREATED',
      statusReceivedAt: '2026-05-01 08:00:00',
      label: { content },
    });
    await until('the shipper is told', () => labelTold() !== undefined);
    const served = await fetch(labelTold()?.labels[0]?.url ?? '');
    expect(await served.text()).toBe('^XA^FDexample label^FS^XZ');
  });

  it('cancels at the carrier', async () => {
    await flow.create('REF-2');
    const cancelled = await flow.asShop('POST', '/v2/consignments-cancel', {
      consignments: [{ referenceNumber: 'REF-2', remark: 'Example change of mind' }],
    });
    expect(cancelled.body).toMatchObject({
      successCount: 1,
      failedCount: 0,
      data: [{ referenceNumber: 'REF-2', status: 'Success' }],
    });
    expect(flow.carrier.seen.at(-1)?.body).toMatchObject({ referenceId: 'REF-2', typeOfAction: 'CANCEL' });
  });

  it('updates at the carrier', async () => {
    await flow.create('REF-3');
    const updated = await flow.asShop('PUT', '/api/v2/consignments', {
      consignmentDetails: { referenceNumber: 'REF-3', deliveryInstructions: 'Example: leave with the neighbour' },
    });
    expect(updated.status).toBe(200);
    expect(flow.carrier.seen.at(-1)?.body).toMatchObject({
      referenceId: 'REF-3',
      typeOfAction: 'UPDATE',
      deliveryInstructions: 'Example: leave with the neighbour',
      destinationCity: 'Munich',
    });
  });
});
