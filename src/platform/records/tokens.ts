/** Bearer tokens: issued, recognised, listed, replaced, revoked, and forgotten long after their end. Each step is audited. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { sha256 } from '../../engine/digest.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { recordAudit } from './audit.ts';
import { forget, remember } from './cache.ts';
import { transaction } from './pool.ts';
import { execute, type Filter, matching, queryAll, queryFirst, sql } from './sql.ts';

/** What an operator may: see all, act on what shippers sent, or manage whom we work for as well. Each may what those before it may. */
export const ROLES = ['read', 'operate', 'administer'] as const;
export type Role = (typeof ROLES)[number];

export const OPERATOR_NAME = /^[A-Za-z0-9][\w.@+-]{0,99}$/;

/** Whom a token stands for; a carrier's without an environment speaks for it in both. */
export type Bearer =
  | {
      readonly kind: 'shipper';
      readonly shipperId: number;
      readonly code: string;
      readonly environment: EnvironmentName;
    }
  | { readonly kind: 'carrier'; readonly code: string; readonly environment: EnvironmentName | undefined }
  | { readonly kind: 'operator'; readonly code: string; readonly role: Role; readonly environment?: undefined };

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

/** What may be known of a token once it is issued. */
export interface TokenEntry {
  readonly id: string;
  readonly kind: Bearer['kind'];
  readonly code: string;
  readonly environment: EnvironmentName | undefined;
  readonly role: Role | undefined;
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  readonly replacedBy: string | undefined;
}

const ID_BYTES = 9;
const SECRET_BYTES = 32;
const TOKEN = /^wb_(?:shipper|carrier|operator)_([A-Za-z0-9]{1,20})_[\w-]{20,80}$/;
/** Which of the tokens it is, as far as it says. */
export const idOfToken = (token: string): string | undefined => TOKEN.exec(token)?.[1];

interface TokenRow extends Omit<TokenEntry, 'state'> {
  readonly hash: Buffer;
  readonly shipperId: number | undefined;
  /** Undefined: it is not a shipper's. */
  readonly shipperState: string | undefined;
}

const NOBODY = { hash: Buffer.alloc(32) } as TokenRow;

const SELECT = sql`select t.id, t.hash, t.kind, t.shipper_id, s.state as shipper_state, coalesce(s.code, t.carrier_code, t.operator) as code,
  t.environment, t.role, t.created_at, t.expires_at, t.revoked_at, t.replaced_by
  from tokens t left join shippers s on s.id = t.shipper_id`;

const bearerOf = ({ kind, code, shipperId = 0, environment, role = 'read' }: TokenRow): Bearer => {
  switch (kind) {
    case 'shipper':
      return { kind, shipperId, code, environment: environment ?? 'production' };
    case 'carrier':
      return { kind, code, environment };
    case 'operator':
      return { kind, code, role };
  }
};

/**
 * The bearer of a token that is known, not expired, not revoked, and of no shipper that is out of use. A wrong one takes the same way for a known and an
 * unknown id: only who has the secret finds what is remembered.
 */
export const findBearer = async (pool: Pool, token: string, now: Date): Promise<Bearer | undefined> => {
  const id = idOfToken(token);
  if (id === undefined) return undefined;
  const hash = sha256(token);
  const isOf = (row: TokenRow): boolean => timingSafeEqual(hash, row.hash);
  const read = async () => await queryFirst<TokenRow>(pool)`${SELECT} where t.id = ${id}`;
  const row = (await remember(pool, ['tokens', id], read, isOf)) ?? NOBODY;
  const isInUse = row.shipperState === undefined || row.shipperState === 'active';
  return isOf(row) && isInUse && entryOf(row, now).state === 'valid' ? bearerOf(row) : undefined;
};

const entryOf = (row: TokenRow, now: Date): TokenEntry => {
  const { hash: _, shipperId: __, shipperState: ___, ...entry } = row;
  const isExpired = row.expiresAt !== undefined && row.expiresAt <= now;
  return { ...entry, state: row.revokedAt !== undefined ? 'revoked' : isExpired ? 'expired' : 'valid' };
};

