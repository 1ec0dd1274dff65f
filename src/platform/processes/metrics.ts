import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from 'pg';
import type { FairSemaphore } from '../../engine/fair-semaphore.ts';
import { countFailedLabels } from '../records/failed-labels.ts';
import { countHeld } from '../records/held-dispatches.ts';
import { countUnsettled, PUSH_REASONS } from '../records/push-log.ts';
import { countFailingPlans } from '../records/plans.ts';
import { countUnplaced } from '../records/partitions.ts';
import { countRefusedLogins } from '../records/refused-logins.ts';
import { countRows, sql } from '../records/sql.ts';
import { countAway } from '../records/waiting-dispatches.ts';
import { waitingFor } from '../records/pool.ts';
import { createPartyMetrics } from './party-metrics.ts';

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What pumps take from the records; nothing is waiting where it is paused. */
const IN_RECORDS = `select
  json_build_object(
    'waiting', (select count(*) from deliveries d join subscriptions s on s.id = d.subscription_id
      where d.state = 'pending' and s.state = 'active'),
    'active', (select count(*) from deliveries where state = 'sending'),
    'delayed', (select count(*) from deliveries where state = 'waiting')) as delivery,
  (select json_build_object(
    'waiting', count(*) filter (where due_at <= now() and lease is null),
    'active', count(*) filter (where lease is not null),
    'delayed', count(*) filter (where due_at > now() and lease is null)) from labels where state = 'pending') as label,
  (select json_build_object('waiting', count(*) filter (where state = 'pending'),
    'active', count(*) filter (where state = 'sending'), 'delayed', count(*) filter (where state = 'waiting'))
  from dispatches where state in ('pending', 'sending', 'waiting')) as dispatch,
  json_build_object(
    'waiting', (select count(*) from pushes where due_at <= now()), 'active', 0,
    'delayed', (select count(*) from pushes where due_at > now())) as status`;

/** Numbers that are looked up when they are asked for, by the names of their gauges. */
const WATCHED: Readonly<Record<string, readonly [help: string, read: (pool: Pool) => Promise<number> | number]>> = {
  waybill_dispatches_held: ['Dispatches that wait for an operator.', countHeld],
  waybill_dispatches_away: ['Dispatches that wait for a carrier that is away.', countAway],
  waybill_dispatches_pending: [
    'Dispatches that are accepted and that nobody has taken up.',
    async (pool) => await countRows(pool, sql`dispatches where state = 'pending'`),
  ],
  waybill_plans_failing: ['Plans, such as of pickups, of which the last was not made or not done.', countFailingPlans],
  waybill_labels_failed: ['Labels that failed, of consignments that have not ended.', countFailedLabels],
  waybill_logins_refused: ['Logins that carriers refused, of accounts as they are now.', countRefusedLogins],
  waybill_subscriptions_paused: [
    'Subscriptions that are paused as their receivers are gone or keep failing.',
    async (pool) => await countRows(pool, sql`subscriptions where pause_reason in ('gone', 'failing')`),
  ],
  waybill_leases_expired: [
    'Work of processes that ended in the midst of it and that no other has taken up.',
    async (pool) =>
      await countRows(
        pool,
        sql`(select 1 from dispatches where state in ('pending', 'sending', 'waiting') and state = 'sending'
            and lease_until < now()
          union all select 1 from deliveries where state = 'sending' and lease_until < now()
          union all select 1 from labels where state = 'pending' and lease_until < now()) expired`,
      ),
  ],
  waybill_unplaced_rows: ['Rows of months that the records have no partition for.', countUnplaced],
  waybill_database_waiting: ['Pieces of work that wait for a connection to the database.', waitingFor],
};

