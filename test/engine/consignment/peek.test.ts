import { expect, test } from 'vitest';
import { carrierCodeOf, orderNumberOf, referenceNumberOf } from '../../../src/engine/consignment/read.ts';
import { leastOrder } from './orders.ts';

test('an order is known by its reference and carrier before it is checked', () => {
  expect(referenceNumberOf(leastOrder())).toBe('REF-1');
  expect(orderNumberOf(leastOrder())).toBe('ORD-1');
  expect(carrierCodeOf(leastOrder())).toBe('acme');
});

test.each([null, 'text', [], {}, { consignmentDetails: null, carrier: [] }])('%j is not known by anything', (body) => {
  expect([referenceNumberOf(body), orderNumberOf(body), carrierCodeOf(body)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([5, '', ' ', 'R'.repeat(101), ['R'], null])('%j is no reference', (referenceNumber) => {
  expect(referenceNumberOf({ consignmentDetails: { referenceNumber } })).toBeUndefined();
});
