import { expect, test } from 'vitest';
import { saveShipper } from '../../src/store/shippers.ts';
import { findBearer } from '../../src/store/tokens.ts';
import { freshDatabase } from '../support/database.ts';
import { ACME, folderWith, waybill } from './spawning.ts';

const database = freshDatabase();
const withDatabase = () => ({
  home: folderWith({ 'carriers/acme.yaml': ACME }),
  env: { DATABASE_URL: database.databaseUrl },
});

test('a shipper’s token is printed once and speaks for it', async () => {
  const { id } = await saveShipper(database.pool, { code: 'example', name: 'Example', details: undefined });
  const { code, out, error } = await waybill(
    ['token', 'shipper', 'example', '--environment', 'sandbox'],
    withDatabase(),
  );
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(await findBearer(database.pool, out.trim())).toMatchObject({
    kind: 'shipper',
    shipperId: id,
    environment: 'sandbox',
  });
});

test('a carrier’s token, as JSON', async () => {
  const { code, out } = await waybill(['token', 'carrier', 'acme', '--json'], withDatabase());
  expect(code).toBe(0);
  const told = JSON.parse(out) as { token: string };
  expect(told).toEqual({ kind: 'carrier', code: 'acme', environment: null, token: expect.any(String) });
  expect(await findBearer(database.pool, told.token)).toMatchObject({ kind: 'carrier', carrierCode: 'acme' });
});

test.each([
  [['shipper', 'nobody'], 'waybill: there is no shipper "nobody": create one with POST /admin/shippers\n'],
  [['carrier', 'acne'], /^waybill: there is no carrier "acne" in .*: did you mean "acme"\?\n$/],
] as const)('%j is misuse', async (args, says) => {
  const { code, out, error } = await waybill(['token', ...args], withDatabase());
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toMatch(says);
});

test('an address that is none is misuse, and is not repeated', async () => {
  const { code, error } = await waybill(['token', 'carrier', 'acme'], { env: { DATABASE_URL: 'mysql://a:secret@b' } });
  expect(code).toBe(2);
  expect(error).toMatch(/^waybill: DATABASE_URL must be a URL/);
  expect(error).not.toContain('secret');
});
