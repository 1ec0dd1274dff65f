import { beforeEach, describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import { claimDuePushes, listFailedPushes } from '../../../src/platform/records/pushes.ts';
import { listUnmapped } from '../../../src/platform/records/events.ts';
import { exampleCarrier, CONTRACT_TABLE } from '../../engine/statuses/carrier.ts';
import { freshDatabase } from '../../support/database.ts';
import { saying, statusWorld } from './status-world.ts';
import { findLearnt, renormalise } from '../../../src/platform/records/reread-events.ts';

const database = freshDatabase();
const world = statusWorld(() => database.pool);
beforeEach(world.empty);

describe('An event that came before its tracking number was known', () => {
  it('is matched, folded, told and its label handed on when the consignment gets the number', async () => {
    const label = { url: 'https://example.com/label.pdf' };
    const id = await world.consignmentWith({ packages: 2 });
    await world.say(saying('T2', 'PICKED_UP', '08:00:00', { label }));
    await world.say(saying('T2', 'IN_TRANSIT', '09:00:00'));
    await world.say(saying('T3', 'DELIVERED', '09:00:00'));
    expect(await world.told()).toEqual([]);

    await world.giveNumbers(id, ['T1', 'T2']);
    await world.resume();
    const { packages } = await world.get(id);
    expect(packages.map(({ status }) => status)).toEqual(['Order Created', 'In Transit']);
    expect(
      (await world.told()).map(({ position, previousStatus, status }) => [position, previousStatus, status]),
    ).toEqual([
      [1, 'Order Created', 'Order Picked Up'],
      [1, 'Order Picked Up', 'In Transit'],
    ]);
    expect(await database.rows('select consignment_id, position, source_url from labels')).toEqual([
      { consignment_id: id, position: 1, source_url: label.url },
    ]);
    const left = (await world.events()).filter(({ match }) => match !== 'matched');
    expect(left.map(({ body }) => JSON.parse(body).value)).toEqual(['T3']);
  });

  it('of which only the consignment was known gets its package', async () => {
    const id = await world.consignmentWith({ packages: 2 });
    await world.say(saying('T2', 'DELIVERED', '08:00:00', { consignmentNumber: 'C-R1' }));
    expect((await world.events())[0]).toMatchObject({ match: 'ambiguous', consignment_id: id });
    await world.giveNumbers(id, ['T1', 'T2']);
    await world.resume();
    expect((await world.get(id)).packages.map(({ status }) => status)).toEqual(['Order Created', 'Order Delivered']);
  });

  it('is not taken by a consignment of another carrier, environment or account', async () => {
    world.carriers.set('other', exampleCarrier({ code: 'other' }));
    const account = await world.account();
    for (const whose of [{ carrierCode: 'other' }, { environment: 'sandbox' }, { accountId: account }] as const)
      await world.say(saying('T1', 'DELIVERED', '08:00:00'), whose);
    const id = await world.consignmentWith({ trackingNumbers: ['T1'] });
    expect((await world.get(id)).status).toBe('Order Created');
    expect((await world.events()).map(({ match }) => match)).toEqual(['unmatched', 'unmatched', 'unmatched']);
  });

  it('is matched when it comes again, where nobody looked for it', async () => {
    const event = saying('T1', 'DELIVERED', '08:00:00');
    await world.say(event);
    const id = await world.consignmentWith({ packages: 1 });
    await database.rows(`update packages set tracking_number = 'T1'`);
    await database.rows(
      `insert into identifiers (carrier_code, kind, value, consignment_id, position) values ('example', 'Tracking', 'T1', $1, 0)`,
      id,
    );
    expect(await world.say(event)).toMatchObject({ recorded: 0, duplicates: 1, unmatched: 0 });
    expect((await world.get(id)).status).toBe('Order Delivered');
    expect(await world.told()).toHaveLength(1);
    await world.say(event);
    expect(await world.told()).toHaveLength(1);
  });

  it('is never missed, however the push and the end of the create meet', async () => {
    const rounds = 40;
    const ids: number[] = [];
    for (let round = 0; round < rounds; round += 1) ids.push(await world.consignmentWith({ reference: `R${round}` }));
    await Promise.all(
      ids.flatMap((id, round) => {
        const number = `T${round}`;
        const pushed = world.push(saying(number, 'DELIVERED', '08:00:00'));
        const numbered = world.giveNumbers(id, [number]);
        const processed = pushed.then(world.process);
        return round % 2 === 0 ? [processed, numbered] : [numbered, processed];
      }),
    );
    await world.resume({ laterS: 30 });
    expect((await world.events()).map(({ match }) => match)).toEqual(Array.from({ length: rounds }, () => 'matched'));
    for (const id of ids) expect((await world.get(id)).status).toBe('Order Delivered');
    expect(await world.told()).toHaveLength(rounds);
  });

  it('is found later where it was recorded while the end of the create that names it was not committed', async () => {
    const id = await world.consignmentWith();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: written, resolve: isWritten } = Promise.withResolvers<void>();
    // The end of the create has looked for events and found none, but has not committed yet.
    const numbering = world.giveNumbers(id, ['T1'], async () => {
      isWritten();
      await held;
    });
    await written;
    expect(await world.say(saying('T1', 'DELIVERED', '08:00:00'))).toMatchObject({ unmatched: 1 });
    release();
    await numbering;
    await world.resume();
    expect((await world.events()).map(({ match }) => match)).toEqual(['unmatched']);
    const soon = `select due_at between now() + interval '25 seconds' and now() + interval '30 seconds' from pushes`;
    expect(await database.values(soon)).toEqual([true]);
    await world.resume({ laterS: 30 });
    expect((await world.events()).map(({ match }) => match)).toEqual(['matched']);
    expect((await world.get(id)).status).toBe('Order Delivered');
    expect(await database.values('select due_at from pushes')).toEqual([null]);
  });

  it('is found though the end of the create lasts for minutes, and is not looked for any more after ten', async () => {
    const id = await world.consignmentWith();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: written, resolve: isWritten } = Promise.withResolvers<void>();
    const numbering = world.giveNumbers(id, ['T1'], async () => {
      isWritten();
      await held;
    });
    await written;
    await world.say(saying('T1', 'DELIVERED', '08:00:00'));
    await world.say(saying('T2', 'DELIVERED', '08:00:00'));
    await world.resume({ laterS: 30 });
    release();
    await numbering;
    await world.resume({ laterS: 300 });
    expect((await world.events()).map(({ match }) => match)).toEqual(['unmatched', 'unmatched']);
    await world.resume({ laterS: 270 });
    expect((await world.events()).map(({ match }) => match)).toEqual(['matched', 'unmatched']);
    expect(await database.values('select due_at from pushes')).toEqual([null, null]);
  });

  it('and cannot be recorded with its consignment is kept as failed, visibly, and taken up by a changed profile', async () => {
    const id = await world.consignmentWith();
    await world.say(saying('T1', 'DELIVERED', '08:00:00'));
    await world.giveNumbers(id, ['T1']);
    await database.rows('alter table notices add constraint none check (false) not valid');
    const outcomes: string[] = [];
    const [push] = await claimDuePushes(database.pool, 10);
    const intake = world.intake({ processed: (_, outcome) => void outcomes.push(outcome) });
    await expect(intake.resume(push!)).rejects.toThrow('violates check constraint');
    await database.rows('alter table notices drop constraint none');
    expect(await database.rows('select state, due_at from pushes')).toEqual([{ state: 'failed', due_at: null }]);
    const [failed] = await listFailedPushes(database.pool, { limit: 10 });
    expect(failed).toMatchObject({ id: push?.id, failure: expect.stringContaining('violates check constraint') });
    expect(outcomes).toEqual(['failed']);
    expect(world.log.lines.at(-1)).toMatchObject({ level: 'error', fields: { push: push?.id, carrier: 'example' } });
    expect(await world.process(failed!.id)).toMatchObject({ state: 'done' });
    expect((await world.get(id)).status).toBe('Order Delivered');
  });
});

