import type { JobsOptions } from 'bullmq';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Backend, BackendQueue } from './backend.ts';
import { within } from './deadline.ts';
import { reasonToRefuse } from './job-check.ts';
import { QUEUE_NAMES, type QueueName } from './queue-name.ts';
import { type JobToAdd, type QueueCounts, type RefusedJob, type Queues } from './queues.ts';

const LIMIT_MS = 8_000;
const BATCH = 500;
const LATE = Symbol('late');

/** The adding half of the queues. */
export function openProducer(
  backend: Backend,
  report: (fields: object, error: unknown) => void,
): Pick<Queues, 'add' | 'counts' | 'close'> {
  const queues = new Map<QueueName, BackendQueue>();

  function queueOf(name: QueueName): BackendQueue {
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
  }

  async function ask<Answer>(name: QueueName, question: (queue: BackendQueue) => Promise<Answer>): Promise<Answer> {
    if (!backend.isReachable()) throw unavailable(backend.kind, 'there is no connection');
    const queue = queueOf(name);
    const answer = queue.waitUntilReady().then(() => question(queue));
    const result = await within<Answer, typeof LATE>(answer, LIMIT_MS, LATE).catch((cause: unknown) => {
      throw unavailable(backend.kind, messageOf(cause), cause);
    });
    if (result === LATE) throw unavailable(backend.kind, `no answer in ${LIMIT_MS} ms`);
    return result;
  }

  return {
    async add(name, jobs) {
      // A delay counts from when it was asked for: the clock may be set before the queue has answered.
      const askedAtMs = Date.now();
      const refused: RefusedJob[] = [];
      const accepted: { name: string; data: object; opts: JobsOptions }[] = [];
      for (const job of jobs) {
        const reason = reasonToRefuse(job);
        if (reason === undefined) accepted.push(jobOf(job, askedAtMs));
        else refused.push({ id: job.id, reason });
      }
      for (const { id, reason } of refused)
        report({ queue: name, jobId: id }, new Error(`a job was refused: ${reason}`));
      for (let from = 0; from < accepted.length; from += BATCH) {
        await ask(name, (queue) => queue.addBulk(accepted.slice(from, from + BATCH)));
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

    async close() {
      await Promise.all(
        [...queues.values()].map((queue) => within(queue.close(), 2_000, undefined).catch(() => undefined)),
      );
      queues.clear();
    },
  };
}

const jobOf = ({ id, delayMs }: JobToAdd, askedAtMs: number) => ({
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

const unavailable = (kind: string, what: string, cause?: unknown) =>
  new Failure(`The queue (${kind}) is not available: ${what}`, { code: 'queue_unavailable', cause });
