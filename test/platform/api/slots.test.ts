/** Delivery slots by configuration: found, reserved, kept or given back, and used by orders. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/platform/api/deps.ts';
import { takeUnwanted } from '../../../src/platform/records/slots.ts';
import { apiWorld, order } from './world.ts';
import { held, rejected } from './carrier.ts';

const HOST =
  "{ production: { url: 'https://slotted.example.com' }, sandbox: { url: 'https://sandbox.slotted.example.com' } }";
const slotted = (code: string) => `
carrier: ${code}
environments: ${HOST}
services: { Express: { typeOfService: EXPRESS }, Standard: { typeOfService: STANDARD } }
time: { zone: Europe/Berlin }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  update: { put: /orders, body: { json: consignment } }
  cancel: { post: /cancel, body: { json: consignment } }
statuses: { table: { DELIVERED: Order Delivered } }
slots:
  zones: { city: { countries: [DE], postcodes: ['10*', 20000..20099] }, abroad: { countries: [AT] } }
  windows:
    morning: { from: '08:00', to: '12:00', weekdays: [MON, TUE, WED, THU, FRI], capacity: 2 }
    evening: { from: '18:00', to: '20:00', zones: [city], services: [Express], capacity: 1 }
  ahead: 4d
  notice: 12h
  closed: [2026-05-04]
`;

/** With windows of its own, and slots that the carrier keeps. */
const own = slotted('own').replace(
  'operations:',
  `operations:
  slots: { post: /slots, body: { json: slotQuery }, result: response.body }
  reserveSlot: { post: /reserve, body: { json: slot }, result: response.body }
  confirmSlot: { post: /confirm, body: { json: slot } }
  releaseSlot: { post: /release, body: { json: slot } }`,
);
const keeper = own.replace('carrier: own', 'carrier: keeper').replace(/^slots:[^]*/m, '');

const search = (changes: object = {}, address: object = { country: 'DE', pincode: '10117' }) => ({
  carrier: { code: 'slotted' },
  shipTo: { address },
  ...changes,
});

const orderWith = (slotToken: string, changes: object = {}, reference = 'REF-1') =>
  order(
    {
      'carrier.code': 'slotted',
      'consignmentDetails.slotToken': slotToken,
      'shipTo.address': { line1: '1 Example St', city: 'Berlin', pincode: '10117', country: 'DE', county: 'Mitte' },
      ...changes,
    },
    reference,
  );

const HELD = 6;

const slot = { id: 'S-1', from: '2099-05-05 08:00:00', to: '2099-05-05 12:00:00', memo: { hub: 'B' } };
const failed = (why: string, code = why) => ({ ok: false, why, problem: { code, messages: [`so: ${why}`] } });
const at = (code: string) => ({ carrier: { code } });
const orderOf = (token: string, changes: object = {}) => orderWith(token, { 'carrier.code': 'keeper', ...changes });

