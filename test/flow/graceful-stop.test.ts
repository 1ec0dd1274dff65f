import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent, createServer, get, type Server } from 'node:http';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { freePort } from '../../simulator/demo/server.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { call, environmentOf, makeHome, minimalProfile, openShop } from './server.ts';

const [plain] = DEMO_CARRIERS;
if (plain === undefined) throw new Error('the demo lost its first carrier');

const SHIM = path.resolve(import.meta.dirname, '../../src/cli/waybill.js');

describe('a server that is told to stop while a carrier is slow', () => {
  const database = freshDatabase();
  let carrier: Server;
  let home: string;
  let url: string;
  let child: ChildProcess;
  /** Lets the carrier answer what it was asked. */
  let answer: (() => void) | undefined;

  beforeEach(async () => {
    answer = undefined;
    carrier = createServer((_request, response) => {
      const itemsTrackDetails = [{ itemReferenceNumber: 'PKG-1', trackingNumber: 'T-SLOW' }];
      answer = () =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ itemsTrackDetails }));
    }).listen(0, '127.0.0.1');
    await once(carrier, 'listening');
    home = await makeHome({
      plain: minimalProfile(`http://127.0.0.1:${(carrier.address() as { port: number }).port}`),
    });
  });
  const start = async (stopLimitMs: number): Promise<void> => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { STOP_DELAY_MS: '1500', STOP_LIMIT_MS: String(stopLimitMs) };
    child = spawn(process.execPath, [SHIM, 'serve'], {
      env: { ...process.env, ...environmentOf({ home, databaseUrl: database.databaseUrl, env }, port) },
      stdio: 'ignore',
    });
    const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
    await until('the server is ready', isReady, 55_000);
  };
  afterEach(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    carrier.closeAllConnections();
    carrier.close();
    await rm(home, { recursive: true, force: true });
  });

  const create = async (reference: string) => {
    const shop = await openShop(url);
    return await call(`${url}/v2/consignments`, 'POST', shop, orderFor(plain, reference, 1));
  };

  it('is not ready at once, answers who waits, records the end, and closes idle connections', async () => {
    await start(20_000);
    const agent = new Agent({ keepAlive: true });
    const idle = get(`${url}/healthz`, { agent });
    const [response] = await once(idle, 'response');
    (response as NodeJS.ReadableStream).resume();
    const reply = create('STOP-1');
    await until('the carrier is asked', () => answer !== undefined);

    child.kill('SIGTERM');
    await until('it says that it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
    await until('it takes no more', async () => (await fetch(`${url}/healthz`).catch(() => undefined)) === undefined);
    answer?.();
    expect(JSON.stringify(await reply)).toContain('T-SLOW');
    expect(await once(child, 'exit')).toEqual([0, null]);
    agent.destroy();
    const { rows } = await database.pool.query(`select state from dispatches`);
    expect(rows).toEqual([{ state: 'done' }]);
  }, 60_000);

  it('cuts off at its limit what does not end, and knows no end of it', async () => {
    await start(3_000);
    const reply = create('STOP-3').catch(() => undefined);
    await until('the carrier is asked', () => answer !== undefined);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await reply;
    const { rows } = await database.pool.query('select state from dispatches order by id desc limit 1');
    expect(rows).toEqual([{ state: 'sending' }]);
  }, 60_000);

  it('ends at once at a second signal', async () => {
    await start(20_000);
    const reply = create('STOP-2').catch(() => undefined);
    await until('the carrier is asked', () => answer !== undefined);
    child.kill('SIGTERM');
    // A second one within a second is the same one, as npm hands it on.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await reply;
  }, 60_000);
});
