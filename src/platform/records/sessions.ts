/** Browser sessions of operators. One that a token began stands for it, and ends with it. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { sha256 } from '../../engine/digest.ts';
import { recordAudit } from './audit.ts';
import { transaction } from './pool.ts';
import { execute, matching, queryAll, queryFirst, sql } from './sql.ts';
import type { Role } from './tokens.ts';

/** Unused for so long, or begun so long ago, a session has ended. */
const IDLE_MS = 60 * 60_000;
const LONGEST_MS = 12 * 60 * 60_000;
/** How late the use of a session may be noted: not every request writes. */
const NOTED_MS = 5 * 60_000;

/** What a session stands for: an operator's token, one of the server's own by its hash, or a role given elsewhere. */
export type SessionOf = { readonly tokenId: string } | { readonly adminHash: Buffer } | { readonly role: Role };

export interface Session {
  readonly id: string;
  readonly actor: string;
  readonly role: Role;
}

interface SessionRow extends Session {
  readonly hash: Buffer;
  readonly adminHash: Buffer | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

const TEXT = /^([\w-]{12})\.[\w-]{43}$/;

/** `<id>.<secret>`, of which only the hash is kept. */
export const beginSession = async (pool: Pool, actor: string, of: SessionOf, nowMs: number): Promise<string> => {
  const id = randomBytes(9).toString('base64url');
  const text = `${id}.${randomBytes(32).toString('base64url')}`;
  const { tokenId, adminHash, role } = { tokenId: undefined, adminHash: undefined, role: undefined, ...of };
  await transaction(pool, async (client) => {
    await execute(client)`delete from sessions where expires_at < ${new Date(nowMs)}`;
    await execute(client)`
      insert into sessions (id, hash, actor, token_id, admin_hash, role, created_at, expires_at)
      values (${id}, ${sha256(text)}, ${actor}, ${tokenId}, ${adminHash}, ${role}, ${new Date(nowMs)},
        ${new Date(nowMs + IDLE_MS)})`;
    await recordAudit(client, { actor, action: 'sign_in', subject: `session:${id}` });
  });
  return text;
};

/**
 * Undefined: there is none, it has ended, or what it stands for is valid no more. `isAdmin` knows the server's own tokens
 * by hash; `isPoll`: a page asks by itself, which is no use of the session.
 */
export const findSession = async (
  pool: Pool,
  text: string,
  nowMs: number,
  { isAdmin, isPoll }: { readonly isAdmin: (hash: Buffer) => boolean; readonly isPoll: boolean },
): Promise<Session | undefined> => {
  const id = TEXT.exec(text)?.[1];
  if (id === undefined) return undefined;
  const now = new Date(nowMs);
  const row = await queryFirst<SessionRow>(pool)`
    select s.id, s.hash, s.actor, s.admin_hash, coalesce(t.role, s.role, 'administer') as role,
      s.created_at as created_at_ms, s.expires_at as expires_at_ms
    from sessions s left join tokens t on t.id = s.token_id
      and t.revoked_at is null and (t.expires_at is null or t.expires_at > ${now})
    where s.id = ${id} and s.expires_at > ${now} and (s.admin_hash is not null or s.role is not null or t.id is not null)`;
  if (row === undefined || !timingSafeEqual(row.hash, sha256(text))) return undefined;
  if (row.adminHash !== undefined && !isAdmin(row.adminHash)) return undefined;
  const untilMs = Math.min(nowMs + IDLE_MS, row.createdAtMs + LONGEST_MS);
  if (!isPoll && untilMs - row.expiresAtMs > NOTED_MS)
    await execute(pool)`update sessions set expires_at = ${new Date(untilMs)} where id = ${id}`;
  return { id, actor: row.actor, role: row.role };
};

export interface SessionEntry {
  readonly id: string;
  readonly actor: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Those that have not ended, the newest first. */
export const listSessions = async (
  pool: Pool,
  { now, after, limit }: { readonly now: Date; readonly after: readonly string[] | undefined; readonly limit: number },
): Promise<readonly SessionEntry[]> =>
  await queryAll<SessionEntry>(pool)`
    select id, actor, created_at, expires_at from sessions
    where expires_at > ${now} and ${matching({ '(created_at, id) <': after && sql`(${after[0]}, ${after[1]})` })}
    order by created_at desc, id desc limit ${limit}`;

/** From now on it is nobody's; false: there was none. */
export const endSession = async (pool: Pool, id: string, actor: string): Promise<boolean> =>
  await transaction(pool, async (client) => {
    const count = await execute(client)`delete from sessions where id = ${id}`;
    if (count > 0) await recordAudit(client, { actor, action: 'sign_out', subject: `session:${id}` });
    return count > 0;
  });
