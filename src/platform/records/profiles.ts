import type { Pool } from 'pg';

/** Keeps the texts of a carrier's version by their hash, so that an operation can end on the version it began with. */
export const keepProfileVersion = async (
  pool: Pool,
  hash: string,
  carrierCode: string,
  bundle: string,
): Promise<void> => {
  await pool.query(
    'insert into profile_versions (hash, carrier_code, bundle) values ($1, $2, $3) on conflict (hash) do nothing',
    [hash, carrierCode, bundle],
  );
};

export const findProfileVersion = async (pool: Pool, hash: string): Promise<string | undefined> => {
  const { rows } = await pool.query<{ bundle: string }>('select bundle from profile_versions where hash = $1', [hash]);
  return rows[0]?.bundle;
};

/** The texts of versions whose hash begins so: two at most. */
export const findProfileVersions = async (pool: Pool, prefix: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ bundle: string }>(
    'select bundle from profile_versions where starts_with(hash, $1) order by hash limit 2',
    [prefix],
  );
  return rows.map(({ bundle }) => bundle);
};
