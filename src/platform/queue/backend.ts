import {
  createPostgresBackend,
  type PgPool,
  type Processor,
  Queue,
  runMigrations,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { Failure, messageOf } from '../../engine/failure.ts';
import { createPool, type Log } from '../records/pool.ts';
import type { RedisClient, RedisConnections } from './redis.ts';

/** What we use of BullMQ's classes, whatever carries them. */
export type BackendQueue = Pick<Queue, 'waitUntilReady' | 'addBulk' | 'getJobCounts' | 'close'> & Errors;
export type BackendWorker = Pick<Worker, 'waitUntilReady' | 'close' | 'disconnect'> &
  Errors & { on(event: 'stalled', listener: (jobId: string) => void): unknown };
interface Errors {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The connections, and BullMQ's classes upon them. */
export interface Backend {
  readonly kind: 'redis' | 'postgres';
  /** False when an add would only wait for a connection. */
  isReachable(): boolean;
  openQueue(name: string): BackendQueue;
  openWorker(name: string, processor: Processor, options: Omit<WorkerOptions, 'connection' | 'prefix'>): BackendWorker;
  close(): Promise<void>;
}

export interface BackendOptions extends RedisOptions {
  readonly databaseUrl: string;
  readonly log: Log;
}

interface RedisOptions {
  /** Keeps several installations on one Redis apart; letters, digits, `-` and `_`. */
  readonly prefix: string;
  /** How long Redis may take to answer an add. */
  readonly answerLimitMs?: number | undefined;
}

/** Logs an error of the queue; `fields` say where it happened. */
export type Report = (fields: object, error: unknown) => void;

/** Nobody reads BullMQ's event stream. */
const STREAMS = { events: { maxLen: 100 } };
const ANSWER_LIMIT_MS = 5_000;

export async function openRedis(
  { connect, connectSoon, close }: RedisConnections,
  { prefix: name, answerLimitMs = ANSWER_LIMIT_MS }: RedisOptions,
): Promise<Backend> {
  // In a cluster all keys of a queue must lie together: those with the same text in braces do.
  const prefix = `{${name}}`;
  // Adding never waits for a connection, and not long for an answer. A connection that gives none is replaced: nobody
  // may hold its other end any more.
  const adding = await connectSoon({
    commandTimeout: answerLimitMs,
    socketTimeout: Math.ceil(answerLimitMs * 1.2),
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
  });
  // Working blocks on purpose; only a connection that went silent is given up.
  let working: RedisClient | undefined;
  const connectWorking = () => (working ??= connect({ socketTimeout: 30_000, maxRetriesPerRequest: null }));
  return {
    kind: 'redis',
    isReachable: () => adding.status === 'ready',
    openQueue: (queue) => new Queue(queue, { connection: adding, prefix, streams: STREAMS }),
    openWorker: (queue, processor, settings) =>
      new Worker(queue, processor, { ...settings, connection: connectWorking(), prefix }),
    close: async () => close(),
  };
}

export async function openPostgres(
  { databaseUrl, prefix, log }: BackendOptions,
  workers: number,
  report: Report,
): Promise<Backend> {
  // Each worker keeps one connection for LISTEN; a pool without more than that would stand still.
  const pool = createPool({
    databaseUrl,
    log,
    max: workers + 8,
    applicationName: 'waybill-queue',
    searchPath: 'bullmq',
  });
  pool.setMaxListeners(50);
  try {
    const client = await pool.connect();
    await runMigrations(client).finally(() => client.release());
  } catch (cause) {
    await pool.end();
    throw new Failure(`The queue tables cannot be made: ${messageOf(cause)}`, { code: 'queue_unavailable', cause });
  }
  // The same class; BullMQ's description of it and pg's own differ in how `on` is written.
  const connection = pool as unknown as PgPool;
  const nameOf = (name: string) => `${prefix}-${name}`;
  return {
    kind: 'postgres',
    isReachable: () => true,
    openQueue: (name) => new Queue(nameOf(name), { connection, streams: STREAMS }, createPostgresBackend),
    openWorker: (name, processor, settings) =>
      new Worker(nameOf(name), processor, { ...settings, connection }, createPostgresBackend),
    async close() {
      await within(pool.end(), 3_000).catch((error: unknown) => report({ backend: 'postgres' }, error));
    },
  };
}

export const LATE = Symbol('late');

/** Resolves as `work` does, or with `LATE` when that takes longer. `work` goes on; its later rejection is ignored. */
export async function within<Value>(work: Promise<Value>, limitMs: number): Promise<Value | typeof LATE> {
  const late = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => late.resolve(LATE), limitMs);
  work.catch(() => undefined);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

const QUIET_MS = 10_000;
const REMEMBERED = 100;

/**
 * Logs errors that come again and again, as those of a lost connection do: each message at most once in 10 s, with
 * how often it came since.
 */
export function repeatingErrors(log: Log, now: () => number = Date.now): Report {
  const seen = new Map<string, { loggedAt: number; since: number }>();
  return (fields, error) => {
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
}
