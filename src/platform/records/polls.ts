/** The poller’s schedule: which packages to ask about, and when. */
import type { Pool } from 'pg';
import type { SeenOfMany } from '../../engine/consignment/consignment.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { execute, queryAll, rowsOf } from './sql.ts';

/** A package whose carrier is to be asked. */
export interface DuePackage {
  readonly consignmentId: number;
  readonly position: number;
  readonly reference: string;
  readonly trackingNumber: string;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly status: NormalisedStatus;
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly accountId: number;
  readonly createdAtMs: number;
  readonly ends: SeenOfMany;
  /** Until when other pollers leave it alone. */
  readonly heldUntilMs: number;
}

/**
 * Takes up to `limit` packages that are due, and puts them off by `holdMs` so that no other poller has them meanwhile;
 * whoever took them says with `schedulePolls` when they are next due. A poller that dies loses them only so long.
 */
export const takeDuePackages = async (
  pool: Pool,
  nowMs: number,
  holdMs: number,
  limit: number,
): Promise<readonly DuePackage[]> => {
  const rows = await queryAll<Omit<DuePackage, 'heldUntilMs'>>(pool)`
    with due as (
      select p.consignment_id, p.position from packages p join consignments c on c.id = p.consignment_id
      where p.poll_at <= ${new Date(nowMs)} and p.tracking_number is not null and c.account_id is not null
      order by p.poll_at limit ${limit} for update of p skip locked)
    update packages p set poll_at = ${new Date(nowMs + holdMs)} from due, consignments c
    where p.consignment_id = due.consignment_id and p.position = due.position and c.id = p.consignment_id
    returning p.consignment_id, p.position, p.reference, p.tracking_number, p.memo::json as memo, p.status,
      c.carrier_code, c.environment, c.account_id, c.created_at as created_at_ms, (
        select json_strip_nulls(row_to_json(ends)) from json_to_record(c.canonical::json) as ends(
          "originCountry" text, "originTimezone" text, "destinationCountry" text, "destinationTimezone" text)) as ends`;
  return rows.map((row) => ({ ...row, heldUntilMs: nowMs + holdMs }));
};

export interface NextPoll {
  readonly consignmentId: number;
  readonly position: number;
  /** undefined: never again. */
  readonly atMs: number | undefined;
  /** As it was taken: whoever has changed its time since knows more, as a push that asks for a poll now. */
  readonly heldUntilMs: number;
}

export const schedulePolls = async (pool: Pool, polls: readonly NextPoll[]): Promise<void> => {
  if (polls.length === 0) return;
  const next = rowsOf('next', polls, 'consignment_id bigint, position int, at timestamptz, held_until timestamptz');
  await execute(pool)`
    update packages p set poll_at = next.at
    from ${next}
    where p.consignment_id = next.consignment_id and p.position = next.position and p.poll_at = next.held_until`;
};
