import { describe, expect, test } from 'vitest';
import { ALIASES, type Merged, mergeUpdate, readUpdate } from '../../../src/engine/consignment/update.ts';
import { readOrder } from '../../../src/engine/consignment/read.ts';
import type { Order } from '../../../src/engine/consignment/order.ts';
import { changed, fullOrder, leastOrder, peekAt } from './orders.ts';

const current = (): Order =>
  changed(fullOrder(), {
    'consignmentDetails.packageDetails[0].tags': ['Fragile'],
    'shipTo.contact.email': 'bob@example.com',
    'shipTo.gateCode': '4711',
    'consignmentDetails.skuDetails': [{ lineItemNo: '10', code: 'A', name: 'Lamp' }],
    'consignmentDetails.vas': [{ vasCode: 'INSTALLATION' }],
  });

const whole = (part: Record<string, unknown>) => ({ consignmentDetails: { referenceNumber: 'REF-1' }, ...part });
const details = (part: Record<string, unknown>) => ({ consignmentDetails: { referenceNumber: 'REF-1', ...part } });

const structureOf = (body: unknown): readonly string[] => {
  const read = readUpdate(body, 'OB', current());
  return read.ok ? [] : read.issues.map(({ message }) => message);
};
const merge = (body: unknown, order = current(), labelExists = false): Merged => {
  const read = readUpdate(body, 'OB', order);
  if (!read.ok) throw new Error(read.issues.map(({ message }) => message).join('; '));
  return mergeUpdate(order, read.value, { labelExists });
};
const merged = (body: unknown): Order => {
  const result = merge(body);
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join('; '));
  return result.order;
};
const breaches = (body: unknown, labelExists = false): readonly string[] => {
  const result = merge(body, current(), labelExists);
  return result.ok ? [] : result.issues.map(({ message }) => message);
};

describe('an update', () => {
  test('needs its reference, and nothing else', () => {
    expect(structureOf({})).toEqual(['consignmentDetails is required']);
    expect(structureOf({ consignmentDetails: {} })).toEqual(['consignmentDetails.referenceNumber is required']);
    expect(merged(details({}))).toEqual(current());
  });

  test('changes what is supplied and leaves the rest', () => {
    const order = merged(details({ deliveryInstructions: 'Back door', totalWeight: 3 }));
    expect(order).toEqual(
      changed(current(), {
        'consignmentDetails.deliveryInstructions': 'Back door',
        'consignmentDetails.totalWeight': 3,
      }),
    );
  });

  test('includes whole objects only, in the structure of a create', () => {
    expect(structureOf(whole({ shipTo: { contact: { name: 'Dan Example' } } }))).toEqual(
      expect.arrayContaining(['shipTo.address is required', 'shipTo.contact.contactNumber is required']),
    );
    expect(structureOf(details({ packageDetails: [{ id: 'P1', weight: 3 }] }))).toContain(
      'consignmentDetails.packageDetails[0].weightUom is required',
    );
    expect(structureOf(whole({ carrier: {} }))).toEqual(['carrier.code is required']);
  });

  test('judges the types of what it brings', () => {
    expect(structureOf(details({ totalWeight: '3' }))).toEqual(['consignmentDetails.totalWeight must be a number']);
    expect(structureOf([])).toEqual(['the request must be an object']);
    expect(structureOf(details({ own: 'a\0' }))).toEqual([
      'consignmentDetails.own must not contain NUL or half a surrogate pair',
    ]);
  });

  test('of a party keeps the fields that are left out of it', () => {
    const { shipTo } = leastOrder();
    const order = merged(
      whole({
        shipTo: {
          ...shipTo,
          contact: { name: 'Dan Example', contactNumber: '1' },
          deliveryStartDateTime: '2026-05-05 09:00:00',
          deliveryEndDateTime: '2026-05-05 12:00:00',
        },
      }),
    );
    expect(order.shipTo.contact).toEqual({ name: 'Dan Example', contactNumber: '1', email: 'bob@example.com' });
    expect(order.shipTo).toMatchObject({ gateCode: '4711', deliveryStartDateTime: '2026-05-05 09:00:00' });
  });

  test('corrects a package, known by its id, which keeps its other fields', () => {
    const [first] = fullOrder().consignmentDetails.packageDetails;
    const order = merged(details({ packageDetails: [{ ...first, weight: 9 }] }));
    expect(order.consignmentDetails.packageDetails).toEqual([{ ...first, weight: 9, tags: ['Fragile'] }]);
  });

  test('supplies lists whole: what it adds is added, what it omits is gone', () => {
    const order = merged(
      details({
        vas: [{ vasCode: 'INSTALLATION' }, { vasCode: 'HAUL_AWAY_OLD' }],
        skuDetails: [{ lineItemNo: '10', quantity: 1 }],
      }),
    );
    expect(order.consignmentDetails.vas).toEqual([{ vasCode: 'INSTALLATION' }, { vasCode: 'HAUL_AWAY_OLD' }]);
    expect(order.consignmentDetails.skuDetails).toEqual([{ lineItemNo: '10', code: 'A', name: 'Lamp', quantity: 1 }]);
    expect(merged(details({ vas: [] })).consignmentDetails.vas).toEqual([]);
  });

  test('does not drop a package by leaving it out, unless it says how many are left', () => {
    const [first] = fullOrder().consignmentDetails.packageDetails;
    const packageDetails = [{ ...first, id: 'P2' }];
    expect(breaches(details({ packageDetails }))).toEqual([
      'consignmentDetails.packageDetails leaves out P1: supply every package, or totalQuantity with their new number',
    ]);
    expect(breaches(details({ packageDetails, totalQuantity: 1 }))).toEqual([]);
  });

  test('cannot change the order number', () => {
    expect(breaches(details({ orderNumber: 'ORD-2' }))).toEqual(['consignmentDetails.orderNumber cannot be changed']);
    expect(breaches(details({ orderNumber: 'ORD-1' }))).toEqual([]);
  });

  test('cannot change the carrier once a label exists', () => {
    expect(breaches(whole({ carrier: { code: 'other' } }), true)).toEqual([
      'carrier.code cannot be changed once a label exists',
    ]);
    expect(breaches(whole({ carrier: { code: 'other' } }))).toEqual([]);
    expect(breaches(whole({ carrier: { code: 'acme' } }), true)).toEqual([]);
  });

  test('changes neither the order nor the request it was made from', () => {
    const order = current();
    const body = details({ vas: [] });
    merge(body, order);
    expect(order).toEqual(current());
    expect(body).toEqual(details({ vas: [] }));
  });

  test('cannot reach a prototype', () => {
    const body = JSON.parse('{"consignmentDetails": {"referenceNumber": "REF-1", "__proto__": {"fragile": true}}}');
    const order = merged(body);
    expect(Object.getPrototypeOf(order.consignmentDetails)).toBe(Object.prototype);
    expect(order.consignmentDetails.fragile).toBeUndefined();
  });
});