const table = { ...CONTRACT_TABLE, 'X*': { status: 'Delivery Failed', reason: 'REFUSED' } } as const;
const learnt = () => renormalise(database.pool, exampleCarrier({ table }), world.deps);
/** What the carrier said before; of what was told of it nobody asks. */
const begin = async (updates: readonly StatusUpdate[]) => {
  await world.say(updates);
  await world.forgetTold();
};

describe('When a table has learnt a code', () => {
  it('its stored events move their packages and are told', async () => {
    const id = await world.consignmentWith({ trackingNumbers: ['T1', 'T2'] });
    const moved = saying('T1', 'IN_TRANSIT', '08:00:00');
    await begin([moved, saying('T1', 'X1', '09:00:00'), saying('T2', 'Y', '09:00:00')]);
    expect(await learnt()).toBe(1);
    const refused = { status: 'Delivery Failed', reason: 'REFUSED' };
    expect(await world.get(id)).toMatchObject({
      status: 'Delivery Failed',
      packages: [{ ...refused, statusAtMs: Date.UTC(2026, 4, 1, 9) }, { status: 'Order Created' }],
    });
    expect(await world.told()).toMatchObject([{ position: 0, previousStatus: 'In Transit', ...refused }]);
    expect((await listUnmapped(database.pool, { limit: 10 })).map(({ code }) => code)).toEqual(['Y']);
  });

  it('returns are not told apart where the carrier has no rows of theirs', async () => {
    await world.consignmentWith({ trackingNumbers: ['T1'] });
    const ofReturn = { statusIdentifierValue: 'REVERSE' };
    await begin([saying('T1', 'X1', '08:00:00'), saying('T9', 'X1', '09:00:00', ofReturn)]);
    expect(await findLearnt(database.pool, exampleCarrier({ table }))).toMatchObject([{ count: 2, isReturn: false }]);
    expect(await learnt()).toBe(2);
  });

  it('an event that has been overtaken is told, but moves nothing back', async () => {
    const id = await world.consignmentWith({ trackingNumbers: ['T1'] });
    await begin([saying('T1', 'X1', '08:00:00'), saying('T1', 'DELIVERED', '09:00:00')]);
    await learnt();
    expect((await world.get(id)).status).toBe('Order Delivered');
    expect(await world.told()).toEqual([expect.objectContaining({ status: 'Delivery Failed', previousStatus: null })]);
  });

  it('twice or by several at once makes no difference', async () => {
    await world.consignmentWith({ trackingNumbers: ['T1'] });
    await begin(Array.from({ length: 450 }, (_, at) => saying('T1', 'X1', `08:00:00.${String(at).padStart(3, '0')}`)));
    const counts = await Promise.all([learnt(), learnt(), learnt()]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(450);
    expect(await world.told()).toHaveLength(450);
    expect(await learnt()).toBe(0);
  });

  it("other carriers' events stay as they are, and so do those that fit nothing, but for their status", async () => {
    world.carriers.set('other', exampleCarrier({ code: 'other' }));
    await world.say(saying('T1', 'X1', '08:00:00'), { carrierCode: 'other' });
    await world.say(saying('T1', 'X1', '08:00:00'));
    expect(await learnt()).toBe(1);
    expect((await world.events()).map(({ status, match }) => [status, match])).toEqual([
      ['Unmapped', 'unmatched'],
      ['Delivery Failed', 'unmatched'],
    ]);
    expect(await world.told()).toEqual([]);
    const id = await world.consignmentWith({ trackingNumbers: ['T1'] });
    expect((await world.get(id)).status).toBe('Delivery Failed');
  });

  it('a code as long as it gets is found again', async () => {
    await world.consignmentWith({ trackingNumbers: ['T1'] });
    await world.say(saying('T1', `X${'1'.repeat(5_000)}`, '08:00:00'));
    expect(await learnt()).toBe(1);
  });
});
