import { describe, expect, test } from 'vitest';
import { readCancel, readOrder } from '../../../src/engine/consignment/read.ts';
import { changed, leastOrder } from './orders.ts';

const messages = (body: unknown): readonly string[] => {
  const read = readOrder(body, 'OP');
  return read.ok ? [] : read.issues.map(({ message }) => message);
};
const D = 'consignmentDetails.';

describe('the structure of an order', () => {
  test.each([
    [`${D}consignmentType`, 'SIDEWARD', 'must be one of FORWARD, REVERSE'],
    [`${D}totalWeightUom`, 'kg', 'must be one of KG, LB'],
    [`${D}packageDetails[0].dimensionUom`, 'MM', 'must be one of CM, IN'],
    [`${D}paymentTobeCollected.paymentMode`, 'CREDIT', 'must be one of PREPAID, COD'],
    [`${D}labelFormat`, 'PNG', 'must be one of PDF, ZPL'],
    [`${D}vas[0].level`, 'ITEM', 'must be one of SKU, CONSIGNMENT'],
    ['shipTo.address.type', 'BUSINESS', 'must be one of FACILITY, Residential'],
    [`${D}totalWeight`, '2.5', 'must be a number'],
    [`${D}totalQuantity`, 1.5, 'must be an integer'],
    [`${D}packageDetails[0].quantity`, '1', 'must be an integer'],
    [`${D}packageDetails`, [], 'must have at least one entry'],
    [`${D}packageDetails`, {}, 'must be an array'],
    [`${D}referenceNumber`, undefined, 'is required'],
    [`${D}referenceNumber`, '  ', 'must not be blank'],
    [`${D}referenceNumber`, 17, 'must be a string'],
    [`${D}referenceNumber`, null, 'must be a string'],
    [`${D}referenceNumber`, 'R'.repeat(101), 'must not be longer than 100 characters'],
    [`${D}shipByDate`, '2026-02-30', 'must be a date written YYYY-MM-DD'],
    [`${D}shipByDate`, '01/05/2026', 'must be a date written YYYY-MM-DD'],
    ['shipFrom.pickupStartDateTime', '2026-05-01T09:00:00Z', 'must be a date and time written YYYY-MM-DD HH:MM:SS'],
    ['shipFrom.timezone', 'IST', 'must be the name of an IANA time zone, such as Asia/Kolkata'],
    ['shipFrom.timezone', '+05:30', 'must be the name of an IANA time zone, such as Asia/Kolkata'],
    ['shipTo.timezone', 'Asia/Kolkata', undefined],
    ['shipFrom.address.country', 'UK', 'must be a country code of ISO 3166-1 alpha-2, such as DE'],
    ['shipTo.address.country', 'EU', 'must be a country code of ISO 3166-1 alpha-2, such as DE'],
    ['shipTo.address.country', 'ZZ', 'must be a country code of ISO 3166-1 alpha-2, such as DE'],
    [
      `${D}packageDetails[0].trackingDetails[0].labelUrl`,
      'ftp://example.com',
      'must be a URL that begins with http:// or https://',
    ],
    ['shipTo.contact', undefined, 'is required'],
    ['shipTo.address.county', undefined, 'is required'],
    ['carrier.code', '', 'must not be blank'],
  ])('with %s as %j: %s', (path, value, says) => {
    const expected = says === undefined ? [] : [`${path} ${says}`];
    expect(messages(changed(leastOrder(), { [path]: value }))).toEqual(expected);
  });

  test('keeps fields it does not know', () => {
    const order = changed(leastOrder(), { 'shipTo.gateCode': '4711', own: { deep: true } });
    expect(readOrder(order, 'OP')).toEqual({ ok: true, value: order });
  });

  test.each([null, 'text', 3, [], true])('is not %j', (body) => {
    expect(messages(body)).toEqual(['the request must be an object']);
  });
});

const nested = (depth: number): unknown => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));

describe('the bounds of a request', () => {
  test('hold for fields it does not know', () => {
    expect(messages(changed(leastOrder(), { own: nested(10) }))).toEqual([]);
    expect(messages(changed(leastOrder(), { own: nested(5_000) }))[0]).toMatch(/must not be nested deeper than 24/);
    expect(messages(changed(leastOrder(), { own: 'x'.repeat(20_001) }))).toEqual([
      'own must not be longer than 20000 characters',
    ]);
    expect(messages(changed(leastOrder(), { own: Array.from({ length: 60_000 }, () => 0) }))).toEqual([
      'the request must not hold more than 50000 values',
    ]);
    expect(messages({ ['k'.repeat(201)]: 1 })[0]).toMatch(/must not have a name longer than 200 characters/);
  });

  test('refuse text that the records cannot hold, by name', () => {
    expect(messages(changed(leastOrder(), { 'shipTo.contact.name': 'a\0b' }))).toEqual([
      'shipTo.contact.name must not contain NUL or half a surrogate pair',
    ]);
    expect(messages(changed(leastOrder(), { list: ['ok', '\uD800'] }))).toEqual([
      'list[1] must not contain NUL or half a surrogate pair',
    ]);
    expect(messages({ 'a\0': 1 })).toEqual(['a must not have NUL or half a surrogate pair in its name']);
  });
});

const wrong = (body: unknown): readonly string[] => {
  const read = readCancel(body);
  return read.ok ? [] : read.issues.map(({ message }) => message);
};

describe('a cancel request', () => {
  test('names one consignment or many', () => {
    const body = {
      consignments: [{ referenceNumber: 'REF-1', remark: 'changed their mind' }, { referenceNumber: 'REF-2' }],
    };
    expect(readCancel(body)).toEqual({ ok: true, value: body });
  });

  test.each([
    [{}, ['consignments is required']],
    [{ consignments: [] }, ['consignments must have at least one entry']],
    [{ consignments: [{}] }, ['consignments[0].referenceNumber is required']],
    [{ consignments: [{ referenceNumber: '' }] }, ['consignments[0].referenceNumber must not be blank']],
    [{ consignments: [{ referenceNumber: 'R', remark: 5 }] }, ['consignments[0].remark must be a string']],
    [
      { consignments: [{ referenceNumber: '\0' }] },
      ['consignments[0].referenceNumber must not contain NUL or half a surrogate pair'],
    ],
  ])('%j is told %j', (body, expected) => {
    expect(wrong(body)).toEqual(expected);
  });
});
