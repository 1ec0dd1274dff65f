/**
 * Carries ids of dispatches over Redis from the processes that accept them to those that perform them, up to 32 in a
 * job. It may lose them at any time; the records may not, and a worker looks there as well.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Log } from '../records/pool.ts';
import { redisAt } from './redis.ts';

export interface DispatchQueueOptions {
  readonly redisUrl: string;
  /** Keeps several installations on one Redis apart. */
  readonly prefix: string;
  readonly log: Log;
  /** How long Redis may take to answer an add. */
  readonly answerLimitMs?: number | undefined;
  /** How long a worker that died keeps its jobs from others. */
  readonly lockDurationMs?: number | undefined;
  /** How long `close` waits for jobs at hand. */
  readonly closeLimitMs: number;
}

/** A dispatch that is due, and is handed on to whoever has room. */
export interface HandedOn {
  readonly id: number;
  /** Undefined: not known. */
  readonly carrier?: string | undefined;
}

export type DispatchQueue = Awaited<ReturnType<typeof openDispatchQueue>>;

const NAME = 'dispatch';
/** Ids of one job. */
const CHUNK = 32;
/** Jobs that a process has in hand: they end as soon as their dispatches are claimed. */
const JOBS_AT_ONCE = 8;
/** Attempts are counted in the records. */
const JOB = { attempts: 1, removeOnComplete: true, removeOnFail: true };
/** Nobody reads BullMQ's event stream. */
const STREAMS = { events: { maxLen: 100 } };
const ANSWER_LIMIT_MS = 5_000;
const LOCK_MS = 30_000;
const STALLED_INTERVAL_MS = 5_000;
const GRACE_MS = 2_000;
const RESTART_MS = 1_000;

