import { beforeEach, describe, expect, it } from 'vitest';
import { listUnmapped } from '../../../src/platform/records/events.ts';
import { renormalise } from '../../../src/platform/records/reread-events.ts';
import { CONTRACT_TABLE, exampleCarrier } from '../../engine/statuses/carrier.ts';
import { freshDatabase } from '../../support/database.ts';
import { saying, statusWorld } from './status-world.ts';

const database = freshDatabase();
const world = statusWorld(() => database.pool);
beforeEach(world.empty);

const learnt = (table: Parameters<typeof exampleCarrier>[0] & object) =>
  renormalise(database.pool, exampleCarrier(table), world.deps);
const table = { ...CONTRACT_TABLE, 'X*': { status: 'Delivery Failed', reason: 'REFUSED' } } as const;

describe('When a table has learnt a code', () => {
  it('its stored events move their packages and are told', async () => {
    const id = await world.consignmentWith({ reference: 'R1', trackingNumbers: ['T1', 'T2'] });
    await world.say([
      saying('T1', 'IN_TRANSIT', '08:00:00'),
      saying('T1', 'X1', '09:00:00'),
      saying('T2', 'Y', '09:00:00'),
    ]);
    world.told.length = 0;

    expect(await learnt({ table })).toBe(1);
    const { status, packages } = await world.get(id);
    expect(status).toBe('Delivery Failed');
    expect(packages[0]).toMatchObject({
      status: 'Delivery Failed',
      reason: 'REFUSED',
      statusAtMs: Date.UTC(2026, 4, 1, 9),
    });
    expect(packages[1]?.status).toBe('Order Created');
    expect(world.told).toEqual([
      expect.objectContaining({
        position: 0,
        previousStatus: 'In Transit',
        status: 'Delivery Failed',
        reason: 'REFUSED',
      }),
    ]);
    expect((await listUnmapped(database.pool, { limit: 10 })).map(({ code }) => code)).toEqual(['Y']);
  });

  it('an event that has been overtaken is told, but moves nothing back', async () => {
    const id = await world.consignmentWith({ reference: 'R1', trackingNumbers: ['T1'] });
    await world.say([saying('T1', 'X1', '08:00:00'), saying('T1', 'DELIVERED', '09:00:00')]);
    world.told.length = 0;
    await learnt({ table });
    expect((await world.get(id)).status).toBe('Order Delivered');
    expect(world.told).toEqual([expect.objectContaining({ status: 'Delivery Failed', previousStatus: undefined })]);
  });

  it('twice or by several at once makes no difference', async () => {
    await world.consignmentWith({ reference: 'R1', trackingNumbers: ['T1'] });
    const many = Array.from({ length: 450 }, (_, at) => saying('T1', 'X1', `08:00:00.${String(at).padStart(3, '0')}`));
    await world.say(many);
    world.told.length = 0;
    const counts = await Promise.all([learnt({ table }), learnt({ table }), learnt({ table })]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(450);
    expect(world.told).toHaveLength(450);
    expect(await learnt({ table })).toBe(0);
  });

  it("other carriers' events stay as they are, and so do those that fit nothing, but for their status", async () => {
    world.carriers.set('other', exampleCarrier({ code: 'other' }));
    await world.say(saying('T1', 'X1', '08:00:00'), { carrierCode: 'other' });
    await world.say(saying('T1', 'X1', '08:00:00'));
    expect(await learnt({ table })).toBe(1);
    expect((await world.events()).map(({ status, match }) => [status, match])).toEqual([
      ['Unmapped', 'unmatched'],
      ['Delivery Failed', 'unmatched'],
    ]);
    expect(world.told).toEqual([]);
    const id = await world.consignmentWith({ reference: 'R1', trackingNumbers: ['T1'] });
    expect((await world.get(id)).status).toBe('Delivery Failed');
  });

  it('a code as long as it gets is found again', async () => {
    await world.consignmentWith({ reference: 'R1', trackingNumbers: ['T1'] });
    await world.say(saying('T1', `X${'1'.repeat(5_000)}`, '08:00:00'));
    expect(await learnt({ table })).toBe(1);
  });
});
