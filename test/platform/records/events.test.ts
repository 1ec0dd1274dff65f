import { beforeEach, describe, expect, it } from 'vitest';
import { listUnmapped } from '../../../src/platform/records/events.ts';
import { freshDatabase } from '../../support/database.ts';
import { exampleCarrier } from '../../engine/statuses/carrier.ts';
import { NOW, saying, statusWorld } from './status-world.ts';

const database = freshDatabase();
const world = statusWorld(() => database.pool);
beforeEach(world.empty);

describe('An event finds only what is its carrier’s', () => {
  it("never another carrier's tracking number, whatever the body says", async () => {
    world.carriers.set('other', exampleCarrier({ code: 'other' }));
    const id = await world.consignmentWith({ carrierCode: 'other', trackingNumbers: ['T1'] });
    const names = { carrierCode: 'other', orderNo: 'O-R1', consignmentNumber: 'C-R1' };
    const foreign = saying('T1', 'DELIVERED', '08:00:00', names);
    expect(await world.say(foreign)).toMatchObject({ unmatched: 1 });
    expect((await world.get(id)).status).toBe('Order Created');
    expect(await world.told()).toEqual([]);
    expect(await world.events()).toMatchObject([{ carrier_code: 'example', match: 'unmatched' }]);
    expect(await world.say(foreign, { carrierCode: 'other' })).toMatchObject({ recorded: 1, unmatched: 0 });
    expect((await world.get(id)).status).toBe('Order Delivered');
  });

  it('of the environment of its token', async () => {
    const sandbox = await world.consignmentWith({ environment: 'sandbox', trackingNumbers: ['T1'] });
    const production = await world.consignmentWith({ trackingNumbers: ['T1'] });
    await world.say(saying('T1', 'DELIVERED', '08:00:00'), { environment: 'sandbox' });
    expect((await world.get(sandbox)).status).toBe('Order Delivered');
    expect((await world.get(production)).status).toBe('Order Created');
    await world.say(saying('T1', 'DELIVERED', '08:00:00'), { environment: 'production' });
    expect((await world.get(production)).status).toBe('Order Delivered');
    await world.say(saying('T1', 'DELIVERED', '08:00:00'));
    expect((await world.events()).map(({ match }) => match)).toEqual(['matched', 'matched', 'ambiguous']);
  });

  it("of the account whose secret proved it, nor can it take another's place", async () => {
    const [mine, theirs] = [await world.account('example'), await world.account('example', 'sandbox')];
    const id = await world.consignmentWith({ accountId: mine, trackingNumbers: ['T1'] });
    const event = saying('T1', 'DELIVERED', '08:00:00');
    const from = (accountId: number) => world.say(event, { accountId });
    expect(await from(theirs)).toMatchObject({ unmatched: 1 });
    expect((await world.get(id)).status).toBe('Order Created');
    expect(await from(mine)).toMatchObject({ recorded: 1, unmatched: 0 });
    expect((await world.get(id)).status).toBe('Order Delivered');
  });

  it('never a consignment that was rejected: its reference is the next one’s', async () => {
    const rejected = await world.consignmentWith({ trackingNumbers: ['T1'] });
    await database.rows(`update consignments set acceptance = 'rejected', released_at = now()`);
    const again = await world.consignmentWith({ trackingNumbers: ['T2'] });
    await world.say({ type: 'Reference', value: 'R1', carrierStatusCode: 'PICKED_UP' });
    expect((await world.get(rejected)).status).toBe('Order Created');
    expect((await world.get(again)).status).toBe('Order Picked Up');
    expect(await world.say(saying('T1', 'PICKED_UP', '08:00:00'))).toMatchObject({ unmatched: 1 });
  });

  it('by the numbers that its packages had before an update as well as by those of now', async () => {
    const id = await world.consignmentWith({ trackingNumbers: ['OLD', 'T2'] });
    await world.giveNumbers(id, ['NEW', 'T3']);
    expect(await world.say(saying('OLD', 'PICKED_UP', '08:00:00'))).toMatchObject({ unmatched: 0 });
    expect(await world.say(saying('T3', 'IN_TRANSIT', '09:00:00'))).toMatchObject({ unmatched: 0 });
    expect((await world.get(id)).packages.map(({ status }) => status)).toEqual(['Order Picked Up', 'In Transit']);
  });

  it('not by a number that is another’s now', async () => {
    const one = await world.consignmentWith({ trackingNumbers: ['T1', 'T2'] });
    await world.giveNumbers(one, ['T2', 'T3']);
    const two = await world.consignmentWith({ reference: 'R2', trackingNumbers: ['T1'] });
    await world.say([saying('T1', 'PICKED_UP', '08:00:00'), saying('T2', 'IN_TRANSIT', '08:00:00')]);
    expect((await world.get(one)).packages.map(({ status }) => status)).toEqual(['In Transit', 'Order Created']);
    expect((await world.get(two)).status).toBe('Order Picked Up');
  });

  it('by order and consignment number together where it names a number that nobody knows', async () => {
    const id = await world.consignmentWith({ trackingNumbers: ['T1'] });
    const names = { orderNo: 'O-R1', consignmentNumber: 'C-R1' };
    expect(await world.say(saying('NEW', 'PICKED_UP', '08:00:00', { orderNo: 'O-R1' }))).toMatchObject({
      unmatched: 1,
    });
    expect(await world.say(saying('NEW', 'PICKED_UP', '09:00:00', names))).toMatchObject({ unmatched: 0 });
    expect((await world.get(id)).status).toBe('Order Picked Up');
  });

  it('and of two that share a number the one that it names otherwise', async () => {
    const one = await world.consignmentWith({ trackingNumbers: ['T'] });
    const two = await world.consignmentWith({ reference: 'R2', trackingNumbers: ['T'] });
    await world.say(saying('T', 'PICKED_UP', '08:00:00'));
    expect((await world.events())[0]).toMatchObject({ match: 'ambiguous', consignment_id: null });
    await world.say(saying('T', 'PICKED_UP', '08:00:00', { consignmentNumber: 'C-R2' }));
    expect((await world.get(one)).status).toBe('Order Created');
    expect((await world.get(two)).status).toBe('Order Picked Up');
  });
});

