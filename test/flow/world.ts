import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import { freshDatabase } from '../support/database.ts';
import { describeRedis, sharedRedis } from '../support/redis.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import { ADMIN, call, makeHome, minimalProfile, type Reply, spawnServer, startServer, type Where } from './server.ts';

/** The carrier of the minimal profile, as the demo orders of it. */
export const plain = DEMO_CARRIERS[0]!;

export interface FlowOptions {
  /** The profiles of the home, for a carrier at this URL; unless told, the minimal one. */
  readonly profiles?: (url: string) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  readonly redisUrl?: () => Promise<string>;
  readonly env?: Where['env'];
  readonly companions?: Where['companions'];
  readonly logTo?: Parameters<typeof startServer>[1];
  /** False: the test starts servers itself, by `serve` and `spawn`. */
  readonly isServing?: boolean;
}

interface Flow {
  readonly carrier: OwnCarrier;
  /** Where webhooks may go. */
  readonly receiver: Receiver;
  readonly home: string;
  readonly server: { readonly url: string; close(): Promise<void> };
  /** The token of a shipper with an account at the minimal carrier. */
  readonly shop: string;
}

/** A server with a carrier, a receiver of webhooks and a shop, for as long as the suite runs. */
export const flowWorld = ({
  profiles = (url) => ({ plain: minimalProfile(url) }),
  redisUrl,
  env,
  companions,
  logTo,
  isServing = true,
}: FlowOptions = {}) => {
  const database = freshDatabase();
  const flow = {} as { -readonly [Key in keyof Flow]: Flow[Key] };
  const closing: (() => Promise<unknown>)[] = [];

  const where = async (more: Partial<Where> = {}): Promise<Where> => {
    const { databaseUrl } = database;
    return { home: flow.home, databaseUrl, redisUrl: await redisUrl?.(), env, companions, ...more };
  };
  /** Starts the server in this process; from now on calls go there. */
  const serve = async (more?: Partial<Where>): Promise<void> => {
    flow.server = await startServer(await where(more), logTo);
    closing.push(flow.server.close);
  };
  /** Starts it as a process of its own. */
  const spawn = async (more?: Partial<Where>) => {
    const { url, child } = await spawnServer(await where(more));
    const close = async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    flow.server = { url, close };
    closing.push(close);
    return child;
  };
  const as =
    (token: () => string) =>
    async (method: string, path: string, body?: unknown, headers = {}): Promise<Reply> =>
      await call(`${flow.server.url}${path}`, token(), { method, body: JSON.stringify(body), headers });
  const asShop = as(() => flow.shop);
  const asAdmin = as(() => ADMIN);
  /** A shipper with a token and an account at the minimal carrier. */
  const openShop = async (details?: object): Promise<void> => {
    const made = await asAdmin('POST', '/admin/shippers', { code: 'shop', name: 'Example Shop', details });
    flow.shop = String(made.body['token']);
    await openAccount('plain', { token: 'carrier-token-1' });
  };
  const openAccount = async (carrier: string, credentials: object, more: object = {}): Promise<Reply> =>
    await asAdmin('PUT', '/admin/accounts', { shipper: 'shop', carrier, credentials, ...more });

  beforeAll(async () => {
    // Databases of tests are clones of one, but must not share what is named after them on a shared Redis.
    await database.pool.query('update installation set id = gen_random_uuid()');
    flow.carrier = await startCarrier();
    flow.receiver = await startReceiver();
    flow.home = await makeHome(await profiles(flow.carrier.url));
    if (!isServing) return;
    await serve();
    await openShop();
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
    await flow.receiver.close();
    await flow.carrier.close();
    await rm(flow.home, { recursive: true, force: true });
  });
  return Object.assign(flow, {
    database,
    where,
    serve,
    spawn,
    as,
    asShop,
    asAdmin,
    openShop,
    openAccount,
    create: async (reference: string, packages = 1, headers = {}): Promise<Reply> =>
      await asShop('POST', '/v2/consignments', orderFor(plain, reference, packages), headers),
    read: async (reference: string): Promise<Reply> =>
      await asShop('GET', `/v2/consignments?referenceNumber=${reference}`),
    /** Sends the shop's events to the receiver. */
    subscribe: async (orderType = 'FORWARD', call = asShop, to = flow.receiver): Promise<void> => {
      const subscribed = await call('POST', '/v2/webhooks', { url: to.url, orderTypes: [orderType] });
      to.trust(String(subscribed.body['secret']));
    },
    /** As a carrier that speaks the contract. */
    push: async (update: object, environment?: string): Promise<Reply> => {
      const { body } = await asAdmin('POST', '/admin/carriers/plain/tokens', { environment });
      const token = String(body['token']);
      return await as(() => token)('POST', '/v2/carriers/plain/statuses', update);
    },
  });
};

/** The suite with the queue on PostgreSQL, and again with it on Redis. */
export const onBothQueues = (name: string, suite: (options: FlowOptions) => void): void => {
  describe(`${name}, queue on PostgreSQL`, () => suite({}));
  describeRedis(`${name}, queue on Redis`, () => suite({ redisUrl: async () => (await sharedRedis()).url }));
};
