import { expect, it } from 'vitest';
import { nastyRequest, type Operation } from '../../chaos/house/nasty.ts';
import { watchShared } from '../../chaos/preload/shared.ts';
import { randomOf } from '../records/status-orders.ts';
import { apiWorld, JSON_TYPE, type Method } from './world.ts';

const api = apiWorld();
const REQUESTS = Number(process.env['FUZZ_RUNS'] ?? 250);

it('no route answers anything with a 500, and nothing that everybody shares is changed', async () => {
  const changed = watchShared();
  const carrier = api.as((await api.issue('carriers/acme')).token);
  const { paths } = (await api.call({ url: '/openapi.json' })).body as { paths: Record<string, object> };
  const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  expect(operations).not.toEqual([]);
  for (let seed = 1; seed <= REQUESTS; seed += 1) {
    const random = randomOf(seed);
    const operation = operations[Math.floor(random() * operations.length)]!;
    const { method, url, body, headers } = nastyRequest(operation, seed, random);
    const as = url.startsWith('/admin') ? api.admin : /\/carriers\/[^/]*\/statuses/.test(url) ? carrier : api.shop;
    const path = url.replace(/^\/v2\/carriers\/[^/]*\/statuses/, '/v2/carriers/acme/statuses');
    // Of other types all but carriers' are refused at the door.
    const type = body === undefined || path.includes('/carriers/') ? {} : JSON_TYPE;
    const { status } = await as.request(method as Method, path, body, { ...headers, ...type });
    expect(status, `seed ${seed}: ${method} ${path}`).toBeLessThan(500);
  }
  expect(changed()).toEqual([]);
});
