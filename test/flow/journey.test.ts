import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import { freshDatabase } from '../support/database.ts';
import { describeRedis, sharedRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import {
  ADMIN,
  call,
  makeHome,
  minimalProfile,
  openShop,
  renameInstallation,
  type Running,
  startServer,
} from './server.ts';

const [plain] = DEMO_CARRIERS;
if (plain === undefined) throw new Error('the demo lost its first carrier');

const journey = (redisUrl: () => Promise<string | undefined>): void => {
  const database = freshDatabase();
  let carrier: OwnCarrier;
  let receiver: Receiver;
  let home: string;
  let server: Running;
  let shop: string;

  beforeAll(async () => {
    await renameInstallation(database.pool);
    carrier = await startCarrier();
    receiver = await startReceiver();
    home = await makeHome({ plain: minimalProfile(carrier.url) });
    server = await startServer({ home, databaseUrl: database.databaseUrl, redisUrl: await redisUrl() });
    shop = await openShop(server.url);
    const subscribed = await call(`${server.url}/v2/webhooks`, 'POST', shop, {
      url: receiver.url,
      orderTypes: ['FORWARD'],
    });
    receiver.trust(String(subscribed.body['secret']));
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
    await carrier.close();
    await rm(home, { recursive: true, force: true });
  });

  it('brings the consignment to the carrier complete, and its numbers back in the reply', async () => {
    const reply = await call(`${server.url}/v2/consignments`, 'POST', shop, orderFor(plain, 'REF-1', 2));
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
    expect(carrier.seen).toHaveLength(1);
    expect(carrier.seen[0]).toMatchObject({
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
    const token = await call(`${server.url}/admin/carriers/plain/tokens`, 'POST', ADMIN, {});
    const pushed = await call(`${server.url}/v2/carriers/plain/statuses`, 'POST', String(token.body['token']), {
      orderNo: 'O-REF-1',
      type: 'Tracking',
      value: 'T-REF-1-PKG-1',
      carrierCode: 'plain',
      carrierStatusCode: 'OUT_FOR_DELIVERY',
      statusReceivedAt: '2026-05-02 08:15:00',
      eventTimezone: 'Europe/Berlin',
    });
    expect(pushed.status).toBe(200);
    const isTold = (): boolean =>
      receiver.received.some(
        ({ event, status, trackingNumber }) =>
          event === 'consignment.status' && status === 'Out for Delivery' && trackingNumber === 'T-REF-1-PKG-1',
      );
    await until('the shipper is told', () => Promise.resolve(isTold()));
    expect(receiver.forged()).toBe(0);
    const stored = await call(`${server.url}/v2/consignments?referenceNumber=REF-1`, 'GET', shop);
    expect(JSON.stringify(stored.body)).toContain('"Out for Delivery"');
  });

  const labelTold = () =>
    receiver.received.find((one) => one.event === 'consignment.label' && one.trackingNumber === 'T-REF-1-PKG-2');

  it('serves a label that comes with a status, and tells of it', async () => {
    const token = await call(`${server.url}/admin/carriers/plain/tokens`, 'POST', ADMIN, {});
    const content = Buffer.from('^XA^FDexample label^FS^XZ').toString('base64');
    await call(`${server.url}/v2/carriers/plain/statuses`, 'POST', String(token.body['token']), {
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

  it('keeps an unknown status and lists it', async () => {
    const token = await call(`${server.url}/admin/carriers/plain/tokens`, 'POST', ADMIN, {});
    await call(`${server.url}/v2/carriers/plain/statuses`, 'POST', String(token.body['token']), {
      type: 'Tracking',
      value: 'T-REF-1-PKG-2',
      carrierStatusCode: 'MOON_LANDING',
      statusReceivedAt: '2026-05-02 09:00:00',
    });
    await until('it is listed', async () => {
      const listed = await call(`${server.url}/admin/statuses/unmapped`, 'GET', ADMIN);
      return JSON.stringify(listed.body).includes('MOON_LANDING');
    });
  });

  it('cancels at the carrier', async () => {
    await call(`${server.url}/v2/consignments`, 'POST', shop, orderFor(plain, 'REF-2', 1));
    const cancelled = await call(`${server.url}/v2/consignments-cancel`, 'POST', shop, {
      consignments: [{ referenceNumber: 'REF-2', remark: 'Example change of mind' }],
    });
    expect(cancelled.body).toMatchObject({
      successCount: 1,
      failedCount: 0,
      data: [{ referenceNumber: 'REF-2', status: 'Success' }],
    });
    expect(carrier.seen.at(-1)?.body).toMatchObject({ referenceId: 'REF-2', typeOfAction: 'CANCEL' });
  });

  it('updates at the carrier', async () => {
    await call(`${server.url}/v2/consignments`, 'POST', shop, orderFor(plain, 'REF-3', 1));
    const updated = await call(`${server.url}/api/v2/consignments`, 'PUT', shop, {
      consignmentDetails: { referenceNumber: 'REF-3', deliveryInstructions: 'Example: leave with the neighbour' },
    });
    expect(updated.status).toBe(200);
    expect(carrier.seen.at(-1)?.body).toMatchObject({
      referenceId: 'REF-3',
      typeOfAction: 'UPDATE',
      deliveryInstructions: 'Example: leave with the neighbour',
      destinationCity: 'Munich',
    });
  });
};

describe('the journey of the minimal carrier, queue on PostgreSQL', () => {
  journey(() => Promise.resolve(undefined));
});

describeRedis('the journey of the minimal carrier, queue on Redis', () => {
  journey(async () => (await sharedRedis()).url);
});
