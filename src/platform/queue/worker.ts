import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from 'bullmq';
import { messageOf } from '../../engine/failure.ts';
import { type Backend, type BackendWorker, LATE, type Report, within } from './backend.ts';
import type { Log } from '../records/pool.ts';

/** How long aborted jobs and closing connections get beyond the limit. */
const GRACE_MS = 2_000;
const RESTART_MS = 1_000;

/**
 * Does a job. What it resolves or rejects with changes nothing in the queue: the job is gone afterwards, and the
 * records say what comes next. `signal` is aborted when the worker's time to close is up.
 */
export type JobHandler = (jobId: string, signal: AbortSignal, data: unknown) => Promise<void>;

export interface QueueWorker {
  /** Takes no more jobs, waits for those at hand within the limit, then aborts them. */
  close(): Promise<void>;
}

export interface WorkerLimits {
  /** How long a worker that died keeps its jobs from others. */
  readonly lockDurationMs?: number | undefined;
  readonly stalledIntervalMs?: number | undefined;
  /** How long `close` waits for jobs at hand. */
  readonly closeLimitMs?: number | undefined;
}

interface WorkerOptions extends WorkerLimits {
  readonly queue: string;
  readonly concurrency: number;
  readonly log: Log;
  readonly report: Report;
}

/** Takes jobs from one queue and runs the handler on them. It outlives lost connections and flushed queues. */
export function openWorker(backend: Backend, options: WorkerOptions, handler: JobHandler): QueueWorker {
  const { queue, concurrency, log, report } = options;
  const { lockDurationMs = 30_000, stalledIntervalMs = 5_000, closeLimitMs = 20_000 } = options;
  const closing = new AbortController();
  const running = new Set<AbortController>();

  // A lost lock does not abort: what is on its way to a carrier is settled by the records' lease, not by the queue's.
  const process: Processor = async (job) => {
    const jobId = job.id ?? '';
    const controller = new AbortController();
    running.add(controller);
    try {
      await handler(jobId, controller.signal, job.data);
    } catch (error) {
      log.error({ queue, jobId, error: messageOf(error) }, 'a job failed; the records say what comes next');
    } finally {
      running.delete(controller);
    }
  };

  let worker = start();

  function start(): BackendWorker {
    const started = backend.openWorker(queue, process, {
      concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: 10,
      drainDelay: 5,
      runRetryDelay: 1_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    started.on('error', (error) => report({ queue }, error));
    started.on('stalled', (jobId) => log.warn({ queue, jobId }, 'a job was left by its worker and is taken again'));
    // BullMQ remembers a failed start for good, so one that failed is replaced.
    started.waitUntilReady().catch(async (error: unknown) => {
      if (closing.signal.aborted) return;
      report({ queue }, error);
      await within(started.close(true), GRACE_MS).catch(() => undefined);
      await sleep(RESTART_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      if (!closing.signal.aborted) worker = start();
    });
    return started;
  }

  let closed: Promise<void> | undefined;
  return { close: () => (closed ??= close()) };

  async function close(): Promise<void> {
    closing.abort();
    const done = worker.close();
    if (await isClosed(done)) return;
    if (running.size > 0) {
      log.warn({ queue, jobs: running.size }, 'jobs did not end in time and are aborted');
      for (const controller of running) controller.abort();
      if ((await within(done, GRACE_MS)) !== LATE) return;
    }
    // Its jobs stay locked until their locks run out; then another worker takes them.
    await within(worker.disconnect(), GRACE_MS).catch(() => undefined);
  }

  /** Waits for the jobs at hand; without any, only for a moment, as a connection that is down would keep us here. */
  async function isClosed(done: Promise<void>): Promise<boolean> {
    const deadline = Date.now() + closeLimitMs;
    let idleFrom = Date.now();
    while (Date.now() < deadline) {
      if (running.size > 0) idleFrom = Date.now();
      if (Date.now() - idleFrom > GRACE_MS) return false;
      if ((await within(done, 50)) !== LATE) return true;
    }
    return false;
  }
}
