import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerAccount } from '../../../src/platform/processes/registration.ts';
import { findAccountEntry, lockKeptAccount, saveAccount } from '../../../src/platform/records/accounts.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { saveShipper } from '../../../src/platform/records/shippers.ts';
import { answer, carrierOf, createWorld, refused, reset } from '../../engine/dispatch/world.ts';
import { sealer } from '../records/world.ts';
import { freshDatabase } from '../../support/database.ts';

const PROFILE = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
credentials: { user: {}, webhookSecret: { secret: true, from: register } }
settings: { depot: { optional: true }, webhookId: { from: register } }
operations:
  create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
  register:
    post: '/\${credentials.user}/webhooks'
    body: { json: { url: '\${webhook.url}' } }
    result: '{ "credentials": { "webhookSecret": response.body.secret }, "settings": { "webhookId": response.body.id } }'
  unregister: { delete: '/\${credentials.user}/webhooks/\${settings.webhookId}' }
`;
const GIVEN = { id: 'hook-2', secret: 'secret-of-hook-2' };
const BEFORE = {
  credentials: { user: 'shop', webhookSecret: 'secret-of-hook-1' },
  settings: { webhookId: 'hook-1' },
};
const broken = () => {
  throw new Error('we broke');
};

describe('registering a webhook', () => {
  const database = freshDatabase();
  const carrier = carrierOf(PROFILE);
  let id = 0;

  const save = async (values: Parameters<typeof saveAccount>[3]): Promise<void> => {
    const { id: shipperId } = await saveShipper(database.pool, { code: 'shop', name: 'Shop', details: undefined });
    const key = { shipperId, carrierCode: 'acme', environment: 'production' } as const;
    id = await saveAccount(database.pool, sealer, key, values);
  };
  beforeEach(async () => {
    await keepProfileVersion(database.pool, carrier.hash, carrier.code, '{}');
    await database.pool.query('truncate audit_log, exchanges');
    await save(BEFORE);
  });
  afterEach(() => vi.unstubAllEnvs());

  const run = async (operation: 'register' | 'unregister', ...replies: Parameters<typeof createWorld>[1]) => {
    const { ports, sent } = createWorld(carrier, replies);
    const { pool } = database;
    const platform = { pool, carriers: { find: () => carrier }, sealer, calls: { ports } };
    return {
      ended: await registerAccount({ ...platform, publicUrl: 'https://us.example' }, id, operation, 'operator:anna'),
      sent,
    };
  };
  const kept = async () => {
    const entry = await findAccountEntry(database.pool, sealer, id);
    return await transaction(
      database.pool,
      async (client) => entry && (await lockKeptAccount(client, sealer, entry.key)),
    );
  };
  const noted = async () =>
    (await database.pool.query('select actor, action, subject, detail from audit_log order by id')).rows;
  const entry = (action: string, detail: string | null) => ({
    actor: 'operator:anna',
    action,
    subject: `account:${id}`,
    detail,
  });

  it('keeps what the carrier gives, and notes it', async () => {
    const { ended } = await run('register', answer(200, GIVEN));
    expect(ended).toEqual({ kind: 'done', webhookUrl: `https://us.example/v2/carriers/acme/webhook/${id}` });
    expect(await kept()).toMatchObject({
      credentials: { user: 'shop', webhookSecret: GIVEN.secret },
      settings: { webhookId: GIVEN.id },
    });
    expect(await noted()).toEqual([entry('register', null)]);
    await run('unregister', answer(204));
    expect((await noted()).at(-1)).toEqual(entry('unregister', null));
  });

  it('keeps what an operator saved while the carrier was asked', async () => {
    const meanwhile = async () => {
      await save({ ...BEFORE, credentials: { ...BEFORE.credentials, user: 'other-user' } });
      return answer(200, GIVEN);
    };
    expect((await run('register', meanwhile)).ended.kind).toBe('done');
    expect(await kept()).toMatchObject({
      credentials: { user: 'other-user', webhookSecret: GIVEN.secret },
      settings: { webhookId: GIVEN.id },
    });
  });

  it('keeps nothing that it cannot note', async () => {
    await database.pool.query(`alter table audit_log add constraint unnotable check (action <> 'register')`);
    await expect(run('register', answer(200, GIVEN))).rejects.toThrow('unnotable');
    await database.pool.query('alter table audit_log drop constraint unnotable');
    expect(await kept()).toMatchObject(BEFORE);
  });

  it.each([
    ['the carrier refuses', answer(400, { message: 'too many' }), 'rejected: http_400'],
    ['nobody was reached', refused, 'waiting: connection_refused'],
    ['nobody knows the end of', reset, 'unknown_outcome: connection_reset'],
    ['gives what does not fit', answer(200, { id: 7, secret: GIVEN.secret }), 'unknown_outcome: result_invalid'],
  ])('notes a try that %s', async (_, reply, detail) => {
    const { ended } = await run('register', reply);
    expect(ended.kind).toBe('failed');
    expect(await noted()).toEqual([entry('register', detail)]);
    expect(await kept()).toMatchObject(BEFORE);
  });

  it('notes a try that broke off on our side', async () => {
    await expect(run('register', broken)).rejects.toThrow('we broke');
    expect(await noted()).toEqual([entry('register', 'unknown_outcome')]);
  });

  it.each([
    ['settings.webhookId', { ...GIVEN, id: 'env:WAYBILL_CARRIER_OTHER' }],
    ['credentials.webhookSecret', { ...GIVEN, secret: 'env:WAYBILL_CARRIER_OTHER' }],
    ['settings.webhookId.of.1', { ...GIVEN, id: { of: ['mine', 'env:WAYBILL_CARRIER_OTHER'] } }],
    ['settings.webhookId', { ...GIVEN, id: 'env:no such name' }],
  ])('takes no name of a variable from a carrier: not in %s', async (field, given) => {
    vi.stubEnv('WAYBILL_CARRIER_OTHER', 'secret-of-another-account');
    const { ended } = await run('register', answer(200, given));
    expect(ended).toMatchObject({
      kind: 'failed',
      problem: {
        code: 'result_invalid',
        messages: [`${field} names a variable, which only an operator may do`],
        place: carrier.operations.register?.result?.place,
      },
    });
    expect(await kept()).toMatchObject(BEFORE);
    expect(await noted()).toEqual([entry('register', 'unknown_outcome: result_invalid')]);
  });

  it('writes down nothing that an operator’s variable holds, declared secret or not', async () => {
    vi.stubEnv('WAYBILL_CARRIER_USER', 'user-in-a-variable');
    vi.stubEnv('WAYBILL_CARRIER_HOOK', 'hook-in-a-variable');
    await save({
      credentials: { ...BEFORE.credentials, user: 'env:WAYBILL_CARRIER_USER' },
      settings: { webhookId: 'env:WAYBILL_CARRIER_HOOK' },
    });
    const said = answer(400, { message: 'there is no hook-in-a-variable of user-in-a-variable' });
    const { ended, sent } = await run('unregister', said);
    expect(sent[0]?.url).toBe('https://api.acme.example/user-in-a-variable/webhooks/hook-in-a-variable');
    const { rows } = await database.pool.query('select * from exchanges');
    expect(rows).toMatchObject([{ url: 'https://api.acme.example/***user***/webhooks/***webhookId***' }]);
    const written = JSON.stringify([ended, rows, await noted(), (rows[0].response_body as Buffer | null)?.toString()]);
    expect(written).not.toContain('in-a-variable');
  });
});
