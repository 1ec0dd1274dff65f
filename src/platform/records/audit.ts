import type { Pool } from 'pg';
import { execute, queryAll, type Queryable, rowsOf } from './sql.ts';

export interface AuditEntry {
  /** `shipper:<code>`; `admin` over HTTP; `command` at a terminal; `engine` by itself. */
  readonly actor: string;
  readonly action: string;
  /** What it was done to, such as `consignment:7`. */
  readonly subject: string;
  /** Words or JSON; never a secret. */
  readonly detail?: string | undefined;
}

/** Notes who did what; in the transaction of what was done, where it is one. */
export const recordAudit = async (client: Queryable, entry: AuditEntry): Promise<void> => {
  await execute(client)`
    insert into audit_log (actor, action, subject, detail)
    values (${entry.actor}, ${entry.action}, ${entry.subject}, ${entry.detail})`;
};

/** The same for what a shipper did through the API. */
export const recordShipperAudit = async (
  client: Queryable,
  { shipperId }: { readonly shipperId: number },
  entry: Omit<AuditEntry, 'actor'>,
): Promise<void> => {
  await execute(client)`
    insert into audit_log (actor, action, subject, detail)
    select 'shipper:' || code, ${entry.action}, ${entry.subject}, ${entry.detail} from shippers where id = ${shipperId}`;
};

interface AuditRow {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: string | undefined;
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly since?: Date | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** The newest first. */
export const listAudit = async (
  pool: Pool,
  { actor, action, subject, since, beforeId, limit }: AuditFilter,
): Promise<readonly AuditRow[]> =>
  await queryAll<AuditRow>(pool)`
    select id, at, actor, action, subject, detail from audit_log
    where (${actor}::text is null or actor = ${actor}) and (${action}::text is null or action = ${action})
      and (${subject}::text is null or subject = ${subject})
      and (${since}::timestamptz is null or at >= ${since}) and (${beforeId}::bigint is null or id < ${beforeId})
    order by id desc limit ${limit}`;

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
  const became = rowsOf('became', profiles, { code: ['text', ({ code }) => code], hash: ['text', ({ hash }) => hash] });
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
