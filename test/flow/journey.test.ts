import { beforeAll, expect, it, vi } from 'vitest';
import { until } from '../support/until.ts';
import { listenLocally } from './carrier.ts';
import { flowWorld, onBothQueues } from './world.ts';

onBothQueues('the journey of the minimal carrier', (options) => {
  const flow = flowWorld({ ...options, env: { WEBHOOK_RETRY_MS: '100' } });
  beforeAll(async () => await flow.subscribe());

  const cancel = (referenceNumber: string) =>
    flow.asShop('POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber }] });
  const update = (referenceNumber: string, fields: object) =>
    flow.asShop('PUT', '/api/v2/consignments', { consignmentDetails: { referenceNumber, ...fields } });
  /** What the carrier was asked about a consignment. */
  const asked = (reference: string) =>
    flow.carrier.seen.filter(({ body }) => body.referenceId === reference).map(({ body }) => body);

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
    const told = { event: 'consignment.out_for_delivery', status: 'Out for Delivery', trackingNumber: 'T-REF-1-PKG-1' };
    await vi.waitFor(() => expect(flow.receiver.received).toContainEqual(expect.objectContaining(told)), 25_000);
    expect(flow.receiver.forged()).toBe(0);
    const stored = await flow.read('REF-1');
    expect(JSON.stringify(stored.body)).toContain('"Out for Delivery"');
  });

  const labelTold = () =>
    flow.receiver.received.find(
      (one) => one.event?.startsWith('consignment.label') && one.trackingNumber === 'T-REF-1-PKG-2',
    );

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

  it('of 200 creates of one reference at once takes one, and brings one shipment to the carrier', async () => {
    const replies = await Promise.all(Array.from({ length: 200 }, () => flow.create('ONE')));
    const statuses = Map.groupBy(replies, ({ status }) => status);
    expect([statuses.get(200)?.length, statuses.get(409)?.length]).toEqual([1, 199]);
    expect(await flow.create('ONE')).toMatchObject({
      status: 409,
      body: { status: 'CONFLICT', data: { trackingDetails: [{ trackingNumber: 'T-ONE-PKG-1' }] } },
    });
    expect(asked('ONE')).toHaveLength(1);
  });

  it('of many cancels at once brings one to the carrier', async () => {
    await flow.create('CANCELLED');
    const replies = await Promise.all(Array.from({ length: 20 }, () => cancel('CANCELLED')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(asked('CANCELLED')).toMatchObject([{}, { typeOfAction: 'CANCEL' }]);
    expect(await cancel('CANCELLED')).toMatchObject({ body: { successCount: 0, failedCount: 1 } });
  });

  it('brings updates at once to the carrier one after another, each on what the one before left', async () => {
    await flow.create('UPDATED');
    const fields = {
      deliveryInstructions: 'leave with the neighbour',
      businessUnit: 'north',
      specialInstructions: 'x',
    };
    const each = Object.entries(fields).map(([name, value]) => update('UPDATED', { [name]: value }));
    expect((await Promise.all(each)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const last = {
      typeOfAction: 'UPDATE',
      deliveryInstructions: 'leave with the neighbour',
      destinationCity: 'Munich',
    };
    expect(asked('UPDATED')).toContainEqual(expect.objectContaining(last));
    const { rows } = await flow.database.pool.query(`select order_text from consignments order by id desc limit 1`);
    expect(JSON.parse(rows[0].order_text)).toMatchObject({ consignmentDetails: fields });
  });

  it('takes neither an update nor a cancel once the carrier has scanned it, and asks the carrier nothing', async () => {
    await flow.create('SCANNED');
    const statusReceivedAt = '2026-05-02 08:15:00';
    await flow.push({ value: 'T-SCANNED-PKG-1', carrierStatusCode: 'PICKED_UP', statusReceivedAt });
    await until('the status is known', async () =>
      JSON.stringify((await flow.read('SCANNED')).body).includes('"events":[{'),
    );
    const updated = await update('SCANNED', { deliveryInstructions: 'Example' });
    expect(updated).toMatchObject({ status: 409, body: { status: 'CONFLICT' } });
    const cancelled = await cancel('SCANNED');
    expect(cancelled).toMatchObject({ status: 200, body: { failedCount: 1 } });
    expect(JSON.stringify(cancelled.body)).toContain('return flow');
    expect(asked('SCANNED')).toHaveLength(1);
  });

  // One that answers late or never: test/platform/records/deliver.test.ts.
  it.each([
    ['that always fails is tried five times under one id, then given up', [500], 'failed'],
    ['that is not there is as well', [404], 'failed'],
    ['that recovers gets the same event again', [503, 500, 200], 'delivered'],
  ])('a webhook %s', async (_, answers, state) => {
    const ids: string[] = [];
    const hook = await listenLocally((request, response) => {
      const answer = answers[ids.length] ?? answers.at(-1) ?? 200;
      ids.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(answer).end();
    });
    const { id } = (await flow.asShop('POST', '/v2/webhooks', { url: hook.url, orderTypes: ['FORWARD'] })).body;
    await flow.create(`HOOK-${answers.join('-')}`);
    await until('the deliveries have ended', async () => {
      const log = (await flow.asShop('GET', `/v2/webhooks/deliveries?webhookId=${id}`)).body[
        'data'
      ] as unknown as object[];
      return log.length > 0 && log.every((delivery) => 'state' in delivery && delivery.state === state);
    });
    await flow.asShop('DELETE', `/v2/webhooks/${id}`);
    await hook.close();
    const tries = [...Map.groupBy(ids, (one) => one).values()].map(({ length }) => length);
    if (state === 'failed') expect(new Set(tries)).toEqual(new Set([5]));
    else expect(ids).toHaveLength(tries.length + 2);
  });
});