/** Packages told of in notices of tracking numbers. */
const proved = async () => (await world.told()).flatMap(({ trackingDetails = [] }) => trackingDetails).length;

describe('A push about a create with no known outcome', () => {
  it('proves that the shipment exists, and counts for its one package; nothing when it comes again', async () => {
    const id = await world.consignmentWith();
    await world.holdCreate(id);
    const event = saying('NEW', 'PICKED_UP', '08:00:00', { orderNo: 'O-R1' });
    for (const each of [event, event]) {
      await world.say(each);
      expect(await proved()).toBe(1);
      expect(await world.get(id)).toMatchObject({ acceptance: 'accepted', status: 'Order Picked Up' });
    }
  });

  it('proves it also when nobody knows which package it is of', async () => {
    const id = await world.consignmentWith({ packages: 2 });
    await world.holdCreate(id);
    await world.say(saying('NEW', 'PICKED_UP', '08:00:00', { consignmentNumber: 'C-R1' }));
    expect(await proved()).toBe(2);
    expect(await world.get(id)).toMatchObject({ acceptance: 'accepted', status: 'Order Created' });
    expect((await world.events())[0]).toMatchObject({ match: 'ambiguous', consignment_id: id });
  });

  it('is no proof that anybody asks for once it is accepted', async () => {
    await world.holdCreate(await world.consignmentWith({ trackingNumbers: ['T1'] }));
    await world.say(saying('T1', 'PICKED_UP', '08:00:00'));
    expect(await proved()).toBe(0);
    expect(await database.values('select state from dispatches')).toEqual(['held']);
  });
});

