/** The texts of carriers' profiles by their hash, so that an operation ends on the version it began with. */
import type { Pool } from 'pg';
import { execute, queryAll, queryFirst } from './sql.ts';

export const keepProfileVersion = async (
  pool: Pool,
  hash: string,
  carrierCode: string,
  bundle: string,
): Promise<void> => {
  const sql =
    'insert into profile_versions (hash, carrier_code, bundle) values ($1, $2, $3) on conflict (hash) do nothing';
  await execute(pool, sql, [hash, carrierCode, bundle]);
};

export const findProfileVersion = async (pool: Pool, hash: string): Promise<string | undefined> =>
  (await queryFirst<{ bundle: string }>(pool, 'select bundle from profile_versions where hash = $1', [hash]))?.bundle;

/** The texts of versions whose hash begins so: two at most. */
export const findProfileVersions = async (pool: Pool, prefix: string): Promise<readonly string[]> => {
  const sql = 'select bundle from profile_versions where starts_with(hash, $1) order by hash limit 2';
  return (await queryAll<{ bundle: string }>(pool, sql, [prefix])).map(({ bundle }) => bundle);
};
