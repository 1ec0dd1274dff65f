import { createServer } from 'node:net';
import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../simulator/demo/server.ts';
import { serve } from '../../../src/platform/processes/serve.ts';
import { flowWorld } from '../../flow/world.ts';
import { environmentOf, spawnServer } from '../../flow/server.ts';

const flow = flowWorld({ isServing: false });
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A worker in this process; what it printed. */
const startWorker = async (env: Record<string, string> = {}) => {
  const printed: string[] = [];
  const where = await flow.where({ env });
  const print = (text: string): void => void printed.push(text);
  const server = await serve({ role: 'worker', env: environmentOf(where, 0), print });
  closing.push(server.close);
  return { server, banner: printed.join('') };
};

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

describe('a worker without the API', () => {
  it('serves metrics, readiness and health on a port of its own, and nothing else', async () => {
    const port = await freePort();
    const { server, banner } = await startWorker({ WORKER_PORT: String(port) });
    const url = `http://127.0.0.1:${port}`;
    expect(banner).toContain(`serves ${url}/metrics, /readyz and /healthz`);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(metrics.headers.get('cache-control')).toBe('no-store');
    expect(await metrics.text()).toContain('# TYPE waybill_dispatch_seconds histogram');
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'OK' });
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
      ready: true,
      parts: { database: { ready: true } },
    });
    for (const path of ['/', '/openapi.json', '/docs', '/admin/shippers', '/v2/consignments'])
      expect(await statusOf(`${url}${path}`)).toBe(404);
    server.announceStop();
    expect(await statusOf(`${url}/readyz`)).toBe(503);
  });

  it('gives way to the API on its machine', async () => {
    const { child } = await spawnServer(await flow.where({ role: 'worker' }));
    onTestFinished(() => void child.kill());
    expect(getPriority(child.pid)).toBe(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  });

  it('takes a free port where another has the default, and says which', async () => {
    const other = createServer();
    onTestFinished(() => void other.close());
    const isOurs = await once(other.listen(8081, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    const { banner } = await startWorker();
    const url = /serves (http:\S+)\/metrics/.exec(banner)?.[1] ?? '';
    if (isOurs) expect(url).not.toContain(':8081');
    expect(await statusOf(`${url}/healthz`)).toBe(200);
  });

  it('does not start where the port that it was given is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(startWorker({ WORKER_PORT: String(port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('listens nowhere when told so', async () => {
    const { banner } = await startWorker({ WORKER_PORT: 'off' });
    expect(banner).not.toContain('/metrics');
  });
});
