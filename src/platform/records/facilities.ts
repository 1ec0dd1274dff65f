/** A shipper's facilities, by their codes, in one environment. */
import type { Pool } from 'pg';
import type { Facilities, FacilityCodes, FacilityDetails } from '../../engine/consignment/facility.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, queryAll, queryFirst, queryOne, sql } from './sql.ts';

export interface FacilityRecord {
  readonly code: string;
  readonly details: FacilityDetails;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const COLUMNS = sql`code, details::json as details, created_at as created_at_ms, updated_at as updated_at_ms`;

/** Registers the facility, or puts it in the place of the one with this code. */
export const saveFacility = async (
  pool: Pool,
  owner: Owner,
  code: string,
  details: FacilityDetails,
): Promise<FacilityRecord> =>
  await queryOne<FacilityRecord>(pool)`
    insert into facilities (shipper_id, environment, code, details)
    values (${owner.shipperId}, ${owner.environment}, ${code}, ${JSON.stringify(details)})
    on conflict (shipper_id, environment, code) do update set details = excluded.details, updated_at = now()
    returning ${COLUMNS}`;

export const findFacility = async (pool: Pool, owner: Owner, code: string): Promise<FacilityRecord | undefined> =>
  await queryFirst<FacilityRecord>(pool)`select ${COLUMNS} from facilities where ${ownedBy(owner)} and code = ${code}`;

/** By code, those after `afterCode`. */
export const listFacilities = async (
  pool: Pool,
  owner: Owner,
  { afterCode, limit }: { readonly afterCode?: string | undefined; readonly limit: number },
): Promise<readonly FacilityRecord[]> =>
  await queryAll<FacilityRecord>(pool)`
    select ${COLUMNS} from facilities
    where ${ownedBy(owner)} and (${afterCode}::text is null or code > ${afterCode}::text) order by code limit ${limit}`;

/** False: there is none. Orders that were made with it keep its address. */
export const deleteFacility = async (pool: Pool, owner: Owner, code: string): Promise<boolean> =>
  (await execute(pool)`delete from facilities where ${ownedBy(owner)} and code = ${code}`) === 1;

/** What an order's codes stand for; a code that is not registered is simply missing. */
export const facilitiesOf = async (pool: Pool, owner: Owner, codes: FacilityCodes): Promise<Facilities> => {
  const named = Object.entries(codes).filter((entry): entry is [keyof FacilityCodes, string] => entry[1] !== undefined);
  if (named.length === 0) return {};
  const rows = await queryAll<Pick<FacilityRecord, 'code' | 'details'>>(pool)`
    select code, details::json as details from facilities
    where ${ownedBy(owner)} and code = any (${named.map(([, code]) => code)}::text[])`;
  const known = new Map(rows.map(({ code, details }) => [code, details]));
  return Object.fromEntries(
    named.flatMap(([end, code]) => {
      const details = known.get(code);
      if (details === undefined) return [];
      const { name: _, ...facility } = details;
      return [[end, facility]];
    }),
  );
};
