import type { Pool, PoolClient } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';

/** A label of a consignment, without its content. */
export interface LabelEntry {
  readonly id: string;
  /** Index of the package; undefined: one document for all. */
  readonly position: number | undefined;
  readonly state: 'pending' | 'stored' | 'failed' | 'revoked';
  readonly format: string | undefined;
  readonly failure: string | undefined;
}

interface LabelRow {
  id: string;
  position: number | null;
  state: LabelEntry['state'];
  format: string | null;
  failure: string | null;
}

/** By package, that for all packages last. */
export const listLabels = async (client: Pool | PoolClient, consignmentId: number): Promise<readonly LabelEntry[]> => {
  const { rows } = await client.query<LabelRow>(
    `select id, position, state, format, failure from labels where consignment_id = $1
     order by position nulls last, created_at, id`,
    [consignmentId],
  );
  return rows.map(({ id, position, state, format, failure }) => ({
    id,
    position: position ?? undefined,
    state,
    format: format ?? undefined,
    failure: failure ?? undefined,
  }));
};

/** Whose label it is. */
export const findLabelOwner = async (
  pool: Pool,
  labelId: string,
): Promise<{ readonly shipperId: number; readonly environment: EnvironmentName } | undefined> => {
  const { rows } = await pool.query<{ shipper_id: number; environment: EnvironmentName }>(
    'select c.shipper_id, c.environment from labels l join consignments c on c.id = l.consignment_id where l.id = $1',
    [labelId],
  );
  const [row] = rows;
  return row === undefined ? undefined : { shipperId: row.shipper_id, environment: row.environment };
};
