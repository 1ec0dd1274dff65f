import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerAccount } from '../../src/app/registration.ts';
import { findAccountEntry, saveAccount } from '../../src/store/accounts.ts';
import { keepProfileVersion } from '../../src/store/profiles.ts';
import { saveShipper } from '../../src/store/shippers.ts';
import { answer, carrierOf, createWorld } from '../dispatch/world.ts';
import { sealer } from '../store/dispatch-world.ts';
import { freshDatabase } from '../support/database.ts';

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
    await database.pool.query('truncate exchanges');
    await save(BEFORE);
  });
  afterEach(() => vi.unstubAllEnvs());

  const run = async (operation: 'register' | 'unregister', ...replies: Parameters<typeof createWorld>[1]) => {
    const { ports, sent } = createWorld(carrier, replies);
    const { pool } = database;
    const platform = { records: { pool }, carriers: { find: () => carrier }, sealer, ports };
    return { ended: await registerAccount({ ...platform, publicUrl: 'https://us.example' }, id, operation), sent };
  };
  const kept = async () => (await findAccountEntry(database.pool, sealer, id))?.kept;

  it('keeps what the carrier gives', async () => {
    const { ended } = await run('register', answer(200, GIVEN));
    expect(ended).toEqual({ kind: 'done', webhookUrl: `https://us.example/v2/carriers/acme/webhook/${id}` });
    expect(await kept()).toMatchObject({
      credentials: { user: 'shop', webhookSecret: GIVEN.secret },
      settings: { webhookId: GIVEN.id },
    });
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
      trouble: {
        code: 'result_invalid',
        messages: [`${field} names a variable, which only an operator may do`],
        place: carrier.operations.register?.result?.place,
      },
    });
    expect(await kept()).toMatchObject(BEFORE);
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
    const written = JSON.stringify([ended, rows, (rows[0].response_body as Buffer | null)?.toString()]);
    expect(written).not.toContain('in-a-variable');
  });
});