/** What operators watch. Labels are outcomes, areas of the API, and codes up to a bound: no carrier's words, nothing that grows without end. */
export const createMetrics = (pool: Pool) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  /** Of a number that is looked up when it is asked for. */
  const watch = (name: string, help: string, read: () => Promise<number> | number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: async () => gauge.set(await read()) });
  };

  const dispatches = new Histogram({
    name: 'waybill_dispatch_seconds',
    help: 'Time a worker spent on a dispatch, by how it ended.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const pushes = counter('waybill_status_pushes_total', 'Pushes of carriers that were processed, by how.', 'outcome');
  const tries = counter('waybill_webhook_tries_total', 'Tries of webhook deliveries, by what followed.', 'outcome');
  const ofParties = new Registry();
  const parties = createPartyMetrics(pool, [ofParties]);
  const running = new Map<boolean, Promise<string>>();
  const refusals = counter(
    'waybill_requests_refused_total',
    'Requests that were answered with 401, 403, 429 or 503, by that and by the area of the API.',
    'status',
    'area',
  );
  const jobs = new Gauge({
    name: 'waybill_queue_jobs',
    help: 'Pieces of work, by queue and state.',
    labelNames: ['queue', 'state'],
    registers,
    collect: async () => {
      const inRecords = (await pool.query<Record<'delivery' | 'label' | 'dispatch' | 'status', object>>(IN_RECORDS))
        .rows[0];
      jobs.reset();
      for (const [queue, states] of Object.entries(inRecords ?? {}))
        for (const [state, number] of Object.entries(states)) jobs.set({ queue, state }, number);
    },
  });
  const unsettled = new Gauge({
    name: 'waybill_pushes_unsettled',
    help: 'Status updates that fit no consignment or several, or whose status is not known, and pushes that failed.',
    labelNames: ['reason'],
    registers,
    collect: async () => {
      const counts = await countUnsettled(pool);
      for (const reason of PUSH_REASONS) unsettled.set({ reason }, counts[reason]);
    },
  });
  for (const [name, [help, read]] of Object.entries(WATCHED)) watch(name, help, async () => await read(pool));
  return {
    /**
     * In the text format of Prometheus; not `wholly`: without the figures by carrier and by shipper. However many ask at
     * once, the records are asked once.
     */
    text: async (wholly = true): Promise<string> => {
      const make = async (): Promise<string> => {
        const text = await registry.metrics();
        if (!wholly) return text;
        await parties.refresh();
        return text + (await ofParties.metrics());
      };
      const made = running.get(wholly) ?? make().finally(() => running.delete(wholly));
      running.set(wholly, made);
      return await made;
    },
    performed: (whose: Parameters<typeof parties.performed>[0], outcome: string, seconds: number): void => {
      dispatches.observe({ outcome }, seconds);
      parties.performed(whose, outcome, seconds);
    },
    processed: (carrierCode: string, outcome: string): void => {
      pushes.inc({ outcome });
      parties.processed(carrierCode, outcome);
    },
    delivered: (subscriptionId: string, outcome: string): void => {
      tries.inc({ outcome });
      parties.delivered(subscriptionId, outcome);
    },
    watchBreakers: parties.watchBreakers,
    refused: (status: number, area: string): void => refusals.inc({ status, area }),
    /** From now on says whether limits of carriers hold for all processes. */
    watchLimits: (isShared: () => boolean): void =>
      watch('waybill_limits_shared', '1: limits of carriers hold for all processes; 0: each keeps to its part.', () =>
        Number(isShared()),
      ),
    /** From now on says how many carriers do not load, or only in their last good version. */
    watchRefused: (count: () => number): void =>
      watch('waybill_profiles_refused', 'Carriers whose profiles have errors and were not loaded.', count),
    /** From now on says of how many accounts this process lacks the key. */
    watchLeft: (count: () => number): void =>
      watch('waybill_accounts_left', 'Accounts that are left to other processes, as the key is missing here.', count),
    /** From now on says how many requests wait for their turn. */
    watchTurns: (turns: Pick<FairSemaphore, 'waiting'>): void =>
      watch('waybill_requests_waiting', 'Requests that wait for their turn.', turns.waiting),
  };
};
