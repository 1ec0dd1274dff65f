/** Texts of profiles by hash, so that an operation ends on the version it began with, and the history of profiles. */
import type { Pool } from 'pg';
import { execute, queryAll, queryFirst, rowsOf } from './sql.ts';

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

export interface ProfileVersion {
  readonly hash: string;
  readonly keptAtMs: number;
}

/** All versions of a carrier that are kept, the newest first. */
export const listProfileVersions = async (
  pool: Pool,
  carrierCode: string,
  limit: number,
): Promise<readonly ProfileVersion[]> =>
  await queryAll<ProfileVersion>(pool)`
    select hash, created_at as kept_at_ms from profile_versions
    where carrier_code = ${carrierCode} order by created_at desc, hash limit ${limit}`;

/**
 * Notes what became of the carriers' profiles, where it is another thing than the last one noted: who starts many
 * processes with the same profiles notes it once. `hash` is of the version; none is left of one that was removed.
 */
export const noteProfiles = async (
  pool: Pool,
  action: 'load_profile' | 'refuse_profile' | 'remove_profile',
  profiles: readonly { readonly code: string; readonly hash?: string }[],
): Promise<void> => {
  if (profiles.length === 0) return;
  const became = rowsOf('became', profiles, 'code text, hash text');
  await execute(pool)`
    insert into audit_log (actor, action, subject, detail)
    select 'engine', ${action}, 'carrier:' || code, hash
    from ${became}
    where not exists (
      select from (
        select action, detail from audit_log
        where subject = 'carrier:' || code and action in ('load_profile', 'refuse_profile', 'remove_profile')
        order by id desc limit 1
      ) as last where last.action = ${action} and last.detail is not distinct from hash)`;
};
