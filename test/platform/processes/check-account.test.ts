import { beforeEach, describe, expect, it } from 'vitest';
import { verifyAccount } from '../../../src/platform/processes/check-account.ts';
import { saveAccount, setAccountState } from '../../../src/platform/records/accounts.ts';
import { answer, carrierOf, createWorld } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { newOwner, sealer } from '../records/world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
credentials: { key: { secret: true } }
auth: { apiKey: { header: x-key, value: '\${credentials.key}' } }
operations:
  create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
  probe: { get: /me }
`);

describe('checking the credentials of an account', () => {
  const database = freshDatabase();
  let id = 0;
  beforeEach(async () => {
    const key = { ...(await newOwner(database.pool)), carrierCode: 'acme' };
    id = await saveAccount(database.pool, sealer, key, { credentials: { key: 'secret-key' }, settings: {} });
  });
  const check = async (...replies: Parameters<typeof createWorld>[1]) => {
    const { ports } = createWorld(carrier, replies);
    const platform = { pool: database.pool, carriers: { find: () => carrier }, sealer, calls: { ports } };
    return await verifyAccount(platform, id, 'operator:anna');
  };

  it('says what the carrier says, and notes it', async () => {
    expect(await check(answer(200, {}))).toMatchObject({ kind: 'good', asked: [{ method: 'GET', status: 200 }] });
    const refused = await check(answer(401, { message: 'who are you' }));
    expect(refused).toMatchObject({ kind: 'refused', asked: [{ status: 401 }] });
    expect(JSON.stringify(refused)).not.toContain('secret-key');
    const noted = await database.rows(
      'select actor, action, detail from audit_log where subject = $1',
      `account:${id}`,
    );
    const by = { actor: 'operator:anna', action: 'check_credentials' };
    expect(noted).toEqual([
      { ...by, detail: 'good' },
      { ...by, detail: 'refused' },
    ]);
  });

  it('says that it is unclear where they cannot be opened, and asks nothing', async () => {
    await database.rows(`update accounts set credentials = '\\x0100000000'::bytea where id = $1`, id);
    expect(await check()).toMatchObject({ kind: 'unclear', asked: [] });
  });

  it('is of one that is disabled as well, and of none that was deleted', async () => {
    await setAccountState(database.pool, sealer, id, 'disabled', 'admin');
    expect(await check(answer(200, {}))).toMatchObject({ kind: 'good' });
    await setAccountState(database.pool, sealer, id, 'deleted', 'admin');
    expect(await check()).toBeUndefined();
  });
});
