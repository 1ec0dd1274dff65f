import { describe, expect, test } from 'vitest';
import { ALIASES, changeFacilities, mergeUpdate, readUpdate } from '../../../src/engine/consignment/update.ts';
import { readOrder } from '../../../src/engine/consignment/read.ts';
import type { Order } from '../../../src/engine/consignment/order.ts';
import { changed, fullOrder, leastOrder, messagesOf, peekAt } from './orders.ts';

const current = (): Order =>
  changed(fullOrder(), {
    'consignmentDetails.packageDetails[0].tags': ['Fragile'],
    'shipTo.contact.email': 'bob@example.com',
    'shipTo.gateCode': '4711',
    'consignmentDetails.skuDetails': [{ lineItemNo: '10', code: 'A', name: 'Lamp' }],
    'consignmentDetails.vas': [{ vasCode: 'INSTALLATION' }],
  });

const whole = (part: object) => ({ consignmentDetails: { referenceNumber: 'REF-1' }, ...part });
const details = (part: object) => ({ consignmentDetails: { referenceNumber: 'REF-1', ...part } });
const packageWith = (fields: object) => ({
  packageDetails: [{ ...fullOrder().consignmentDetails.packageDetails[0], ...fields }],
});

const merge = (body: unknown, order = current(), labelExists = false) => {
  const read = readUpdate(body, 'OP', order);
  if (!read.ok) throw new Error(messagesOf(read).join('; '));
  return mergeUpdate(order, read.value, { labelExists });
};
const merged = (body: unknown, order = current()): Order => {
  const result = merge(body, order);
  if (!result.ok) throw new Error(messagesOf(result).join('; '));
  return result.order;
};

describe('an update', () => {
  const { shipTo } = leastOrder();

  test.each([
    ['needs its details', {}, ['consignmentDetails is required']],
    ['needs its reference', { consignmentDetails: {} }, ['consignmentDetails.referenceNumber is required']],
    ['includes a whole carrier', whole({ carrier: {} }), ['carrier.code is required']],
    ['is an object', [], ['the request must be an object']],
    ['has the types of a create', details({ totalWeight: '3' }), ['consignmentDetails.totalWeight must be a number']],
    [
      'has no text that cannot be stored',
      details({ own: 'a\0' }),
      ['consignmentDetails.own must not contain NUL or half a surrogate pair'],
    ],
    [
      'has flat names judged like those they stand for',
      whole({ shipTo: { pinCode: 400_050, country: 'UK' } }),
      [
        'shipTo.address.country must be a country code of ISO 3166-1 alpha-2, such as DE',
        'shipTo.address.pincode must be a string',
      ],
    ],
    [
      'has no flat name that contradicts',
      whole({ shipTo: { ...shipTo, contactName: 'Someone Else' } }),
      ['shipTo.contactName contradicts shipTo.contact.name'],
    ],
    ['may repeat a name', whole({ shipTo: { ...shipTo, contactName: 'Bob Example' } }), []],
  ])('%s', (_, body, expected) => {
    expect(messagesOf(readUpdate(body, 'OB', current())).toSorted()).toEqual(expected.toSorted());
  });

  test.each([
    [details({ packageDetails: [{ id: 'P1', weight: 3 }] }), 'consignmentDetails.packageDetails[0].weightUom'],
    [whole({ shipTo: { contact: { name: 'Dan Example' } } }), 'shipTo.address'],
    [whole({ shipTo: { contact: { name: 'Dan Example' } } }), 'shipTo.contact.contactNumber'],
  ])('includes whole objects only: %j lacks %s', (body, path) => {
    expect(messagesOf(readUpdate(body, 'OB', current()))).toContain(`${path} is required`);
  });

  test('changes what is supplied and leaves the rest', () => {
    expect(merged(details({}))).toEqual(current());
    expect(merged(details({ deliveryInstructions: 'Back door', totalWeight: 3 }))).toEqual(
      changed(current(), {
        'consignmentDetails.deliveryInstructions': 'Back door',
        'consignmentDetails.totalWeight': 3,
      }),
    );
  });

  test('of a party keeps the fields that are left out of it', () => {
    const contact = { name: 'Dan Example', contactNumber: '1' };
    const times = { deliveryStartDateTime: '2026-05-05 09:00:00', deliveryEndDateTime: '2026-05-05 12:00:00' };
    const order = merged(whole({ shipTo: { ...shipTo, contact, ...times } }));
    expect(order.shipTo.contact).toEqual({ ...contact, email: 'bob@example.com' });
    expect(order.shipTo).toMatchObject({ gateCode: '4711', deliveryStartDateTime: '2026-05-05 09:00:00' });
  });

  test('corrects a package, known by its id, which keeps its other fields', () => {
    expect(merged(details(packageWith({ weight: 9 }))).consignmentDetails.packageDetails).toEqual(
      packageWith({ weight: 9, tags: ['Fragile'] }).packageDetails,
    );
  });

  test('supplies lists whole: what it adds is added, what it omits is gone', () => {
    const vas = [{ vasCode: 'INSTALLATION' }, { vasCode: 'HAUL_AWAY_OLD' }];
    const order = merged(details({ vas, skuDetails: [{ lineItemNo: '10', quantity: 1 }] }));
    expect(order.consignmentDetails.vas).toEqual(vas);
    expect(order.consignmentDetails.skuDetails).toEqual([{ lineItemNo: '10', code: 'A', name: 'Lamp', quantity: 1 }]);
    expect(merged(details({ vas: [] })).consignmentDetails.vas).toEqual([]);
  });

  test('that repeats two lines of one SKU changes neither: they are known again in their order', () => {
    const skuDetails = [{ code: 'A' }, { code: 'A', vip: false }];
    const order = changed(fullOrder(), { 'consignmentDetails.skuDetails': skuDetails });
    expect(merged(details({ skuDetails }), order).consignmentDetails.skuDetails).toEqual(skuDetails);
  });

  const LEFT_OUT =
    'consignmentDetails.packageDetails leaves out P1: supply every package, or totalQuantity with their new number';
  const toOther = whole({ carrier: { code: 'other' } });
  test.each([
    ['cannot drop a package by leaving it out', details(packageWith({ id: 'P2' })), false, [LEFT_OUT]],
    [
      'can drop one where it says how many are left',
      details({ ...packageWith({ id: 'P2' }), totalQuantity: 1 }),
      false,
      [],
    ],
    [
      'cannot change the order number',
      details({ orderNumber: 'ORD-2' }),
      false,
      ['consignmentDetails.orderNumber is ORD-1 and cannot be changed; cancel the consignment and create it anew'],
    ],
    [
      'cannot change the consignment’s number or direction',
      details({ consignmentNumber: 'CON-2', consignmentType: 'REVERSE' }),
      false,
      [
        'consignmentDetails.consignmentNumber is CON-1 and cannot be changed; cancel the consignment and create it anew',
        'consignmentDetails.consignmentType is FORWARD and cannot be changed; cancel the consignment and create it anew',
      ],
    ],
    ['can repeat it', details({ orderNumber: 'ORD-1' }), false, []],
    ['can change the carrier before a label exists', toOther, false, []],
    [
      'cannot thereafter',
      toOther,
      true,
      ['carrier.code cannot be changed once a label exists; cancel the consignment and create it anew'],
    ],
    ['can repeat the carrier', whole({ carrier: { code: 'acme' } }), true, []],
  ])('%s', (_, body, labelExists, expected) => {
    expect(messagesOf(merge(body, current(), labelExists))).toEqual(expected);
  });

  test('changes neither the order nor the request it was made from', () => {
    const [order, body] = [current(), details({ vas: [] })];
    merge(body, order);
    expect([order, body]).toEqual([current(), details({ vas: [] })]);
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
    const sample = { contactName: 'Dan Example', phoneNumber: '+91 1', addressLine1: '8 Example Road' };
    const order = merged(whole({ shipTo: { ...sample, city: 'Mumbai', state: 'MH', pinCode: '400050' } }));
    expect(order).toEqual(
      changed(current(), {
        'shipTo.contact.name': 'Dan Example',
        'shipTo.contact.contactNumber': '+91 1',
        'shipTo.address.line1': '8 Example Road',
        'shipTo.address.city': 'Mumbai',
        'shipTo.address.state': 'MH',
        'shipTo.address.pincode': '400050',
      }),
    );
    expect(peekAt(order, 'shipTo.contactName')).toBeUndefined();
    expect(readOrder(order, 'OB')).toMatchObject({ ok: true });
  });
});

