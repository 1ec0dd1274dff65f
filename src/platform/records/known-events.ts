import type { Pool } from 'pg';

/** Of these identities of events (see src/engine/statuses/deduplication-key.ts), those that are recorded, in hex. */
export const findKnownIdentities = async (
  pool: Pool,
  carrierCode: string,
  identities: readonly Buffer[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await pool.query<{ identity: string }>(
    `select encode(identity, 'hex') as identity from events where carrier_code = $1 and identity = any ($2::bytea[])`,
    [carrierCode, identities],
  );
  return new Set(rows.map(({ identity }) => identity));
};
