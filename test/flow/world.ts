import { rm } from 'node:fs/promises';
import { afterAll, beforeAll } from 'vitest';
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import { freshDatabase } from '../support/database.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import {
  ADMIN,
  call,
  makeHome,
  minimalProfile,
  openShop,
  renameInstallation,
  type Reply,
  type Running,
  startServer,
  type Where,
} from './server.ts';

const [first] = DEMO_CARRIERS;
if (first === undefined) throw new Error('the demo lost its first carrier');
/** The carrier of the minimal profile, as the demo orders of it. */
export const plain = first;

interface FlowOptions {
  /** The profiles of the home, for a carrier at this URL; unless told, the minimal one. */
  readonly profiles?: (url: string) => Readonly<Record<string, string>>;
  readonly redisUrl?: () => Promise<string | undefined>;
  readonly env?: Where['env'];
}

interface Flow {
  readonly carrier: OwnCarrier;
  /** Where webhooks may go. */
  readonly receiver: Receiver;
  readonly home: string;
  readonly server: Running;
  /** The token of a shipper with an account at the minimal carrier. */
  readonly shop: string;
}

/** A server with a carrier, a receiver of webhooks and a shop, for as long as the suite runs. */
export const flowWorld = ({
  profiles = (url) => ({ plain: minimalProfile(url) }),
  redisUrl,
  env,
}: FlowOptions = {}) => {
  const database = freshDatabase();
  const flow = {} as { -readonly [Key in keyof Flow]: Flow[Key] };
  beforeAll(async () => {
    await renameInstallation(database.pool);
    flow.carrier = await startCarrier();
    flow.receiver = await startReceiver();
    flow.home = await makeHome(profiles(flow.carrier.url));
    const where = { home: flow.home, databaseUrl: database.databaseUrl, redisUrl: await redisUrl?.() };
    flow.server = await startServer({ ...where, ...(env === undefined ? {} : { env }) });
    flow.shop = await openShop(flow.server.url);
  });
  afterAll(async () => {
    await flow.server.close();
    await flow.receiver.close();
    await flow.carrier.close();
    await rm(flow.home, { recursive: true, force: true });
  });
  const as =
    (token: () => string) =>
    async (method: string, path: string, body?: unknown, headers = {}): Promise<Reply> =>
      await call(`${flow.server.url}${path}`, method, token(), body, headers);
  const shop = as(() => flow.shop);
  const admin = as(() => ADMIN);
  return Object.assign(flow, {
    database,
    asShop: shop,
    asAdmin: admin,
    create: async (reference: string, packages = 1): Promise<Reply> =>
      await shop('POST', '/v2/consignments', orderFor(plain, reference, packages)),
    read: async (reference: string): Promise<Reply> =>
      await shop('GET', `/v2/consignments?referenceNumber=${reference}`),
    /** Sends the shop's events to the receiver. */
    subscribe: async (orderType = 'FORWARD'): Promise<void> => {
      const subscribed = await shop('POST', '/v2/webhooks', { url: flow.receiver.url, orderTypes: [orderType] });
      flow.receiver.trust(String(subscribed.body['secret']));
    },
    /** As a carrier that speaks the contract. */
    push: async (update: object): Promise<Reply> => {
      const { body } = await admin('POST', '/admin/carriers/plain/tokens', {});
      return await call(`${flow.server.url}/v2/carriers/plain/statuses`, 'POST', String(body['token']), update);
    },
  });
};
