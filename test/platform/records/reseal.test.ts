import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/engine/failure.ts';
import { createSealer, type Sealer } from '../../../src/platform/records/sealer.ts';
import { findAccountById, saveAccount } from '../../../src/platform/records/accounts.ts';
import { createCarrierTokens } from '../../../src/platform/records/carrier-tokens.ts';
import { countStale, reseal, SEALED_COLUMNS } from '../../../src/platform/records/reseal.ts';
import { createSubscription, findReceiver, rotateSecret } from '../../../src/platform/records/subscriptions.ts';
import { folderWith, waybill } from '../../cli/home.ts';
import { COMPANION_MIGRATIONS } from '../../../src/cli/records.ts';
import { migrate } from '../../../src/platform/records/migrate.ts';
import { startServer } from '../../flow/server.ts';
import { freshDatabase } from '../../support/database.ts';
import { newOwner, secretsOf } from './world.ts';

const keys = [1, 2, 3].map((n) => Buffer.alloc(32, n).toString('base64')) as [string, string, string];
const [first, second, third] = keys;
const now = () => Date.parse('2026-05-01T09:00:00Z');
const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

describe('changing the key that seals', () => {
  const database = freshDatabase();

  /** One value in every sealed column, and what opens each again. */
  const sealAll = async (sealer: Sealer, code: string) => {
    const { pool } = database;
    const owner = await newOwner(pool, code);
    const values = { credentials: { token: 'secret-of-account' }, settings: {} };
    const accountId = await saveAccount(pool, sealer, { ...owner, carrierCode: 'acme' }, values);
    const hook = { url: 'https://shop.example', orderTypes: ['FORWARD'] } as const;
    const { id, secret } = await createSubscription(pool, sealer, owner, hook);
    const rotated = await rotateSecret(pool, sealer, owner, id, now());
    const wanted = { key: `${code}/login`, refreshKey: `${code}/refresh`, profileHash: 'h' };
    const loggedIn = { token: 'secret-of-login', saved: {} };
    await createCarrierTokens(pool, sealer, now).get(wanted, () =>
      Promise.resolve({ kind: 'token', token: loggedIn, expiresAtMs: now() + 1e6, refreshToken: 'secret-of-refresh' }),
    );
    return async (opener: Sealer) => {
      const account = await findAccountById(pool, opener, accountId);
      const receiver = await findReceiver(pool, opener, owner, id, now());
      const again = await createCarrierTokens(pool, opener, now).get(wanted, () => Promise.reject(new Error('asked')));
      expect(account?.credentials).toEqual({ token: 'secret-of-account' });
      expect(secretsOf(receiver!.keys())).toEqual([rotated?.secret, secret]);
      expect(again).toMatchObject({ token: loggedIn });
    };
  };

  it('knows every sealed column there is', async () => {
    const columns = await database.values(`select table_name || '.' || column_name from information_schema.columns
      where data_type = 'bytea' and table_schema = 'public'
        and not (select relispartition from pg_class where oid = table_name::regclass)`);
    const unsealed = ['tokens.hash', 'exchanges.request_body', 'exchanges.response_body', 'pushes.body'];
    unsealed.push(
      'sessions.hash',
      'sessions.admin_hash',
      'events.identity',
      'labels.content',
      'manifest_documents.content',
      'idempotency_keys.request_hash',
    );
    const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
    expect(columns.toSorted()).toEqual([...sealed, ...unsealed].toSorted());
  });

  it('seals anew what older keys sealed, goes on where it was left, and is audited', async () => {
    const opened = await sealAll(createSealer(first), 'one');
    const both = createSealer(second, [first]);
    await opened(both);
    expect(sumOf((await countStale(database.pool, both)).older)).toBe(5);
    // A row that somebody holds is left for the next run.
    const busy = await database.pool.connect();
    await busy.query('begin');
    await busy.query('select from accounts for update');
    expect(sumOf(await reseal(database.pool, both, 'test'))).toBe(4);
    await busy.query('rollback');
    busy.release();
    expect(await reseal(database.pool, both, 'test')).toMatchObject({ 'accounts.credentials': 1, 'calls.answer': 0 });
    await opened(createSealer(second));
    const audited = await database.values(`select detail from audit_log where action = 'reseal' order by id`);
    expect(audited.map((detail) => JSON.parse(detail)['accounts.credentials'])).toEqual([0, 1]);
  });

  it('counts what no configured key can open, and leaves it alone', async () => {
    await sealAll(createSealer(third), 'other');
    const sealer = createSealer(second, [first]);
    await reseal(database.pool, sealer, 'test');
    const { older, unreadable } = await countStale(database.pool, sealer);
    expect([sumOf(older), sumOf(unreadable)]).toEqual([0, 5]);
  });

  it('keeps a server from starting while it is not complete, but for keys that are lost by name', async () => {
    const home = folderWith({});
    const start = async (env: Readonly<Record<string, string>>) => {
      const where = {
        home,
        databaseUrl: database.databaseUrl,
        role: 'api',
        env: { WAYBILL_SECRET_KEY: second, ...env },
      } as const;
      const server = await startServer(where);
      await server.close();
      return server;
    };
    const refusal: unknown = await start({}).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'secret_key_unknown' });
    const { message, help } = refusal as Failure;
    const [, lost = ''] = /key ([0-9a-f]{8}) \(1 accounts\.credentials, 1 subscriptions\.secret/.exec(message) ?? [];
    expect(message).toContain('of a key that is not configured');
    expect(help).toMatch(/^WAYBILL_SECRET_KEY is key [0-9a-f]{8}: is it the right one\?/);
    await expect(start({ WAYBILL_SECRET_KEYS_OLD: first, WAYBILL_SECRET_KEYS_LOST: '00000000' })).rejects.toThrow(lost);
    await expect(start({ WAYBILL_SECRET_KEYS_OLD: third })).resolves.toBeDefined();
    await expect(start({ WAYBILL_SECRET_KEYS_LOST: lost })).resolves.toBeDefined();
  });

  it('is a command, which changes nothing unless told to', async () => {
    const env = { DATABASE_URL: database.databaseUrl, WAYBILL_SECRET_KEY: second };
    const unknown = await waybill(['reseal'], { env });
    expect(unknown).toMatchObject({ code: 1, error: '' });
    expect(unknown.out).toContain('sealed by keys that are not configured: 1 accounts.credentials');
    const known = { ...env, WAYBILL_SECRET_KEYS_OLD: `${first},${third}` };
    expect((await waybill(['reseal'], { env: known })).out).toContain('sealed by older keys: 1 accounts.credentials');
    const applied = await waybill(['reseal', '--apply', '--json'], { env: known });
    expect(applied.code).toBe(0);
    expect(sumOf(JSON.parse(applied.out).resealed)).toBe(5);
    expect((await waybill(['reseal'], { env })).out).toContain('sealed by older keys: nothing');
  });

  it('covers what the own fleet has sealed', async () => {
    const { pool, databaseUrl } = database;
    await migrate(databaseUrl, COMPANION_MIGRATIONS.fleet, undefined, 'fleet');
    const about = 'fleet/link/shop';
    const sealed = createSealer(first).seal(Buffer.from('secret-of-link'), about);
    await pool.query(`insert into fleet.links (name, token_hash, status_url, status_token) values ($1, $2, $3, $4)`, [
      'shop',
      Buffer.alloc(32),
      'https://shop.example',
      sealed,
    ]);
    const env = { DATABASE_URL: databaseUrl, WAYBILL_SECRET_KEY: second, WAYBILL_SECRET_KEYS_OLD: first };
    expect((await waybill(['reseal', '--apply'], { env })).out).toMatch(/sealed anew: .*1 fleet\.links\.status_token/);
    const { rows } = await pool.query<{ status_token: Buffer }>('select status_token from fleet.links');
    expect(createSealer(second).open(rows[0]!.status_token, about).toString()).toBe('secret-of-link');
  });
});
