import { expect, it } from 'vitest';
import { held } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();

it('has one way of pages: a cursor that leads to all, once, and an end', async () => {
  const { code } = await api.shop.opened();
  api.carrier.answers(held('fail'));
  for (const reference of ['L-1', 'L-2', 'L-3']) await api.shop.create(order({}, reference));
  await api.issue(`shippers/${code}`);
  const lists = { '/admin/dispatches/held': 'id', '/admin/audit': 'id', [`/admin/tokens?shipper=${code}`]: 'id' };
  for (const [url, name] of Object.entries(lists)) {
    const by = url.includes('?') ? '&' : '?';
    const all = (await api.admin.get(`${url}${by}limit=500`)).body;
    expect(all, url).not.toHaveProperty('nextCursor');
    const seen: unknown[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { body } = await api.admin.get(`${url}${by}limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(body.data, url).toHaveLength(1);
      seen.push(body.data[0][name]);
      cursor = body.nextCursor;
    }
    expect(seen, url).toEqual(all.data.map((one: Record<string, unknown>) => one[name]));
  }
});

it.each([
  ['/admin/audit?cursor=abc', 'cursor is none that we gave'],
  [`/admin/audit?cursor=${Buffer.from('["x"]').toString('base64url')}`, 'cursor is none that we gave'],
  [`/admin/audit?before=1&cursor=${Buffer.from('["1"]').toString('base64url')}`, 'cursor or before, not both'],
  ['/admin/audit?limit=0', 'limit must be a whole number greater than 0'],
  ['/v2/facilities?after=1', 'after is not a known field'],
])('is 400 for a page that cannot be: %s', async (url, message) => {
  const { status, text } = await (url.startsWith('/admin') ? api.admin : api.shop).get(url);
  expect(status).toBe(400);
  expect(text).toContain(message);
});
