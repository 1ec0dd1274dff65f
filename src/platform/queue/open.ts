import { Failure, messageOf } from '../../engine/failure.ts';
import {
  type Backend,
  type BackendQueue,
  LATE,
  openPostgres,
  openRedis,
  repeatingErrors,
  type Report,
  within,
} from './backend.ts';
import {
  type JobToAdd,
  QUEUE_NAMES,
  type QueueCounts,
  type QueueName,
  type QueueOptions,
  type Queues,
  type QueueWorker,
  type RefusedJob,
} from './queues.ts';
import { openWorker } from './worker.ts';

/**
 * Opens the queues: on Redis (or Valkey) when there is a URL, else on PostgreSQL. A Redis that is down is reported and
 * tried again for ever; a database that is down is a Failure `queue_unavailable`.
 */
export async function openQueues(options: QueueOptions): Promise<Queues> {
  const { prefix, redisUrl, log } = options;
  if (!/^[\w-]{1,40}$/.test(prefix)) {
    throw new Failure(`The queue prefix "${prefix}" is not 1 to 40 letters, digits, - or _`, {
      code: 'queue_prefix_invalid',
    });
  }
  const report = repeatingErrors(log);
  const backend =
    redisUrl === undefined ? await openPostgres(options, report) : await openRedis(redisUrl, options, report);
  const { ask, close: closeProducer } = openProducer(backend, report);
  const workers = new Map<QueueName, QueueWorker>();
  return {
    backend: backend.kind,
    async add(name, jobs) {
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
    async counts() {
      const entries = QUEUE_NAMES.map(async (name): Promise<[QueueName, QueueCounts]> => {
        const count = await ask(name, (queue) => queue.getJobCounts('waiting', 'active', 'delayed'));
        const { waiting = 0, active = 0, delayed = 0 } = count;
        return [name, { waiting, active, delayed }];
      });
      return Object.fromEntries(await Promise.all(entries)) as Record<QueueName, QueueCounts>;
    },
    work(queue, { concurrency }, handler) {
      if (workers.has(queue)) {
        throw new Failure(`The queue "${queue}" has its worker already`, { code: 'queue_has_worker' });
      }
      const worker = openWorker(backend, { ...options, queue, concurrency, report }, handler);
      workers.set(queue, worker);
      return worker;
    },
    async close() {
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
