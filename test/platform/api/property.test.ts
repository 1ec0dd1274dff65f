import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NASTY, nastyRequest, type Operation } from '../../chaos/hostile/nasty.ts';
import { watchShared } from '../../chaos/preload/shared.ts';
import { brokenBy, leastOrder, placesOf } from '../../engine/consignment/orders.ts';
import { randomOf } from '../../support/random.ts';
import { PROFILE_NAMES, profiles, unslottedOrder } from '../../engine/consignment/fields.ts';
import { apiWorld, JSON_TYPE, type Method } from './world.ts';

const holds = async <Value>(
  values: fc.Arbitrary<Value>,
  numRuns: number,
  check: (value: Value) => Promise<void>,
  example?: Value,
) => await fc.assert(fc.asyncProperty(values, check), { numRuns, examples: example === undefined ? [] : [[example]] });

/** Each answer is checked against the OpenAPI document: test/support/answers.ts. */
describe('whatever a shipper sends', () => {
  const api = apiWorld({}, { profiles });
  const { shop } = api;
  const nasty = fc.oneof(fc.constantFrom(undefined, ...NASTY), fc.jsonValue());
  const brokenAt = (body: unknown, maxLength = 3) =>
    fc.array(fc.tuple(fc.constantFrom(...placesOf(body)), nasty), { minLength: 1, maxLength });
  const anyProfile = fc.constantFrom(...PROFILE_NAMES);

  it('is answered in the specification’s shape, and never with a 500', async () => {
    const seen = new Set<number>();
    let count = 0;
    const broken = anyProfile.chain((profile) =>
      fc.tuple(fc.constant(profile), brokenAt(unslottedOrder(profile, 'REF')), fc.boolean()),
    );
    await holds(
      broken,
      300,
      async ([profile, changes, isKeyed]) => {
        count += 1;
        const body = brokenBy(unslottedOrder(profile, `REF-${count}`), changes);
        const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `k-${count}` } : {};
        const { status } = await shop.create(body, headers);
        seen.add(status);
        expect([200, 400, 409, 422]).toContain(status);
        expect([200, 400, 404, 409, 422]).toContain((await shop.update(body, headers)).status);
      },
      ['OP', [['carrier.code', 'nobody']], false],
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 422]));
  });

  it('also to the other routes that it may write to', async () => {
    await shop.create();
    const { contact, address } = leastOrder().shipFrom;
    const change = { consignmentDetails: { referenceNumber: 'REF-1' }, shipTo: { city: 'x' } };
    const redelivery = { webhookId: 'w', state: 'failed', since: '2026-05-01T00:00:00Z' };
    const routes = [
      ['PUT', '/v2/facilities/NORTH', { name: 'x', contact, address, timezone: 'Europe/Berlin' }, [200, 400]],
      ['POST', '/v2/webhooks', { url: 'https://shop.example', orderTypes: ['FORWARD'] }, [200, 400, 409]],
      ['POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber: 'X', remark: 'y' }] }, [200, 400]],
      ['POST', '/v2/webhooks/redeliveries', redelivery, [200, 400]],
      ['PUT', '/v2/consignments', change, [200, 400, 404, 409, 422]],
    ] as const;
    const broken = fc.constantFrom(...routes).chain((route) => fc.tuple(fc.constant(route), brokenAt(route[2], 2)));
    await holds(broken, 150, async ([[method, url, body, statuses], changes]) => {
      const { status, text } = await shop.request(method, url, brokenBy(body, changes));
      expect(statuses, text).toContain(status);
    });
  });

  it('also where it is no order at all', async () => {
    await holds(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), 60, async (payload) => {
      for (const [method, url] of [
        ['POST', '/v2/consignments'],
        ['PUT', '/api/v2/consignments'],
        ['POST', '/v2/consignments-cancel'],
        ['POST', '/v2/webhooks'],
      ] as const)
        expect((await shop.request(method, url, payload, JSON_TYPE)).status).toBe(400);
    });
  });

  it('also where it asks for what cannot be', async () => {
    await holds(fc.string({ unit: 'binary', minLength: 1 }), 100, async (text) => {
      // A lone surrogate cannot stand in a URL.
      const part = encodeURIComponent(text.toWellFormed());
      expect([200, 400, 404]).toContain((await shop.get(`/v2/consignments?referenceNumber=${part}`)).status);
      expect([200, 400, 404]).toContain((await shop.get(`/v2/webhooks/deliveries?${part}=${part}`)).status);
      expect([400, 404]).toContain((await shop.retry(part)).status);
      expect([400, 401, 404]).toContain((await shop.get(`/v2/labels/${part}`)).status);
      expect([400, 404]).toContain((await shop.delete(`/v2/webhooks/${part}`)).status);
    });
  });

  it('no route answers anything with a 500, and nothing that everybody shares is changed', async () => {
    const changed = watchShared();
    const carrier = api.as((await api.issue('carriers/acme')).token);
    const { paths } = (await api.call({ url: '/openapi.json' })).body as { paths: Record<string, object> };
    const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    );
    expect(operations).not.toEqual([]);
    for (let seed = 1; seed <= Number(process.env['FUZZ_RUNS'] ?? 250); seed += 1) {
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
});
