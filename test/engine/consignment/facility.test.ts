import { describe, expect, test } from 'vitest';
import { facilityCodesOf, withFacilities } from '../../../src/engine/consignment/facility.ts';
import { readOrder } from '../../../src/engine/consignment/read.ts';
import { translate } from '../../../src/engine/consignment/translate.ts';
import { changed, leastOrder } from './orders.ts';

const warehouse = {
  contact: { name: 'Example Warehouse', contactNumber: '+49 30 5' },
  address: { line1: '5 Example Yard', city: 'Berlin', pincode: '10117', country: 'DE', type: 'FACILITY' },
  timezone: 'Europe/Berlin',
};

describe('a facility code', () => {
  test('is read from a request that is not checked yet', () => {
    const body = {
      shipFrom: { originFacilityCode: 'FAC-1' },
      shipTo: { destinationFacilityCode: 'FAC-2' },
      returnTo: { returnFacilityCode: 'FAC-3' },
    };
    expect(facilityCodesOf(body)).toEqual({ origin: 'FAC-1', destination: 'FAC-2', return: 'FAC-3' });
    expect(facilityCodesOf({ shipFrom: { originFacilityCode: 5 }, shipTo: 'x' })).toEqual({
      origin: undefined,
      destination: undefined,
      return: undefined,
    });
  });

  test('makes an order complete that has no address', () => {
    const order = { ...leastOrder(), shipFrom: { originFacilityCode: 'FAC-1' } };
    expect(readOrder(order, 'OP').ok).toBe(false);
    const filled = withFacilities(order, { origin: warehouse });
    expect(readOrder(filled, 'OP')).toMatchObject({
      ok: true,
      value: { shipFrom: { ...warehouse, originFacilityCode: 'FAC-1' } },
    });
  });

  test('leaves alone an address and a contact of the shipper’s own', () => {
    const filled = withFacilities(leastOrder(), { origin: warehouse });
    expect(filled.shipFrom).toEqual({ ...leastOrder().shipFrom, timezone: 'Europe/Berlin' });
  });

  test('fills in the rest of its own address', () => {
    const order = changed(leastOrder(), { 'shipFrom.address': { line1: '5 Example Yard', pincode: '10119' } });
    expect(withFacilities(order, { origin: warehouse }).shipFrom.address).toEqual({
      ...warehouse.address,
      pincode: '10119',
    });
  });

  test('that is not known changes nothing', () => {
    const order = leastOrder();
    expect(withFacilities(order, {})).toBe(order);
    expect(withFacilities('text', { origin: warehouse })).toBe('text');
  });

  test('fills in the address to return to, which mappings find in info', () => {
    const order = changed(leastOrder(), { returnTo: { returnFacilityCode: 'FAC-3' } });
    const consignment = translate(withFacilities(order, { return: warehouse }), {
      operation: 'create',
      carrierCode: 'acme',
      service: { typeOfService: 'EXPRESS' },
      labelFormat: 'PDF',
    });
    expect(consignment.info).toMatchObject({ returnTo: { returnFacilityCode: 'FAC-3', address: warehouse.address } });
  });
});
