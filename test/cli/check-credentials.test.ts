import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSealer } from '../../src/platform/records/sealer.ts';
import { saveAccount } from '../../src/platform/records/accounts.ts';
import { saveShipper } from '../../src/platform/records/shippers.ts';
import { type Listening, listenLocally } from '../flow/carrier.ts';
import { freshDatabase } from '../support/database.ts';
import { ACME, homeWith, root } from './home.ts';

const database = freshDatabase();
const KEY = Buffer.alloc(32, 7).toString('base64');

/** A carrier that takes one key, and gives a token for it. */
let carrier: Listening;
beforeAll(async () => {
  carrier = await listenLocally((request, response) => {
    const isGood = request.headers.authorization === `Basic ${btoa('example:example-key-1')}`;
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
    const token = '{"access_token":"example-token-1","expires_in":60}';
    response.end(isGood ? (request.url === '/rates' ? '[{"product":"STANDARD","total":7.5}]' : token) : '{}');
  });
});
afterAll(() => carrier.close());

const PROFILE = `${ACME}auth: { basic: { username: example, password: '\${credentials.key}' } }
credentials: { key: { secret: true } }
`;
const homeOf = async (key: string, more: Readonly<Record<string, string>> = {}) => {
  const { id } = await saveShipper(database.pool, { code: 'example', name: 'Example', details: undefined });
  const account = { shipperId: id, carrierCode: 'acme', environment: 'production' } as const;
  await saveAccount(database.pool, createSealer(KEY, []), account, { credentials: { key }, settings: {} });
  return homeWith(
    { 'carriers/acme.yaml': PROFILE.replace('https://api.acme.example', carrier.url), ...more },
    { DATABASE_URL: database.databaseUrl, WAYBILL_SECRET_KEY: KEY, ALLOW_PRIVATE_NETWORKS: 'true' },
  );
};
const check = async (key: string, shipper = 'example') =>
  await (await homeOf(key)).run('check-credentials', 'acme', '--shipper', shipper, '--json');

test('the probe says whether they are good', async () => {
  const good = await check('example-key-1');
  expect(good.error).toBe('');
  expect(JSON.parse(good.out)).toMatchObject({ ok: true, result: 'good', asked: [{ method: 'GET', status: 200 }] });
  expect(good.code).toBe(0);
  const refused = await check('another-key-1');
  expect(JSON.parse(refused.out)).toMatchObject({ ok: false, result: 'refused', code: 'http_401' });
  expect(refused.out).not.toContain('another-key-1');
  expect(refused.code).toBe(1);
});

test('who used an account to ask is in the audit log', async () => {
  await database.pool.query('truncate audit_log');
  await check('another-key-1');
  const { rows } = await database.pool.query('select actor, action, subject, detail::json from audit_log');
  const account = await database.pool.query<{ id: number }>('select id from accounts');
  const subject = `account:${account.rows[0]?.id}`;
  const detail = { shipper: 'example', carrier: 'acme', environment: 'production' };
  expect(rows).toEqual([{ actor: 'command', action: 'check_credentials', subject, detail }]);
});

test('a shipper that is not there is misuse', async () => {
  const error = expect.stringContaining('there is no shipper "nobody"') as string;
  expect(await check('example-key-1', 'nobody')).toMatchObject({ code: 2, error });
});

test('waybill choose asks carriers for prices with the accounts of a shipper, and names who has none', async () => {
  const rates = `  rates: { post: /rates, result: 'response.body.{ "service": product, "total": total, "currency": "EUR" }' }\n`;
  const profile = PROFILE.replace('https://api.acme.example', carrier.url).replace(
    'operations:\n',
    `operations:\n${rates}`,
  );
  const { run } = await homeOf('example-key-1', {
    'carriers/acme.yaml': profile,
    'carriers/other.yaml': profile.replace('carrier: acme', 'carrier: other'),
    'carriers/policies/std.yaml': 'policy: std\ncarriers: [other, acme]\nrank: cheapest\n',
    'order.yaml': readFileSync(`${root}/fixtures/_consignments/one-box-de.yaml`, 'utf8'),
  });
  await database.pool.query('truncate audit_log');
  const args = ['choose', 'std', '--consignment', 'order.yaml', '--service', 'STANDARD', '--shipper', 'example'];
  const notAsked = await run(...args);
  expect(notAsked.out).toContain('1. acme STANDARD: its prices come from the carrier, which was not asked (not_asked)');
  expect(notAsked.out).toContain('– other: there is no account with it (account_known)');
  expect((await run(...args, '--ask')).out).toContain('1. acme STANDARD: 7.50 EUR');
  const { rows } = await database.pool.query('select action from audit_log');
  expect(rows).toEqual([{ action: 'choose' }]);
  expect((await run('choose', 'std', '--consignment', 'order.yaml', '--ask')).code).toBe(2);
});
