import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from 'pg';
import type { FairSemaphore } from '../../engine/fair-semaphore.ts';
import type { Queues } from '../queue/queues.ts';

export interface Metrics {
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  performed(kind: string, seconds: number): void;
  processed(kind: string): void;
  delivered(kind: string): void;
  refused(status: number, area: string): void;
  /** From now on says how many requests wait for their turn. */
  watchTurns(turns: Pick<FairSemaphore, 'waiting'>): void;
}

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What operators watch. Labels are outcomes and areas of the API: no shipper, no carrier's words, nothing that grows without bound. */
export const createMetrics = (pool: Pool, queues: Queues): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const dispatches = new Histogram({
    name: 'waybill_dispatch_seconds',
    help: 'Time a worker spent on a dispatch, by how it ended.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const statuses = new Counter({
    name: 'waybill_status_pushes_total',
    help: 'Pushes of carriers that were processed, by how.',
    labelNames: ['outcome'],
    registers,
  });
  const deliveries = new Counter({
    name: 'waybill_webhook_tries_total',
    help: 'Tries of webhook deliveries, by what followed.',
    labelNames: ['outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'waybill_requests_refused_total',
    help: 'Requests that were answered with 401, 403, 429 or 503, by that and by the area of the API.',
    labelNames: ['status', 'area'],
    registers,
  });
  const jobs = new Gauge({
    name: 'waybill_queue_jobs',
    help: 'Jobs in the queue, by queue and state.',
    labelNames: ['queue', 'state'],
    registers,
    collect: async () => {
      const counts = await queues.counts().catch(() => undefined);
      jobs.reset();
      for (const [queue, states] of Object.entries(counts ?? {})) {
        for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
      }
    },
  });
  const held = new Gauge({
    name: 'waybill_dispatches_held',
    help: 'Dispatches that wait for an operator.',
    registers,
    collect: async () => {
      const { rows } = await pool.query<{ count: number }>(`select count(*) from dispatches where state = 'held'`);
      held.set(rows[0]?.count ?? 0);
    },
  });
  const outbox = new Gauge({
    name: 'waybill_outbox_rows',
    help: 'Rows that the relay has yet to hand to the queue.',
    registers,
    collect: async () => {
      const { rows } = await pool.query<{ count: number }>('select count(*) from outbox');
      outbox.set(rows[0]?.count ?? 0);
    },
  });
  const waiting: Gauge = new Gauge({
    name: 'waybill_database_waiting',
    help: 'Pieces of work that wait for a connection to the database.',
    registers,
    collect: (): void => waiting.set(pool.waitingCount),
  });
  return {
    text: async () => await registry.metrics(),
    performed: (outcome, seconds) => dispatches.observe({ outcome }, seconds),
    processed: (outcome) => statuses.inc({ outcome }),
    delivered: (outcome) => deliveries.inc({ outcome }),
    refused: (status, area) => refusals.inc({ status, area }),
    watchTurns: (turns) => {
      const inLine: Gauge = new Gauge({
        name: 'waybill_requests_waiting',
        help: 'Requests that wait for their turn.',
        registers,
        collect: (): void => inLine.set(turns.waiting()),
      });
    },
  };
};
