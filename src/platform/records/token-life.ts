/** The life of tokens: issued, listed, replaced, revoked, and forgotten long after their end. Each step is audited. */
import type { Pool, PoolClient } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { recordAudit } from './audit.ts';
import { transaction } from './pool.ts';
import { newToken } from './tokens.ts';

/** Whose a new token is; a carrier's without an environment speaks for it in both. */
export type TokenOwner =
  | {
      readonly kind: 'shipper';
      readonly shipperId: number;
      readonly code: string;
      readonly environment: EnvironmentName;
    }
  | { readonly kind: 'carrier'; readonly code: string; readonly environment: EnvironmentName | undefined };

/** By whom, and when. */
export interface By {
  readonly actor: string;
  readonly now: Date;
}

export interface IssuedToken {
  readonly id: string;
  /** Shown once. */
  readonly token: string;
  readonly expiresAt: Date | undefined;
}

type TokenState = 'valid' | 'expired' | 'revoked';

/** What may be known of a token once it is issued. */
export interface TokenEntry {
  readonly id: string;
  readonly kind: TokenOwner['kind'];
  readonly code: string;
  readonly environment: EnvironmentName | undefined;
  readonly state: TokenState;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  readonly replacedBy: string | undefined;
}

interface Row {
  id: string;
  kind: TokenOwner['kind'];
  shipper_id: number | null;
  code: string;
  environment: EnvironmentName | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  replaced_by: string | null;
}

const SELECT = `select t.id, t.kind, t.shipper_id, coalesce(s.code, t.carrier_code) as code, t.environment,
  t.created_at, t.expires_at, t.revoked_at, t.replaced_by
  from tokens t left join shippers s on s.id = t.shipper_id`;

const entryOf = (row: Row, now: Date): TokenEntry => ({
  id: row.id,
  kind: row.kind,
  code: row.code,
  environment: row.environment ?? undefined,
  state: row.revoked_at !== null ? 'revoked' : row.expires_at !== null && row.expires_at <= now ? 'expired' : 'valid',
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
  replacedBy: row.replaced_by ?? undefined,
});

const ownerOf = (row: Row): TokenOwner =>
  row.kind === 'shipper'
    ? {
        kind: 'shipper',
        shipperId: row.shipper_id ?? 0,
        code: row.code,
        environment: row.environment ?? 'production',
      }
    : { kind: 'carrier', code: row.code, environment: row.environment ?? undefined };

