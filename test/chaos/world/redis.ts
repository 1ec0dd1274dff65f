/** What Redis is told. Jobs are gone from it as soon as they are done, so each command is kept, as it came. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** From now on. */
export const keepCommands = async (url: string): Promise<void> => {
  await asClient(url, async (client) => {
    for (const [name, value] of [
      ['appendfsync', 'no'],
      ['aof-use-rdb-preamble', 'no'],
      ['auto-aof-rewrite-percentage', '0'],
      ['appendonly', 'yes'],
    ] as const)
      await client.config('SET', name, value);
  });
};

const LOOK_EVERY_MS = 20;
/** Longer than any secret in any disguise. */
const OVERLAP = 1_024;

/** All commands that were kept, a piece at a time; pieces overlap. Yields how many bytes there were. */
export const dumpCommands = async (url: string, take: (text: string) => void): Promise<number> => {
  const [, folder = ''] = await asClient(url, async (client) => {
    // Its temporary files have other names a moment later.
    while (/aof_rewrite_(?:in_progress|scheduled):1/.test(await client.info('persistence'))) await sleep(LOOK_EVERY_MS);
    return await client.config('GET', 'dir');
  });
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    let tail = '';
    for await (const chunk of createReadStream(path.join(entry.parentPath, entry.name), 'latin1')) {
      const text = tail + String(chunk);
      take(text);
      tail = text.slice(-OVERLAP);
      bytes += String(chunk).length;
    }
  }
  return bytes;
};

/** At once, so that nothing is done in between. */
const FLUSH = `
  local jobs = 0
  for _, key in ipairs(redis.call('keys', '*')) do
    if string.find(key, ':wait$') or string.find(key, ':active$') then
      jobs = jobs + redis.call('llen', key)
    elseif string.find(key, ':delayed$') or string.find(key, ':prioritized$') then
      jobs = jobs + redis.call('zcard', key)
    end
  end
  if jobs > 0 then redis.call('flushall') end
  return jobs`;

/** Flushes it as soon as there are jobs to lose. Yields how many. */
export const flushJobs = async (url: string, withinMs: number): Promise<number> =>
  await asClient(url, async (client) => {
    const deadlineMs = performance.now() + withinMs;
    while (performance.now() < deadlineMs) {
      const jobs = Number(await client.eval(FLUSH, 0));
      if (jobs > 0) return jobs;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`no job came to Redis within ${withinMs / 1_000} s`);
  });

/** Bytes that it uses, and keys. */
export const sizeOfRedis = async (url: string): Promise<readonly [number, number]> =>
  await asClient(url, async (client) => {
    const memory = await client.info('memory');
    return [Number(/^used_memory:(\d+)/m.exec(memory)?.[1] ?? 0), await client.dbsize()];
  });

/** Asks it something. */
export const asClient = async <Result>(url: string, act: (client: Redis) => Promise<Result>): Promise<Result> => {
  const client = new Redis(url, { lazyConnect: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await act(client);
  } finally {
    client.disconnect();
  }
};
