/** Dispatches that wait for their next attempt: listed for operators, and sent at once on request. */
import type { Pool } from 'pg';
import { type AuditEntry, recordAudit } from './audit.ts';
import type { DispatchView } from './dispatches.ts';
import { OF_DISPATCH } from './errands.ts';
import { transaction } from './pool.ts';
import { countRows, matching, queryAll, queryFirst, sql } from './sql.ts';

export interface WaitingDispatch extends Pick<DispatchView, 'id' | 'operation'> {
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly attempts: number;
  readonly failure: NonNullable<DispatchView['failure']>;
  /** Undefined: its carrier is not away. */
  readonly awaySince: Date | undefined;
  readonly nextTryAt: Date;
}

interface Asked {
  readonly carrierCode?: string | undefined;
  /** The last of the page before: when it is due, in ISO 8601, and its id. */
  readonly after?: readonly string[] | undefined;
  readonly limit: number;
}

/** Those that are tried first come first. */
export const listWaiting = async (
  pool: Pool,
  { carrierCode, after, limit }: Asked,
): Promise<readonly WaitingDispatch[]> =>
  await queryAll<WaitingDispatch>(pool)`
    select d.id, d.operation, s.code as shipper, c.environment, c.reference_number, c.carrier_code,
      d.attempt as attempts, d.failure::json as failure, d.away_since, d.due_at as next_try_at
    from dispatches d ${OF_DISPATCH} join shippers s on s.id = c.shipper_id
    where d.state = 'waiting' and d.failure is not null and ${matching({
      'c.carrier_code =': carrierCode,
      '(d.due_at, d.id) >': after && sql`(${after[0]}, ${after[1]})`,
    })}
    order by d.due_at, d.id limit ${limit}`;

/** Of the dispatches that wait, those whose carrier is away. */
export const countAway = async (pool: Pool): Promise<number> =>
  await countRows(pool, sql`dispatches where state = 'waiting' and away_since is not null`);

export type SentNow =
  | { readonly kind: 'due' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not_waiting'; readonly state: string };

/** Makes it due, with as much patience as at first; the limits of its carrier hold as ever. To be handed on. */
export const sendNow = async (
  pool: Pool,
  { dispatchId, actor, nowMs }: Pick<AuditEntry, 'actor'> & { readonly dispatchId: number; readonly nowMs: number },
): Promise<SentNow> =>
  await transaction(pool, async (client): Promise<SentNow> => {
    const found = await queryFirst<{ state: string; consignmentId?: number; errandId?: number }>(client)`
      select state, consignment_id, errand_id from dispatches where id = ${dispatchId} for no key update`;
    if (found === undefined) return { kind: 'unknown' };
    const { state, consignmentId, errandId } = found;
    if (state !== 'waiting') return { kind: 'not_waiting', state };
    await queryAll(client)`
      update dispatches set due_at = ${new Date(nowMs)}, away_since = null where id = ${dispatchId}`;
    const subject = consignmentId === undefined ? `errand:${errandId}` : `consignment:${consignmentId}`;
    await recordAudit(client, { actor, action: 'send_now', subject, detail: `dispatch ${dispatchId}` });
    return { kind: 'due' };
  });
