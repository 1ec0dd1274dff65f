import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { flowWorld } from './world.ts';

describe('a server that is told to stop while a carrier is slow', () => {
  const flow = flowWorld({ isServing: false });
  let child: ChildProcess;
  /** Lets the carrier answer what it was asked. */
  let answer: (() => void) | undefined;

  const start = async (stopLimitMs: number): Promise<void> => {
    answer = flow.carrier.hold();
    child = await flow.spawn('all', { env: { STOP_DELAY_MS: '1500', STOP_LIMIT_MS: String(stopLimitMs) } });
    await flow.openShop();
  };
  afterEach(async () => {
    await flow.server.close();
    answer?.();
  });

  const isAsked = (reference: string) => () => flow.carrier.seen.some(({ body }) => body.referenceId === reference);
  const stateOfLast = async (): Promise<unknown> => {
    const { rows } = await flow.database.pool.query('select state from dispatches order by id desc limit 1');
    return rows[0]?.state;
  };

  it('is not ready at once, answers who waits, records the end, and closes idle connections', async () => {
    await start(20_000);
    const { url } = flow.server;
    const agent = new Agent({ keepAlive: true });
    const [response] = await once(get(`${url}/healthz`, { agent }), 'response');
    (response as NodeJS.ReadableStream).resume();
    const reply = flow.create('STOP-1');
    await until('the carrier is asked', isAsked('STOP-1'));

    child.kill('SIGTERM');
    await until('it says that it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
    await until('it takes no more', async () => (await fetch(`${url}/healthz`).catch(() => undefined)) === undefined);
    answer?.();
    expect(JSON.stringify(await reply)).toContain('T-STOP-1-PKG-1');
    expect(await once(child, 'exit')).toEqual([0, null]);
    agent.destroy();
    expect(await stateOfLast()).toBe('done');
  }, 60_000);

  it('cuts off at its limit what does not end, and knows no end of it', async () => {
    await start(3_000);
    const reply = flow.create('STOP-3').catch(() => undefined);
    await until('the carrier is asked', isAsked('STOP-3'));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await reply;
    expect(await stateOfLast()).toBe('sending');
  }, 60_000);

  it('ends at once at a second signal', async () => {
    await start(20_000);
    const reply = flow.create('STOP-2').catch(() => undefined);
    await until('the carrier is asked', isAsked('STOP-2'));
    child.kill('SIGTERM');
    // A second one within a second is the same one, as npm hands it on.
    await sleep(1_100);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await reply;
  }, 60_000);
});
