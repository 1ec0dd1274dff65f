import type { Pool } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { type ConsignmentRecord, findConsignment, findConsignmentById } from './consignments.ts';

/**
 * The shipper's consignment of this reference; when the reference is free again because its carrier rejected it, the
 * last one that had it. For reading: what changes a consignment asks `findConsignment`.
 */
export const findLastConsignment = async (
  pool: Pool,
  shipperId: number,
  environment: EnvironmentName,
  referenceNumber: string,
): Promise<ConsignmentRecord | undefined> => {
  const current = await findConsignment(pool, shipperId, environment, referenceNumber);
  if (current !== undefined) return current;
  const { rows } = await pool.query<{ id: number }>(
    `select id from consignments
     where shipper_id = $1 and environment = $2 and reference_number = $3 and released_at is not null
     order by id desc limit 1`,
    [shipperId, environment, referenceNumber],
  );
  return rows[0] === undefined ? undefined : await findConsignmentById(pool, rows[0].id);
};
