import type { Pool, PoolClient } from 'pg';

export interface Shipper {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  /** The registered details that become `shipper` of a consignment. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

interface ShipperRow {
  id: number;
  code: string;
  name: string;
  details: string | null;
}

const shipperOf = ({ id, code, name, details }: ShipperRow): Shipper => ({
  id,
  code,
  name,
  details: details === null ? undefined : (JSON.parse(details) as Record<string, unknown>),
});

/** Creates the shipper, or brings name and details of the one with this code up to date. */
export const saveShipper = async (client: Pool | PoolClient, shipper: Omit<Shipper, 'id'>): Promise<Shipper> => {
  const { rows } = await client.query<ShipperRow>(
    `insert into shippers (code, name, details) values ($1, $2, $3)
     on conflict (code) do update set name = excluded.name, details = coalesce(excluded.details, shippers.details)
     returning id, code, name, details`,
    [shipper.code, shipper.name, shipper.details === undefined ? null : JSON.stringify(shipper.details)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('insert … returning gave no row');
  return shipperOf(row);
};

export const findShipper = async (pool: Pool, code: string): Promise<Shipper | undefined> => {
  const { rows } = await pool.query<ShipperRow>('select id, code, name, details from shippers where code = $1', [code]);
  return rows[0] === undefined ? undefined : shipperOf(rows[0]);
};

export const getShipperById = async (pool: Pool, id: number): Promise<Shipper> => {
  const { rows } = await pool.query<ShipperRow>('select id, code, name, details from shippers where id = $1', [id]);
  if (rows[0] === undefined) throw new Error(`shipper ${id} is gone`);
  return shipperOf(rows[0]);
};