/** `wb_<kind>_<id>_<secret>`: 256 random bits behind a public id. Only its hash is kept, so it is shown once. */
const insertToken = async (
  client: PoolClient,
  bearer: Bearer,
  expiresAt: Date | undefined,
  now: Date,
): Promise<IssuedToken> => {
  const id = randomBytes(ID_BYTES).toString('base64url').replaceAll(/[-_]/g, '0');
  const token = `wb_${bearer.kind}_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const shipperId = bearer.kind === 'shipper' ? bearer.shipperId : undefined;
  const carrierCode = bearer.kind === 'carrier' ? bearer.code : undefined;
  const [operator, role] = bearer.kind === 'operator' ? [bearer.code, bearer.role] : [];
  await execute(client)`
    insert into tokens (id, hash, kind, shipper_id, carrier_code, operator, role, environment, created_at, expires_at)
    values (${id}, ${sha256(token)}, ${bearer.kind}, ${shipperId}, ${carrierCode}, ${operator}, ${role},
      ${bearer.environment}, ${now}, ${expiresAt})`;
  return { id, token, expiresAt };
};

const note = async (
  client: PoolClient,
  { actor }: By,
  action: string,
  {
    kind,
    code,
    environment,
    role,
  }: Pick<TokenEntry, 'kind' | 'code'> & Partial<Pick<TokenEntry, 'environment' | 'role'>>,
  { id, ...more }: { readonly id: string; readonly replacedBy?: string; readonly expiresAt?: Date | undefined },
): Promise<void> => {
  const detail = JSON.stringify({ [kind]: code, environment, role, ...more });
  await recordAudit(client, { actor, action, subject: `token:${id}`, detail });
};

/** A new token beside those there are. */
export const issueToken = async (
  client: PoolClient,
  bearer: Bearer,
  by: By & { readonly expiresAt?: Date | undefined },
): Promise<IssuedToken> => {
  const issued = await insertToken(client, bearer, by.expiresAt, by.now);
  await note(client, by, 'issue_token', bearer, { id: issued.id, expiresAt: by.expiresAt });
  return issued;
};

interface TokenFilter extends Filter<TokenEntry, 'kind' | 'code'> {
  readonly after?: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** The newest first. */
export const listTokens = async (
  pool: Pool,
  { kind, code, after, limit }: TokenFilter,
  now: Date,
): Promise<readonly TokenEntry[]> => {
  const rows = await queryAll<TokenRow>(pool)`
    ${SELECT} where ${matching({ 't.kind =': kind, 'coalesce(s.code, t.carrier_code, t.operator) =': code })}
      and ${matching({ '(t.created_at, t.id) <': after && sql`(${after.createdAt}, ${after.id})` })}
    order by t.created_at desc, t.id desc limit ${limit}`;
  return rows.map((row) => entryOf(row, now));
};

const lockToken = async (client: PoolClient, id: string): Promise<TokenRow | undefined> =>
  await queryFirst<TokenRow>(client)`${SELECT} where t.id = ${id} for update of t`;

/** In one transaction, after which this process remembers nothing of the token that is older. */
const changing = async <Result>(pool: Pool, id: string, change: (client: PoolClient) => Promise<Result>) =>
  await transaction(pool, change).finally(() => forget(pool, 'tokens', id));

type Replaced =
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
  await changing(pool, id, async (client): Promise<Replaced> => {
    const { now } = by;
    const row = await lockToken(client, id);
    if (row === undefined) return { kind: 'unknown' };
    const old = entryOf(row, now);
    if (old.state !== 'valid' || old.replacedBy !== undefined) return { kind: 'ended', old };
    const livedMs = old.expiresAt === undefined ? undefined : old.expiresAt.getTime() - old.createdAt.getTime();
    const expiresAt = by.expiresAt ?? (livedMs === undefined ? undefined : new Date(now.getTime() + livedMs));
    const issued = await insertToken(client, bearerOf(row), expiresAt, now);
    const endsAt = new Date(Math.min(now.getTime() + by.overlapMs, old.expiresAt?.getTime() ?? Infinity));
    await execute(client)`update tokens set replaced_by = ${issued.id}, expires_at = ${endsAt} where id = ${id}`;
    await note(client, by, 'rotate_token', old, { id, replacedBy: issued.id, expiresAt: endsAt });
    return { kind: 'replaced', issued, old: { ...old, expiresAt: endsAt, replacedBy: issued.id } };
  });

/** From now on it is nobody's. One that was revoked before stays as it was. */
export const revokeToken = async (pool: Pool, id: string, by: By): Promise<TokenEntry | undefined> =>
  await changing(pool, id, async (client) => {
    const row = await lockToken(client, id);
    if (row === undefined) return undefined;
    const known = entryOf(row, by.now);
    if (known.state === 'revoked') return known;
    await execute(client)`update tokens set revoked_at = ${by.now} where id = ${id}`;
    await note(client, by, 'revoke_token', known, { id });
    return { ...known, state: 'revoked', revokedAt: by.now };
  });

/** Forgets tokens whose end lies before; what they were stays in the audit log. Yields how many. */
export const forgetEndedTokens = async (pool: Pool, before: Date): Promise<number> =>
  await execute(pool)`delete from tokens where least(revoked_at, expires_at) < ${before}`;
