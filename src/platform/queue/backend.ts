import type { JobsOptions, Processor, WorkerOptions } from 'bullmq';

/** What we use of BullMQ's Queue, whatever carries it. */
export interface BackendQueue {
  waitUntilReady(): Promise<unknown>;
  addBulk(jobs: { name: string; data: object; opts: JobsOptions }[]): Promise<unknown>;
  getJobCounts(...types: ('waiting' | 'prioritized' | 'active' | 'delayed')[]): Promise<Record<string, number>>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** What we use of BullMQ's Worker. */
export interface BackendWorker {
  waitUntilReady(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'stalled', listener: (jobId: string) => void): unknown;
  close(force?: boolean): Promise<void>;
  disconnect(): Promise<void>;
}

type BackendWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>;

/** The connections to Redis or PostgreSQL, and BullMQ's classes upon them. */
export interface Backend {
  readonly kind: 'redis' | 'postgres';
  /** False when an add would only wait for a connection. */
  isReachable(): boolean;
  openQueue(name: string): BackendQueue;
  openWorker(name: string, processor: Processor, options: BackendWorkerOptions): BackendWorker;
  close(): Promise<void>;
}
