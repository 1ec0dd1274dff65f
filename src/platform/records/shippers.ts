import type { Pool } from 'pg';
import { type Queryable, queryFirst, queryOne } from './sql.ts';

export interface Shipper {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  /** The registered details that become `shipper` of a consignment. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

const COLUMNS = 'id, code, name, details::json as details';

/** Creates the shipper, or brings name and details of the one with this code up to date. */
export const saveShipper = async (client: Queryable, { code, name, details }: Omit<Shipper, 'id'>): Promise<Shipper> =>
  await queryOne<Shipper>(
    client,
    `insert into shippers (code, name, details) values ($1, $2, $3)
     on conflict (code) do update set name = excluded.name, details = coalesce(excluded.details, shippers.details)
     returning ${COLUMNS}`,
    [code, name, details && JSON.stringify(details)],
  );

export const findShipper = async (pool: Pool, code: string): Promise<Shipper | undefined> =>
  await queryFirst<Shipper>(pool, `select ${COLUMNS} from shippers where code = $1`, [code]);

export const getShipperById = async (pool: Pool, id: number): Promise<Shipper> =>
  await queryOne<Shipper>(pool, `select ${COLUMNS} from shippers where id = $1`, [id]);
