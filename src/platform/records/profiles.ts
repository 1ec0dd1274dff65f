/** The texts of carriers' profiles by their hash, so that an operation ends on the version it began with. */
import type { Pool } from 'pg';
import { execute, queryAll, queryFirst } from './sql.ts';

export const keepProfileVersion = async (
  pool: Pool,
  hash: string,
  carrierCode: string,
  bundle: string,
): Promise<void> => {
  await execute(pool)`
    insert into profile_versions (hash, carrier_code, bundle) values (${hash}, ${carrierCode}, ${bundle})
    on conflict (hash) do nothing`;
};

export const findProfileVersion = async (pool: Pool, hash: string): Promise<string | undefined> =>
  (await queryFirst<{ bundle: string }>(pool)`select bundle from profile_versions where hash = ${hash}`)?.bundle;

/** The texts of versions whose hash begins so: two at most. */
export const findProfileVersions = async (pool: Pool, prefix: string): Promise<readonly string[]> => {
  const rows = await queryAll<{ bundle: string }>(pool)`
    select bundle from profile_versions where starts_with(hash, ${prefix}) order by hash limit 2`;
  return rows.map(({ bundle }) => bundle);
};
