import { randomUUID } from 'node:crypto';
import { describe, inject } from 'vitest';
import { findRedisCommand } from './redis-server.ts';
import type { RedisService } from './services.ts';

/** Why Redis cannot be tested here; undefined when it can. In CI its absence is a failure, never a reason to skip. */
const redisMissing: string | undefined =
  findRedisCommand() === undefined ? 'neither redis-server nor valkey-server is installed' : undefined;

/** `describe`, skipped with the reason in its name where there is no Redis; not skipped in CI, so that it fails there. */
export function describeRedis(name: string, body: () => void): void {
  if (redisMissing === undefined || process.env['CI'] !== undefined) describe(name, body);
  else describe.skip(`${name} (skipped: ${redisMissing})`, body);
}

/** The run's own server, shared by all files: keep to `prefix`, and do not flush it (`startRedisServer` for that). */
export async function sharedRedis(): Promise<{ readonly url: string; readonly prefix: string }> {
  const response = await fetch(`${inject('servicesUrl')}/redis`);
  if (!response.ok) throw new Error(await response.text());
  const { url } = (await response.json()) as RedisService;
  return { url, prefix: `t${randomUUID().slice(0, 8)}` };
}
