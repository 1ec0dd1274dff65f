import type { Pool } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { remember } from './cache.ts';
import { type Queryable, queryFirst, queryOne, sql, type Sql } from './sql.ts';

/** A shipper in one environment: what belongs to another is as if it were not there. */
export interface Owner {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
}

export const ownedBy = ({ shipperId, environment }: Owner): Sql =>
  sql`shipper_id = ${shipperId} and environment = ${environment}`;

export interface Shipper {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  /** The registered details that become `shipper` of a consignment. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

const COLUMNS = sql`id, code, name, details::json as details`;

/** Creates the shipper, or brings name and details of the one with this code up to date. */
export const saveShipper = async (client: Queryable, { code, name, details }: Omit<Shipper, 'id'>): Promise<Shipper> =>
  await queryOne<Shipper>(client)`
    insert into shippers (code, name, details) values (${code}, ${name}, ${details && JSON.stringify(details)})
    on conflict (code) do update set name = excluded.name, details = coalesce(excluded.details, shippers.details)
    returning ${COLUMNS}`;

export const findShipper = async (pool: Pool, code: string): Promise<Shipper | undefined> =>
  await queryFirst<Shipper>(pool)`select ${COLUMNS} from shippers where code = ${code}`;

export const findShipperById = async (pool: Pool, id: number): Promise<Shipper | undefined> =>
  await remember(
    pool,
    ['shippers', id],
    async () => await queryFirst<Shipper>(pool)`select ${COLUMNS} from shippers where id = ${id}`,
  );
