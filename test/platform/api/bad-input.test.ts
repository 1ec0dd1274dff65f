import { describe, expect, it } from 'vitest';
import { put } from '../../engine/consignment/orders.ts';
import { profiles, wholeOrder } from './four-profiles.ts';
import { accepts, apiUnderTest } from './harness.ts';
import { LEVELS } from './spec-levels.ts';

const api = apiUnderTest({}, { profiles });

/** Emoji of several code points, right-to-left with its marks, combining, astral, and what normalising would change. */
const TEXT = '👩🏽‍🚒 שלום \u202Eعربى\u202C e\u0301 ﬁ 𠮷 \uFEFF\u200D';

describe('text of any script', () => {
  it('is kept to the byte in every field that is text, and comes back so', async () => {
    const shipper = await api.newShipper();
    api.state.answering = accepts(false);
    const order = wholeOrder('OB', 'REF');
    const texts = LEVELS.filter(([, , , right]) => right === 'Example').map(([, path]) => path);
    expect(texts.length).toBeGreaterThan(20);
    for (const path of texts) put(order, path, TEXT);
    put(order, 'consignmentDetails.referenceNumber', TEXT);
    put(order, `shipTo.address.${TEXT}`, TEXT);
    const { statusCode, body, data } = await shipper.create(order);
    expect(statusCode, body).toBe(200);
    expect(data.data[0].referenceNumber).toBe(TEXT);
    const { rows } = await api.database.pool.query('select order_text, canonical from consignments');
    expect(JSON.parse(rows[0].order_text)).toEqual(order);
    expect(Buffer.from(JSON.parse(rows[0].canonical).destinationLandmark ?? TEXT).equals(Buffer.from(TEXT))).toBe(true);
    const read = await shipper('GET', `/v2/consignments?referenceNumber=${encodeURIComponent(TEXT)}`);
    expect(read.data.data[0].referenceNumber).toBe(TEXT);
  });
});

const RAW: readonly (readonly [string, string])[] = [
  ['NaN', '{"consignmentDetails":{"totalWeight":NaN}}'],
  ['an infinite number', '{"consignmentDetails":{"referenceNumber":"R","totalWeight":1e999}}'],
  ['NUL', '{"consignmentDetails":{"referenceNumber":"a\\u0000b"}}'],
  ['half a surrogate pair', '{"consignmentDetails":{"referenceNumber":"\\ud83d"}}'],
  ['half a pair in a name', '{"consignmentDetails":{"referenceNumber":"R","\\ude00":1}}'],
  ['__proto__', '{"__proto__":{"isAdmin":true},"consignmentDetails":{"referenceNumber":"R"}}'],
  ['__proto__ further in', '{"consignmentDetails":{"referenceNumber":"R","__proto__":{"x":1}}}'],
  ['deep nesting', `{"consignmentDetails":{"referenceNumber":"R"},"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ['null', 'null'],
  ['a list', '[]'],
  ['a number', '12'],
];

describe.each([
  ['POST', '/v2/consignments'],
  ['PUT', '/v2/consignments'],
  ['PUT', '/api/v2/consignments'],
  ['POST', '/v2/consignments-cancel'],
  ['POST', '/v2/webhooks'],
  ['PUT', '/v2/facilities/NORTH'],
] as const)('%s %s', (method, url) => {
  it.each(RAW)('refuses %s with 400', async (_, body) => {
    const shipper = await api.newShipper();
    const { statusCode, data } = await shipper(method, url, body, { 'content-type': 'application/json' });
    expect(statusCode).toBe(400);
    expect(data.errors[0].details.length).toBeGreaterThan(0);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });
});
