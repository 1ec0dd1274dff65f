import { expect, it, beforeEach, describe } from 'vitest';
import { freshDatabase } from '../../support/database.ts';
import { randomOf, shuffled } from '../../support/random.ts';
import { differsByOrder } from './status-orders.ts';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import { saying, statusWorld } from './status-world.ts';

const database = freshDatabase();
const world = statusWorld(() => database.pool);
beforeEach(world.empty);

const SEEDS = Number(process.env['FUZZ_RUNS'] ?? 4);

it('what a carrier says five times and in any order is one event each, and ends in the same state', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) expect(await differsByOrder(database.pool, seed)).toBeUndefined();
});

describe('Pushes five times each, shuffled and at once', () => {
  it('end in one event each and the same states', async () => {
    const onTheRoad = ['OUT_FOR_DELIVERY', 'DELIVERY_FAILED', 'OUT_FOR_DELIVERY'];
    const life = ['SHIPMENT_CREATED', 'PICKED_UP', 'IN_TRANSIT', 'AT_HUB', ...onTheRoad];
    const numbers = ['A', 'B', 'C', 'D'];
    const ids = await Promise.all(
      numbers.map((n) => world.consignmentWith({ reference: n, trackingNumbers: [`${n}0`, `${n}1`] })),
    );
    const single = numbers.flatMap((n) =>
      life.flatMap((code, at) => [0, 1].map((item) => saying(`${n}${item}`, code, `${7 + at}:00:00`.padStart(8, '0')))),
    );
    const everySeventh = single.filter((_, at) => at % 7 === 0);
    const all: (StatusUpdate | StatusUpdate[])[] = [
      ...single,
      // Arrays that cross consignments, in either direction: what would make careless locking end in deadlocks.
      ...numbers.map((n) => [saying(`${n}1`, 'DELIVERED', '14:00:00'), ...single.filter((_, at) => at % 5 === 0)]),
      ...numbers.map((n) => [...everySeventh.toReversed(), saying(`${n}0`, 'DELIVERED', '15:00:00')]),
      ...numbers.map((n) => saying(`unknown-${n}`, 'IN_TRANSIT', '09:00:00')),
    ];
    const pushes: number[] = [];
    for (const body of shuffled([...all, ...all, ...all, ...all, ...all], randomOf(7)))
      pushes.push(await world.push(body));
    const workers = Array.from({ length: 8 }, async () => {
      // As another process each.
      const intake = world.intake();
      for (let id = pushes.pop(); id !== undefined; id = pushes.pop()) await intake.process(id);
    });
    await Promise.all(workers);

    expect(await world.count('events')).toBe(single.length + 8 + 4);
    expect(await world.told()).toHaveLength(single.length + 8);
    expect(await database.rows(`select 1 from pushes where state <> 'done'`)).toEqual([]);
    for (const id of ids) {
      const packages = [15, 14].map((hour) => ({ statusAtMs: Date.UTC(2026, 4, 1, hour) }));
      expect(await world.get(id)).toMatchObject({ status: 'Order Delivered', packages });
    }
  });
});
