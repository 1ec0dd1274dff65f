/** A shipper's facilities, by their codes, in one environment. */
import type { Pool } from 'pg';
import type { Facilities, FacilityCodes } from '../../engine/consignment/facility.ts';
import type { FacilityDetails } from '../../engine/consignment/facility-schema.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';

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

interface Row {
  code: string;
  details: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'code, details, created_at, updated_at';

const recordOf = (row: Row): FacilityRecord => ({
  code: row.code,
  details: JSON.parse(row.details) as FacilityDetails,
  createdAtMs: row.created_at.getTime(),
  updatedAtMs: row.updated_at.getTime(),
});

/** Registers the facility, or puts it in the place of the one with this code. */
export const saveFacility = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  code: string,
  details: FacilityDetails,
): Promise<FacilityRecord> => {
  const { rows } = await pool.query<Row>(
    `insert into facilities (shipper_id, environment, code, details) values ($1, $2, $3, $4)
     on conflict (shipper_id, environment, code) do update set details = excluded.details, updated_at = now()
     returning ${COLUMNS}`,
    [shipperId, environment, code, JSON.stringify(details)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('insert … returning gave no row');
  return recordOf(row);
};

export const findFacility = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  code: string,
): Promise<FacilityRecord | undefined> => {
  const { rows } = await pool.query<Row>(
    `select ${COLUMNS} from facilities where shipper_id = $1 and environment = $2 and code = $3`,
    [shipperId, environment, code],
  );
  return rows[0] === undefined ? undefined : recordOf(rows[0]);
};

/** By code, those after `afterCode`. */
export const listFacilities = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  { afterCode, limit }: { readonly afterCode?: string | undefined; readonly limit: number },
): Promise<readonly FacilityRecord[]> => {
  const { rows } = await pool.query<Row>(
    `select ${COLUMNS} from facilities
     where shipper_id = $1 and environment = $2 and ($3::text is null or code > $3::text) order by code limit $4`,
    [shipperId, environment, afterCode ?? null, limit],
  );
  return rows.map(recordOf);
};

/** False: there is none. Orders that were made with it keep its address. */
export const deleteFacility = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  code: string,
): Promise<boolean> => {
  const { rowCount } = await pool.query(
    'delete from facilities where shipper_id = $1 and environment = $2 and code = $3',
    [shipperId, environment, code],
  );
  return rowCount === 1;
};

/** What an order's codes stand for; a code that is not registered is simply missing. */
export const facilitiesOf = async (
  pool: Pool,
  { shipperId, environment }: FacilityOwner,
  codes: FacilityCodes,
): Promise<Facilities> => {
  const named = Object.entries(codes).filter((entry): entry is [keyof FacilityCodes, string] => entry[1] !== undefined);
  if (named.length === 0) return {};
  const { rows } = await pool.query<Pick<Row, 'code' | 'details'>>(
    'select code, details from facilities where shipper_id = $1 and environment = $2 and code = any ($3::text[])',
    [shipperId, environment, named.map(([, code]) => code)],
  );
  const known = new Map(rows.map(({ code, details }) => [code, JSON.parse(details) as FacilityDetails]));
  return Object.fromEntries(
    named.flatMap(([end, code]) => {
      const details = known.get(code);
      if (details === undefined) return [];
      const { name: _, ...facility } = details;
      return [[end, facility]];
    }),
  );
};
