import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import type { NoticeDraft } from '../../../src/engine/webhooks/event.ts';
import { createRecordNotices } from '../../../src/platform/records/notices.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { saveShipper, type Owner } from '../../../src/platform/records/shippers.ts';

export const sealer = createSealer(Buffer.alloc(32, 7).toString('base64'));

/** A shipper of this test's own, in production. */
export const newOwner = async (pool: Pool): Promise<Owner> => {
  const shipper = await saveShipper(pool, { code: `shop-${randomUUID()}`, name: 'Example Shop', details: undefined });
  return { shipperId: shipper.id, environment: 'production' };
};

export interface ConsignmentWish {
  readonly reference?: string;
  readonly orderTypes?: readonly string[];
  readonly packages?: number;
}

/** An accepted consignment as the records hold one; yields its id. */
export const newConsignment = async (pool: Pool, owner: Owner, wish: ConsignmentWish = {}): Promise<number> => {
  const reference = wish.reference ?? `ref-${randomUUID()}`;
  const { rows } = await pool.query<{ id: number }>(
    `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
       consignment_type, order_types, carrier_code, order_text, canonical, acceptance)
     values ($1, $2, $3, 'order-1', 'consignment-1', 'FORWARD', $4, 'acme', '{}', '{}', 'accepted') returning id`,
    [owner.shipperId, owner.environment, reference, wish.orderTypes ?? ['FORWARD']],
  );
  const id = rows[0]!.id;
  for (let position = 0; position < (wish.packages ?? 1); position += 1) {
    await pool.query(
      'insert into packages (consignment_id, position, reference, tracking_number) values ($1, $2, $3, $4)',
      [id, position, `PKG-${position + 1}`, `TRACK-${id}-${position + 1}`],
    );
  }
  return id;
};

/** Records notices as the end of an operation would; yields the ids of the deliveries that are there for them. */
export const notify = async (
  pool: Pool,
  consignmentId: number,
  drafts: readonly NoticeDraft[] = [{ event: 'consignment.tracking', position: 0 }],
  nowMs: () => number = Date.now,
): Promise<readonly number[]> => {
  const record = createRecordNotices({ publicUrl: 'https://waybill.example.com', nowMs });
  const known = await deliveriesOf(pool, consignmentId);
  await transaction(pool, async (client) => {
    await record(client, consignmentId, drafts);
  });
  return (await deliveriesOf(pool, consignmentId)).filter((id) => !known.includes(id));
};

const deliveriesOf = async (pool: Pool, consignmentId: number): Promise<readonly number[]> => {
  const { rows } = await pool.query<{ id: number }>(
    `select d.id from deliveries d join notices n on n.id = d.notice_id where n.consignment_id = $1 order by d.id`,
    [consignmentId],
  );
  return rows.map(({ id }) => id);
};

/** What the relay would queue, and forgets it. */
export const takeOutbox = async (pool: Pool): Promise<readonly { queue: string; job_id: string; due_at: Date }[]> => {
  const { rows } = await pool.query<{ id: number; queue: string; job_id: string; due_at: Date }>(
    'delete from outbox returning id, queue, job_id, due_at',
  );
  return rows.sort((a, b) => a.id - b.id).map(({ queue, job_id, due_at }) => ({ queue, job_id, due_at }));
};