describe('an update with a facility code', () => {
  const yard = {
    contact: { name: 'Example Yard', contactNumber: '+49 30 7' },
    address: { type: 'FACILITY', line1: '7 Example Yard', city: 'Hamburg', pincode: '20095', country: 'DE' },
    timezone: 'Europe/Berlin',
  };
  const before = changed(leastOrder(), {
    'shipFrom.originFacilityCode': 'OLD',
    'shipFrom.address.line2': 'Hall 3',
    'shipFrom.pickupStartDateTime': '2026-05-01 09:00:00',
  });
  const after = (shipFrom: object): Order['shipFrom'] => {
    const { body, current: base } = changeFacilities(before, whole({ shipFrom }), { origin: yard });
    return merged(body, base).shipFrom;
  };

  test('moves the end there: nothing of the address before stays, but what else the end had', () => {
    const { pickupStartDateTime } = before.shipFrom;
    expect(after({ originFacilityCode: 'NEW' })).toEqual({ ...yard, originFacilityCode: 'NEW', pickupStartDateTime });
  });

  test('that the order has already keeps its address, the shipper’s own', () => {
    const pickupEndDateTime = '2026-05-01 13:00:00';
    expect(after({ originFacilityCode: 'OLD', pickupEndDateTime })).toEqual({ ...before.shipFrom, pickupEndDateTime });
  });

  test('takes an address that comes with it', () => {
    const own = { line1: '9 Example Lane', city: 'Kiel', pincode: '24103', country: 'DE' };
    const { address, contact } = after({ originFacilityCode: 'NEW', address: own });
    expect(address).toEqual({ ...own, line2: 'Hall 3' });
    expect(contact).toEqual(yard.contact);
  });

  test('beside flat names is left alone', () => {
    const { address, contact } = after({ originFacilityCode: 'NEW', phoneNumber: '+49 30 9' });
    expect(address).toEqual(before.shipFrom.address);
    expect(contact.contactNumber).toBe('+49 30 9');
  });

  test('that is not registered changes nothing but itself', () => {
    const body = whole({ shipFrom: { originFacilityCode: 'NEW' } });
    expect(changeFacilities(before, body, {})).toEqual({ body, current: before });
    expect(changeFacilities(before, 'text', { origin: yard })).toEqual({ body: 'text', current: before });
  });
});
