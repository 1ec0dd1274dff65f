import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { WireLimits } from '../../../src/engine/transport/wire.ts';
import { closeServers, openTransport } from './servers.ts';

let attacker: ChildProcess | undefined;
afterEach(async () => {
  await closeServers();
  if (attacker === undefined) return;
  attacker.disconnect();
  await once(attacker, 'exit');
});

/** What so many requests at once came to, and the highest resident memory meanwhile, above what it was before. */
const attack = async (name: string, times: number, limits: WireLimits) => {
  attacker = fork(path.join(import.meta.dirname, 'bomb-server.ts'), [name], { execArgv: [] });
  const [port] = (await once(attacker, 'message')) as [number];
  const transport = openTransport();
  const before = process.memoryUsage.rss();
  let peak = before;
  const sample = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
  const sampler = setInterval(sample, 2);
  const request = { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} } as const;
  const outcomes = await Promise.all(Array.from({ length: times }, () => transport.send(request, limits)));
  clearInterval(sampler);
  sample();
  const said = outcomes.map((one) => (one.kind === 'answer' ? 'answer' : `${one.code}: ${one.message}`));
  return { said, growthBytes: peak - before };
};

it.each([
  ['a gzip bomb', 'gzip'],
  ['a brotli bomb', 'br'],
  ['a zstd bomb', 'zstd'],
  ['100 MB', 'plain'],
])('50 at once of %s are cut at the cap, in under 200 MB', async (_title, name) => {
  const { said, growthBytes } = await attack(name, 50, { timeoutMs: 30_000, maxBytes: 20_000_000 });
  expect(said.filter((one) => !one.startsWith('too_large: '))).toEqual([]);
  expect(growthBytes).toBeLessThan(200_000_000);
});

it('a call whose time is up while others are unpacked ends as one whose answer did not come in time', async () => {
  const { said } = await attack('gzip', 60, { timeoutMs: 1_000, maxBytes: 60_000_000 });
  expect(said).toContainEqual(expect.stringMatching(/^timeout: .*not unpacked in time/));
  expect(said.filter((one) => !/^(?:timeout|too_large): /.test(one))).toEqual([]);
});