describe('the flat names of an update', () => {
  test.each(Object.entries(ALIASES))('%s stands for %j', (name, path) => {
    const value = name === 'country' ? 'NP' : 'new';
    for (const party of ['shipFrom', 'shipTo']) {
      const order = merged(whole({ [party]: { [name]: value } }));
      expect(order).toEqual(changed(current(), { [`${party}.${path.join('.')}`]: value }));
    }
  });

  test('make the sample of the API an update', () => {
    const order = merged(
      whole({
        shipTo: {
          contactName: 'Dan Example',
          phoneNumber: '+91 1',
          addressLine1: '8 Example Road',
          city: 'Mumbai',
          state: 'MH',
          pinCode: '400050',
        },
      }),
    );
    expect(order.shipTo.contact).toEqual({ name: 'Dan Example', contactNumber: '+91 1', email: 'bob@example.com' });
    expect(order.shipTo.address).toEqual({
      line1: '8 Example Road',
      city: 'Mumbai',
      state: 'MH',
      pincode: '400050',
      county: 'Fort',
      country: 'IN',
    });
    expect(peekAt(order, 'shipTo.contactName')).toBeUndefined();
    expect(readOrder(order, 'OB')).toMatchObject({ ok: true });
  });

  test('are judged like the names they stand for', () => {
    expect(structureOf(whole({ shipTo: { pinCode: 400050 } }))).toEqual(['shipTo.address.pincode must be a string']);
    expect(structureOf(whole({ shipTo: { country: 'UK' } }))).toEqual([
      'shipTo.address.country must be a country code of ISO 3166-1 alpha-2, such as DE',
    ]);
  });

  test('must not contradict them', () => {
    const { shipTo } = leastOrder();
    expect(structureOf(whole({ shipTo: { ...shipTo, contactName: 'Someone Else' } }))).toEqual([
      'shipTo.contactName contradicts shipTo.contact.name',
    ]);
    expect(structureOf(whole({ shipTo: { ...shipTo, contactName: 'Bob Example' } }))).toEqual([]);
  });
});

test('two lines of one SKU are known again in their order, so that repeating them changes neither', () => {
  const skuDetails = [{ code: 'A' }, { code: 'A', vip: false }];
  const order = changed(fullOrder(), { 'consignmentDetails.skuDetails': skuDetails });
  const result = merge(details({ skuDetails }), order);
  expect(result.ok && result.order.consignmentDetails.skuDetails).toEqual(skuDetails);
});