/** What BullMQ's classes have in common. */
interface Startable extends Pick<Queue, 'waitUntilReady' | 'close'> {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A Redis that is down is reported and tried again for ever; a URL that is none is a Failure `queue_url_invalid`. */
export const openDispatchQueue = async (options: DispatchQueueOptions) => {
  const { redisUrl, log, closeLimitMs, answerLimitMs = ANSWER_LIMIT_MS, lockDurationMs = LOCK_MS } = options;
  // In a cluster all keys of a queue must lie together: those with the same text in braces do.
  const prefix = `{${options.prefix}}`;
  const report = repeatingErrors(log);
  const redis = redisAt(redisUrl, report);
  // Adding never waits for a connection, and not long for an answer. A connection that gives none is replaced: nobody
  // may hold its other end any more.
  const adding = await redis.connectSoon({
    commandTimeout: answerLimitMs,
    socketTimeout: Math.ceil(answerLimitMs * 1.2),
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
  });
  let isClosing = false;

  /** BullMQ remembers a failed start for good, so one that failed is thrown away. */
  const watched = <Part extends Startable>(part: Part, failed: () => void): Part => {
    part.on('error', (error) => report({ queue: NAME }, error));
    part.waitUntilReady().catch((error: unknown) => {
      if (isClosing) return;
      report({ queue: NAME }, error);
      void within(part.close(), GRACE_MS).catch(() => undefined);
      failed();
    });
    return part;
  };
  let queue: Queue | undefined;
  const queueNow = (): Queue =>
    (queue ??= watched(new Queue(NAME, { connection: adding, prefix, streams: STREAMS }), () => (queue = undefined)));

  let worker: Worker | undefined;
  const startWorker = (handle: (job: Job) => Promise<void>): void => {
    // Working blocks on purpose; only a connection that went silent is given up.
    const connection = redis.connect({ socketTimeout: 30_000, maxRetriesPerRequest: null });
    const settings = {
      connection,
      prefix,
      concurrency: JOBS_AT_ONCE,
      lockDuration: lockDurationMs,
      stalledInterval: Math.min(STALLED_INTERVAL_MS, lockDurationMs),
      maxStalledCount: 10,
      drainDelay: 5,
      runRetryDelay: 1_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    };
    worker = watched(new Worker(NAME, handle, settings), () => {
      void sleep(RESTART_MS).then(() => {
        if (!isClosing) startWorker(handle);
      });
    });
  };

  /** Takes no more jobs and waits for those at hand; those that do not end come again elsewhere. */
  const stop = async (): Promise<void> => {
    isClosing = true;
    if (worker === undefined) return;
    const limitMs = adding.status === 'ready' ? closeLimitMs : GRACE_MS;
    const closed = await within(worker.close(), limitMs).catch(() => undefined);
    if (closed === LATE) await within(worker.disconnect(), GRACE_MS).catch(() => undefined);
  };

  return {
    /** Rejects with a Failure `queue_unavailable` within seconds; some may have been added, or may be later. */
    add: async (handed: readonly HandedOn[]): Promise<void> => {
      if (adding.status !== 'ready') throw unavailable('there is no connection');
      const chunks = Array.from({ length: Math.ceil(handed.length / CHUNK) }, (_, at) =>
        handed.slice(at * CHUNK, (at + 1) * CHUNK),
      );
      const jobs = chunks.map((chunk) => ({ name: 'ids', data: dataOf(chunk), opts: JOB }));
      const current = queueNow();
      const add = async () => await current.addBulk(jobs);
      const added = await within(current.waitUntilReady().then(add), 2 * answerLimitMs).catch((cause: unknown) => {
        throw unavailable(messageOf(cause), cause);
      });
      if (added === LATE) throw unavailable('no answer in time');
    },
    /** Starts the one worker of this process; a job ends when `handle` resolves. */
    work: (handle: (handed: readonly HandedOn[]) => Promise<void>): void =>
      startWorker(async ({ data }: Job) => await handle(handedIn(data))),
    stop,
    /** Never takes longer than the limit and a few seconds. */
    close: async (): Promise<void> => {
      await stop();
      if (queue !== undefined) await within(queue.close(), GRACE_MS).catch(() => undefined);
      redis.close();
    },
  };
};

const unavailable = (what: string, cause?: unknown) =>
  new Failure(`The queue of Redis is not available: ${what}`, { code: 'queue_unavailable', cause });

/** The ids of each carrier: `[["acme", 1, 2], ["", 3]]`. */
const dataOf = (chunk: readonly HandedOn[]) =>
  [...Map.groupBy(chunk, ({ carrier = '' }) => carrier)].map(([carrier, some]) => [
    carrier,
    ...some.map(({ id }) => id),
  ]);

/** Jobs are never trusted: whoever has Redis may write them. */
const handedIn = (data: unknown): readonly HandedOn[] =>
  listIn(data)
    .flatMap((entry): readonly HandedOn[] => {
      const [carrier, ...ids] = listIn(entry);
      const known = typeof carrier === 'string' && carrier !== '' ? carrier : undefined;
      return ids.filter(isId).map((id) => ({ id, carrier: known }));
    })
    .slice(0, CHUNK);
const listIn = (data: unknown): readonly unknown[] => (Array.isArray(data) ? data : []);
const isId = (id: unknown): id is number => Number.isSafeInteger(id) && (id as number) > 0;

const LATE = Symbol('late');

/** Resolves as `work` does, or with `LATE` when that takes longer. `work` goes on; its later rejection is ignored. */
const within = async <Value>(work: Promise<Value>, limitMs: number): Promise<Value | typeof LATE> => {
  const late = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => late.resolve(LATE), limitMs);
  work.catch(() => undefined);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
};

const QUIET_MS = 10_000;
const REMEMBERED = 100;

/**
 * Logs errors that come again and again, as those of a lost connection do: each message at most once in 10 s, with
 * how often it came since.
 */
export const repeatingErrors = (log: Log, now: () => number = Date.now) => {
  const seen = new Map<string, { loggedAt: number; since: number }>();
  return (fields: object, error: unknown): void => {
    // An AggregateError of refused connections has no message of its own.
    const message = messageOf(error instanceof AggregateError ? error.errors[0] : error);
    const last = seen.get(message);
    if (last !== undefined && now() - last.loggedAt < QUIET_MS) {
      last.since += 1;
      return;
    }
    if (seen.size >= REMEMBERED) seen.clear();
    seen.set(message, { loggedAt: now(), since: 0 });
    log.warn({ ...fields, error: message, repeated: last?.since ?? 0 }, 'the queue reports an error');
  };
};
