/** A server with nobody on it but a shipper with a sandbox token: no carrier account, no carrier that listens. */
import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { DEMO_CARRIERS } from '../../../simulator/demo/carriers.ts';
import { orderFor } from '../../../simulator/demo/order.ts';
import { type Receiver, startReceiver } from '../../../simulator/demo/receiver.ts';
import { freePort } from '../../../simulator/demo/server.ts';
import { openApi } from '../../../src/platform/processes/api.ts';
import { readConfig } from '../../../src/platform/processes/config.ts';
import { openPlatform } from '../../../src/platform/processes/platform.ts';
import { startWorkers } from '../../../src/platform/processes/workers.ts';
import { ADMIN, call, environmentOf, makeHome, type Where } from '../../flow/server.ts';
import type { FlowOptions } from '../../flow/world.ts';
import { freshDatabase } from '../../support/database.ts';

/** It waits for an answer for longer than a create does, and not as long as the contract has it. */
const IMPATIENT = 'carrier: impatient\nname: Impatient\nextends: test_carrier\nlimits: { timeout: 7s }\n';

// oxlint-disable-next-line typescript/no-explicit-any -- replies of every shape
type Body = any;

export const sandboxWorld = ({ redisUrl, env }: FlowOptions) => {
  const database = freshDatabase();
  let skippedMs = 0;
  const nowMs = (): number => Date.now() + skippedMs;
  const state = {} as { url: string; home: string; sandbox: string; production: string; receiver: Receiver };
  let close: (() => Promise<void>) | undefined;

  const start = async (): Promise<void> => {
    const port = await freePort();
    const where: Where = { home: state.home, databaseUrl: database.databaseUrl, redisUrl: await redisUrl?.(), env };
    const config = readConfig({ CREATE_WAIT_MS: '5000', ...environmentOf(where, port) });
    state.url = `http://127.0.0.1:${port}`;
    const platform = await openPlatform({ config, log: pino({ level: 'silent' }), publicUrl: state.url, nowMs });
    const workers = await startWorkers(platform);
    const api = openApi(platform);
    await api.listen({ host: '127.0.0.1', port });
    close = async () => {
      await api.close();
      await workers.close();
      await platform.close();
    };
  };
  const ask = async (token: string, method: string, path: string, body?: unknown): Promise<Body> =>
    await call(`${state.url}${path}`, token, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

  beforeAll(async () => {
    await database.pool.query('update installation set id = gen_random_uuid()');
    state.receiver = await startReceiver();
    state.home = await makeHome({ impatient: IMPATIENT });
    await start();
    state.production = (await ask(ADMIN, 'POST', '/admin/shippers', { code: 'shop', name: 'Shop' })).body.token;
    const issued = await ask(ADMIN, 'POST', '/admin/shippers/shop/tokens', { environment: 'sandbox' });
    state.sandbox = issued.body.token;
  });
  afterAll(async () => {
    await close?.();
    await state.receiver.close();
    await rm(state.home, { recursive: true, force: true });
  });

  const shop = async (method: string, path: string, body?: unknown): Promise<Body> =>
    await ask(state.sandbox, method, path, body);
  /** Orders it of the test carrier, or of another. */
  const create = async (
    referenceNumber: string,
    deliveryInstructions = 'ring twice',
    {
      packages = 1,
      carrier = 'test_carrier',
      token = state.sandbox,
      ...details
    }: Readonly<Record<string, unknown>> & {
      readonly packages?: number;
      readonly carrier?: string;
      readonly token?: string;
    } = {},
  ): Promise<Body> => {
    const order = orderFor({ ...DEMO_CARRIERS[0]!, code: carrier }, referenceNumber, packages) as Body;
    Object.assign(order.consignmentDetails, { deliveryInstructions, ...details });
    return await ask(token, 'POST', '/v2/consignments', order);
  };
  return Object.assign(state, {
    shop,
    admin: async (method: string, path: string, body?: unknown): Promise<Body> => await ask(ADMIN, method, path, body),
    create,
    read: async (reference: string): Promise<Body> =>
      (await shop('GET', `/v2/consignments?referenceNumber=${reference}`)).body.data[0],
    update: async (referenceNumber: string, deliveryInstructions: string): Promise<Body> =>
      await shop('PUT', '/v2/consignments', { consignmentDetails: { referenceNumber, deliveryInstructions } }),
    cancel: async (referenceNumber: string): Promise<Body> =>
      (await shop('POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber, remark: 'Example' }] })).body
        .data[0],
    /** Sends the shop's events to the receiver. */
    subscribe: async (): Promise<void> => {
      const { body } = await shop('POST', '/v2/webhooks', { url: state.receiver.url, orderTypes: ['FORWARD'] });
      state.receiver.trust(body.secret);
    },
    /** Lets the platform's clock jump. */
    skip: (ms: number): void => void (skippedMs += ms),
    restart: async (): Promise<void> => {
      await close?.();
      await start();
    },
  });
};
