/** Slots by the free capacity of the day: a place is given once, however many ask for it at a time. */
import { beforeAll, expect, it } from 'vitest';
import { consignment, DEPOT, fleetWorld, furnish } from './world.ts';

const world = fleetWorld();
beforeAll(async () => {
  await furnish(world);
  // One window of an hour, and visits of half an hour: a crew makes three, the first of them when it begins.
  await world.put('depots', 'BER', {
    ...DEPOT,
    slots: [
      { from: '09:00', to: '10:00' },
      { from: '20:00', to: '21:00' },
    ],
  });
  await world.put('service-times', 'DEFAULT', { stopMinutes: 30 });
});

const offered = async (day: string) =>
  (await world.carrier('GET', `/slots?country=DE&postcode=10117&from=${day}&to=${day}&timezone=UTC`)).body
    .slots as readonly { id: string; from: string; to: string }[];
const reserve = async (slot: string, key: string) =>
  await world.carrier('POST', '/reservations', { slot }, { 'Idempotency-Key': key });

it('what is free is offered, in the time zone of whoever asks; a window when nobody works is not', async () => {
  expect(await offered('2026-12-02')).toMatchObject([{ from: '2026-12-02 08:00:00', to: '2026-12-02 09:00:00' }]);
  expect(
    (await world.carrier('GET', '/slots?country=DE&postcode=80331&from=2026-12-02&to=2026-12-02')).body.slots,
  ).toEqual([]);
});

it('a key that no index takes is refused alone', async () => {
  const [slot] = await offered('2026-12-04');
  const [long, other] = await Promise.all([reserve(slot!.id, 'k'.repeat(9_000)), reserve(slot!.id, 'short')]);
  expect([long.status, other.status]).toEqual([400, 200]);
  await world.carrier('DELETE', `/reservations/${other.body.reservation}`);
});

it('1,000 at once get no more places than there are, and nothing is offered any more', async () => {
  const [slot] = await offered('2026-12-03');
  const replies = await Promise.all(
    Array.from({ length: 1_000 }, async (_, at) => await reserve(slot!.id, `key-${at}`)),
  );
  const given = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(1_000 - given.length);
  expect(refused[0]?.body).toMatchObject({ code: 'slot_sold_out' });
  expect(new Set(given.map(({ body }) => body.reservation)).size).toBe(given.length);
  expect(given.length).toBeGreaterThanOrEqual(4);
  expect(given.length).toBeLessThanOrEqual(6);
  expect(await offered('2026-12-03')).toEqual([]);
  // A repeat is no second one; a place that is given back is another's.
  const at = replies.findIndex(({ status }) => status === 200);
  expect((await reserve(slot!.id, `key-${at}`)).body.reservation).toBe(replies[at]!.body.reservation);
  expect((await world.carrier('DELETE', `/reservations/${replies[at]!.body.reservation}`)).status).toBe(200);
  expect(await offered('2026-12-03')).toHaveLength(1);
});

it('a reservation that nobody confirms lapses, one that is confirmed becomes the place of its order', async () => {
  const [slot] = await offered('2026-12-04');
  const { body: lapsed } = await reserve(slot!.id, 'lapses');
  const { body: kept } = await reserve(slot!.id, 'kept');
  expect(
    (await world.carrier('POST', `/reservations/${kept.reservation}/confirm`, { referenceId: 'SLOT-1' })).status,
  ).toBe(200);
  world.clock.advance(16 * 60_000);
  const late = await world.carrier('POST', `/reservations/${lapsed.reservation}/confirm`, { referenceId: 'SLOT-2' });
  expect([late.status, late.body.code]).toEqual([409, 'slot_expired']);
  const window = {
    destinationPreferredStartTime: '2026-12-04 09:00:00',
    destinationPreferredEndTime: '2026-12-04 10:00:00',
  };
  expect((await world.carrier('POST', '/consignments', consignment('SLOT-1', window))).status).toBe(200);
  const board = (await world.ask('GET', '/board?depot=BER&day=2026-12-04')).body;
  expect(board.unassigned).toMatchObject([{ task: { referenceId: 'SLOT-1' } }]);
  expect((await world.carrier('POST', '/reservations/none/confirm')).status).toBe(404);
});

it('a slot that was never offered cannot be reserved', async () => {
  const { status, body } = await reserve(Buffer.from('["BER","mitte","2026-12-03",1,2]').toString('base64url'), 'x');
  expect([status, body.findings]).toMatchObject([400, [{ field: 'slot' }]]);
});

it('a day of which more is open than can be planned offers nothing', async () => {
  const day = '2026-12-08';
  const window = { destinationPreferredStartTime: `${day} 09:00:00`, destinationPreferredEndTime: `${day} 10:00:00` };
  await world.carrier('POST', '/consignments', consignment('OPEN', window));
  // Nobody can do them: there is room for what somebody can.
  const copy = async (from: number, to: number): Promise<unknown> =>
    await world.database.rows(`
      insert into fleet.tasks (link_id, reference_id, order_number, consignment_number, kind, depot, zone, first_day, last_day, consignment, demand)
      select link_id, 'OPEN-' || at, order_number, consignment_number, kind, depot, zone, first_day, last_day, consignment,
        demand || '{"skills": ["nobody"]}'
      from fleet.tasks, generate_series(${from}, ${to}) as at where reference_id = 'OPEN'`);
  await copy(1, 100);
  expect(await offered(day)).toHaveLength(1);
  await copy(101, 2_000);
  expect(await offered(day)).toEqual([]);
});
