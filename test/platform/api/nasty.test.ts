import { expect, it } from 'vitest';
import { nastyRequest, type Operation } from '../../chaos/house/nasty.ts';
import { watchShared } from '../../chaos/preload/shared.ts';
import { randomOf } from '../records/status-orders.ts';
import { apiUnderTest } from './harness.ts';

const api = apiUnderTest();
const REQUESTS = Number(process.env['FUZZ_RUNS'] ?? 250);

it('no route answers anything with a 500, and nothing that everybody shares is changed', async () => {
  const changed = watchShared();
  const shipper = await api.newShipper();
  const admin = api.admin;
  const carrier = api.as(String((await admin('POST', '/admin/carriers/acme/tokens', {})).data.token));
  const document = (await api.app().inject('/openapi.json')).json<{ paths: Record<string, object> }>();
  const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  for (let seed = 1; seed <= REQUESTS; seed += 1) {
    const random = randomOf(seed);
    const operation = operations[Math.floor(random() * operations.length)];
    if (operation === undefined) throw new Error('there are no routes');
    const { method, url, body, headers } = nastyRequest(operation, seed, random);
    const as = url.startsWith('/admin') ? admin : /\/carriers\/[^/]*\/statuses/.test(url) ? carrier : shipper;
    const path = url.replace(/^\/v2\/carriers\/[^/]*\/statuses/, '/v2/carriers/acme/statuses');
    // Of other types all but carriers' are refused at the door.
    const type = path.includes('/carriers/') ? {} : { 'content-type': 'application/json' };
    const answer = await as(method as 'GET', path, body, { ...headers, ...(body === undefined ? {} : type) });
    expect(answer.statusCode, `seed ${seed}: ${method} ${path}`).toBeLessThan(500);
  }
  expect(changed()).toEqual([]);
});
