import { expect, it } from 'vitest';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { apiUnderTest, held } from './harness.ts';

const api = apiUnderTest();

/** How each route that changes something is made to, and as what it is noted. */
const WRITES: Readonly<Record<string, () => Promise<readonly [url: string, body: unknown, action: string]>>> = {
  'POST /admin/shippers': async () => ['/admin/shippers', { code: 'made', name: 'Made' }, 'issue_token'],
  'POST /admin/shippers/{code}/tokens': async () => ['/admin/shippers/shop/tokens', {}, 'issue_token'],
  'POST /admin/carriers/{carrierCode}/tokens': async () => ['/admin/carriers/acme/tokens', {}, 'issue_token'],
  'POST /admin/tokens/{id}/rotate': async () => [`/admin/tokens/${await tokenId()}/rotate`, {}, 'rotate_token'],
  'DELETE /admin/tokens/{id}': async () => [`/admin/tokens/${await tokenId()}`, undefined, 'revoke_token'],
  'PUT /admin/accounts': async () => ['/admin/accounts', { shipper: 'shop', carrier: 'solo' }, 'save_account'],
  'POST /admin/reload': async () => ['/admin/reload', undefined, 'reload'],
  'POST /admin/dispatches/{id}/resolve': async () => [
    `/admin/dispatches/${await heldDispatch()}/resolve`,
    { outcome: 'rejected', note: 'Seen in the carrier’s portal' },
    'resolve',
  ],
};
/** Noted with what came of it, where the carrier is asked: see test/platform/processes/registration.test.ts. */
const NOTED_BEHIND = ['POST /admin/accounts/{id}/register', 'POST /admin/accounts/{id}/unregister'];

const tokenId = async (): Promise<string> => (await api.admin('POST', '/admin/shippers/shop/tokens')).data.id;
const heldDispatch = async (): Promise<number> => {
  const shipper = await api.newShipper();
  api.state.answering = () => held('fail');
  await shipper.create(leastOrder());
  const { rows } = await api.database.pool.query('select max(id) as id from dispatches');
  return rows[0].id;
};
const last = async () => (await api.admin('GET', '/admin/audit?limit=1')).data.data[0];

it('notes every change that an admin makes, once it is made', async () => {
  await api.newShipper('shop');
  const { paths } = (await api.call({ url: '/openapi.json' })).data as { paths: Record<string, object> };
  const writes = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((route) => !route.startsWith('GET '));
  expect(writes.toSorted()).toEqual([...Object.keys(WRITES), ...NOTED_BEHIND].toSorted());
  for (const [route, write] of Object.entries(WRITES)) {
    const [url, body, action] = await write();
    const before = await last();
    const { statusCode, body: said } = await api.admin(route.split(' ')[0] as 'POST', url, body);
    expect(statusCode, `${route}: ${said}`).toBe(200);
    const noted = await last();
    expect(noted.id, route).toBeGreaterThan(before.id);
    expect(noted, route).toMatchObject({ actor: 'admin', action: expect.stringMatching(new RegExp(`^${action}`)) });
  }
});

it('leads from page to page, and finds by who, what and to what', async () => {
  const seen: number[] = [];
  for (let before = ''; ;) {
    const { data } = (await api.admin('GET', `/admin/audit?limit=3${before}`)) as { data: Page };
    seen.push(...data.data.map(({ id }) => id));
    if (data.nextBefore === undefined) break;
    before = `&before=${data.nextBefore}`;
  }
  expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  expect(new Set(seen).size).toBe(seen.length);
  const { rows } = await api.database.pool.query('select count(*) from audit_log');
  expect(seen).toHaveLength(rows[0].count);
  const reloads = (await api.admin('GET', '/admin/audit?actor=admin&action=reload&subject=carriers')).data.data;
  expect(reloads).toMatchObject([{ actor: 'admin', action: 'reload', subject: 'carriers' }]);
  expect((await api.admin('GET', '/admin/audit?since=2999-01-01T00:00:00Z')).data.data).toEqual([]);
});

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly nextBefore?: number;
}