describe('What an event brings beside its status', () => {
  it('a label is handed on, once', async () => {
    const id = await world.consignmentWith({ trackingNumbers: ['T1', 'T2'] });
    const label = { url: 'https://example.com/label.pdf' };
    for (const more of [{}, { label }, { label }]) await world.say(saying('T2', 'SHIPMENT_CREATED', '08:00:00', more));
    expect(await database.rows('select consignment_id, position, source_url from labels')).toEqual([
      { consignment_id: id, position: 1, source_url: label.url },
    ]);
    const told = await world.told();
    expect(told).toHaveLength(2);
    for (const notice of told) expect(notice).not.toHaveProperty('label');
  });

  it('news without a change of status is told, no news is not', async () => {
    await world.consignmentWith({ trackingNumbers: ['T1'] });
    await world.say(saying('T1', 'OUT_FOR_DELIVERY', '08:00:00', { driverName: 'D. Example' }));
    await world.say(saying('T1', 'PING', '08:05:00', { driverName: 'D. Example', latitude: '1.0' }));
    await world.say(saying('T1', 'PING', '08:10:00', { driverName: 'E. Example', latitude: '2.0' }));
    expect(await world.count('events')).toBe(3);
    expect((await world.told()).map(({ status, driverName }) => [status, driverName])).toEqual([
      ['Out for Delivery', 'D. Example'],
      ['Out for Delivery', 'E. Example'],
    ]);
  });

  it('nothing at all asks for a poll now, each time', async () => {
    world.carriers.set('example', exampleCarrier({ tracks: true }));
    const id = await world.consignmentWith({ trackingNumbers: ['T1', 'T2'] });
    const pollsAt = async () =>
      (await database.values<Date | null>('select poll_at from packages order by position')).map((at) => at?.getTime());
    await world.say({ value: 'T2' });
    expect(await pollsAt()).toEqual([undefined, NOW]);
    await database.rows('update packages set poll_at = $1', new Date(NOW + 1_000));
    await world.say({ value: 'T2' });
    expect(await pollsAt()).toEqual([NOW + 1_000, NOW]);
    expect(await world.told()).toEqual([]);
    expect((await world.get(id)).status).toBe('Order Created');
  });

  it('nothing at all asks for no poll of a package that has ended', async () => {
    world.carriers.set('example', exampleCarrier({ tracks: true }));
    await world.consignmentWith({ trackingNumbers: ['T1'] });
    await world.say([saying('T1', 'DELIVERED', '08:00:00'), { value: 'T1' }]);
    expect(await database.rows('select 1 from packages where poll_at is not null')).toEqual([]);
  });
});

describe('An unmapped status', () => {
  it('is kept, listed with how often it came, told, and moves nothing', async () => {
    const id = await world.consignmentWith({ trackingNumbers: ['T1'] });
    await world.say(saying('T1', 'IN_TRANSIT', '08:00:00'));
    await world.say(saying('T1', 'X9', '09:00:00', { carrierStatusDescription: 'Beamed up' }));
    await world.say(saying('T1', 'X9', '10:00:00', { carrierStatusDescription: 'Beamed up' }));
    await world.say(saying('T1', 'Y', '11:00:00'));
    expect((await world.get(id)).status).toBe('In Transit');
    expect((await world.told()).map(({ status }) => status)).toEqual([
      'In Transit',
      'Unmapped',
      'Unmapped',
      'Unmapped',
    ]);
    const sample = { value: 'T1', statusReceivedAt: '2026-05-01 10:00:00' };
    expect(await listUnmapped(database.pool, { limit: 10 })).toMatchObject([
      { carrierCode: 'example', code: 'X9', subCode: '', description: 'Beamed up', count: 2, sample },
      { code: 'Y', count: 1 },
    ]);
    expect(await listUnmapped(database.pool, { carrierCode: 'other', limit: 10 })).toEqual([]);
    expect(await listUnmapped(database.pool, { limit: 1 })).toHaveLength(1);
  });
});