describe('delivery slots', () => {
  // It is a Friday, nine in the morning in UTC.
  const asked: { name: string; about: object }[] = [];
  const says: Record<string, unknown> = {};
  const ask: Ask = (name, about) => {
    asked.push({ name, about });
    return Promise.resolve(says[name] ?? { ok: true }) as never;
  };
  const profiles = { slotted: slotted('slotted'), other: slotted('other'), own, keeper };
  const api = apiWorld({ slotsHeld: HELD, ask }, { profiles });
  const { shop, sql } = api;

  const find = async (changes?: object, address?: object) => await shop.post('/v2/slots', search(changes, address));
  const names = ({ body }: Awaited<ReturnType<typeof find>>): string[] =>
    body.data.map(({ date, from, available }: Record<string, string>) => `${date} ${from} ${available}`);
  const slotIdAt = async (at: string, by: Pick<typeof shop, 'post'> = shop): Promise<string> =>
    (await by.post('/v2/slots', search())).body.data.find(
      ({ date, from }: Record<string, string>) => `${date} ${from}` === at,
    ).slotId;
  const MORNING = '2026-05-05 08:00';
  const EVENING = '2026-05-03 18:00';
  const reserve = async (at = MORNING, by: Pick<typeof shop, 'post'> = shop) =>
    await by.post('/v2/slots/reserve', { slotId: await slotIdAt(at, by) });
  const tokenOf = async (at = MORNING): Promise<string> => (await reserve(at)).body.data[0].slotToken;
  const left = async (at = MORNING) =>
    Number(
      names(await find())
        .find((name) => name.startsWith(at))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  const expire = (token: string, ago = '1 second') =>
    sql(`update slot_reservations set expires_at = now() - $2::interval where token = $1`, [token, ago]);
  const stateOf = async (token: string) => (await shop.post('/v2/slots/confirm', { slotToken: token })).body;
  const cleared = () => sql('delete from slot_reservations');

  it('are those of a destination’s zone that open soon enough and have not closed, by their time', async () => {
    await cleared();
    expect(names(await find())).toEqual(['2026-05-02 18:00 1', '2026-05-03 18:00 1', '2026-05-05 08:00 2']);
    expect(names(await find({ serviceType: 'standard' }))).toEqual(['2026-05-05 08:00 2']);
    expect(names(await find({ fromDate: '2026-05-03', toDate: '2026-05-04' }))).toEqual(['2026-05-03 18:00 1']);
    expect(names(await find({}, { country: 'DE', pincode: '20 050' }))).toHaveLength(3);
    expect(names(await find({}, { country: 'AT', pincode: '1010' }))).toEqual(['2026-05-05 08:00 2']);
    expect(names(await find({}, { country: 'DE', pincode: '99999' }))).toEqual([]);
    expect((await find()).body.data[0]).toMatchObject({ to: '20:00', timezone: 'Europe/Berlin' });
  });

  it.each([
    ['a carrier that nobody has', { carrier: { code: 'nobody' } }, 422, 'carrier_known'],
    ['a carrier without slots', { carrier: { code: 'acme' } }, 200, undefined],
    ['a day that is none', { fromDate: '2026-02-30' }, 400, 'malformed'],
    ['days that are over', { toDate: '2026-04-30' }, 422, 'window_past'],
    ['days in the wrong order', { fromDate: '2026-05-09', toDate: '2026-05-08' }, 422, 'window_order'],
    ['a country that is none', { shipTo: { address: { country: 'XX', pincode: '1' } } }, 400, 'malformed'],
  ])('of %s: said at the field', async (_, changes, status, code) => {
    const answer = await find(changes);
    expect(answer.status).toBe(status);
    expect(answer.body.findings?.[0]?.code).toBe(code);
  });

  it('are held for a while, then free again, unless confirmed', async () => {
    await cleared();
    const reserved = await reserve();
    expect(reserved.body).toMatchObject({
      status: 'OK',
      data: [
        {
          slotToken: expect.stringMatching(/^slot_[\w-]{24}$/),
          state: 'reserved',
          carrierCode: 'slotted',
          date: '2026-05-05',
          startsAt: '2026-05-05T06:00:00.000Z',
          endsAt: '2026-05-05T10:00:00.000Z',
          expiresAt: expect.any(String),
        },
      ],
    });
    const [kept, lost] = [reserved.body.data[0].slotToken, await tokenOf()];
    expect(await left()).toBe(0);
    expect((await shop.post('/v2/slots/confirm', { slotToken: kept })).body.data[0]).not.toHaveProperty('expiresAt');
    await expire(kept, '2 hours');
    await expire(lost, '30 seconds');
    expect(await left(), 'what a create may be taking is nobody else’s yet').toBe(0);
    await expire(lost, '2 minutes');
    expect(await left()).toBe(1);
    expect(await stateOf(kept)).toMatchObject({ data: [{ state: 'confirmed' }] });
    expect(await stateOf(lost)).toMatchObject({ code: 'slot_ended' });
  });

  it('are given back once, and by their shipper alone', async () => {
    await cleared();
    const token = await tokenOf();
    const stranger = await api.newShipper();
    for (const way of ['confirm', 'release'])
      expect(await stranger.post(`/v2/slots/${way}`, { slotToken: token })).toMatchObject({ status: 404 });
    const release = async () => await shop.post('/v2/slots/release', { slotToken: token });
    expect((await release()).body.data[0].state).toBe('released');
    expect((await release()).status).toBe(200);
    expect(await left()).toBe(2);
    expect(await stateOf(token)).toMatchObject({ code: 'slot_ended' });
  });

  it('are never sold twice, however many ask at once', async () => {
    await cleared();
    await sql(`insert into slot_reservations (token, shipper_id, environment, carrier_code, zone, slot_window, day,
      starts_at, ends_at, time_zone, expires_at)
      select 'other-environment', min(id), 'sandbox', 'slotted', 'city', 'morning', '2026-05-05', now(), now(), 'UTC',
        now() + interval '1 hour' from shippers`);
    const [slotId, other] = [await slotIdAt(MORNING), await api.newShipper()];
    const tries = Array.from(
      { length: 60 },
      async (_, at) => (await (at % 2 === 0 ? shop : other).post('/v2/slots/reserve', { slotId })).status,
    );
    const statuses = await Promise.all(tries);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(58);
    const refused = await shop.post('/v2/slots/reserve', { slotId });
    expect(refused.body).toMatchObject({ code: 'slot_sold_out' });
  });

  it.each([
    ['no slot', 'x', 404, 'unknown_slot'],
    ['a window that there is not', ['slotted', 'city', 'noon', '2026-05-05'], 404, 'unknown_slot'],
    ['a day that is over', ['slotted', 'city', 'morning', '2026-04-30'], 409, 'slot_closed'],
    ['a closed day', ['slotted', 'city', 'morning', '2026-05-04'], 409, 'slot_closed'],
    ['a zone that the window is not for', ['slotted', 'abroad', 'evening', '2026-05-03'], 409, 'slot_closed'],
  ])('of %s cannot be reserved', async (_, id, status, code) => {
    const slotId = typeof id === 'string' ? id : Buffer.from(JSON.stringify(id)).toString('base64url');
    const answer = await shop.post('/v2/slots/reserve', { slotId });
    expect(answer).toMatchObject({ status, body: { code } });
  });

  it('are confirmed by the order that names them, which is to be delivered then; a cancel frees them', async () => {
    await cleared();
    const token = await tokenOf(EVENING);
    expect((await shop.create(orderWith(token, { 'consignmentDetails.serviceType': 'Express' }))).status).toBe(200);
    const { canonical } = await api.stored();
    expect(canonical).toMatchObject({
      slotToken: token,
      destinationPreferredStartTime: expect.stringContaining('2026-05-03'),
    });
    await expire(token, '2 hours');
    expect(await left(EVENING)).toBe(0);
    const release = await shop.post('/v2/slots/release', { slotToken: token });
    expect(release).toMatchObject({
      status: 409,
      body: { code: 'slot_used', message: expect.stringContaining('REF-1') },
    });
    expect((await shop.cancel()).body.successCount).toBe(1);
    expect(await left(EVENING)).toBe(1);
  });

  it.each([
    ['nobody reserved', async () => 'slot_unknown', {}, 'slot_known'],
    ['has expired', async (token: string) => (await expire(token), token), {}, 'slot_usable'],
    [
      'was released',
      async (token: string) => (await shop.post('/v2/slots/release', { slotToken: token }), token),
      {},
      'slot_usable',
    ],
    ['is of another carrier', async (token: string) => token, { 'carrier.code': 'other' }, 'slot_fits'],
    ['begins like ours, at a carrier without slots', async () => 'slot_x', { 'carrier.code': 'acme' }, 'slot_known'],
    ['is elsewhere', async (token: string) => token, { 'shipTo.address.pincode': '99999' }, 'slot_fits'],
    [
      'is another shipper’s',
      async () => (await reserve(MORNING, await api.newShipper())).body.data[0].slotToken as string,
      {},
      'slot_known',
    ],
  ])('that an order names and that %s: 422 at the field, and nothing is recorded', async (_, made, changes, code) => {
    await cleared();
    const token = await made(await tokenOf());
    const { status, body } = await shop.create(orderWith(token, changes));
    expect({ status, findings: body.findings }).toEqual({
      status: 422,
      findings: [{ code, field: 'consignmentDetails.slotToken', message: expect.any(String) }],
    });
    expect((await shop.get('/v2/consignments?referenceNumber=REF-1')).status).toBe(404);
  });

  it('are unknown to a carrier without any', async () => {
    const { status, body } = await shop.create(orderWith('booked-42', { 'carrier.code': 'acme' }));
    expect([status, body.findings[0].code]).toEqual([422, 'slot_known']);
  });

  it('are held no more than so many at a time by a shipper, of which an order or a release frees one', async () => {
    await cleared();
    await sql(
      `insert into slot_reservations (token, shipper_id, environment, carrier_code, zone, slot_window, day,
      starts_at, ends_at, time_zone, expires_at, state)
      select state || at, (select id from shippers where code = $1), 'production', 'slotted', 'city', 'noon', '2026-05-05'::date,
        $2::timestamptz + ends, $2::timestamptz + ends, 'UTC', now() + interval '1 hour', state
      from generate_series(1, ${HELD - 2}) at, (values ('confirmed', interval '1 day'), ('released', interval '1 day')) as s (state, ends)
      union all select 'past', (select id from shippers where code = $1), 'production', 'slotted', 'city', 'noon', '2026-04-30'::date,
        $2, $2, 'UTC', now() + interval '1 hour', 'confirmed'`,
      [(await shop.opened()).code, new Date(api.clock.now())],
    );
    const slotId = await slotIdAt(MORNING);
    const tries = await Promise.all([1, 2].map(async () => await shop.post('/v2/slots/reserve', { slotId })));
    expect(tries.map(({ status }) => status)).toEqual([200, 200]);
    const evening = await slotIdAt(EVENING);
    const refused = await shop.post('/v2/slots/reserve', { slotId: evening });
    expect(refused).toMatchObject({ status: 429, body: { code: 'slots_held' }, headers: { 'retry-after': '900' } });
    expect((await reserve(EVENING, await api.newShipper())).status).toBe(200);
    await cleared();
    await shop.create(orderWith(await tokenOf()));
    expect((await shop.post('/v2/slots/reserve', { slotId: evening })).status).toBe(200);
  });

  it('are used by one order, of many at once', async () => {
    await cleared();
    const token = await tokenOf();
    const creates = Array.from(
      { length: 8 },
      async (_, at) => await shop.create(orderWith(token, {}, `REF-${at + 1}`)),
    );
    const replies = await Promise.all(creates);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(7);
    expect(await left()).toBe(1);
  });

  it('stay an order’s that is refused or could not be sent, and comes again', async () => {
    await cleared();
    const token = await tokenOf();
    api.carrier.answers(rejected('no such street'));
    expect((await shop.create(orderWith(token))).status).toBe(422);
    expect(await left()).toBe(1);
    api.carrier.answers(held('config_error'));
    expect((await shop.create(orderWith(token))).body.data[0].acceptance).toBe('held');
    await expire(token, '2 hours');
    api.carrier.answers('as usual');
    const again = await shop.create(orderWith(token, { 'consignmentDetails.orderNumber': 'ORD-2' }));
    expect(again.body.data[0].acceptance).toBe('accepted');
    expect(await left()).toBe(1);
  });

  it('change with an update: the new one is taken, the old one is free', async () => {
    await cleared();
    const [first, second] = [await tokenOf(), await tokenOf(EVENING)];
    await shop.create(orderWith(first, { 'consignmentDetails.serviceType': 'Express' }));
    expect((await shop.change({ slotToken: first })).status).toBe(200);
    expect((await shop.change({ slotToken: second })).status).toBe(200);
    expect([await left(), await left(EVENING)]).toEqual([2, 0]);
    expect((await shop.change({ slotToken: 'slot_none' })).body.findings[0].code).toBe('slot_known');
  });

  it('are free again with an update that names none, or that the carrier refuses, and bring their window along', async () => {
    await cleared();
    // Reserved the other way round than they are used.
    const [second, first] = [await tokenOf(EVENING), await tokenOf()];
    const window = async () => (await api.stored()).canonical.destinationPreferredStartTime;
    await shop.create(orderWith(first, { 'consignmentDetails.serviceType': 'Express' }));
    expect(await window()).toBe('2026-05-05 08:00:00');
    api.carrier.answers(rejected('too late'));
    expect((await shop.change({ slotToken: second })).status).toBe(422);
    expect([await left(), await left(EVENING)]).toEqual([1, 1]);
    expect((await shop.post('/v2/slots/confirm', { slotToken: first })).body.code).toBe('slot_used');
    api.carrier.answers('as usual');
    const third = await tokenOf(EVENING);
    expect((await shop.change({ slotToken: third })).status).toBe(200);
    expect([await left(), await left(EVENING), await window()]).toEqual([2, 0, '2026-05-03 18:00:00']);
    expect((await shop.change({ slotToken: null })).status).toBe(200);
    expect([await left(EVENING), await window()]).toEqual([1, undefined]);
  });

  it('that were cancelled do not come back when their reference is used again', async () => {
    await cleared();
    const token = await tokenOf(EVENING);
    const express = { 'consignmentDetails.serviceType': 'Express' };
    await shop.create(orderWith(token, express));
    await shop.cancel();
    const other = await tokenOf(EVENING);
    expect(
      (await shop.create(orderWith(other, { ...express, 'consignmentDetails.orderNumber': 'ORD-2' }))).status,
    ).toBe(200);
    expect((await shop.create(orderWith(token, express, 'REF-2'))).body.findings[0].code).toBe('slot_usable');
    expect(await left(EVENING)).toBe(0);
  });

  it('stay an order’s that changes in another way, whatever has become of them', async () => {
    await cleared();
    await shop.create(orderWith(await tokenOf()));
    await cleared();
    expect((await shop.change({ deliveryInstructions: 'ring once' })).status).toBe(200);
  });

  it('are not reserved by who has no account', async () => {
    const slotId = await slotIdAt(MORNING);
    const { body } = await api.admin.post('/admin/shippers', { code: 'bare', name: 'Bare' });
    expect(await api.as(body.token).post('/v2/slots/reserve', { slotId })).toMatchObject({ status: 404 });
  });

  const slotIdOf = async (by: Pick<typeof shop, 'post'> = shop) =>
    (await by.post('/v2/slots', search(at('keeper')))).body.data.at(-1).slotId as string;
  const reserveTheirs = async (by: Pick<typeof shop, 'post'> = shop) =>
    await by.post('/v2/slots/reserve', { slotId: await slotIdOf(by) });
  const theirToken = async (): Promise<string> => (await reserveTheirs()).body.data[0].slotToken;
  const unwanted = async () => (await takeUnwanted(api.database.pool, 10, 0)).map(({ token }) => token);
  const askedNames = () => asked.map(({ name }) => name);

  describe('that the carrier keeps itself', () => {
    beforeEach(async () => {
      await cleared();
      asked.splice(0);
      for (const name of Object.keys(says)) delete says[name];
      says['slots'] = { ok: true, result: [{ ...slot, total: 3, currency: 'EUR' }] };
      says['reserveSlot'] = { ok: true, result: { reservation: 'R-1', expiresAt: '2099-01-01T00:00:00.000Z' } };
    });

    it('are listed with those by configuration, by their time', async () => {
      const { body } = await find(at('own'));
      expect(
        body.data.map(({ date, from, available }: Record<string, string>) => `${date} ${from} ${available}`),
      ).toEqual(['2026-05-02 18:00 1', '2026-05-03 18:00 1', '2026-05-05 08:00 2', '2099-05-05 08:00 undefined']);
      expect(body.data.at(-1)).toMatchObject({ to: '12:00', timezone: 'Europe/Berlin', total: 3, currency: 'EUR' });
      expect(asked[0]?.about).toMatchObject({
        slotQuery: { kind: 'DELIVERY', from: '2026-05-01', to: '2026-05-15' },
        consignment: { destinationCountry: 'DE', destinationPostalCode: '10117' },
      });
      says['slots'] = failed('fail');
      expect(await find(at('own'))).toMatchObject({ status: 502, body: { code: 'carrier_failed' } });
    });

    it('are reserved there, confirmed before the order that names them is sent, and given back after its cancel', async () => {
      const { status, body } = await reserveTheirs();
      expect([status, body.data[0]]).toMatchObject([
        200,
        {
          state: 'reserved',
          date: '2099-05-05',
          startsAt: '2099-05-05T06:00:00.000Z',
          expiresAt: '2099-01-01T00:00:00.000Z',
        },
      ]);
      const token = body.data[0].slotToken as string;
      expect((await shop.create(orderOf(token))).status).toBe(200);
      expect(askedNames()).toEqual(['slots', 'reserveSlot', 'confirmSlot']);
      expect(asked.at(-1)?.about).toMatchObject({
        slot: { ...slot, reservation: 'R-1' },
        consignment: { referenceId: 'REF-1' },
      });
      expect((await api.stored()).canonical).toMatchObject({
        slotToken: token,
        destinationPreferredStartTime: '2099-05-05 08:00:00',
        info: { slotReservation: 'R-1' },
      });
      expect(await unwanted()).toEqual([]);
      expect((await shop.post('/v2/slots/release', { slotToken: token })).body.code).toBe('slot_used');
      expect((await shop.create(orderWith(token, { 'carrier.code': 'keeper' }, 'REF-2'))).body.findings[0].code).toBe(
        'slot_usable',
      );
      await shop.cancel();
      expect(await unwanted()).toEqual([token]);
    });

    it('change with an update, which confirms the new one; the old one is given back', async () => {
      const first = await theirToken();
      await shop.create(orderOf(first));
      says['reserveSlot'] = { ok: true, result: { reservation: 'R-2' } };
      const second = await theirToken();
      expect((await shop.change({ slotToken: second })).status).toBe(200);
      expect(asked.at(-1)?.about).toMatchObject({ slot: { reservation: 'R-2' } });
      expect((await api.stored()).canonical.info.slotReservation).toBe('R-2');
      expect(await unwanted()).toEqual([first]);
      expect((await shop.change({ slotToken: null })).status).toBe(200);
      expect((await api.stored()).canonical.info?.slotReservation).toBeUndefined();
    });

    it.each([
      ['gives it to nobody', failed('rejected'), 409, 'slot_sold_out'],
      ['cannot be asked now', failed('waiting', 'held_back'), 502, 'carrier_failed'],
      ['does not say what became of it', failed('unknown_outcome'), 502, 'slot_unknown'],
      ['was asked and did not answer', failed('waiting'), 502, 'slot_unknown'],
    ])('are not held where the carrier %s, and asked for once', async (_, said, status, code) => {
      says['reserveSlot'] = said;
      expect(await reserveTheirs()).toMatchObject({ status, body: { code } });
      expect(askedNames()).toEqual(['slots', 'reserveSlot']);
      const [row] = await sql('select token, at_carrier from slot_reservations');
      expect(row.at_carrier).toBe(code === 'slot_unknown' ? 'asked' : 'gone');
      expect((await shop.create(orderOf(row.token))).body.findings[0].code).toBe('slot_usable');
      expect(await unwanted()).toEqual([]);
    });

    it.each([
      ['has let go of it', failed('rejected'), 422, 'rules_broken', 'gone'],
      ['is away', failed('waiting'), 503, 'slot_unconfirmed', 'reserved'],
    ])('keep an order from being recorded where the carrier %s', async (_, said, status, code, left) => {
      const token = await theirToken();
      says['confirmSlot'] = said;
      expect(await shop.create(orderOf(token))).toMatchObject({ status, body: { code } });
      expect((await shop.get('/v2/consignments?referenceNumber=REF-1')).status).toBe(404);
      expect(await sql('select at_carrier from slot_reservations')).toEqual([{ at_carrier: left }]);
      if (left === 'reserved') {
        says['confirmSlot'] = { ok: true };
        expect((await shop.create(orderOf(token))).status).toBe(200);
      }
    });

    it.each([
      ['any text', async () => 'booked-42', {}, 'slot_known'],
      [
        'another shipper’s',
        async () => (await reserveTheirs(await api.newShipper())).body.data[0].slotToken as string,
        {},
        'slot_known',
      ],
      [
        'an expired one',
        async () => {
          const token = await theirToken();
          await expire(token);
          return token;
        },
        {},
        'slot_usable',
      ],
      ['one for elsewhere', theirToken, { 'shipTo.address.pincode': '20050' }, 'slot_fits'],
    ])('cannot be named by %s', async (_, made, changes, code) => {
      expect((await shop.create(orderOf(await made(), changes))).body.findings[0].code).toBe(code);
      expect(askedNames()).not.toContain('confirmSlot');
    });

    it('are confirmed and given back by themselves, too, and held no more than so many at a time', async () => {
      const token = await theirToken();
      expect((await shop.post('/v2/slots/confirm', { slotToken: token })).body.data[0].state).toBe('confirmed');
      await shop.create(orderOf(token));
      expect(askedNames().filter((name) => name === 'confirmSlot')).toHaveLength(1);
      const other = await theirToken();
      expect((await shop.post('/v2/slots/release', { slotToken: other })).body.data[0].state).toBe('released');
      expect(await unwanted()).toEqual([other]);
      for (let held = 0; held < HELD; held += 1) await theirToken();
      expect(await reserveTheirs()).toMatchObject({ status: 429, body: { code: 'slots_held' } });
    });

    it('are reserved by nobody else’s id, nor one that was made up', async () => {
      const slotId = await slotIdOf();
      const stranger = await api.newShipper();
      expect((await stranger.post('/v2/slots/reserve', { slotId })).status).toBe(404);
      expect((await shop.post('/v2/slots/reserve', { slotId: `${slotId.slice(0, -2)}AA` })).status).toBe(404);
    });
  });
});
