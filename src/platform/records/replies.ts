/** What replies tell of consignments: read for all at once whose dispatches ended while the last ones were read. */
import type { Pool } from 'pg';
import type { OperationName } from '../../engine/profile/carrier.ts';
import { createPoolBatcher } from './batch.ts';
import type { Act } from './idempotency.ts';
import { queryAll, rowsOf } from './sql.ts';

/** A consignment as a reply names it. */
export interface ReplyNames {
  readonly referenceNumber: string;
  readonly orderNumber: string;
  readonly consignmentNumber: string;
  readonly masterTrackingNumber?: string | undefined;
  readonly carrierCode: string;
}

interface ReplyRow extends ReplyNames {
  readonly packages: readonly {
    readonly position: number;
    readonly reference: string;
    readonly trackingNumber?: string | undefined;
  }[];
  readonly labels: readonly { readonly id: string; readonly position?: number; readonly state: string }[];
  /** Undefined: the act was done without the carrier. */
  readonly operation: OperationName | undefined;
  readonly state: string | undefined;
  readonly failure: { readonly problem: { readonly messages: readonly string[] } } | undefined;
}

/** Undefined: it is gone. */
export const findReply = createPoolBatcher<Act, ReplyRow | undefined>(
  async (pool: Pool, acts) => {
    const asked = acts.map((act, at) => ({ ...act, at }));
    const wanted = rowsOf('wanted', asked, {
      at: ['int', ({ at }) => at],
      consignment_id: ['bigint', ({ consignmentId }) => consignmentId],
      dispatch_id: ['bigint', ({ dispatchId }) => dispatchId],
    });
    const rows = await queryAll<ReplyRow & { at: number }>(pool)`
      select at, reference_number, order_number, consignment_number, master_tracking_number, carrier_code,
        operation, state, failure::json as failure,
        (select coalesce(json_agg(json_strip_nulls(json_build_object('position', position, 'reference', reference,
            'trackingNumber', tracking_number)) order by position), '[]')
          from packages where consignment_id = c.id) as packages,
        (select coalesce(json_agg(json_strip_nulls(json_build_object('id', id, 'position', position, 'state', state))
            order by position nulls last, created_at, id), '[]')
          from labels where consignment_id = c.id) as labels
      from ${wanted} join consignments c on c.id = wanted.consignment_id
        left join dispatches d on d.id = wanted.dispatch_id
      where wanted.dispatch_id is null or d.id is not null`;
    const byPlace = new Map(rows.map((row) => [row.at, row]));
    return acts.map((_, at) => byPlace.get(at));
  },
  { max: 256 },
);
