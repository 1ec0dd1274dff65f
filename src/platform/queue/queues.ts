/**
 * The queues: they carry ids from where work is found to where it is done. They may lose them at any time; the records
 * may not, and whoever adds must add again what the records say is unfinished.
 */
import type { Log } from '../records/pool.ts';

/** What the engine does in the background, each with a queue of its own. */
export const QUEUE_NAMES = ['dispatch', 'status', 'label', 'delivery'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** A job is the id of something in the records, no more. */
export interface JobToAdd {
  readonly id: string;
  /** Not before that long from now. */
  readonly delayMs?: number | undefined;
}

/** A job that was not added, as its id or delay is none that a queue can take. */
export interface RefusedJob {
  readonly id: string;
  readonly reason: string;
}

export type QueueCounts = Readonly<Record<'waiting' | 'active' | 'delayed', number>>;

/**
 * Does a job. What it resolves or rejects with changes nothing in the queue: the job is gone afterwards, and the
 * records say what comes next. `signal` is aborted when the worker's time to close is up.
 */
export type JobHandler = (jobId: string, signal: AbortSignal) => Promise<void>;

export interface QueueWorker {
  /** Takes no more jobs, waits for those at hand within the limit, then aborts them. */
  close(): Promise<void>;
}

export interface Queues {
  readonly backend: 'redis' | 'postgres';
  /**
   * Adds jobs. An id that is waiting, delayed or active is left as it is; a finished one is added again. Resolves
   * with the refused ones, while the others were added. Rejects with a Failure `queue_unavailable` within seconds;
   * some may have been added, or may be later.
   */
  add(queue: QueueName, jobs: readonly JobToAdd[]): Promise<readonly RefusedJob[]>;
  /** Starts the one worker of this process for a queue; `concurrency` jobs at a time. */
  work(queue: QueueName, options: { readonly concurrency: number }, handler: JobHandler): QueueWorker;
  /** Rejects with a Failure `queue_unavailable` within seconds. */
  counts(): Promise<Readonly<Record<QueueName, QueueCounts>>>;
  /** Closes the workers, then the connections. Never takes longer than the limit and a few seconds. */
  close(): Promise<void>;
}

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
  /** How long Redis may take to answer an add. */
  readonly answerLimitMs?: number | undefined;
  /** How long `close` waits for jobs at hand. */
  readonly closeLimitMs?: number | undefined;
}
