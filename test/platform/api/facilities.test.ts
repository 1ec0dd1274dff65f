import { describe, expect, it } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, done } from './harness.ts';

const warehouse = {
  name: 'Example warehouse, north',
  contact: { name: 'Example Warehouse', contactNumber: '+49 30 5' },
  address: { line1: '5 Example Yard', city: 'Berlin', pincode: '10117', country: 'DE', county: 'Mitte' },
  timezone: 'Europe/Berlin',
};
const shop = { ...warehouse, address: { ...warehouse.address, line1: '6 Example Mall' } };
const { name: _, ...place } = warehouse;

describe('facilities', () => {
  const api = apiUnderTest();
  const orderTypes = async () => {
    const { rows } = await api.database.pool.query('select order_types from consignments order by id desc limit 1');
    return rows[0].order_types;
  };
  const order = async () => {
    const { rows } = await api.database.pool.query('select order_text from consignments order by id desc limit 1');
    return JSON.parse(rows[0].order_text);
  };

  it('are registered, replaced, read, listed and forgotten', async () => {
    const shipper = await api.newShipper();
    expect((await shipper('GET', '/v2/facilities/WH%201')).statusCode).toBe(404);
    const saved = await shipper('PUT', '/v2/facilities/WH%201', warehouse);
    expect(saved.statusCode).toBe(200);
    expect(saved.data).toMatchObject({
      code: 'WH 1',
      ...warehouse,
      address: { type: 'FACILITY', ...warehouse.address },
    });
    await shipper('PUT', '/v2/facilities/WH%201', { address: shop.address });
    const read = await shipper('GET', '/v2/facilities/WH%201');
    expect(read.data.address.line1).toBe('6 Example Mall');
    expect(read.data).not.toHaveProperty('contact');
    expect((await shipper('GET', '/v2/facilities')).data.data).toEqual([read.data]);
    expect((await shipper('DELETE', '/v2/facilities/WH%201')).data).toEqual({ code: 'WH 1', deleted: true });
    expect((await shipper('DELETE', '/v2/facilities/WH%201')).statusCode).toBe(404);
  });

  it('are listed in pages, by their codes', async () => {
    const shipper = await api.newShipper();
    for (const code of ['c', 'A', 'b', 'Ä', 'a'])
      await shipper('PUT', `/v2/facilities/${encodeURIComponent(code)}`, warehouse);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { data } = await shipper('GET', `/v2/facilities?limit=2${cursor}`);
      seen.push(...data.data.map(({ code }: { code: string }) => code));
      cursor = data.nextCursor === undefined ? '' : `&cursor=${data.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(['A', 'a', 'b', 'c', 'Ä']);
    for (const wrong of ['x', 'W10', Buffer.from('["a\\u0000"]').toString('base64url')])
      expect((await shipper('GET', `/v2/facilities?cursor=${wrong}`)).statusCode).toBe(400);
  });

  it('belong to one shipper and one environment', async () => {
    const [one, other] = [await api.newShipper(), await api.newShipper()];
    await one('PUT', '/v2/facilities/WH', warehouse);
    const { token } = (await api.admin('POST', `/admin/shippers/${one.code}/tokens`, { environment: 'sandbox' })).data;
    for (const caller of [other, api.as(token)]) {
      expect((await caller('GET', '/v2/facilities/WH')).statusCode).toBe(404);
      expect((await caller('DELETE', '/v2/facilities/WH')).statusCode).toBe(404);
      expect((await caller('GET', '/v2/facilities')).data.data).toEqual([]);
    }
  });

  it.each([
    ['no address', { name: 'x' }, 'address'],
    ['half an address', { address: { line1: 'x' } }, 'address.city'],
    ['a blank line', { address: { ...warehouse.address, line1: ' ' } }, 'address.line1'],
    ['a country that is none', { address: { ...warehouse.address, country: 'XX' } }, 'address.country'],
    ['a zone that is none', { ...warehouse, timezone: 'Mars/Base' }, 'timezone'],
    ['half a contact', { ...warehouse, contact: { name: 'x' } }, 'contact.contactNumber'],
    ['a name that is misspelt', { ...warehouse, adress: {} }, 'adress'],
    ['NUL', { ...warehouse, name: 'a\0b' }, 'name'],
  ])('with %s are 400', async (_, body, named) => {
    const shipper = await api.newShipper();
    const { statusCode, data } = await shipper('PUT', '/v2/facilities/WH', body);
    expect(statusCode).toBe(400);
    expect(data.errors[0].details.join()).toContain(named);
  });

  it('fill in the addresses of an order: from, to and back', async () => {
    const shipper = await api.newShipper();
    await shipper('PUT', '/v2/facilities/WH', warehouse);
    await shipper('PUT', '/v2/facilities/SHOP', shop);
    let sent: Consignment | undefined;
    api.state.answering = (operation, consignment) => {
      sent = consignment;
      return accepts()(operation, consignment);
    };
    const body = {
      ...leastOrder(),
      shipFrom: { originFacilityCode: 'WH' },
      shipTo: { destinationFacilityCode: 'SHOP' },
      returnTo: { returnFacilityCode: 'WH' },
    };
    expect((await shipper.create(body)).statusCode).toBe(200);
    const stored = await order();
    const address = { type: 'FACILITY', ...warehouse.address };
    expect(stored.shipFrom).toEqual({ ...place, address, originFacilityCode: 'WH' });
    expect(stored.shipTo.address.line1).toBe('6 Example Mall');
    expect(stored.returnTo.address).toEqual(address);
    expect(sent).toMatchObject({
      originCode: 'WH',
      originAddressLine1: '5 Example Yard',
      destinationCode: 'SHOP',
      destinationAddressLine1: '6 Example Mall',
      destinationTimezone: 'Europe/Berlin',
    });
    expect(await orderTypes()).toEqual(['FORWARD', 'TRANSFER']);
  });

  it('that are not registered pass where the address is complete, and make no transfer', async () => {
    const shipper = await api.newShipper();
    const codes = { 'shipFrom.originFacilityCode': 'NOWHERE', 'shipTo.destinationFacilityCode': 'ELSEWHERE' };
    const facility = { 'shipFrom.address.type': 'FACILITY', 'shipTo.address.type': 'FACILITY' };
    const passed = await shipper.create(changed(leastOrder(), { ...codes, ...facility }));
    expect(passed.statusCode).toBe(200);
    expect(await orderTypes()).toEqual(['FORWARD']);
    const incomplete = await shipper.create({
      ...changed(leastOrder(), { 'consignmentDetails.referenceNumber': 'REF-2' }),
      shipFrom: { originFacilityCode: 'NOWHERE' },
    });
    expect(incomplete.statusCode).toBe(400);
    expect(incomplete.data.errors[0].details.join()).toContain('shipFrom.address');
  });

  it('of one end make no transfer', async () => {
    const shipper = await api.newShipper();
    await shipper('PUT', '/v2/facilities/WH', warehouse);
    await shipper.create({ ...leastOrder(), shipFrom: { originFacilityCode: 'WH' } });
    expect(await orderTypes()).toEqual(['FORWARD']);
  });

  it('move an order by an update that names their code', async () => {
    const shipper = await api.newShipper();
    await shipper('PUT', '/v2/facilities/WH', warehouse);
    await shipper('PUT', '/v2/facilities/SHOP', shop);
    await shipper.create({ ...leastOrder(), shipFrom: { originFacilityCode: 'WH' } });
    let sent: Consignment | undefined;
    api.state.answering = (_, consignment) => {
      sent = consignment;
      return done();
    };
    const { statusCode } = await shipper.update({
      consignmentDetails: { referenceNumber: 'REF-1' },
      shipFrom: { originFacilityCode: 'SHOP' },
    });
    expect(statusCode).toBe(200);
    expect(sent).toMatchObject({ originCode: 'SHOP', originAddressLine1: '6 Example Mall' });
  });

  it.each(['a\0b', '\ud800', 'x'.repeat(200), 5, {}, null])('by the code %j are no 500', async (code) => {
    const shipper = await api.newShipper();
    const { statusCode } = await shipper.create(changed(leastOrder(), { 'shipFrom.originFacilityCode': code }));
    expect(statusCode).toBe(400);
  });
});
