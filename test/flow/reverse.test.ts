/** A return from the shipper's request to the shipper's webhook, and sandbox and production apart. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import type { Order } from '../../src/engine/consignment/order.ts';
import { freshDatabase } from '../support/database.ts';
import { describeRedis, sharedRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { changed } from '../engine/consignment/orders.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import {
  ADMIN,
  call,
  makeHome,
  minimalProfile,
  renameInstallation,
  type Reply,
  type Running,
  startServer,
} from './server.ts';

const [plain] = DEMO_CARRIERS;
if (plain === undefined) throw new Error('the demo lost its first carrier');

const BILL_TO = { name: 'Example Payments', addressLine1: '9 Example Quay', city: 'Hamburg', country: 'DE' };
const SHIPPER = { name: 'Example Shop GmbH', companyName: 'Example Shop', city: 'Hamburg', country: 'DE' };
const RETURN_TO = {
  contact: { name: 'Returns Desk', contactNumber: '+49405550101' },
  address: { line1: '1 Example Depot', city: 'Hamburg', pincode: '20095', country: 'DE' },
};

const exchangedReturn = (reference: string): Order =>
  changed(orderFor({ ...plain, bulky: true }, reference, 1) as unknown as Order, {
    'consignmentDetails.consignmentType': 'REVERSE',
    'consignmentDetails.additionalInformation': { exchangeOrderNumber: 'O-BEFORE', isSignatureRequired: true },
    returnTo: RETURN_TO,
  });

interface Told {
  readonly referenceNumber: string;
  readonly event: string;
  readonly installationItems?: unknown;
}

const journey = (redisUrl: () => Promise<string | undefined>): void => {
  const database = freshDatabase();
  const carriers: Partial<Record<string, OwnCarrier>> = {};
  const receivers: Partial<Record<string, Receiver>> = {};
  const tokens: Partial<Record<string, string>> = {};
  let home: string;
  let server: Running;
  const ENVIRONMENTS = ['production', 'sandbox'] as const;

  beforeAll(async () => {
    await renameInstallation(database.pool);
    for (const environment of ENVIRONMENTS) carriers[environment] = await startCarrier();
    const profile = minimalProfile(String(carriers['production']?.url)).replace(
      'credentials:',
      `  sandbox: { url: '${carriers['sandbox']?.url}' }
capabilities: { bulky: true, vas: [INSTALLATION, TWO_MAN_DELIVERY] }
credentials:`,
    );
    home = await makeHome({ plain: profile });
    server = await startServer({ home, databaseUrl: database.databaseUrl, redisUrl: await redisUrl() });
    const details = { ...SHIPPER, billTo: BILL_TO };
    const made = await call(`${server.url}/admin/shippers`, 'POST', ADMIN, { code: 'shop', name: 'Shop', details });
    tokens['production'] = String(made.body['token']);
    const sandbox = await call(`${server.url}/admin/shippers/shop/tokens`, 'POST', ADMIN, { environment: 'sandbox' });
    tokens['sandbox'] = String(sandbox.body['token']);
    for (const environment of ENVIRONMENTS) {
      await call(`${server.url}/admin/accounts`, 'PUT', ADMIN, {
        shipper: 'shop',
        carrier: 'plain',
        environment,
        credentials: { token: `carrier-token-of-${environment}` },
      });
      const receiver = await startReceiver();
      const orderTypes = environment === 'production' ? ['EXCHANGE'] : ['REVERSE'];
      const hook = await call(`${server.url}/v2/webhooks`, 'POST', String(tokens[environment]), {
        url: receiver.url,
        orderTypes,
      });
      receiver.trust(String(hook.body['secret']));
      receivers[environment] = receiver;
    }
  });
  afterAll(async () => {
    await server.close();
    for (const one of [...Object.values(receivers), ...Object.values(carriers)]) await one?.close();
    await rm(home, { recursive: true, force: true });
  });

  const create = async (environment: string, reference: string): Promise<Reply> =>
    await call(`${server.url}/v2/consignments`, 'POST', String(tokens[environment]), exchangedReturn(reference));
  const told = (environment: string): readonly Told[] => receivers[environment]?.received ?? [];

  const ofStatus = (): Told | undefined => told('production').find(({ event }) => event === 'consignment.status');

  it('brings a return to the carrier with all that is said of it', async () => {
    const reply = await create('production', 'RET-1');
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    expect(carriers['production']?.seen).toMatchObject([
      {
        authorization: 'Bearer carrier-token-of-production',
        body: {
          typeOfOrder: 'REVERSE',
          exchangeOrderNumber: 'O-BEFORE',
          shipper: SHIPPER,
          billTo: BILL_TO,
          vas: [
            { vasCode: 'TWO_MAN_DELIVERY', level: 'CONSIGNMENT', serviceTime: 20 },
            { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['PKG-1'], serviceTime: 30 },
          ],
          info: { returnTo: RETURN_TO },
        },
      },
    ]);
  });

  it('brings what was installed from the carrier’s push to the webhook, proofs and driver with it', async () => {
    const token = await call(`${server.url}/admin/carriers/plain/tokens`, 'POST', ADMIN, { environment: 'production' });
    const installed = {
      itemReferenceNumber: 'PKG-1',
      level: 'SKU',
      targetIds: ['1'],
      vasCode: 'INSTALLATION',
      status: 'Installed',
      statusCode: 'INSTALLED',
      statusTime: '2026-05-02 08:10:00',
    };
    const pushed = await call(`${server.url}/v2/carriers/plain/statuses`, 'POST', String(token.body['token']), {
      type: 'Tracking',
      value: 'T-RET-1-PKG-1',
      carrierStatusCode: 'DELIVERED',
      statusReceivedAt: '2026-05-02 08:15:00',
      eventTimezone: 'Europe/Berlin',
      installationItems: [installed],
      extraInfo: { receivedBy: 'Returns Desk', pod: [{ type: 'PHOTO', url: 'https://carrier.example/pod/1.jpg' }] },
      driverName: 'Example Driver',
      vehicleNumber: 'HH-EX 1',
    });
    expect(pushed.status).toBe(200);
    await until('the shipper is told', () => ofStatus() !== undefined);
    expect(ofStatus()).toMatchObject({
      referenceNumber: 'RET-1',
      consignmentType: 'REVERSE',
      status: 'Order Delivered',
      installationItems: [installed],
      extraInfo: { receivedBy: 'Returns Desk', pod: [{ type: 'PHOTO', url: 'https://carrier.example/pod/1.jpg' }] },
      driverName: 'Example Driver',
      vehicleNumber: 'HH-EX 1',
    });
    expect(receivers['production']?.forged()).toBe(0);
  });

  it('keeps sandbox and production apart: accounts, carriers, references, statuses and webhooks', async () => {
    expect(await create('sandbox', 'RET-1')).toMatchObject({ status: 200 });
    expect(carriers['production']?.seen).toHaveLength(1);
    expect(carriers['sandbox']?.seen).toMatchObject([{ authorization: 'Bearer carrier-token-of-sandbox' }]);
    await until('the sandbox is told', () => told('sandbox').length > 0);
    const token = await call(`${server.url}/admin/carriers/plain/tokens`, 'POST', ADMIN, { environment: 'sandbox' });
    const before = told('production').length;
    await call(`${server.url}/v2/carriers/plain/statuses`, 'POST', String(token.body['token']), {
      value: 'T-RET-1-PKG-1',
      carrierStatusCode: 'PICKED_UP',
      statusReceivedAt: '2026-05-03 08:15:00',
    });
    await until('the sandbox is told', () => told('sandbox').some(({ event }) => event === 'consignment.status'));
    expect(told('production')).toHaveLength(before);
    const read = async (environment: string) => {
      const path = `${server.url}/v2/consignments?referenceNumber=RET-1`;
      const { body } = await call(path, 'GET', String(tokens[environment]));
      return (body['data'] as unknown as { environment: string; status: string }[])[0];
    };
    expect(await read('production')).toMatchObject({ environment: 'production', status: 'Order Delivered' });
    expect(await read('sandbox')).toMatchObject({ environment: 'sandbox', status: 'Order Picked Up' });
  });
};

describe('a return, queue on PostgreSQL', () => {
  journey(() => Promise.resolve(undefined));
});

describeRedis('a return, queue on Redis', () => {
  journey(async () => (await sharedRedis()).url);
});
