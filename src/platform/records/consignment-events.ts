import type { Pool } from 'pg';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';

/** What a carrier said of a consignment. */
export interface ConsignmentEvent {
  readonly id: number;
  /** Index of the package; undefined: of all. */
  readonly position: number | undefined;
  readonly status: string;
  readonly reason: string | undefined;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
  readonly update: StatusUpdate;
}

interface Row {
  id: number;
  position: number | null;
  status: string;
  reason: string | null;
  occurred_at: Date;
  received_at: Date;
  body: string;
}

/** In the order they happened; of very many, the latest `limit`. */
export const listConsignmentEvents = async (
  pool: Pool,
  consignmentId: number,
  limit: number,
): Promise<readonly ConsignmentEvent[]> => {
  const { rows } = await pool.query<Row>(
    `select id, position, status, reason, occurred_at, received_at, body from events
     where consignment_id = $1 and match = 'matched' order by occurred_at desc, id desc limit $2`,
    [consignmentId, limit],
  );
  return rows.toReversed().map((row) => ({
    id: row.id,
    position: row.position ?? undefined,
    status: row.status,
    reason: row.reason ?? undefined,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    update: JSON.parse(row.body) as StatusUpdate,
  }));
};
