/** A shipper's facilities, by their codes, in one environment. */
import type { Pool, PoolClient } from 'pg';
import type { Facilities, FacilityCodes, FacilityDetails } from '../../engine/consignment/facility.ts';
import { forget, remember } from './cache.ts';
import { transaction } from './pool.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, matching, queryAll, queryFirst, queryOne, sql } from './sql.ts';

export interface FacilityRecord {
  readonly code: string;
  readonly details: FacilityDetails;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const COLUMNS = sql`code, details::json as details, created_at as created_at_ms, updated_at as updated_at_ms`;

const nameOf = ({ shipperId, environment }: Owner, code: string) =>
  ['facilities', `${shipperId}/${environment}/${code}`] as const;

/** Registers the facility, or puts it in the place of the one with this code; `also`: what belongs to that. */
export const saveFacility = async (
  pool: Pool,
  owner: Owner,
  code: string,
  details: FacilityDetails,
  also?: (client: PoolClient) => Promise<void>,
): Promise<FacilityRecord> => {
  const saved = await transaction(pool, async (client) => {
    await also?.(client);
    return await queryOne<FacilityRecord>(client)`
    insert into facilities (shipper_id, environment, code, details)
    values (${owner.shipperId}, ${owner.environment}, ${code}, ${JSON.stringify(details)})
    on conflict (shipper_id, environment, code) do update set details = excluded.details, updated_at = now()
    returning ${COLUMNS}`;
  });
  forget(pool, ...nameOf(owner, code));
  return saved;
};

export const findFacility = async (pool: Pool, owner: Owner, code: string): Promise<FacilityRecord | undefined> =>
  await remember(
    pool,
    nameOf(owner, code),
    async () =>
      await queryFirst<FacilityRecord>(
        pool,
      )`select ${COLUMNS} from facilities where ${ownedBy(owner)} and code = ${code}`,
  );

/** By code, those after `afterCode`. */
export const listFacilities = async (
  pool: Pool,
  owner: Owner,
  { afterCode, limit }: { readonly afterCode?: string | undefined; readonly limit: number },
): Promise<readonly FacilityRecord[]> =>
  await queryAll<FacilityRecord>(pool)`
    select ${COLUMNS} from facilities
    where ${ownedBy(owner)} and ${matching({ 'code >': afterCode })} order by code limit ${limit}`;

/** False: there is none. Orders that were made with it keep its address. */
export const deleteFacility = async (
  pool: Pool,
  owner: Owner,
  code: string,
  also?: (client: PoolClient) => Promise<void>,
): Promise<boolean> => {
  const deleted = await transaction(pool, async (client) => {
    await also?.(client);
    return await execute(client)`delete from facilities where ${ownedBy(owner)} and code = ${code}`;
  });
  forget(pool, ...nameOf(owner, code));
  return deleted === 1;
};

/** What an order's codes stand for; a code that is not registered is simply missing. */
export const facilitiesOf = async (pool: Pool, owner: Owner, codes: FacilityCodes): Promise<Facilities> => {
  const found = Object.entries(codes).map(async ([end, code]) => {
    const facility = code === undefined ? undefined : await findFacility(pool, owner, code);
    if (facility === undefined) return [];
    const { name: _, ...details } = facility.details;
    return [[end, details] as const];
  });
  return Object.fromEntries((await Promise.all(found)).flat());
};
