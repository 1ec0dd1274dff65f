import type { RedisConnections } from '../queue/redis.ts';
import { ALIVE_FOR_MS, type SharedTexts } from './sharing.ts';

const ANSWER_LIMIT_MS = 1_000;
/** No carrier's code begins so. */
const [ALIVE, BORN] = [' alive', ' born'];

/**
 * KEYS: who is alive, since when anything is known, the texts. ARGV: this process, whether it is new, for how long it
 * is alive. A Redis that was emptied knows nothing of what processes hold, which only those that were there can say.
 */
const READ = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  local born = redis.call('GET', KEYS[2])
  if not born then
    born = ARGV[2] == 'new' and '0' or tostring(now)
    redis.call('SET', KEYS[2], born)
  end
  local found = { tostring(now), tostring(redis.call('ZCARD', KEYS[1])), born }
  for at = 3, #KEYS do found[at + 1] = redis.call('GET', KEYS[at]) or '' end
  return found`;

/** KEYS: the texts. ARGV, for each: before, after, for how long. */
const WRITE = `
  local written = {}
  for at = 1, #KEYS do
    local before, after, kept = ARGV[at * 3 - 2], ARGV[at * 3 - 1], ARGV[at * 3]
    written[at] = 0
    if (redis.call('GET', KEYS[at]) or '') == before then
      redis.call('SET', KEYS[at], after, 'PX', kept)
      written[at] = 1
    end
  end
  return written`;

/** What processes share of limits, in Redis: one script a question, on Redis's clock. All keys share a hash tag. */
export const openRedisTexts = (redis: RedisConnections, prefix: string): SharedTexts => {
  const connecting = redis.connectSoon({
    connectTimeout: ANSWER_LIMIT_MS,
    commandTimeout: ANSWER_LIMIT_MS,
    socketTimeout: 30_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
  });
  const keyOf = (name: string): string => `{${prefix}}:limits:${name}`;
  return {
    read: async (process, isNew, names) => {
      const keys = [ALIVE, BORN, ...names].map(keyOf);
      const told = [process, isNew ? 'new' : 'known', ALIVE_FOR_MS];
      const client = await connecting;
      const [nowMs, processes, bornMs, ...texts] = (await client.eval(READ, keys.length, ...keys, ...told)) as string[];
      const found = names.flatMap((name, at) => (texts[at] ? [[name, texts[at]] as const] : []));
      return { nowMs: Number(nowMs), processes: Number(processes), bornMs: Number(bornMs), texts: new Map(found) };
    },
    write: async (changes) => {
      const keys = changes.map(({ name }) => keyOf(name));
      const told = changes.flatMap(({ before, after, keptForMs }) => [before, after, keptForMs]);
      const client = await connecting;
      const written = (await client.eval(WRITE, keys.length, ...keys, ...told)) as number[];
      return new Set(changes.flatMap(({ name }, at) => (written[at] === 1 ? [name] : [])));
    },
    leave: async (process) => void (await (await connecting).zrem(keyOf(ALIVE), process)),
    close: async () => redis.close(),
  };
};
