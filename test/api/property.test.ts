import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changed, fullOrder } from '../order/orders.ts';
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
const breakIt = (reference: string, changes: readonly [string, unknown][]): unknown => {
  let body = changed(fullOrder(), { 'consignmentDetails.referenceNumber': reference });
  for (const [path, value] of changes) {
    try {
      body = changed(body, { [path]: value });
    } catch {
      continue;
    }
  }
  return body;
};

describe('whatever a shipper sends', () => {
  const api = apiUnderTest();
  const broken = fc.array(
    fc.tuple(fc.constantFrom(...placesOf(fullOrder())), fc.oneof(fc.constantFrom(...NASTY), fc.jsonValue())),
    { minLength: 1, maxLength: 3 },
  );
  it('is answered in the specification’s shape, and never with a 500', { timeout: 90_000 }, async () => {
    const shipper = await api.newShipper();
    api.state.answering = accepts();
    const seen = new Set<number>();
    let count = 0;
    const property = fc.asyncProperty(broken, fc.boolean(), async (changes, isKeyed) => {
      count += 1;
      const body = breakIt(`REF-${count}`, changes);
      const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `k-${count}` } : {};
      const created = await shipper('POST', '/v2/consignments', body, headers);
      seen.add(created.statusCode);
      expect([200, 400, 409, 422]).toContain(created.statusCode);
      const updated = await shipper('PUT', '/v2/consignments', body, headers);
      expect([200, 400, 404, 409, 422]).toContain(updated.statusCode);
    });
    await fc.assert(property, { numRuns: 500 });
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 422]));
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
