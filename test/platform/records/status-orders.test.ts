import { expect, it, beforeEach, describe } from 'vitest';
import { freshDatabase } from '../../support/database.ts';
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
    const life: readonly [string, string][] = [
      ['SHIPMENT_CREATED', '07:00:00'],
      ['PICKED_UP', '08:00:00'],
      ['IN_TRANSIT', '09:00:00'],
      ['AT_HUB', '10:00:00'],
      ['OUT_FOR_DELIVERY', '11:00:00'],
      ['DELIVERY_FAILED', '12:00:00'],
      ['OUT_FOR_DELIVERY', '13:00:00'],
    ];
    const numbers = ['A', 'B', 'C', 'D'];
    const ids = await Promise.all(
      numbers.map((n) => world.consignmentWith({ reference: n, trackingNumbers: [`${n}0`, `${n}1`] })),
    );
    const single = numbers.flatMap((n) =>
      life.flatMap(([code, at]) => [saying(`${n}0`, code, at), saying(`${n}1`, code, at)]),
    );
    const all: (StatusUpdate | StatusUpdate[])[] = [
      ...single,
      // Arrays that cross consignments, in either direction: what would make careless locking end in deadlocks.
      ...numbers.map((n) => [saying(`${n}1`, 'DELIVERED', '14:00:00'), ...single.filter((_, at) => at % 5 === 0)]),
      ...numbers.map((n) => [
        ...single.filter((_, at) => at % 7 === 0).toReversed(),
        saying(`${n}0`, 'DELIVERED', '15:00:00'),
      ]),
      ...numbers.map((n) => saying(`unknown-${n}`, 'IN_TRANSIT', '09:00:00')),
    ];
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const shuffled = [...all, ...all, ...all, ...all, ...all]
      .map((body) => ({ body, key: random() }))
      .sort((a, b) => a.key - b.key);
    const pushes: number[] = [];
    for (const { body } of shuffled) pushes.push(await world.push(body));
    const workers = Array.from({ length: 8 }, async () => {
      for (let id = pushes.pop(); id !== undefined; id = pushes.pop()) await world.process(id);
    });
    await Promise.all(workers);

    expect(await world.count('events')).toBe(single.length + 8 + 4);
    expect(world.told).toHaveLength(single.length + 8);
    expect((await database.pool.query(`select 1 from pushes where state <> 'done'`)).rowCount).toBe(0);
    for (const id of ids) {
      const { status, packages } = await world.get(id);
      expect([status, ...packages.map((one) => one.statusAtMs)]).toEqual([
        'Order Delivered',
        Date.UTC(2026, 4, 1, 15),
        Date.UTC(2026, 4, 1, 14),
      ]);
    }
  });
});
