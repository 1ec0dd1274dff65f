/** A shipper's facilities, by their codes, in one environment. */
import type { Pool } from 'pg';
import type { Facilities, FacilityCodes, FacilityDetails } from '../../engine/consignment/facility.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { execute, queryAll, queryFirst, queryOne } from './sql.ts';

export interface FacilityOwner {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
}

export interface FacilityRecord {
  readonly code: string;
  readonly details: FacilityDetails;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const COLUMNS = 'code, details::json as details, created_at as created_at_ms, updated_at as updated_at_ms';
const OWNED = 'shipper_id = $1 and environment = $2';

/** Registers the facility, or puts it in the place of the one with this code. */
export const saveFacility = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  code: string,
  details: FacilityDetails,
): Promise<FacilityRecord> =>
  await queryOne<FacilityRecord>(
    pool,
    `insert into facilities (shipper_id, environment, code, details) values ($1, $2, $3, $4)
     on conflict (shipper_id, environment, code) do update set details = excluded.details, updated_at = now()
     returning ${COLUMNS}`,
    [shipperId, environment, code, JSON.stringify(details)],
  );

export const findFacility = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  code: string,
): Promise<FacilityRecord | undefined> =>
  await queryFirst<FacilityRecord>(pool, `select ${COLUMNS} from facilities where ${OWNED} and code = $3`, [
    shipperId,
    environment,
    code,
  ]);

/** By code, those after `afterCode`. */
export const listFacilities = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  { afterCode, limit }: { readonly afterCode?: string | undefined; readonly limit: number },
): Promise<readonly FacilityRecord[]> =>
  await queryAll<FacilityRecord>(
    pool,
    `select ${COLUMNS} from facilities where ${OWNED} and ($3::text is null or code > $3::text) order by code limit $4`,
    [shipperId, environment, afterCode, limit],
  );

/** False: there is none. Orders that were made with it keep its address. */
export const deleteFacility = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  code: string,
): Promise<boolean> =>
  (await execute(pool, `delete from facilities where ${OWNED} and code = $3`, [shipperId, environment, code])) === 1;

/** What an order's codes stand for; a code that is not registered is simply missing. */
export const facilitiesOf = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  codes: FacilityCodes,
): Promise<Facilities> => {
  const named = Object.entries(codes).filter((entry): entry is [keyof FacilityCodes, string] => entry[1] !== undefined);
  if (named.length === 0) return {};
  const rows = await queryAll<Pick<FacilityRecord, 'code' | 'details'>>(
    pool,
    `select code, details::json as details from facilities where ${OWNED} and code = any ($3::text[])`,
    [shipperId, environment, named.map(([, code]) => code)],
  );
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
