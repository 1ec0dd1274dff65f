import type { Pool, PoolClient } from 'pg';

export interface AuditEntry {
  /** `shipper:<code>`, or `admin`. */
  readonly actor: string;
  readonly action: string;
  /** What it was done to, such as `consignment:7`. */
  readonly subject: string;
  /** Words or JSON; never a secret. */
  readonly detail?: string | undefined;
}

/** Notes who did what. */
export const recordAudit = async (client: Pool | PoolClient, entry: AuditEntry): Promise<void> => {
  await client.query('insert into audit_log (actor, action, subject, detail) values ($1, $2, $3, $4)', [
    entry.actor,
    entry.action,
    entry.subject,
    entry.detail ?? null,
  ]);
};
