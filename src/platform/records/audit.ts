import type { Pool } from 'pg';
import { execute, type Filter, matching, queryAll, type Queryable, sql, type Sql } from './sql.ts';

export interface AuditEntry {
  /** `operator:<name>`, or `admin` with the token of the configuration; `shipper:<code>`, or by its id; `command` at a terminal; `engine` by itself. */
  readonly actor: string | { readonly shipperId: number; readonly actor?: string | undefined };
  readonly action: string;
  /** What it was done to, such as `consignment:7`. */
  readonly subject: string;
  /** Words or JSON; never a secret. */
  readonly detail?: string | undefined;
}

/** Notes who did what; in the transaction of what was done, where it is one. */
export const recordAudit = async (client: Queryable, { actor, action, subject, detail }: AuditEntry): Promise<void> => {
  const named = typeof actor === 'string' ? actor : actor.actor;
  const name = named === undefined ? shipperNamed(actor as { readonly shipperId: number }) : sql`${named}`;
  await execute(client)`
    insert into audit_log (actor, action, subject, detail) values (${name}, ${action}, ${subject}, ${detail})`;
};

const shipperNamed = ({ shipperId }: { readonly shipperId: number }): Sql =>
  sql`(select 'shipper:' || code from shippers where id = ${shipperId})`;

export interface AuditRow extends AuditEntry {
  readonly actor: string;
  readonly id: number;
  readonly at: Date;
}

interface AuditFilter extends Filter<AuditRow, 'actor' | 'action' | 'subject'> {
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
    where ${matching({ 'actor =': actor, 'action =': action, 'subject =': subject, 'at >=': since, 'id <': beforeId })}
    order by id desc limit ${limit}`;
