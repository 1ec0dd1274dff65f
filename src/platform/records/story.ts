/** The calls and notices of one consignment, for operators. */
import type { Pool } from 'pg';
import type { Problem } from '../../engine/failure.ts';
import { queryAll } from './sql.ts';

export interface CallView {
  readonly dispatchId: number;
  readonly step: string;
  readonly element: number;
  /** The latest; each that was sent is an exchange. */
  readonly attempt: number;
  readonly state: string;
  readonly firstSentAtMs: number;
  readonly sentAtMs: number;
  readonly verdict: { readonly failed?: { readonly as: string; readonly problem: Problem } } | undefined;
}

/** The calls of its dispatches, those of the newest first. */
export const listCalls = async (pool: Pool, consignmentId: number, limit: number): Promise<readonly CallView[]> =>
  await queryAll<CallView>(pool)`
    select dispatch_id, step, element, calls.attempt, calls.state, first_sent_at as first_sent_at_ms,
      sent_at as sent_at_ms, verdict::json as verdict
    from dispatches d join calls on calls.dispatch_id = d.id where d.consignment_id = ${consignmentId}
    order by dispatch_id desc, sent_at, step, element limit ${limit}`;

export interface NoticeView {
  readonly eventId: string;
  readonly sequence: number;
  readonly event: string;
  readonly createdAtMs: number;
}

/** What its shipper was to be told, the newest first. */
export const listNotices = async (pool: Pool, consignmentId: number, limit: number): Promise<readonly NoticeView[]> =>
  await queryAll<NoticeView>(pool)`
    select id as event_id, sequence, event, created_at as created_at_ms from notices
    where consignment_id = ${consignmentId} order by sequence desc limit ${limit}`;
