import { describe, expect, test } from 'vitest';
import { changeFacilities, mergeUpdate, readUpdate } from '../../../src/engine/consignment/update.ts';
import type { Order } from '../../../src/engine/consignment/order.ts';
import { changed, leastOrder } from './orders.ts';

const yard = {
  contact: { name: 'Example Yard', contactNumber: '+49 30 7' },
  address: { type: 'FACILITY', line1: '7 Example Yard', city: 'Hamburg', pincode: '20095', country: 'DE' },
  timezone: 'Europe/Berlin',
};
const before = changed(leastOrder(), { 'shipFrom.originFacilityCode': 'OLD', 'shipFrom.address.line2': 'Hall 3' });
const reference = { consignmentDetails: { referenceNumber: 'REF-1' } };

const after = (shipFrom: object, order: Order = before): Order => {
  const { body, current } = changeFacilities(order, { ...reference, shipFrom }, { origin: yard });
  const read = readUpdate(body, 'OP', current);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  const merged = mergeUpdate(current, read.value, { labelExists: false });
  if (!merged.ok) throw new Error(JSON.stringify(merged.issues));
  return merged.order;
};

describe('an update with a facility code', () => {
  test('moves the end there, and nothing of the address before stays', () => {
    expect(after({ originFacilityCode: 'NEW' }).shipFrom).toEqual({ ...yard, originFacilityCode: 'NEW' });
  });

  test('keeps what else the end had', () => {
    const order = changed(before, { 'shipFrom.pickupStartDateTime': '2026-05-01 09:00:00' });
    expect(after({ originFacilityCode: 'NEW' }, order).shipFrom.pickupStartDateTime).toBe('2026-05-01 09:00:00');
  });

  test('that the order has already keeps its address, the shipper’s own', () => {
    expect(after({ originFacilityCode: 'OLD', pickupEndDateTime: '2026-05-01 12:00:00' }).shipFrom).toEqual({
      ...before.shipFrom,
      pickupEndDateTime: '2026-05-01 12:00:00',
    });
  });

  test('takes an address that comes with it', () => {
    const own = { line1: '9 Example Lane', city: 'Kiel', pincode: '24103', country: 'DE' };
    const { shipFrom } = after({ originFacilityCode: 'NEW', address: own });
    expect(shipFrom.address).toEqual({ ...own, line2: 'Hall 3' });
    expect(shipFrom.contact).toEqual(yard.contact);
  });

  test('beside flat names is left alone', () => {
    const { shipFrom } = after({ originFacilityCode: 'NEW', phoneNumber: '+49 30 9' });
    expect(shipFrom.address).toEqual(before.shipFrom.address);
    expect(shipFrom.contact.contactNumber).toBe('+49 30 9');
  });

  test('that is not registered changes nothing but itself', () => {
    const body = { ...reference, shipFrom: { originFacilityCode: 'NEW' } };
    expect(changeFacilities(before, body, {})).toEqual({ body, current: before });
    expect(changeFacilities(before, 'text', { origin: yard })).toEqual({ body: 'text', current: before });
  });
});
