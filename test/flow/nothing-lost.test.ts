import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { freePort } from '../../simulator/demo/server.ts';
import { freshDatabase } from '../support/database.ts';
import { describeRedis } from '../support/redis.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import {
  call,
  environmentOf,
  makeHome,
  minimalProfile,
  openShop,
  type Running,
  startServer,
  type Where,
} from './server.ts';

const [plain] = DEMO_CARRIERS;
if (plain === undefined) throw new Error('the demo lost its first carrier');

const SHIM = path.resolve(import.meta.dirname, '../../src/cli/waybill.js');

/** The server as a process of its own, to be killed. */
const spawnServer = async (where: Where, role: string): Promise<{ url: string; child: ChildProcess }> => {
  const port = await freePort();
  const child = spawn(process.execPath, [SHIM, 'serve', '--role', role], {
    env: { ...process.env, ...environmentOf(where, port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await until('the server is ready', async () => {
    const reply = await fetch(`${url}/readyz`).catch(() => undefined);
    return reply?.ok === true;
  });
  return { url, child };
};

const database = freshDatabase();
let carrier: OwnCarrier;
let home: string;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  carrier = await startCarrier();
  home = await makeHome({ plain: minimalProfile(carrier.url) });
  closing.push(carrier.close, async () => await rm(home, { recursive: true, force: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const start = async (where: Where, role: 'all' | 'api'): Promise<Running> => {
  const server = await startServer(where, role);
  closing.push(server.close);
  return server;
};

/** Accepted, and answered before any carrier was asked. */
const accept = async (url: string, shop: string, reference: string): Promise<void> => {
  const reply = await call(`${url}/v2/consignments`, 'POST', shop, orderFor(plain, reference, 1), {
    prefer: 'respond-async',
  });
  expect(reply.status).toBe(200);
  expect(carrier.seen).toHaveLength(0);
};

const arrives = async (url: string, shop: string, reference: string): Promise<void> => {
  await until('the tracking number is there', async () => {
    const stored = await call(`${url}/v2/consignments?referenceNumber=${reference}`, 'GET', shop);
    return JSON.stringify(stored.body).includes(`T-${reference}-PKG-1`);
  });
  expect(carrier.seen.map(({ body }) => body.referenceId)).toEqual([reference]);
};

describe('what was accepted is dispatched once', () => {
  it('when the server is killed between accepting and dispatching', async () => {
    const where = { home, databaseUrl: database.databaseUrl };
    const { url, child } = await spawnServer(where, 'api');
    const shop = await openShop(url);
    await accept(url, shop, 'KILLED-1');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const server = await start(where, 'all');
    await arrives(server.url, shop, 'KILLED-1');
  });
});

describeRedis('what was accepted is dispatched once', () => {
  it('when Redis is flushed between accepting and dispatching', async () => {
    const redis = await startRedisServer();
    closing.push(redis.stop);
    const where = { home, databaseUrl: database.databaseUrl, redisUrl: redis.url };
    const api = await start(where, 'api');
    const shop = await openShop(api.url);
    await accept(api.url, shop, 'FLUSHED-1');
    await until('the relay has handed the job to Redis', async () => {
      const { rows } = await database.pool.query<{ count: number }>('select count(*) from outbox');
      return rows[0]?.count === 0;
    });
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    const server = await start(where, 'all');
    await arrives(server.url, shop, 'FLUSHED-1');
  }, 60_000);
});
