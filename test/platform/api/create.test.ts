import { describe, expect, it } from 'vitest';
import { leastOrder, put } from '../../engine/consignment/orders.ts';
import { accepted, held, rejected } from './carrier.ts';
import { FIELDS, PROFILE_NAMES, profiles, SLOT_TOKEN, unslottedOrder } from '../../engine/consignment/fields.ts';
import { apiWorld, order, STAMP, TRACKED_ENTRY } from './world.ts';

/** Emoji of several code points, right-to-left with its marks, combining, astral, and what normalising would change. */
const TEXT = '👩🏽‍🚒 שלום \u202Eعربى\u202C e\u0301 ﬁ 𠮷 \uFEFF\u200D \u0007 Ä/ß? &#+%25 "';

describe('POST /v2/consignments', () => {
  const api = apiWorld({}, { profiles });
  const { shop, carrier } = api;

  it('answers with what the carrier gave, package by package', async () => {
    const body = { timestamp: 'Fri May 01 2026 09:00:00 GMT+0000', status: 'OK', data: [TRACKED_ENTRY] };
    expect(await shop.create()).toEqual(expect.objectContaining({ status: 200, body }));
  });

  it('answers with the carrier’s own number for the whole', async () => {
    carrier.answers(
      accepted({ referenceId: 'X', itemList: [{ itemReferenceNumber: 'P1' }] } as never, { master: 'M1' }),
    );
    expect((await shop.create()).body.data[0].masterTrackingNumber).toBe('M1');
  });

  it.each([
    ['the carrier has not answered in time', 'nothing', 'pending'],
    ['it is held for fail', held('fail'), 'held'],
    ['it is held for config_error', held('config_error'), 'held'],
    ['it is held for unknown_outcome', held('unknown_outcome'), 'held'],
  ] as const)('answers with empty tracking details when %s', async (_, outcome, acceptance) => {
    carrier.answers(outcome);
    const { status, body } = await shop.create();
    expect(status).toBe(200);
    const { masterTrackingNumber: _master, ...entry } = TRACKED_ENTRY;
    expect(body.data).toEqual([
      {
        ...entry,
        trackingDetails: [],
        acceptance,
        ...(outcome === 'nothing' ? {} : { reason: { code: expect.any(String), message: 'no luck' } }),
      },
    ]);
  });

  it('does not wait for the carrier when asked not to', async () => {
    expect(await shop.create(order(), { prefer: 'respond-async, wait=5' })).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'respond-async' },
      body: { data: [{ trackingDetails: [] }] },
    });
    expect(carrier.sent).toEqual([]);
  });

  it('is 422 in the carrier’s words when the carrier rejects it, and frees the reference', async () => {
    carrier.answers(rejected('postcode unknown', 'no such street'));
    const { status, body } = await shop.create();
    expect(status).toBe(422);
    expect(body).toEqual({
      timestamp: STAMP,
      status: 'UNPROCESSABLE_ENTITY',
      code: 'carrier_rejected',
      message: 'Acme Parcels rejected the create',
      errors: ['postcode unknown', 'no such street'],
      findings: [
        { code: 'refused', message: 'postcode unknown' },
        { code: 'refused', message: 'no such street' },
      ],
      data: { orderNumber: 'ORD-1', referenceNumber: 'REF-1', trackingDetails: [] },
    });
    carrier.answers('as usual');
    expect((await shop.create()).status).toBe(200);
  });

  it('is 409 with the existing tracking data for a reference that is in use', async () => {
    await shop.create();
    const { status, body } = await shop.create();
    expect(status).toBe(409);
    expect(body).toEqual({
      timestamp: STAMP,
      status: 'CONFLICT',
      code: 'duplicate_reference',
      message: expect.any(String),
      errors: [expect.any(String)],
      data: TRACKED_ENTRY,
    });
  });

  it('lets another shipper use the same reference', async () => {
    const other = await api.newShipper();
    expect([(await shop.create()).status, (await other.create()).status]).toEqual([200, 200]);
  });

  it('names the reference and everything that is wrong with the structure at once', async () => {
    const wrong = { 'consignmentDetails.totalWeight': '2.5', 'shipTo.address.country': 'UK', 'carrier.code': 5 };
    const { status, body } = await shop.create(order(wrong));
    expect(status).toBe(400);
    const details = expect.toSatisfy((all: string[]) => all.length === 3);
    expect(body).toEqual({
      timestamp: STAMP,
      status: 'BAD_REQUEST',
      code: 'bad_request',
      errors: [{ referenceNumber: 'REF-1', details }],
      findings: expect.arrayContaining([
        { code: 'wrong_type', field: 'carrier.code', message: 'carrier.code must be a string' },
        expect.objectContaining({ code: 'malformed', field: 'shipTo.address.country' }),
      ]),
    });
    for (const path of Object.keys(wrong)) expect(body.errors[0].details.join()).toContain(path);
  });

  it.each(['a\0b', '\ud800'])('is 400 for %j in a text, and names the field', async (text) => {
    const { status, body } = await shop.create(order({ 'shipFrom.contact.name': text }));
    expect(status).toBe(400);
    expect(body.errors[0].details).toEqual([expect.stringContaining('shipFrom.contact.name')]);
  });

  it('names every rule that is broken at once', async () => {
    const broken = { 'consignmentDetails.consignmentType': 'REVERSE', 'shipTo.address.latitude': 91 };
    const errors = Object.keys(broken).map((path) => expect.stringContaining(path));
    const data = { orderNumber: 'ORD-1', referenceNumber: 'REF-1', trackingDetails: [] };
    const reply = await shop.create(order({ 'carrier.code': 'solo', ...broken }));
    expect(reply).toMatchObject({ status: 422, body: { errors, data } });
  });

  it('is 422 for a carrier that the platform does not have', async () => {
    const errors = ['carrier.code "nobody" is neither a carrier nor a policy of this platform'];
    expect(await shop.create(order({ 'carrier.code': 'nobody' }))).toMatchObject({ status: 422, body: { errors } });
  });

  it('is 422 where the shipper has no account with the carrier in the token’s environment', async () => {
    const { code } = await shop.opened();
    const { token } = await api.issue(`shippers/${code}`, { environment: 'sandbox' });
    const errors = ['carrier.code acme is a carrier with which you have no sandbox account'];
    expect(await api.as(token).create()).toMatchObject({ status: 422, body: { errors } });
  });

  it('tells the carrier of the order, with PDF for a label unless said, and of the registered shipper', async () => {
    const { code } = await shop.opened();
    const details = { name: 'Example Shop Ltd', city: 'Berlin', merchantCode: 'M1', taxNumber: 'DE000' };
    await api.admin.post('/admin/shippers', { code, name: 'Example Shop', details });
    await shop.create(order({ 'consignmentDetails.consignmentType': 'REVERSE' }));
    expect(carrier.sent[0]?.consignment).toMatchObject({
      typeOfAction: 'CREATE',
      typeOfOrder: 'REVERSE',
      labelFormat: 'PDF',
      shipper: { name: 'Example Shop Ltd', city: 'Berlin' },
      merchantCode: 'M1',
      shipperTaxNumber: 'DE000',
    });
  });

  it('keeps text of any script to the byte in every field that is text', async () => {
    const all = unslottedOrder('OB', TEXT);
    const texts = FIELDS.filter(([path, , right]) => right === 'Example' && path !== SLOT_TOKEN).map(([path]) => path);
    expect(texts.length).toBeGreaterThan(20);
    for (const path of [...texts, `shipTo.address.${TEXT}`]) put(all, path, TEXT);
    const { status, body, text } = await shop.create(all);
    expect(status, text).toBe(200);
    expect(body.data[0].referenceNumber).toBe(TEXT);
    const { order: kept, canonical } = await api.stored();
    expect(kept).toEqual(all);
    expect(canonical.destinationLandmark ?? TEXT).toBe(TEXT);
    expect((await shop.read(encodeURIComponent(TEXT))).referenceNumber).toBe(TEXT);
  });

  it.each(PROFILE_NAMES)('takes and keeps all fields of profile %s together', async (profile) => {
    const all = unslottedOrder(profile, 'REF-1');
    expect(await shop.create(all)).toMatchObject({ status: 200 });
    expect((await api.stored()).order).toEqual(all);
  });

  it.each([
    ['heavy', ['consignmentDetails.totalVolume', 'shipTo.deliveryStartDateTime'], ['routeDetails']],
    ['fleet', [], ['consignmentDetails.totalVolume', 'routeDetails']],
    ['heavyfleet', ['consignmentDetails.totalVolume', 'routeDetails'], []],
  ])('asks for what the profile of its carrier needs: %s', async (code, needed, others) => {
    const { status, body } = await shop.create({ ...leastOrder(), carrier: { code } });
    const details: string = body.errors?.[0].details.join('\n') ?? '';
    expect(status).toBe(needed.length === 0 ? 200 : 400);
    for (const path of needed) expect(details).toContain(`${path} is required`);
    for (const path of others) expect(details).not.toContain(path);
  });
});
