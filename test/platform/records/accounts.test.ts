import { afterEach, describe, expect, it, vi } from 'vitest';
import { findAccountById, lockKeptAccount, saveAccount } from '../../../src/platform/records/accounts.ts';
import { countRefusedLogins } from '../../../src/platform/records/refused-logins.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { freshDatabase } from '../../support/database.ts';
import { newOwner, sealer } from './world.ts';

describe('an account whose values name variables', () => {
  const database = freshDatabase();
  afterEach(() => vi.unstubAllEnvs());

  it('is read from them at each use; the records never hold what they hold', async () => {
    const key = { ...(await newOwner(database.pool)), carrierCode: 'acme' };
    const values = { credentials: { token: 'env:WAYBILL_CARRIER_ACME', user: 'shop' }, settings: { depot: '001' } };
    const id = await saveAccount(database.pool, sealer, key, values);
    const used = async () => await findAccountById(database.pool, sealer, id);

    await expect(used()).rejects.toThrow(
      'credentials.token is to come from WAYBILL_CARRIER_ACME, which is not set here',
    );
    vi.stubEnv('WAYBILL_CARRIER_ACME', 'first-secret');
    const first = await used();
    expect(first).toMatchObject({ credentials: { token: 'first-secret', user: 'shop' }, settings: { depot: '001' } });
    expect((await used())?.version).toBe(first?.version);
    vi.stubEnv('WAYBILL_CARRIER_ACME', 'second-secret');
    const second = await used();
    // Of a login that was refused with what the variable held.
    await database.rows(
      `insert into carrier_tokens (key, fetched_at, refused) values ($1, now(), '{"problem":{"code":"refused"}}')`,
      `acme/${id}/production/${second?.version}/main`,
    );
    expect(await countRefusedLogins(database.pool)).toBe(1);
    expect(second?.credentials).toMatchObject({ token: 'second-secret' });
    expect(second?.version).not.toBe(first?.version);
    expect(Number.isSafeInteger(second?.version)).toBe(true);

    const kept = await transaction(database.pool, async (client) => await lockKeptAccount(client, sealer, key));
    expect(kept).toMatchObject({ ...values, version: 1 });
  });
});
