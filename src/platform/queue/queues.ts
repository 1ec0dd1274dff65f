/**
 * The queues: they carry ids from where work is found to where it is done. They may lose them at any time; the records
 * may not, and whoever adds must add again what the records say is unfinished.
 */
import { Failure, messageOf } from '../../engine/failure.ts';
import {
  type Backend,
  type BackendOptions,
  type BackendQueue,
  LATE,
  openPostgres,
  openRedis,
  repeatingErrors,
  type Report,
  within,
} from './backend.ts';
import { redisAt } from './redis.ts';
import { type JobHandler, openWorker, type QueueWorker, type WorkerLimits } from './worker.ts';

/** What the engine does in the background, each with a queue of its own. */
export const QUEUE_NAMES = ['status'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** A job is the id of something in the records, no more. */
type JobToAdd = {
  readonly id: string;
  /** Not before that long from now. */
  readonly delayMs?: number | undefined;
};

/** A job that was not added, as its id or delay is none that a queue can take. */
type RefusedJob = {
  readonly id: string;
  readonly reason: string;
};

type QueueCounts = Readonly<Record<'waiting' | 'active' | 'delayed', number>>;

export interface QueueOptions extends BackendOptions, WorkerLimits {
  /** Redis or Valkey; without it the queues are in the database. */
  readonly redisUrl?: string | undefined;
}

export type Queues = Awaited<ReturnType<typeof openQueues>>;

/**
 * Opens the queues: on Redis (or Valkey) when there is a URL, else on PostgreSQL. A Redis that is down is reported and
 * tried again for ever; a database that is down is a Failure `queue_unavailable`.
 */
export async function openQueues(options: QueueOptions) {
  const { prefix, redisUrl, log } = options;
  if (!/^[\w-]{1,40}$/.test(prefix)) {
    throw new Failure(`The queue prefix "${prefix}" is not 1 to 40 letters, digits, - or _`, {
      code: 'queue_prefix_invalid',
    });
  }
  const report = repeatingErrors(log);
  const backend =
    redisUrl === undefined
      ? await openPostgres(options, QUEUE_NAMES.length, report)
      : await openRedis(redisAt(redisUrl, report), options);
  const { ask, close: closeProducer } = openProducer(backend, report);
  const workers = new Map<QueueName, QueueWorker>();
  return {
    backend: backend.kind,
    /**
     * Adds jobs. An id that is waiting, delayed or active is left as it is; a finished one is added again. Resolves
     * with the refused ones, while the others were added. Rejects with a Failure `queue_unavailable` within seconds;
     * some may have been added, or may be later.
     */
    async add(name: QueueName, jobs: readonly JobToAdd[]): Promise<readonly RefusedJob[]> {
      // A delay counts from when it was asked for: the clock may be set before the queue has answered.
      const askedAtMs = Date.now();
      const refused: RefusedJob[] = [];
      const accepted = jobs.filter((job) => {
        const reason = reasonToRefuse(job);
        if (reason !== undefined) refused.push({ id: job.id, reason });
        return reason === undefined;
      });
      for (const { id, reason } of refused) log.error({ queue: name, id, reason }, 'a job was refused by the queue');
      for (let from = 0; from < accepted.length; from += BATCH) {
        const batch = accepted.slice(from, from + BATCH).map((job) => bullJobOf(job, askedAtMs));
        await ask(name, (queue) => queue.addBulk(batch));
      }
      return refused;
    },
    /** Rejects with a Failure `queue_unavailable` within seconds. */
    async counts() {
      const entries = QUEUE_NAMES.map(async (name) => {
        const count = await ask(name, (queue) => queue.getJobCounts('waiting', 'active', 'delayed'));
        const { waiting = 0, active = 0, delayed = 0 } = count;
        return [name, { waiting, active, delayed }] as const;
      });
      return Object.fromEntries(await Promise.all(entries)) as Record<QueueName, QueueCounts>;
    },
    /** Starts the one worker of this process for a queue; `concurrency` jobs at a time. */
    work(queue: QueueName, { concurrency }: { readonly concurrency: number }, handler: JobHandler): QueueWorker {
      if (workers.has(queue))
        throw new Failure(`The queue "${queue}" has its worker already`, { code: 'queue_has_worker' });
      const worker = openWorker(backend, { ...options, queue, concurrency, report }, handler);
      workers.set(queue, worker);
      return worker;
    },
    /** Closes the workers, then the connections. Never takes longer than the limit and a few seconds. */
    async close(): Promise<void> {
      await Promise.all([...workers.values()].map((worker) => worker.close()));
      await closeProducer();
      await backend.close();
    },
  };
}

const ASK_LIMIT_MS = 8_000;
const BATCH = 500;

/** The queues as a producer asks them: each is opened when it is first asked, and answers within the limit. */
function openProducer(backend: Backend, report: Report) {
  const queues = new Map<QueueName, BackendQueue>();
  const queueOf = (name: QueueName): BackendQueue => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = backend.openQueue(name);
    queue.on('error', (error) => report({ queue: name }, error));
    queues.set(name, queue);
    // BullMQ remembers a failed start for good, so one that failed is thrown away.
    queue.waitUntilReady().catch((error: unknown) => {
      report({ queue: name }, error);
      if (queues.get(name) === queue) queues.delete(name);
      void queue.close().catch(() => undefined);
    });
    return queue;
  };
  const unavailable = (what: string, cause?: unknown) =>
    new Failure(`The queue (${backend.kind}) is not available: ${what}`, { code: 'queue_unavailable', cause });
  return {
    async ask<Answer>(name: QueueName, question: (queue: BackendQueue) => Promise<Answer>): Promise<Answer> {
      if (!backend.isReachable()) throw unavailable('there is no connection');
      const queue = queueOf(name);
      const answer = queue.waitUntilReady().then(() => question(queue));
      const result = await within(answer, ASK_LIMIT_MS).catch((cause: unknown) => {
        throw unavailable(messageOf(cause), cause);
      });
      if (result === LATE) throw unavailable(`no answer in ${ASK_LIMIT_MS} ms`);
      return result;
    },
    async close(): Promise<void> {
      const closing = [...queues.values()].map((queue) => within(queue.close(), 2_000));
      queues.clear();
      await Promise.allSettled(closing);
    },
  };
}

const bullJobOf = ({ id, delayMs }: JobToAdd, askedAtMs: number) => ({
  name: 'job',
  data: {},
  // Attempts are counted in the records. Removed at once, so that the id can be added again.
  opts: {
    jobId: id,
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    delay: Math.ceil(delayMs ?? 0),
    timestamp: askedAtMs,
  },
});

const LONGEST_ID = 200;
const LONGEST_DELAY_MS = 366 * 24 * 3_600_000;

/** Why a queue cannot take this job, or undefined when it can. One that it cannot take would spoil a whole batch. */
export function reasonToRefuse({ id, delayMs }: JobToAdd): string | undefined {
  if (id.length === 0 || id.length > LONGEST_ID) return `an id has 1 to ${LONGEST_ID} characters`;
  // BullMQ takes integers for its own ids, and a colon separates the parts of its keys.
  if (/^-?\d+$/.test(id)) return 'an id is not a plain integer';
  if (!/^[\w.@/+=~-]+$/.test(id)) return 'an id consists of letters, digits and _ . @ / + = ~ -';
  // On Redis an id shares its namespace with BullMQ's own keys (`delayed`, `meta`), none of which has a digit.
  if (!/\d/.test(id)) return 'an id contains a digit';
  if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= LONGEST_DELAY_MS)) return 'a delay is 0 to 366 days';
  return undefined;
}
