/** Metrics by carrier and by shipper: a bounded number by code, all others combined. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Pool } from 'pg';
import { OF_DISPATCH } from '../records/errands.ts';
import { queryAll } from '../records/sql.ts';

/** Of each kind: every code is a time series, or several, in whatever collects them. */
export const PARTIES_MAX = 100;
const OTHER = 'other';
/** Of what is counted between two looks. */
const IDS_MAX = 10_000;
const SECONDS = [0.5, 2, 10, 30];

/** The code, where it is among the first that were seen; else `other`. */
const createBound = () => {
  const known = new Set<string>();
  return (code = OTHER): string => {
    if (!known.has(code) && known.size < PARTIES_MAX) known.add(code);
    return known.has(code) ? code : OTHER;
  };
};

/** What was counted by ids, until somebody asks: whose they are is looked up only then. */
const createPending = <Id extends string | number>() => {
  let counts = new Map<Id | undefined, Map<string, number>>();
  return {
    count: (given: Id, outcome: string): void => {
      const id = counts.has(given) || counts.size < IDS_MAX ? given : undefined;
      const outcomes = counts.get(id) ?? new Map<string, number>();
      counts.set(id, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
    },
    take: () => {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
};
type Counts = ReturnType<ReturnType<typeof createPending>['take']>;

interface Coded {
  readonly id: string | number;
  readonly code: string;
}

export const createPartyMetrics = (pool: Pool, registers: Registry[]) => {
  const boundOf = { carrier: createBound(), shipper: createBound() };
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers });

  const seconds = new Histogram({
    name: 'waybill_carrier_dispatch_seconds',
    help: 'Time a worker spent on a dispatch, by carrier and how it ended.',
    labelNames: ['carrier', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const pushes = counter(
    'waybill_carrier_pushes_total',
    'Pushes that were processed, by carrier and how.',
    'carrier',
    'outcome',
  );
  const performed = counter(
    'waybill_shipper_dispatches_total',
    'Attempts at dispatches, by shipper and how they ended.',
    'shipper',
    'outcome',
  );
  const tries = counter(
    'waybill_shipper_webhook_tries_total',
    'Tries of webhook deliveries, by shipper and what followed.',
    'shipper',
    'outcome',
  );
  const unfinished = {
    carrier: gauge(
      'waybill_carrier_dispatches',
      'Dispatches that have not ended or are held, by carrier and state.',
      'carrier',
      'state',
    ),
    shipper: gauge(
      'waybill_shipper_dispatches',
      'Dispatches that have not ended or are held, by shipper and state.',
      'shipper',
      'state',
    ),
  };
  const ofShippers = createPending<number>();
  const ofSubscriptions = createPending<string>();

  const countAll = (metric: Counter, counts: Counts, coded: readonly Coded[]): void => {
    const codes = new Map(coded.map(({ id, code }) => [id, code]));
    for (const [id, outcomes] of counts)
      for (const [outcome, count] of outcomes)
        metric.inc({ shipper: boundOf.shipper(id === undefined ? undefined : codes.get(id)), outcome }, count);
  };
  const refresh = async (): Promise<void> => {
    const rows = await queryAll<{ carrier?: string; shipper?: string; state: string; count: number }>(pool)`
      select carrier_code as carrier, s.code as shipper, d.state, count(*)::int as count
      from (
        -- Each by its own index.
        select consignment_id, errand_id, state from dispatches where state in ('pending', 'sending', 'waiting')
        union all select consignment_id, errand_id, state from dispatches where state = 'held') d
      ${OF_DISPATCH} join shippers s on s.id = c.shipper_id
      group by grouping sets ((carrier_code, d.state), (s.code, d.state)) order by count(*) desc`;
    const [byShipper, bySubscription] = [ofShippers.take(), ofSubscriptions.take()];
    countAll(
      performed,
      byShipper,
      await queryAll<Coded>(pool)`
      select id, code from shippers where id = any(${[...byShipper.keys()]}::bigint[])`,
    );
    countAll(
      tries,
      bySubscription,
      await queryAll<Coded>(pool)`
      select s.id, code from subscriptions s join shippers on shippers.id = shipper_id
      where s.id = any(${[...bySubscription.keys()]}::text[])`,
    );
    for (const kind of ['carrier', 'shipper'] as const) {
      unfinished[kind].reset();
      for (const { [kind]: code, state, count } of rows)
        if (code !== undefined) unfinished[kind].inc({ [kind]: boundOf[kind](code), state }, count);
    }
  };
  return {
    /** Before the figures are shown. */
    refresh,
    performed: (
      { carrierCode, shipperId }: { readonly carrierCode: string; readonly shipperId: number },
      outcome: string,
      tookSeconds: number,
    ): void => {
      seconds.observe({ carrier: boundOf.carrier(carrierCode), outcome }, tookSeconds);
      ofShippers.count(shipperId, outcome);
    },
    processed: (carrierCode: string, outcome: string): void =>
      pushes.inc({ carrier: boundOf.carrier(carrierCode), outcome }),
    delivered: (subscriptionId: string, outcome: string): void => ofSubscriptions.count(subscriptionId, outcome),
    /** From now on says which carriers this process leaves alone. */
    watchBreakers: (open: () => readonly string[]): void => {
      const breakers: Gauge = new Gauge({
        name: 'waybill_carrier_breaker_open',
        help: '1: this process leaves the carrier alone, as it keeps failing.',
        labelNames: ['carrier'],
        registers,
        collect: () => {
          breakers.reset();
          for (const party of open()) breakers.set({ carrier: boundOf.carrier(party.split('/')[0]) }, 1);
        },
      });
    },
  };
};
