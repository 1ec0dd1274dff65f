/** What shippers ask before they order: their carriers, whether an address is right, where parcels are collected. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/platform/api/deps.ts';
import { apiWorld } from './world.ts';

const RICH = `
carrier: rich
name: Rich Parcels
environments: { production: { url: 'https://rich.example.com' } }
capabilities: { orders: [FORWARD], maxPackages: 3, vas: [INSURANCE, STAIRS], cod: false, from: [DE], to: [DE, AT] }
requires: [destinationEmail, { fields: [itemList.itemLength], services: [Express], operations: [create], when: 'true' }]
vas: { STAIRS: { description: Carried up the stairs., level: CONSIGNMENT } }
services: { Express: { typeOfService: EXPRESS, code: E1 }, Standard: { typeOfService: STANDARD, orders: [FORWARD] } }
labels: { formats: [ZPL, PDF] }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  cancel: { post: /cancel }
  rates: { post: /rates, body: { json: consignment }, result: response.body }
  locations: { post: /locations, body: { json: search }, result: response.body }
  validateAddress: { post: /addresses, body: { json: address }, result: response.body }
statuses: { table: { DELIVERED: Order Delivered } }
`;

const failed = (why: string) => ({ ok: false, why, problem: { code: why, messages: [`so: ${why}`] } });

describe('before an order', () => {
  let answer: unknown;
  const asked: { name: string; about: unknown; carrier: string }[] = [];
  const ask: Ask = async (name, about, { carrier }) => {
    asked.push({ name, about, carrier: carrier.code });
    return (await answer) as never;
  };
  const api = apiWorld({ ask }, { profiles: { rich: RICH } });
  const { shop } = api;
  beforeEach(() => void asked.splice(0));

  it('a shipper sees what its carriers take, need and can be asked for, page by page', async () => {
    const first = await shop.get('/v2/carriers?limit=1');
    expect(first.body.data).toMatchObject([
      { code: 'acme', labelFormats: ['PDF'], has: { rates: false, updates: true } },
    ]);
    const { body } = await shop.get(`/v2/carriers?cursor=${first.body.nextCursor}`);
    expect(body.data.map(({ code }: { code: string }) => code)).toEqual(['rich', 'solo']);
    expect(body.data[0]).toEqual({
      code: 'rich',
      name: 'Rich Parcels',
      fleet: 'outsourced',
      services: [
        { name: 'Express', typeOfService: 'EXPRESS', code: 'E1', orderTypes: ['FORWARD'] },
        { name: 'Standard', typeOfService: 'STANDARD', orderTypes: ['FORWARD'] },
      ],
      orderTypes: ['FORWARD'],
      labelFormats: ['ZPL', 'PDF'],
      vas: [
        {
          vasCode: 'INSURANCE',
          description: expect.any(String),
          level: 'CONSIGNMENT',
          fields: ['consignmentDetails.additionalInformation.insuredAmount'],
        },
        { vasCode: 'STAIRS', description: 'Carried up the stairs.', level: 'CONSIGNMENT' },
      ],
      cashOnDelivery: false,
      maxPackages: 3,
      from: ['DE'],
      to: ['DE', 'AT'],
      requirements: [
        { fields: ['shipTo.contact.email'] },
        {
          fields: ['consignmentDetails.packageDetails[].length'],
          services: ['Express'],
          operations: ['create'],
          conditional: true,
        },
      ],
      has: {
        rates: true,
        turnaround: true,
        slots: false,
        pickups: false,
        manifests: false,
        locations: true,
        addressValidation: true,
        updates: false,
        cancels: true,
      },
    });
  });

  it('sees none with which it has no account, or not in this environment', async () => {
    const { body } = await api.admin.post('/admin/shippers', { code: 'bare', name: 'Bare' });
    expect((await api.as(body.token).get('/v2/carriers')).body.data).toEqual([]);
    const sandbox = await api.issue(`shippers/${(await shop.opened()).code}`, { environment: 'sandbox' });
    expect((await api.as(sandbox.token).get('/v2/carriers')).body.data).toEqual([]);
  });

  const address = { line1: '1 Example St', city: 'Berlin', pincode: '10 115', country: 'DE', state: 'Berlín' };
  const validate = async (body: object) => await shop.post('/v2/addresses/validate', body);

  it('an address is checked field by field, and put right as far as it can be', async () => {
    const { status, body } = await validate({ address });
    expect([status, body.data]).toEqual([
      200,
      {
        valid: false,
        findings: [
          {
            code: 'postcode_form',
            field: 'address.pincode',
            message: 'address.pincode is not written as postcodes of DE are',
            severity: 'error',
            suggestion: '10115',
          },
        ],
        suggestion: { ...address, pincode: '10115' },
      },
    ]);
    expect((await validate({ address: body.data.suggestion })).body.data).toEqual({ valid: true, findings: [] });
    const doubted = (await validate({ address: { ...address, pincode: '10115', state: 'Nowhere' } })).body.data;
    expect(doubted).toMatchObject({ valid: true, findings: [{ code: 'region_known', severity: 'warning' }] });
  });

  it('the carrier that is named is asked as well, in its words and ours', async () => {
    const place = {
      addressLine1: '1 Example Street',
      city: 'Berlin',
      postalCode: '10115',
      country: 'DE',
      type: 'BUSINESS',
    };
    answer = { ok: true, result: { valid: false, messages: ['no such number'], suggestions: [place] } };
    const given = { carrier: { code: 'rich' }, contact: { name: 'Ann' }, address: { ...address, pincode: '10115' } };
    expect((await validate(given)).body.data).toEqual({
      valid: false,
      findings: [],
      carrier: {
        carrierCode: 'rich',
        checked: true,
        valid: false,
        messages: ['no such number'],
        suggestions: [{ line1: '1 Example Street', city: 'Berlin', pincode: '10115', country: 'DE', type: 'FACILITY' }],
      },
    });
    expect(asked).toEqual([
      {
        name: 'validateAddress',
        carrier: 'rich',
        about: {
          address: {
            name: 'Ann',
            addressLine1: '1 Example St',
            city: 'Berlin',
            stateProvince: 'Berlín',
            postalCode: '10115',
            country: 'DE',
          },
        },
      },
    ]);
  });

  it.each([
    ['refuses to', 'rejected', { valid: false, carrier: { checked: true, valid: false, messages: ['so: rejected'] } }],
    ['cannot', 'not_offered', { valid: true, carrier: { checked: false, messages: ['so: not_offered'] } }],
    ['is away to', 'waiting', { valid: true, carrier: { checked: false } }],
  ])('an address that the carrier %s check is told so', async (_, why, wanted) => {
    answer = failed(why);
    const given = { carrier: { code: 'rich' }, address: { ...address, pincode: '10115' } };
    expect((await validate(given)).body.data).toMatchObject(wanted);
  });

  it.each([
    ['a carrier that there is not', { carrier: { code: 'nobody' }, address: { ...address } }, 422, 'carrier_known'],
    ['no address', { carrier: { code: 'rich' } }, 400, 'required'],
    ['a line that is a number', { address: { line1: 7 } }, 400, 'wrong_type'],
  ])('with %s: said at the field', async (_, body, status, code) => {
    expect(await validate(body)).toMatchObject({ status, body: { findings: [{ code }] } });
    expect(asked).toEqual([]);
  });

  const near = { country: 'DE', pincode: '10115', county: 'Mitte' };
  const find = async (changes: object = {}) =>
    await shop.post('/v2/locations', { carrier: { code: 'rich' }, near, kind: 'COLLECTION', limit: 2, ...changes });

  it('pick-up points are found near a place', async () => {
    const place = { addressLine1: '2 Example Rd', postalCode: '10117', country: 'DE' };
    const openingHours = [{ day: 'MON', from: '08:00', to: '18:00' }];
    answer = {
      ok: true,
      result: [{ id: 'S-1', name: 'Kiosk', kind: 'SHOP', address: place, distanceKm: 0.4, openingHours }],
    };
    expect((await find()).body.data).toEqual([
      {
        locationId: 'S-1',
        name: 'Kiosk',
        kind: 'SHOP',
        address: { line1: '2 Example Rd', pincode: '10117', country: 'DE' },
        distanceKm: 0.4,
        openingHours,
      },
    ]);
    const search = { near: { city: 'Mitte', postalCode: '10115', country: 'DE' }, kind: 'COLLECTION', limit: 2 };
    expect(asked).toEqual([{ name: 'locations', carrier: 'rich', about: { search } }]);
  });

  it.each([
    ['not_offered', 404, 'unknown_carrier'],
    ['rejected', 422, 'carrier_rejected'],
    ['waiting', 502, 'carrier_failed'],
    ['fail', 502, 'carrier_failed'],
  ])('where the carrier answers %s, it is %i', async (why, status, code) => {
    answer = failed(why);
    expect(await find()).toMatchObject({ status, body: { code, errors: [expect.stringContaining(`so: ${why}`)] } });
  });

  it.each([
    ['a country that is none', { near: { country: 'XX' } }, 400, 'near.country'],
    ['a kind that is none', { kind: 'PUB' }, 400, 'kind'],
    ['more than there may be', { limit: 1_000 }, 400, 'limit'],
    ['a carrier without an account', { carrier: { code: 'nobody' } }, 422, 'carrier.code'],
  ])('of %s: said at the field', async (_, changes, status, field) => {
    expect(await find(changes)).toMatchObject({ status, body: { findings: [{ field }] } });
  });
});
