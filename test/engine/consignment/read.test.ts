import { describe, expect, test } from 'vitest';
import {
  carrierCodeOf,
  orderNumberOf,
  readCancel,
  readOrder,
  referenceNumberOf,
} from '../../../src/engine/consignment/read.ts';
import { changed, leastOrder, messagesOf } from './orders.ts';

const messages = (body: unknown): readonly string[] => messagesOf(readOrder(body, 'OP'));
const messagesWith = (changes: Readonly<Record<string, unknown>>) => messages(changed(leastOrder(), changes));
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
    expect(messagesWith({ [path]: value })).toEqual(expected);
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

const NOT_STORABLE = 'must not contain NUL or half a surrogate pair';
describe('the bounds of a request', () => {
  test.each([
    ['depth', { own: nested(5_000) }, ' must not be nested deeper than 24 levels'],
    ['the length of a text', { own: 'x'.repeat(20_001) }, 'own must not be longer than 20000 characters'],
    ['the number of values', { own: Array(60_000).fill(0) }, 'the request must not hold more than 50000 values'],
    ['the length of a name', { ['k'.repeat(201)]: 1 }, ' must not have a name longer than 200 characters'],
    ['a known text that cannot be stored', { 'shipTo.contact.name': 'a\0b' }, `shipTo.contact.name ${NOT_STORABLE}`],
    ['a text in a list', { list: ['ok', '\uD800'] }, `list[1] ${NOT_STORABLE}`],
    ['a name', { 'a\0': 1 }, 'a must not have NUL or half a surrogate pair in its name'],
  ])('hold for fields it does not know: %s', (_, changes, message) => {
    expect(messagesWith({ own: nested(10), ...changes })).toEqual([expect.stringContaining(message)]);
  });
});

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
    expect(messagesOf(readCancel(body))).toEqual(expected);
  });
});

const namesOf = (body: unknown) => [referenceNumberOf(body), orderNumberOf(body), carrierCodeOf(body)];

describe('before it is checked, a request', () => {
  test.each<[unknown, readonly string[]]>([
    [leastOrder(), ['REF-1', 'ORD-1', 'acme']],
    ...[null, 'text', [], {}, { consignmentDetails: null, carrier: [] }].map((body): [unknown, []] => [body, []]),
    ...[5, '', ' ', 'R'.repeat(101), ['R'], null].map((referenceNumber): [unknown, []] => [
      { consignmentDetails: { referenceNumber } },
      [],
    ]),
  ])('%j is known by %j', (body, [reference, number, carrier]) => {
    expect(namesOf(body)).toEqual([reference, number, carrier]);
  });
});
