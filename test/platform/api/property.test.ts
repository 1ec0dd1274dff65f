import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastOrder, peekAt, put } from '../../engine/consignment/orders.ts';
import { optionalsOf, PROFILE_NAMES, profiles, wholeOrder } from './four-profiles.ts';
import { accepts, apiUnderTest } from './harness.ts';

/** Every place of an order: each object, list and value. */
const placesOf = (value: unknown, at = ''): string[] => [
  ...(at === '' ? [] : [at]),
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, held]) =>
        placesOf(held, Array.isArray(value) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`),
      )
    : []),
];

const NASTY: readonly unknown[] = [
  null,
  '',
  ' ',
  '0',
  'x'.repeat(25_000),
  '\u0000',
  '\uD800',
  '\u202E\uFEFF👩🏽‍🚒',
  '2026-02-30',
  '2026-03-29 02:30:00',
  "'; drop table consignments; --",
  '${credentials.token}',
  0,
  -1,
  1e308,
  2 ** 53,
  0.1,
  true,
  [],
  {},
  [[]],
  [null],
  { length: -1 },
  { toString: 1, valueOf: null, hasOwnProperty: 'x' },
  undefined,
];

// Some places lie in what another change has taken away.
const breakIt = (body: object, changes: readonly [string, unknown][]): object => {
  const broken = structuredClone(body);
  for (const [path, value] of changes) {
    try {
      put(broken, path, value);
    } catch {
      continue;
    }
  }
  return broken;
};

/** Each answer is checked against the OpenAPI document: test/support/answers.ts. */
describe('whatever a shipper sends', () => {
  const api = apiUnderTest({}, { profiles });
  const nasty = fc.oneof(fc.constantFrom(...NASTY), fc.jsonValue());
  const brokenAt = (body: unknown, maxLength = 3) =>
    fc.array(fc.tuple(fc.constantFrom(...placesOf(body)), nasty), { minLength: 1, maxLength });
  const anyProfile = fc.constantFrom(...PROFILE_NAMES);

  it(
    'is taken when it is right, by each profile, whatever it leaves out that it may',
    { timeout: 90_000 },
    async () => {
      const shipper = await api.newShipper();
      api.state.answering = accepts(false);
      let count = 0;
      const valid = anyProfile.chain((profile) =>
        fc.tuple(fc.constant(profile), fc.subarray([...optionalsOf(profile)])),
      );
      const property = fc.asyncProperty(valid, async ([profile, left]) => {
        count += 1;
        const order = wholeOrder(profile, `VALID-${count}`);
        for (const path of left) if (peekAt(order, path) !== undefined) put(order, path, undefined);
        const { statusCode, body } = await shipper.create(order);
        // Rules that bind fields together may be broken; the structure is not.
        expect([200, 422], body).toContain(statusCode);
      });
      await fc.assert(property, { numRuns: 80 });
    },
  );

  it('is answered in the specification’s shape, and never with a 500', { timeout: 120_000 }, async () => {
    const shipper = await api.newShipper();
    const seen = new Set<number>();
    let count = 0;
    const broken = anyProfile.chain((profile) => fc.tuple(fc.constant(profile), brokenAt(wholeOrder(profile, 'REF'))));
    const property = fc.asyncProperty(broken, fc.boolean(), async ([profile, changes], isKeyed) => {
      count += 1;
      const body = breakIt(wholeOrder(profile, `REF-${count}`), changes);
      const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `k-${count}` } : {};
      const created = await shipper.create(body, headers);
      seen.add(created.statusCode);
      expect([200, 400, 409, 422]).toContain(created.statusCode);
      const updated = await shipper.update(body, headers);
      expect([200, 400, 404, 409, 422]).toContain(updated.statusCode);
    });
    await fc.assert(property, { numRuns: 300 });
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 422]));
  });

  it('also to the other routes that it may write to', { timeout: 60_000 }, async () => {
    const shipper = await api.newShipper();
    await shipper.create(leastOrder());
    const { contact, address } = leastOrder().shipFrom;
    const routes = [
      ['PUT', '/v2/facilities/NORTH', { name: 'x', contact, address, timezone: 'Europe/Berlin' }, [200, 400]],
      ['POST', '/v2/webhooks', { url: 'https://shop.example', orderTypes: ['FORWARD'] }, [200, 400, 409]],
      ['POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber: 'X', remark: 'y' }] }, [200, 400]],
      [
        'POST',
        '/v2/webhooks/redeliveries',
        { webhookId: 'w', state: 'failed', since: '2026-05-01T00:00:00Z' },
        [200, 400],
      ],
      [
        'PUT',
        '/v2/consignments',
        { consignmentDetails: { referenceNumber: 'REF-1' }, shipTo: { city: 'x' } },
        [200, 400, 404, 409, 422],
      ],
    ] as const;
    const broken = fc
      .constantFrom(...routes)
      .chain(([method, url, body, statuses]) =>
        fc.tuple(fc.constant({ method, url, body, statuses }), brokenAt(body, 2)),
      );
    const property = fc.asyncProperty(broken, async ([{ method, url, body, statuses }, changes]) => {
      const { statusCode, body: text } = await shipper(method, url, breakIt(body, changes));
      expect(statuses, text).toContain(statusCode);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('also where it is no order at all', { timeout: 60_000 }, async () => {
    const shipper = await api.newShipper();
    const json = { 'content-type': 'application/json' };
    const property = fc.asyncProperty(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), async (payload) => {
      for (const [method, url] of [
        ['POST', '/v2/consignments'],
        ['PUT', '/api/v2/consignments'],
        ['POST', '/v2/consignments-cancel'],
        ['POST', '/v2/webhooks'],
      ] as const) {
        expect((await shipper(method, url, payload, json)).statusCode).toBe(400);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('also where it asks for what cannot be', { timeout: 60_000 }, async () => {
    const shipper = await api.newShipper();
    const property = fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (text) => {
      // A lone surrogate cannot stand in a URL.
      const part = encodeURIComponent(text.toWellFormed());
      for (const url of [`/v2/consignments?referenceNumber=${part}`, `/v2/webhooks/deliveries?${part}=${part}`]) {
        expect([200, 400, 404]).toContain((await shipper('GET', url)).statusCode);
      }
      expect([400, 404]).toContain((await shipper('POST', `/v2/consignments/${part}/dispatch`)).statusCode);
      expect([400, 401, 404]).toContain((await shipper('GET', `/v2/labels/${part}`)).statusCode);
      expect([400, 404]).toContain((await shipper('DELETE', `/v2/webhooks/${part}`)).statusCode);
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
