import type { QueueName } from './queue-name.ts';

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

export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/**
 * Does a job. What it resolves or rejects with changes nothing in the queue: the job is gone afterwards, and the
 * records say what comes next. `signal` is aborted when the worker's time to close is up.
 */
export type JobHandler = (jobId: string, signal: AbortSignal) => Promise<void>;

export interface QueueWorker {
  /** Takes no more jobs, waits for those at hand within the limit, then aborts them. */
  close(): Promise<void>;
}

/**
 * Carries ids from where work is found to where it is done. It may lose them at any time; the records may not, and
 * whoever adds must add again what they say is unfinished.
 */
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
