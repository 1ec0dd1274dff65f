/** Traffic with carriers since a given time, for operators: counts, durations, the last failure, and by hour. */
import type { Pool } from 'pg';
import { OF_DISPATCH } from './errands.ts';
import { IS_OPEN } from './held-dispatches.ts';
import { queryAll, sql } from './sql.ts';

interface Counts {
  readonly succeeded: number;
  readonly rejected: number;
  readonly failed: number;
}
export interface CarrierActivity extends Counts {
  readonly carrierCode: string;
  /** Of the calls that were answered. */
  readonly p95Ms: number | undefined;
  readonly lastFailure:
    | {
        readonly at: string;
        readonly outcome: string;
        readonly status?: number;
        readonly message?: string;
        readonly consignmentId?: number;
      }
    | undefined;
  /** Only hours in which there was a call; 0 is the one that began at `since`. */
  readonly hours: readonly ({ readonly hour: number } & Counts)[];
}

const COUNTS = sql`count(*) filter (where outcome = 'succeed')::int as succeeded,
  count(*) filter (where outcome = 'reject')::int as rejected,
  count(*) filter (where outcome not in ('succeed', 'reject'))::int as failed`;

/** Of the carriers that were called since then; logins are not counted. */
export const listActivity = async (pool: Pool, since: Date): Promise<readonly CarrierActivity[]> =>
  await queryAll<CarrierActivity>(pool)`
    with recent as materialized (
      select id, carrier_code, outcome, status, duration_ms,
        floor(extract(epoch from at - ${since}::timestamptz) / 3600)::int as hour
      from exchanges where at >= ${since} and operation <> 'login'),
    by_hour as (select carrier_code, hour, ${COUNTS} from recent group by carrier_code, hour),
    whole as (
      select carrier_code, ${COUNTS},
        percentile_disc(0.95) within group (order by duration_ms) filter (where status is not null) as p95_ms,
        max(id) filter (where outcome not in ('succeed', 'reject')) as failure_id
      from recent group by carrier_code)
    select whole.carrier_code, succeeded, rejected, failed, p95_ms,
      (select json_strip_nulls(json_build_object('at', at, 'outcome', outcome, 'status', status,
          'message', left(message, 300), 'consignmentId', consignment_id))
        from exchanges where id = failure_id and at >= ${since}) as last_failure,
      (select json_agg(json_build_object('hour', hour, 'succeeded', succeeded, 'rejected', rejected, 'failed', failed)
          order by hour)
        from by_hour where by_hour.carrier_code = whole.carrier_code) as hours
    from whole order by carrier_code`;

/** How many dispatches of each carrier wait for an operator. */
export const countHeldByCarrier = async (pool: Pool): Promise<ReadonlyMap<string, number>> => {
  const rows = await queryAll<{ readonly carrierCode: string; readonly count: number }>(pool)`
    select carrier_code, count(*)::int as count from dispatches d ${OF_DISPATCH} where ${IS_OPEN} group by carrier_code`;
  return new Map(rows.map(({ carrierCode, count }) => [carrierCode, count]));
};