const insertToken = async (
  client: PoolClient,
  owner: TokenOwner,
  expiresAt: Date | undefined,
  now: Date,
): Promise<IssuedToken> => {
  const { id, token, hash } = newToken(owner.kind);
  await client.query(
    `insert into tokens (id, hash, kind, shipper_id, carrier_code, environment, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      hash,
      owner.kind,
      owner.kind === 'shipper' ? owner.shipperId : null,
      owner.kind === 'carrier' ? owner.code : null,
      owner.environment ?? null,
      now,
      expiresAt ?? null,
    ],
  );
  return { id, token, expiresAt };
};

const note = async (
  client: PoolClient,
  { actor }: By,
  {
    action,
    id,
    owner,
    ...more
  }: Readonly<Record<'action' | 'id', string>> & {
    readonly owner: Pick<TokenEntry, 'kind' | 'code' | 'environment'>;
    readonly replacedBy?: string;
    readonly expiresAt?: Date | undefined;
  },
): Promise<void> => {
  const detail = JSON.stringify({ [owner.kind]: owner.code, environment: owner.environment, ...more });
  await recordAudit(client, { actor, action, subject: `token:${id}`, detail });
};

/** In a transaction of the caller's. */
export const issueTokenWithin = async (
  client: PoolClient,
  owner: TokenOwner,
  by: By & { readonly expiresAt?: Date | undefined },
): Promise<IssuedToken> => {
  const issued = await insertToken(client, owner, by.expiresAt, by.now);
  await note(client, by, { action: 'issue_token', id: issued.id, owner, expiresAt: by.expiresAt });
  return issued;
};

/** A new token beside those there are. */
export const issueToken = async (
  pool: Pool,
  owner: TokenOwner,
  by: By & { readonly expiresAt?: Date | undefined },
): Promise<IssuedToken> => await transaction(pool, async (client) => await issueTokenWithin(client, owner, by));

export interface TokenFilter {
  readonly kind?: TokenOwner['kind'] | undefined;
  readonly code?: string | undefined;
  readonly after?: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** The newest first. */
export const listTokens = async (pool: Pool, filter: TokenFilter, now: Date): Promise<readonly TokenEntry[]> => {
  const { rows } = await pool.query<Row>(
    `${SELECT} where ($1::text is null or t.kind = $1) and ($2::text is null or coalesce(s.code, t.carrier_code) = $2)
       and ($3::timestamptz is null or (t.created_at, t.id) < ($3, $4))
     order by t.created_at desc, t.id desc limit $5`,
    [filter.kind ?? null, filter.code ?? null, filter.after?.createdAt ?? null, filter.after?.id ?? null, filter.limit],
  );
  return rows.map((row) => entryOf(row, now));
};

export type Replaced =
  | { readonly kind: 'replaced'; readonly issued: IssuedToken; readonly old: TokenEntry }
  | { readonly kind: 'unknown' }
  /** It was replaced before, or is valid no more. */
  | { readonly kind: 'ended'; readonly old: TokenEntry };

/**
 * A token in the place of another, for the same and in the same environment; the old one stays valid for `overlapMs`,
 * so that two are while its holder changes over. Without `expiresAt` it lives as long as the old one was to live.
 */
export const replaceToken = async (
  pool: Pool,
  id: string,
  by: By & { readonly overlapMs: number; readonly expiresAt?: Date | undefined },
): Promise<Replaced> =>
  await transaction(pool, async (client): Promise<Replaced> => {
    const { now } = by;
    const { rows } = await client.query<Row>(`${SELECT} where t.id = $1 for update of t`, [id]);
    const [row] = rows;
    if (row === undefined) return { kind: 'unknown' };
    const old = entryOf(row, now);
    if (old.state !== 'valid' || old.replacedBy !== undefined) return { kind: 'ended', old };
    const livedMs = old.expiresAt === undefined ? undefined : old.expiresAt.getTime() - old.createdAt.getTime();
    const expiresAt = by.expiresAt ?? (livedMs === undefined ? undefined : new Date(now.getTime() + livedMs));
    const issued = await insertToken(client, ownerOf(row), expiresAt, now);
    const endsAt = new Date(Math.min(now.getTime() + by.overlapMs, old.expiresAt?.getTime() ?? Infinity));
    await client.query('update tokens set replaced_by = $2, expires_at = $3 where id = $1', [id, issued.id, endsAt]);
    await note(client, by, { action: 'rotate_token', id, owner: old, replacedBy: issued.id, expiresAt: endsAt });
    return { kind: 'replaced', issued, old: { ...old, expiresAt: endsAt, replacedBy: issued.id } };
  });

/** From now on it is nobody's. One that was revoked before stays as it was. */
export const revokeToken = async (pool: Pool, id: string, by: By): Promise<TokenEntry | undefined> =>
  await transaction(pool, async (client) => {
    const { rows } = await client.query<Row>(`${SELECT} where t.id = $1 for update of t`, [id]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const known = entryOf(row, by.now);
    if (known.state === 'revoked') return known;
    await client.query('update tokens set revoked_at = $2 where id = $1', [id, by.now]);
    await note(client, by, { action: 'revoke_token', id, owner: known });
    return { ...known, state: 'revoked', revokedAt: by.now };
  });

/** Forgets tokens whose end lies before; what they were stays in the audit log. Yields how many. */
export const forgetEndedTokens = async (pool: Pool, before: Date): Promise<number> => {
  const { rowCount } = await pool.query('delete from tokens where least(revoked_at, expires_at) < $1', [before]);
  return rowCount ?? 0;
};
