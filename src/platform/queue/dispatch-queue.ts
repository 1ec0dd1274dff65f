/**
 * Carries ids of dispatches over Redis from the processes that accept them to those that perform them, up to 32 in a
 * job. It may lose them at any time; the records may not, and a worker looks there as well.
 */
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Log } from '../records/pool.ts';
import { type BackendQueue, LATE, openRedis, repeatingErrors, within } from './backend.ts';
import { redisAt } from './redis.ts';
import { openWorker, type QueueWorker, type WorkerLimits } from './worker.ts';

export interface DispatchQueueOptions extends WorkerLimits {
  readonly redisUrl: string;
  /** Keeps several installations on one Redis apart. */
  readonly prefix: string;
  readonly log: Log;
  /** How long Redis may take to answer an add. */
  readonly answerLimitMs?: number | undefined;
}

export type DispatchQueue = Awaited<ReturnType<typeof openDispatchQueue>>;

const NAME = 'dispatch';
/** Ids of one job. */
const CHUNK = 32;
/** Jobs that a process has in hand: they end as soon as their dispatches are claimed. */
const JOBS_AT_ONCE = 8;
const ASK_LIMIT_MS = 8_000;

/** Attempts are counted in the records. */
const JOB = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** A Redis that is down is reported and tried again for ever; a URL that is none is a Failure `queue_url_invalid`. */
export const openDispatchQueue = async (options: DispatchQueueOptions) => {
  const { redisUrl, prefix, log } = options;
  const report = repeatingErrors(log);
  const backend = await openRedis(redisAt(redisUrl, report), options);
  const unavailable = (what: string, cause?: unknown) =>
    new Failure(`The queue ${prefix} is not available: ${what}`, { code: 'queue_unavailable', cause });
  let opened: BackendQueue | undefined;
  /** BullMQ remembers a failed start for good, so one that failed is thrown away. */
  const queueNow = (): BackendQueue => {
    if (opened !== undefined) return opened;
    const queue = backend.openQueue(NAME);
    opened = queue;
    queue.on('error', (error) => report({ queue: NAME }, error));
    queue.waitUntilReady().catch((error: unknown) => {
      report({ queue: NAME }, error);
      if (opened === queue) opened = undefined;
      void queue.close().catch(() => undefined);
    });
    return queue;
  };
  let worker: QueueWorker | undefined;
  return {
    /** Rejects with a Failure `queue_unavailable` within seconds; some may have been added, or may be later. */
    add: async (ids: readonly number[]): Promise<void> => {
      if (!backend.isReachable()) throw unavailable('there is no connection');
      const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, at) =>
        ids.slice(at * CHUNK, (at + 1) * CHUNK),
      );
      const queue = queueNow();
      const adding = queue
        .waitUntilReady()
        .then(async () => await queue.addBulk(chunks.map((data) => ({ name: 'ids', data, opts: JOB }))));
      const added = await within(adding, ASK_LIMIT_MS).catch((cause: unknown) => {
        throw unavailable(messageOf(cause), cause);
      });
      if (added === LATE) throw unavailable(`no answer in ${ASK_LIMIT_MS} ms`);
    },
    /** Starts the one worker of this process; a job ends when `handle` resolves. */
    work: (handle: (ids: readonly number[]) => Promise<void>): QueueWorker => {
      const limits = { ...options, queue: NAME, concurrency: JOBS_AT_ONCE, report };
      worker = openWorker(backend, limits, async (_id, _signal, data) => await handle(idsOf(data)));
      return worker;
    },
    /** Closes the worker, then the connections. Never takes longer than the limit and a few seconds. */
    close: async (): Promise<void> => {
      await worker?.close();
      if (opened !== undefined) await within(opened.close(), 2_000).catch(() => undefined);
      await backend.close();
    },
  };
};

/** Jobs are never trusted: whoever has Redis may write them. */
const idsOf = (data: unknown): readonly number[] =>
  Array.isArray(data) ? data.slice(0, CHUNK).filter((id): id is number => Number.isSafeInteger(id) && id > 0) : [];
