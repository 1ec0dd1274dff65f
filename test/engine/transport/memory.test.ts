import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createTransport, type Transport } from '../../../src/engine/transport/transport.ts';

const limits = { timeoutMs: 30_000, maxBytes: 20_000_000 };

let transport: Transport | undefined;
let attacker: ChildProcess | undefined;
afterEach(async () => {
  transport?.close();
  if (attacker === undefined) return;
  attacker.disconnect();
  await once(attacker, 'exit');
});

const startAttacker = async (attack: string): Promise<string> => {
  attacker = fork(path.join(import.meta.dirname, 'bomb-server.ts'), [attack], { execArgv: [] });
  const [port] = (await once(attacker, 'message')) as [number];
  return `http://127.0.0.1:${port}/`;
};

/** The highest resident memory while `work` runs, above what it was before. */
const growthBytes = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 2);
  await work();
  clearInterval(sampler);
  return Math.max(peak, process.memoryUsage.rss()) - before;
};

it.each([
  ['a gzip bomb', 'gzip'],
  ['a brotli bomb', 'br'],
  ['a zstd bomb', 'zstd'],
  ['100 MB', 'plain'],
])('50 at once of %s are cut at the cap, in under 200 MB', async (_title, attack) => {
  const url = await startAttacker(attack);
  const sender = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-test/1' });
  transport = sender;
  const codes = new Set<string>();
  const growth = await growthBytes(() =>
    Promise.all(
      Array.from({ length: 50 }, async () => {
        const outcome = await sender.send({ method: 'GET', url, headers: {} }, limits);
        codes.add(outcome.kind === 'answer' ? 'answer' : outcome.code);
      }),
    ),
  );
  expect([...codes]).toEqual(['too_large']);
  expect(growth).toBeLessThan(200_000_000);
});

it('a call whose time is up while others are unpacked ends as one whose answer did not come in time', async () => {
  const url = await startAttacker('gzip');
  const sender = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-test/1' });
  transport = sender;
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const request = { method: 'GET', url, headers: {} } as const;
      return await sender.send(request, { timeoutMs: 1_000, maxBytes: 60_000_000 });
    }),
  );
  const said = outcomes.map((outcome) =>
    outcome.kind === 'answer' ? 'answer' : `${outcome.code}: ${outcome.message}`,
  );
  expect(said).toContainEqual(expect.stringMatching(/^timeout: .*not unpacked in time/));
  expect(said.filter((one) => !/^(?:timeout|too_large): /.test(one))).toEqual([]);
});
