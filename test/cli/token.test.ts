import { expect, test } from 'vitest';
import { saveShipper } from '../../src/platform/records/shippers.ts';
import { findBearer } from '../../src/platform/records/tokens.ts';
import { freshDatabase } from '../support/database.ts';
import { partsOfToken } from '../support/tokens.ts';
import { ACME, homeWith, waybill } from './home.ts';

const database = freshDatabase();
const withDatabase = () => homeWith({ 'carriers/acme.yaml': ACME }, { DATABASE_URL: database.databaseUrl });

test('a shipper’s token is printed once and speaks for it', async () => {
  const { id } = await saveShipper(database.pool, { code: 'example', name: 'Example', details: undefined });
  const { code, out, error } = await withDatabase().run('token', 'shipper', 'example', '--environment', 'sandbox');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  const bearer = await findBearer(database.pool, out.trim(), new Date());
  expect(bearer).toMatchObject({ kind: 'shipper', shipperId: id, environment: 'sandbox' });
});

test('a carrier’s token, as JSON', async () => {
  const { code, value } = await withDatabase().json('token', 'carrier', 'acme');
  const [id, token] = [expect.any(String), expect.any(String)];
  expect({ code, value }).toEqual({ code: 0, value: { kind: 'carrier', code: 'acme', environment: null, id, token } });
  const bearer = await findBearer(database.pool, value.token, new Date());
  expect(bearer).toMatchObject({ kind: 'carrier', code: 'acme' });
});

test('an operator’s token has a role', async () => {
  const home = withDatabase();
  const { code, out } = await home.run('token', 'operator', 'anna@shop.example', '--role', 'operate');
  expect(code).toBe(0);
  const bearer = await findBearer(database.pool, out.trim(), new Date());
  expect(bearer).toEqual({ kind: 'operator', code: 'anna@shop.example', role: 'operate' });
  const listed = (await home.run('token', 'list', '--operator', 'anna@shop.example')).out;
  expect(listed).toMatch(/^\w+ +operator  anna@shop\.example  operate  valid\n$/);
});

test('tokens are listed without their secrets, replaced, and revoked', async () => {
  const home = withDatabase();
  const run = async (...args: string[]) => await home.run('token', ...args);
  await saveShipper(database.pool, { code: 'listed', name: 'Listed', details: undefined });
  const first = (await run('shipper', 'listed', '--expires', '30d')).out.trim();
  const id = partsOfToken(first).id;
  const second = (await run('rotate', id, '--overlap', '2h')).out.trim();
  const { tokens } = JSON.parse((await run('list', '--shipper', 'listed', '--json')).out);
  expect(tokens).toMatchObject([
    { id: partsOfToken(second).id, state: 'valid', environment: 'production' },
    { id, state: 'valid', replacedBy: partsOfToken(second).id },
  ]);
  const lived = Date.parse(tokens[0].expiresAt) - Date.parse(tokens[0].createdAt);
  expect(lived).toBe(30 * 86_400_000);
  expect((await run('revoke', id)).out).toMatch(new RegExp(`^${id} +shipper  listed  production  revoked`));
  expect(await findBearer(database.pool, first, new Date())).toBeUndefined();
  expect(await findBearer(database.pool, second, new Date())).toBeDefined();
  const listed = await run('list');
  for (const token of [first, second]) expect(listed.out).not.toContain(partsOfToken(token).secret);
  expect((await run('rotate', id)).error).toBe(`waybill: the token ${id} was replaced by ${partsOfToken(second).id}\n`);
});

test.each([
  [['revoke', 'nobody'], 'waybill: there is no token "nobody": waybill token list has their ids\n'],
  [['carrier', 'acme', '--expires', '0d'], 'waybill: --expires must be days from 1d to 3650d\n'],
  [['shipper', 'nobody'], 'waybill: there is no shipper "nobody": create one with POST /admin/shippers\n'],
  [['operator', 'a b', '--role', 'read'], /^waybill: "a b" is no name of an operator/],
  [['operator', 'anna'], /required option '--role <role>' not specified/],
  [['list', '--shipper', 'a', '--operator', 'b'], 'waybill: --shipper or --operator: only one of them\n'],
  [['carrier', 'acne'], /^waybill: there is no carrier "acne" in .*: did you mean "acme"\?\n$/],
] as const)('%j is misuse', (args, says) => withDatabase().misuse(['token', ...args], says));

test('an address that is none is misuse, and is not repeated', async () => {
  const { code, error } = await waybill(['token', 'carrier', 'acme'], { env: { DATABASE_URL: 'mysql://a:secret@b' } });
  expect(code).toBe(2);
  expect(error).toMatch(/^waybill: DATABASE_URL must be a URL/);
  expect(error).not.toContain('secret');
});
