import { describe, expect, it } from 'vitest';
import { apiWorld, order } from './world.ts';

const warehouse = {
  name: 'Example warehouse, north',
  contact: { name: 'Example Warehouse', contactNumber: '+49 30 5' },
  address: { line1: '5 Example Yard', city: 'Berlin', pincode: '10117', country: 'DE', county: 'Mitte' },
  timezone: 'Europe/Berlin',
};
const shopFloor = { ...warehouse, address: { ...warehouse.address, line1: '6 Example Mall' } };
const { name: _, ...place } = warehouse;

describe('facilities', () => {
  const api = apiWorld();
  const { shop, carrier } = api;
  const WH = '/v2/facilities/WH';
  const registered = async () => {
    await shop.put(WH, warehouse);
    await shop.put('/v2/facilities/SHOP', shopFloor);
  };
  const orderTypes = async () => (await api.stored()).order_types;
  const fromWarehouse = { shipFrom: { originFacilityCode: 'WH' } };

  it('are registered, replaced, read, listed and forgotten', async () => {
    const at = '/v2/facilities/WH%201';
    expect((await shop.get(at)).status).toBe(404);
    expect(await shop.put(at, warehouse)).toMatchObject({
      status: 200,
      body: { code: 'WH 1', ...warehouse, address: { type: 'FACILITY', ...warehouse.address } },
    });
    await shop.put(at, { address: shopFloor.address });
    const read = (await shop.get(at)).body;
    expect(read.address.line1).toBe('6 Example Mall');
    expect(read).not.toHaveProperty('contact');
    expect((await shop.get('/v2/facilities')).body.data).toEqual([read]);
    expect((await shop.delete(at)).body).toEqual({ code: 'WH 1', deleted: true });
    expect((await shop.delete(at)).status).toBe(404);
  });

  it('are listed in pages, by their codes', async () => {
    for (const code of ['c', 'A', 'b', 'Ä', 'a'])
      await shop.put(`/v2/facilities/${encodeURIComponent(code)}`, warehouse);
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { body } = await shop.get(`/v2/facilities?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ code }: { code: string }) => code));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(['A', 'a', 'b', 'c', 'Ä']);
    for (const wrong of ['x', 'W10', Buffer.from('["a\\u0000"]').toString('base64url')])
      expect((await shop.get(`/v2/facilities?cursor=${wrong}`)).status).toBe(400);
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
  ])('with %s are 400', async (_, given, named) => {
    const { status, body } = await shop.put(WH, given);
    expect(status).toBe(400);
    expect(body.errors[0].details.join()).toContain(named);
  });

  it('fill in the addresses of an order: from, to and back', async () => {
    await registered();
    const to = { shipTo: { destinationFacilityCode: 'SHOP' }, returnTo: { returnFacilityCode: 'WH' } };
    expect((await shop.create({ ...order(), ...fromWarehouse, ...to })).status).toBe(200);
    const { order: kept } = await api.stored();
    const address = { type: 'FACILITY', ...warehouse.address };
    expect(kept.shipFrom).toEqual({ ...place, address, originFacilityCode: 'WH' });
    expect(kept.shipTo.address.line1).toBe('6 Example Mall');
    expect(kept.returnTo.address).toEqual(address);
    expect(carrier.sent[0]?.consignment).toMatchObject({
      originCode: 'WH',
      originAddressLine1: '5 Example Yard',
      destinationCode: 'SHOP',
      destinationAddressLine1: '6 Example Mall',
      destinationTimezone: 'Europe/Berlin',
    });
    expect(await orderTypes()).toEqual(['FORWARD', 'TRANSFER']);
  });

  it('that are not registered pass where the address is complete, and make no transfer', async () => {
    const codes = { 'shipFrom.originFacilityCode': 'NOWHERE', 'shipTo.destinationFacilityCode': 'ELSEWHERE' };
    const facility = { 'shipFrom.address.type': 'FACILITY', 'shipTo.address.type': 'FACILITY' };
    expect((await shop.create(order({ ...codes, ...facility }))).status).toBe(200);
    expect(await orderTypes()).toEqual(['FORWARD']);
    const { status, body } = await shop.create(order({ shipFrom: { originFacilityCode: 'NOWHERE' } }, 'REF-2'));
    expect(status).toBe(400);
    expect(body.errors[0].details.join()).toContain('shipFrom.address');
  });

  it('of one end make no transfer, and move an order by an update that names their code', async () => {
    await registered();
    await shop.create({ ...order(), ...fromWarehouse });
    expect(await orderTypes()).toEqual(['FORWARD']);
    expect((await shop.change({}, { shipFrom: { originFacilityCode: 'SHOP' } })).status).toBe(200);
    expect(carrier.sent[1]?.consignment).toMatchObject({ originCode: 'SHOP', originAddressLine1: '6 Example Mall' });
  });

  it.each(['a\0b', '\ud800', 'x'.repeat(200), 5, {}, null])('by the code %j are no 500', async (code) => {
    expect((await shop.create(order({ 'shipFrom.originFacilityCode': code }))).status).toBe(400);
  });
});
