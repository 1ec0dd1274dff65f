import { once } from 'node:events';
import { createPostgresBackend, type PgPool, Queue, runMigrations, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { Failure, messageOf } from '../../engine/failure.ts';
import { createPool, type Log } from '../records/pool.ts';
import type { Backend } from './backend.ts';
import { within } from './deadline.ts';
import { repeatingErrors } from './error-log.ts';
import { openProducer } from './producer.ts';
import { QUEUE_NAMES, type QueueName } from './queue-name.ts';
import type { Queues, QueueWorker } from './queues.ts';
import { openWorker } from './worker.ts';

export interface QueueOptions {
  /** Redis or Valkey; without it the queues are in the database. */
  readonly redisUrl?: string | undefined;
  readonly databaseUrl: string;
  /** Keeps several installations on one Redis apart; letters, digits, `-` and `_`. */
  readonly prefix: string;
  readonly log: Log;
  /** How long a worker that died keeps its jobs from others. */
  readonly lockDurationMs?: number | undefined;
  readonly stalledIntervalMs?: number | undefined;
  /** Redis is given that long to answer an add. */
  readonly answerLimitMs?: number | undefined;
  /** How long `close` waits for jobs at hand. */
  readonly closeLimitMs?: number | undefined;
}

/**
 * Opens the queues: on Redis (or Valkey) when there is a URL, else on PostgreSQL. A Redis that is down is reported and
 * tried again for ever; a database that is down is a Failure `queue_unavailable`.
 */
export async function openQueues(options: QueueOptions): Promise<Queues> {
  if (!/^[\w-]{1,40}$/.test(options.prefix)) {
    throw new Failure(`The queue prefix "${options.prefix}" is not 1 to 40 letters, digits, - or _`, {
      code: 'queue_prefix_invalid',
    });
  }
  const report = repeatingErrors(options.log);
  const backend =
    options.redisUrl === undefined
      ? await openPostgres(options, report)
      : await openRedis(options.redisUrl, options, report);
  const producer = openProducer(backend, report);
  const workers = new Map<QueueName, QueueWorker>();
  return {
    backend: backend.kind,
    add: producer.add,
    counts: producer.counts,
    work(queue, { concurrency }, handler) {
      if (workers.has(queue)) {
        throw new Failure(`The queue "${queue}" has its worker already`, { code: 'queue_has_worker' });
      }
      const settings = {
        queue,
        concurrency,
        lockDurationMs: options.lockDurationMs ?? 30_000,
        stalledIntervalMs: options.stalledIntervalMs ?? 5_000,
        closeLimitMs: options.closeLimitMs ?? 20_000,
        log: options.log,
        report,
      };
      const worker = openWorker(backend, settings, handler);
      workers.set(queue, worker);
      return worker;
    },
    async close() {
      await Promise.all([...workers.values()].map((worker) => worker.close()));
      await producer.close();
      await backend.close();
    },
  };
}

type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>;
type Report = ReturnType<typeof repeatingErrors>;

/** Nobody reads BullMQ's event stream. */
const STREAMS = { events: { maxLen: 100 } };
/** Enough for a Redis that is there; one that is not must not keep the server from starting. */
const FIRST_CONNECTION_MS = 2_000;
const ANSWER_LIMIT_MS = 5_000;

async function openRedis(
  url: string,
  { prefix, answerLimitMs = ANSWER_LIMIT_MS }: QueueOptions,
  report: Report,
): Promise<Backend> {
  if (!/^rediss?:\/\//.test(url)) {
    throw new Failure('REDIS_URL does not begin with redis:// or rediss://', { code: 'queue_url_invalid' });
  }
  const shared: ConnectionOptions = {
    connectTimeout: 10_000,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(100 * times, 2_000),
    // After a failover the old primary is a read-only replica.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
  const clients: Redis[] = [];
  const watch = (client: Redis): Redis => {
    client.on('error', (error: Error) => report({ backend: 'redis' }, error));
    client.setMaxListeners(50);
    // BullMQ duplicates a client to block on, and stops listening to it before it is gone.
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (override) => watch(duplicate(override));
    clients.push(client);
    return client;
  };
  const connect = (own: ConnectionOptions): Redis => watch(new Redis(url, { ...shared, ...own }));
  // Adding never waits: not for a connection, and not long for an answer. Without one the connection is replaced: it
  // may be one that nobody holds at the other end.
  const adding = connect({
    commandTimeout: answerLimitMs,
    socketTimeout: Math.ceil(answerLimitMs * 1.2),
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
  });
  // Working does, and blocks on purpose; only a connection that went silent is given up.
  let working: Redis | undefined;
  const connectWorking = () => (working ??= connect({ socketTimeout: 30_000, maxRetriesPerRequest: null }));
  await within(once(adding, 'ready'), FIRST_CONNECTION_MS, undefined).catch(() => undefined);
  return {
    kind: 'redis',
    isReachable: () => adding.status === 'ready',
    openQueue: (name) => new Queue(name, { connection: adding, prefix, streams: STREAMS }),
    openWorker: (name, processor, settings) =>
      new Worker(name, processor, { ...settings, connection: connectWorking(), prefix }),
    async close() {
      for (const client of clients) client.disconnect();
    },
  };
}

async function openPostgres({ databaseUrl, prefix, log }: QueueOptions, report: Report): Promise<Backend> {
  // Each worker keeps one connection for LISTEN; a pool without more than that would stand still.
  const pool = createPool({
    databaseUrl,
    log,
    max: QUEUE_NAMES.length + 8,
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
      await within(pool.end(), 3_000, undefined).catch((error: unknown) => report({ backend: 'postgres' }, error));
    },
  };
}
