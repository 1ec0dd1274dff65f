/** Pickups at a carrier that answers by HTTP: booked once, changed, cancelled, held where nobody knows, and recurring. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLost } from '../../../src/engine/dispatch/ports.ts';
import { createTransport } from '../../../src/engine/transport/transport.ts';
import { createMetrics } from '../../../src/platform/processes/metrics.ts';
import { makeDue } from '../../../src/platform/processes/plans.ts';
import { type Listening, listenLocally, textOf } from '../../flow/carrier.ts';
import { apiWorld, order, type Reply } from './world.ts';

const carrierOf = (code: string, more: string) => `
carrier: ${code}
name: Example ${code}
environments: { production: { url: 'https://van.example.com/${code}' } }
time: { zone: Europe/Berlin }
memo: [depot]
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  cancel: { post: /cancel, body: { json: consignment } }
${more}
statuses: { table: { DELIVERED: Order Delivered } }
`;
const PICKUP = `
  pickup:
    post: /pickups
    body:
      json:
        ref: '\${pickup.reference}'
        from: '\${pickup.window.from}'
        to: '\${pickup.window.to}'
        parcels: \${$count(pickup.packages)}
        kilos: '\${pickup.totalWeightKg}'
        street: '\${pickup.address.addressLine1}'
        phone: '\${pickup.address.contactNumber}'
        zone: '\${pickup.address.timezone}'
        note: '\${pickup.instructions}'
    outcomes: [ { status: 422, do: reject, messages: response.body.error } ]
    result: { number: '\${response.body.number}', memo: { depot: D1 } }`;
const CANCEL = `
  cancelPickup:
    delete: '/pickups/\${pickup.number}'
    query: { depot: '\${pickup.memo.depot}', from: '\${pickup.window.from}' }
    outcomes: [ { status: 422, do: reject, messages: response.body.error } ]`;
const CHANGE = `
  changePickup:
    put: '/pickups/\${pickup.number}'
    body: { json: { from: '\${pickup.window.from}', depot: '\${pickup.memo.depot}' } }
    result: { number: '\${response.body.number}' }`;
const profiles = {
  van: carrierOf('van', PICKUP + CANCEL),
  oneway: carrierOf('oneway', PICKUP),
  mover: carrierOf('mover', PICKUP + CANCEL + CHANGE),
};

const place = {
  contact: { name: 'Example Dock', contactNumber: '+493012345' },
  address: { line1: '1 Example St', city: 'Berlin', pincode: '10117', country: 'DE', state: 'BE' },
};
const booking = (changes: object = {}, shipFrom: object = {}) => ({
  referenceNumber: 'PU-1',
  carrier: { code: 'van' },
  shipFrom: {
    ...place,
    pickupStartDateTime: '2026-05-04 14:00:00',
    pickupEndDateTime: '2026-05-04 17:00:00',
    ...shipFrom,
  },
  totalQuantity: 3,
  totalWeight: 7.5,
  specialInstructions: 'Ring twice',
  ...changes,
});

const plan = (changes: object = {}) => ({
  carrier: { code: 'van' },
  originFacilityCode: 'BER',
  weekdays: ['MON', 'WED', 'FRI'],
  pickupStartTime: '14:00',
  pickupEndTime: '16:00',
  totalQuantity: 10,
  totalWeight: 80,
  ...changes,
});
const findings = ({ body }: Reply) =>
  body.findings?.map(({ code, field }: Record<string, string>) => `${code} ${field}`);
const handOn = () => undefined;

describe('pickups', () => {
  // It is Friday, the first of May, nine in the morning in UTC.
  const api = apiWorld({}, { profiles });
  const { shop, admin, sql, state, clock } = api;
  const transport = createTransport({ allowPrivateNetworks: true, userAgent: 'test' });
  const van = {
    seen: [] as { method: string; path: string; body: Record<string, unknown> }[],
    /** Those it has, by number. */
    booked: new Map<string, unknown>(),
    /** How the next requests end, one by one: done, refused, or cut off after or before it acts. */
    next: [] as ('done' | 'refused' | 'done, unsaid' | 'unsaid')[],
  };
  let server: Listening;
  let number = 0;

  beforeAll(async () => {
    server = await listenLocally(async (request, response) => {
      const [text, { method = '', url = '' }] = [await textOf(request), request];
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      if (url.endsWith('/orders')) {
        const { referenceId, itemList } = body as { referenceId: string; itemList: { itemReferenceNumber: string }[] };
        const itemsTrackDetails = itemList.map(({ itemReferenceNumber: one }) => ({
          itemReferenceNumber: one,
          trackingNumber: `T-${referenceId}-${one}`,
        }));
        return void response.end(JSON.stringify({ itemsTrackDetails }));
      }
      if (url.endsWith('/cancel')) return void response.end('{}');
      van.seen.push({ method, path: url, body });
      const how = van.next.shift() ?? 'done';
      if (how === 'refused') return void response.writeHead(422).end('{"error":"no van is free"}');
      const named = /\/pickups\/([^?]+)/.exec(url)?.[1];
      const own = named ?? `V${(number += 1)}`;
      if (how !== 'unsaid') {
        if (method === 'DELETE') van.booked.delete(own);
        else van.booked.set(own, body);
      }
      if (how !== 'done') return void request.socket.destroy();
      response.end(JSON.stringify({ number: own }));
    });
  });
  afterAll(async () => {
    transport.close();
    await server.close();
  });
  beforeEach(() => {
    Object.assign(van, { seen: [], booked: new Map(), next: [] });
    state.wire = async (request, limits) =>
      await transport.send(
        { ...request, url: request.url.replace('https://van.example.com', server.url), allowedHosts: undefined },
        limits,
      );
  });

  const book = async (body: object = booking(), headers = {}) => await shop.post('/v2/pickups', body, headers);
  const change = async (body: object, reference = 'PU-1') => await shop.put(`/v2/pickups/${reference}`, body);
  const act = async (action: 'cancel' | 'dispatch', reference = 'PU-1') =>
    await shop.post(`/v2/pickups/${reference}/${action}`);
  const read = async (reference = 'PU-1') => (await shop.get(`/v2/pickups/${reference}`)).body.data[0];
  const calls = () => van.seen.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  const heldNow = async () =>
    (await admin.get(`/admin/dispatches/held?shipper=${(await shop.opened()).code}`)).body.data;
  const register = async (details: object = {}, code = 'BER') =>
    await shop.put(`/v2/facilities/${code}`, { ...place, timezone: 'Europe/Berlin', ...details });
  const ship = async (reference: string, changes: object = {}) =>
    await shop.create(
      order(
        {
          'carrier.code': 'van',
          'shipFrom.originFacilityCode': 'BER',
          'consignmentDetails.shipByDate': '2026-05-04',
          ...changes,
        },
        reference,
      ),
    );

  const save = async (changes: object = {}, code = 'daily') =>
    await shop.put(`/v2/pickup-plans/${code}`, plan(changes));
  const until = async (instant: string) => clock.advance(Date.parse(instant) - clock.now());
  const startMs = clock.now();
  /** Two servers look at once, and perform what they have made. */
  const look = async (servers = 2) => {
    const made = await Promise.all(
      Array.from({ length: servers }, async () => await makeDue({ ...api.deps(), handOn })),
    );
    await api.work();
    return made.filter(Boolean).length;
  };
  const failing = async () =>
    (await admin.get(`/admin/plans?failing=true&shipper=${(await shop.opened()).code}`)).body.data;
  const days = async () =>
    (await shop.get('/v2/pickups')).body.data.map(
      (one: Record<string, string>) => `${one['referenceNumber']} ${one['acceptance']}`,
    );

  const unknown = async () => {
    van.next = ['done, unsaid'];
    const [entry] = (await book()).body.data;
    expect(entry).toMatchObject({ acceptance: 'held', referenceNumber: 'PU-1' });
    const [held] = await heldNow();
    return held;
  };

  it('are booked at the carrier, and read', async () => {
    const reply = await book();
    expect([reply.status, reply.body.data?.[0].reason], reply.text).toEqual([200, undefined]);
    expect(van.seen).toEqual([
      {
        method: 'POST',
        path: '/van/pickups',
        body: {
          ref: 'PU-1',
          from: '2026-05-04 14:00:00',
          to: '2026-05-04 17:00:00',
          parcels: 3,
          kilos: 7.5,
          street: '1 Example St',
          phone: '+493012345',
          zone: 'Europe/Berlin',
          note: 'Ring twice',
        },
      },
    ]);
    expect(await read()).toMatchObject({
      referenceNumber: 'PU-1',
      carrierCode: 'van',
      pickupNumber: [...van.booked.keys()][0],
      acceptance: 'accepted',
      pickupStartDateTime: '2026-05-04 14:00:00',
      timezone: 'Europe/Berlin',
      totalQuantity: 3,
      totalWeightKg: 7.5,
      consignments: [],
      remaining: { consignments: 0, packages: 0, weightKg: 0 },
    });
    const listed = async (query: string) => (await shop.get(`/v2/pickups?${query}`)).body.data.length;
    expect(await listed('carrier=van&fromDate=2026-05-04&toDate=2026-05-04')).toBe(1);
    expect([await listed('carrier=mover'), await listed('fromDate=2026-05-05')]).toEqual([0, 0]);
    expect((await shop.get('/v2/pickups/PU-9')).body.code).toBe('unknown_pickup');
    const other = await api.newShipper();
    expect((await other.get('/v2/pickups/PU-1')).status).toBe(404);
  });

  it('are one, however often they are booked by the same reference or Idempotency-Key', async () => {
    const [one, same] = await Promise.all([book(), book()]);
    expect([one.status, same.status]).toEqual([200, 200]);
    expect((await book()).body.data[0].pickupNumber).toBe(one.body.data[0].pickupNumber);
    const another = await book(booking({ totalQuantity: 4 }));
    expect([another.status, another.body.code]).toEqual([409, 'duplicate_reference']);
    expect(calls()).toEqual(['POST /van/pickups']);
    const key = { 'idempotency-key': 'key-1' };
    const { referenceNumber: _, ...unnamed } = booking();
    const first = await book(unnamed, key);
    expect((await book(unnamed, key)).body.data[0]).toEqual(first.body.data[0]);
    // As if its answer had been lost with its process.
    await sql(`delete from idempotency_keys where key = 'key-1'`);
    expect((await book(unnamed, key)).body.data[0].pickupNumber).toBe(first.body.data[0].pickupNumber);
    expect(van.booked.size).toBe(2);
  });

  it.each([
    [
      'a window in the past',
      {},
      { pickupStartDateTime: '2026-05-01 10:59:00', pickupEndDateTime: '2026-05-01 12:00:00' },
      'window_past shipFrom.pickupStartDateTime',
    ],
    [
      'a window that ends before it begins',
      {},
      { pickupEndDateTime: '2026-05-04 13:00:00' },
      'window_order shipFrom.pickupEndDateTime',
    ],
    [
      'a window of two days',
      {},
      { pickupEndDateTime: '2026-05-05 13:00:00' },
      'window_one_day shipFrom.pickupEndDateTime',
    ],
    [
      'a time that clocks jump over',
      {},
      { pickupStartDateTime: '2027-03-28 02:30:00', pickupEndDateTime: '2027-03-28 05:00:00' },
      'time_exists shipFrom.pickupStartDateTime',
    ],
    [
      'a weekday on which the facility is closed',
      {},
      {
        originFacilityCode: 'BER',
        pickupStartDateTime: '2026-05-06 14:00:00',
        pickupEndDateTime: '2026-05-06 16:00:00',
      },
      'window_closed shipFrom.pickupStartDateTime',
    ],
    [
      'a day on which the facility is closed',
      {},
      {
        originFacilityCode: 'BER',
        pickupStartDateTime: '2026-05-05 14:00:00',
        pickupEndDateTime: '2026-05-05 16:00:00',
      },
      'window_closed shipFrom.pickupStartDateTime',
    ],
    [
      'a public holiday',
      {},
      {
        originFacilityCode: 'BER',
        pickupStartDateTime: '2026-05-14 14:00:00',
        pickupEndDateTime: '2026-05-14 16:00:00',
      },
      'window_closed shipFrom.pickupStartDateTime',
    ],
    [
      'hours in which the facility is closed',
      {},
      { originFacilityCode: 'BER' },
      'window_closed shipFrom.pickupEndDateTime',
    ],
    ['an unknown facility', {}, { originFacilityCode: 'NOWHERE' }, 'facility_known shipFrom.originFacilityCode'],
    ['an unknown carrier', { carrier: { code: 'nobody' } }, {}, 'carrier_known carrier.code'],
    ['a carrier without pickups', { carrier: { code: 'acme' } }, {}, 'capability carrier.code'],
    ['half of what is to be picked up', { totalWeight: undefined }, {}, 'required totalWeight'],
    ['nothing to be picked up', { totalWeight: undefined, totalQuantity: undefined }, {}, 'required totalQuantity'],
    [
      'an unknown consignment',
      { consignments: [{ referenceNumber: 'REF-9' }] },
      {},
      'consignment_known consignments[0].referenceNumber',
    ],
  ])('with %s are refused at the field, and nothing is booked', async (_, changes, shipFrom, finding) => {
    const pickupTimes = { weekdays: ['MON', 'TUE', 'THU', 'FRI'], from: '08:00', to: '16:00', closed: ['2026-05-05'] };
    await register({ pickupTimes });
    const reply = await book(booking(changes, shipFrom));
    expect([reply.status, reply.body.code, ...(findings(reply) ?? [])], reply.text).toEqual([
      422,
      'rules_broken',
      finding,
    ]);
    expect(van.seen).toEqual([]);
    expect((await shop.get('/v2/pickups')).body.data).toEqual([]);
  });

  it('whose structure is not right are 400, by the field', async () => {
    const reply = await book({ ...booking({}, { pickupStartDateTime: 'Monday' }), parcels: 3 });
    expect([reply.status, ...findings(reply)]).toEqual([
      400,
      'unknown_field parcels',
      'malformed shipFrom.pickupStartDateTime',
    ]);
  });

  it('that the carrier refuses are 422 in its words, and their reference is free again', async () => {
    van.next = ['refused'];
    const reply = await book();
    expect([reply.status, reply.body.code, reply.body.errors]).toEqual([422, 'carrier_rejected', ['no van is free']]);
    expect((await read()).acceptance).toBe('rejected');
    expect((await book()).body.data[0].acceptance).toBe('accepted');
  });

  it('are for the consignments of the facility and day, or for those that are named, and tell what remains', async () => {
    await register();
    for (const one of ['REF-1', 'REF-2', 'REF-3']) await ship(one);
    await ship('REF-4', { 'consignmentDetails.shipByDate': '2026-05-05' });
    const { totalQuantity: _, totalWeight: __, ...rest } = booking({}, { originFacilityCode: 'BER' });
    const followed = await book(rest);
    expect(followed.status, followed.text).toBe(200);
    expect(van.seen.at(-1)?.body).toMatchObject({ parcels: 3 });
    const named = await book({ ...rest, referenceNumber: 'PU-2', consignments: [{ referenceNumber: 'REF-4' }] });
    expect(named.body.data[0].consignments.map((one: { referenceNumber: string }) => one.referenceNumber)).toEqual([
      'REF-4',
    ]);
    await shop.cancel('REF-2');
    await ship('REF-5');
    const { remaining, consignments, acceptance } = await read();
    expect([acceptance, remaining.consignments, remaining.packages]).toEqual(['accepted', 3, 3]);
    const shown = Object.fromEntries(
      consignments.map((one: { referenceNumber: string; remains: boolean }) => [one.referenceNumber, one.remains]),
    );
    expect(shown).toEqual({ 'REF-1': true, 'REF-2': false, 'REF-3': true, 'REF-5': true });
    const late = await book({ ...rest, referenceNumber: 'PU-3', consignments: [{ referenceNumber: 'REF-2' }] });
    expect(findings(late)).toEqual(['consignment_fits consignments[0].referenceNumber']);
    expect(calls()).not.toContain('DELETE /van/pickups');
  });

  describe('are changed', () => {
    const later = {
      shipFrom: { pickupStartDateTime: '2026-05-05 09:00:00', pickupEndDateTime: '2026-05-05 11:00:00' },
    };

    it('by cancelling and booking anew, with what the carrier gave', async () => {
      await book();
      const [old] = van.booked.keys();
      const reply = await change({ ...later, totalQuantity: 5, specialInstructions: null });
      expect(reply.status, reply.text).toBe(200);
      expect(calls()).toEqual(['POST /van/pickups', `DELETE /van/pickups/${old}`, 'POST /van/pickups']);
      expect(van.seen[1]?.path).toContain('depot=D1&from=2026-05-04%2014');
      expect(van.seen[2]?.body).toMatchObject({ from: '2026-05-05 09:00:00', parcels: 5, ref: 'PU-1' });
      expect(van.seen[2]?.body).not.toHaveProperty('note');
      const [now, ...more] = van.booked.keys();
      expect([more, reply.body.data[0].pickupNumber]).toEqual([[], now]);
      await change(later);
      expect(calls(), 'nothing changes').toHaveLength(3);
    });

    it('by the carrier’s own call, where it has one', async () => {
      await book(booking({ carrier: { code: 'mover' } }));
      const [own] = van.booked.keys();
      await change(later);
      expect(calls()).toEqual(['POST /mover/pickups', `PUT /mover/pickups/${own}`]);
      expect(van.seen[1]?.body).toEqual({ from: '2026-05-05 09:00:00', depot: 'D1' });
      expect((await read()).pickupStartDateTime).toBe('2026-05-05 09:00:00');
    });

    it('not at all where the cancellation is refused: the pickup stays as it was', async () => {
      await book();
      van.next = ['refused'];
      const reply = await change(later);
      expect([reply.status, reply.body.code, reply.body.message]).toEqual([
        422,
        'carrier_rejected',
        'Example van rejected the change: the pickup stays as it was',
      ]);
      expect(await read()).toMatchObject({ acceptance: 'accepted', pickupStartDateTime: '2026-05-04 14:00:00' });
      expect([van.booked.size, calls().length]).toEqual([1, 2]);
    });

    it('and are told to be gone where the new one is refused, until it is retried', async () => {
      await book();
      van.next = ['done', 'refused'];
      const [entry] = (await change(later)).body.data;
      expect(entry).toMatchObject({ acceptance: 'held', pickupStartDateTime: '2026-05-05 09:00:00' });
      expect(entry.reason.message).toContain('the old pickup is cancelled at the carrier, and a new one was not made');
      expect(entry.pickupNumber).toBeUndefined();
      expect(await heldNow()).toMatchObject([
        { operation: 'changePickup', referenceNumber: 'PU-1', carrierCode: 'van' },
      ]);
      const again = await act('dispatch');
      expect(again.body.data[0]).toMatchObject({ acceptance: 'accepted', pickupNumber: [...van.booked.keys()][0] });
      expect(calls().slice(-1)).toEqual(['POST /van/pickups']);
      expect(await heldNow()).toEqual([]);
    });

    it.each([
      ['another carrier', { carrier: { code: 'mover' } }, 422, 'carrier_fixed carrier.code'],
      [
        'a window in the past',
        { shipFrom: { pickupStartDateTime: '2026-04-30 09:00:00', pickupEndDateTime: '2026-04-30 10:00:00' } },
        422,
        'window_past shipFrom.pickupStartDateTime',
      ],
      ['what is no field', { colour: 'blue' }, 400, 'unknown_field colour'],
    ])('not to %s', async (_, changes, status, finding) => {
      await book();
      const reply = await change(changes);
      expect([reply.status, ...findings(reply)]).toEqual([status, finding]);
      expect(calls()).toHaveLength(1);
    });
  });

  describe('are cancelled', () => {
    it('at the carrier, once', async () => {
      await book();
      expect((await act('cancel')).body.data[0].acceptance).toBe('cancelled');
      expect((await act('cancel')).body.data[0].acceptance).toBe('cancelled');
      expect([calls().length, van.booked.size]).toEqual([2, 0]);
      expect((await change({ totalQuantity: 4 })).body.code).toBe('cancelled');
      expect((await book()).body.data[0].acceptance, 'its reference is free').toBe('accepted');
    });

    it('not where the carrier refuses, or cannot', async () => {
      await book();
      van.next = ['refused'];
      expect((await act('cancel')).body.code).toBe('carrier_rejected');
      expect((await read()).acceptance).toBe('accepted');
      await book(booking({ referenceNumber: 'PU-2', carrier: { code: 'oneway' } }));
      expect(findings(await act('cancel', 'PU-2'))).toEqual(['capability carrier.code']);
      expect(findings(await change({ totalQuantity: 4 }, 'PU-2'))).toEqual(['capability carrier.code']);
      expect((await act('cancel', 'PU-9')).status).toBe(404);
    });

    it('again where nobody knows whether they were', async () => {
      await book();
      van.next = Array.from({ length: 8 }, () => 'unsaid' as const);
      await act('cancel');
      for (let tries = 0; tries < 8 && (await read()).acceptance === 'pending'; tries += 1) {
        clock.advance(3_600_000);
        await api.work();
      }
      expect((await read()).acceptance).toBe('held');
      expect((await change({ totalQuantity: 4 })).body.code).toBe('pickup_unknown');
      van.next = [];
      expect((await act('cancel')).body.data[0].acceptance).toBe('cancelled');
      expect(van.booked.size).toBe(0);
    });
  });

  describe('of which nobody knows', () => {
    it('are held, never booked again by themselves, and neither changed nor cancelled', async () => {
      const held = await unknown();
      expect(held).toMatchObject({
        operation: 'pickup',
        referenceNumber: 'PU-1',
        failure: { why: 'unknown_outcome' },
        packages: [],
      });
      expect((await book()).body.data[0].acceptance).toBe('held');
      expect([(await change({ totalQuantity: 4 })).body.code, (await act('cancel')).body.code]).toEqual([
        'pickup_unknown',
        'pickup_unknown',
      ]);
      expect((await act('dispatch')).body.data[0].acceptance, 'no promise, no look-up').toBe('held');
      expect(calls()).toHaveLength(1);
    });

    it('are resolved by an operator: done with the carrier’s number, not done, or rejected', async () => {
      const resolve = async (id: number, body: object) =>
        await admin.post(`/admin/dispatches/${id}/resolve`, { note: 'seen', ...body });
      const { id } = await unknown();
      expect((await resolve(id, { outcome: 'done' })).status).toBe(400);
      const [own = ''] = van.booked.keys();
      expect((await resolve(id, { outcome: 'done', number: own })).body).toMatchObject({
        id,
        state: 'done',
        referenceNumber: 'PU-1',
        acceptance: 'accepted',
      });
      expect((await read()).pickupNumber).toBe(own);
      expect((await act('cancel')).body.data[0].acceptance).toBe('cancelled');
      const other = await unknown();
      van.booked.clear();
      expect((await resolve(other.id, { outcome: 'not_done' })).body.acceptance).toBe('pending');
      expect(await heldNow()).toEqual([]);
      expect((await act('dispatch')).body.data[0].acceptance).toBe('accepted');
      await act('cancel');
      const last = await unknown();
      expect(
        (await admin.post('/admin/dispatches/resolve', { ids: [last.id], outcome: 'rejected', note: 'no' })).body
          .doneCount,
      ).toBe(1);
      expect((await read()).acceptance).toBe('rejected');
    });

    it('as the process ended between the fence and the record, are held as well', async () => {
      const { wire } = state;
      state.wire = async (...sent) => {
        await wire?.(...sent);
        throw new LeaseLost('killed');
      };
      await book();
      expect((await read()).acceptance).toBe('pending');
      state.wire = wire;
      await sql(`update dispatches set lease_until = now() - interval '1 s'`);
      expect((await book()).body.data[0].acceptance).toBe('held');
      expect([calls().length, van.booked.size]).toEqual([1, 1]);
      const text = await createMetrics(api.database.pool).text();
      expect(/^waybill_dispatches_held (\d+)/m.exec(text)?.[1]).not.toBe('0');
    });
  });

  describe('that come again', () => {
    beforeEach(async () => {
      clock.advance(startMs - clock.now());
      await sql('update plans set due_at = null');
      await register({ pickupTimes: {} });
    });

    it('are booked before their day, once, whoever looks, and not on holidays', async () => {
      const saved = await save();
      expect(saved.body, saved.text).toMatchObject({
        code: 'daily',
        day: '2026-05-04',
        dueAt: '2026-05-04T00:00:00.000Z',
      });
      expect(await look()).toBe(0);
      await until('2026-05-04T00:00:01Z');
      expect(await look()).toBe(1);
      expect(await look()).toBe(0);
      expect(van.seen.map(({ body }) => [body['ref'], body['from'], body['parcels'], body['kilos']])).toEqual([
        ['daily-2026-05-04', '2026-05-04 14:00:00', 10, 80],
      ]);
      expect((await shop.get('/v2/pickup-plans/daily')).body.day).toBe('2026-05-06');
      // Ascension Day is a Thursday, Whit Monday one of its days.
      await until('2026-05-22T12:00:00Z');
      expect(await look(1)).toBe(1);
      expect((await shop.get('/v2/pickup-plans')).body.data).toMatchObject([{ code: 'daily', day: '2026-05-27' }]);
      expect((await shop.get('/v2/pickup-plans/daily')).body.failure).toMatchObject({
        day: '2026-05-06',
        code: 'window_past',
      });
    });

    it('are not booked again by a server that dies in the midst of it', async () => {
      await save();
      await until('2026-05-04T01:00:00Z');
      const dying = { ...api.deps(), handOn: () => expect.fail('the process is gone') };
      await makeDue(dying).catch(() => undefined);
      expect(van.seen).toEqual([]);
      await look();
      expect(calls()).toEqual(['POST /van/pickups']);
      await sql(`update plans set due_at = $1, day = '2026-05-04'`, [new Date(clock.now())]);
      await look();
      expect(calls(), 'as if it had forgotten').toHaveLength(1);
    });

    it('and were refused, are told to operators until one is booked', async () => {
      await save();
      await until('2026-05-04T01:00:00Z');
      van.next = ['refused'];
      await look();
      expect(await days()).toEqual(['daily-2026-05-04 rejected']);
      expect(await failing()).toMatchObject([
        {
          code: 'daily',
          kind: 'pickup',
          carrierCode: 'van',
          failure: { day: '2026-05-04', messages: ['no van is free'] },
        },
      ]);
      expect(await createMetrics(api.database.pool).text()).toMatch(/^waybill_plans_failing 1$/m);
      expect(api.log.lines.some(({ fields }) => 'alert' in fields && fields.alert === 'plan_failed')).toBe(true);
      await until('2026-05-06T01:00:00Z');
      await look();
      expect([await failing(), (await days())[0]]).toEqual([[], 'daily-2026-05-06 accepted']);
    });

    it('and cannot be booked as the facility is gone, are told as well', async () => {
      await save();
      await shop.delete('/v2/facilities/BER');
      await until('2026-05-04T01:00:00Z');
      await look();
      expect(await failing()).toMatchObject([{ failure: { day: '2026-05-04', code: 'facility_known' } }]);
    });

    it('are ended by their shipper, or by an operator', async () => {
      await save();
      await save({}, 'other');
      expect((await shop.delete('/v2/pickup-plans/daily')).body).toEqual({ code: 'daily', ended: true });
      expect((await shop.delete('/v2/pickup-plans/daily')).body.code).toBe('unknown_plan');
      const [{ id }] = (await admin.get(`/admin/plans?shipper=${(await shop.opened()).code}`)).body.data;
      expect((await admin.post(`/admin/plans/${id}/end`)).body).toEqual({ id, ended: true });
      expect((await admin.post(`/admin/plans/${id}/end`)).status).toBe(404);
      await until('2026-05-08T10:00:00Z');
      expect([await look(), await days()]).toEqual([0, []]);
    });

    it.each([
      ['an unknown facility', { originFacilityCode: 'NOWHERE' }, 'facility_known originFacilityCode'],
      ['a carrier without pickups', { carrier: { code: 'acme' } }, 'capability carrier.code'],
      ['a window that ends before it begins', { pickupEndTime: '13:00' }, 'window_order pickupEndTime'],
      ['nothing to be expected', { totalWeight: undefined }, 'required totalWeight'],
      ['no day', { weekdays: ['SUN'], lastDay: '2026-05-02' }, 'window_closed weekdays'],
    ])('with %s are refused at the field', async (_, changes, finding) => {
      const reply = await save(changes);
      expect([reply.status, ...(findings(reply) ?? [])], reply.text).toEqual([422, finding]);
    });
  });
});
