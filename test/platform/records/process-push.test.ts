import type { Pool } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { lockConsignments } from '../../../src/platform/records/consignments.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { claimDuePushes, listFailedPushes } from '../../../src/platform/records/pushes.ts';
import { writeLatePushes, writePushes } from '../../../src/platform/records/write-pushes.ts';
import { Failure } from '../../../src/engine/failure.ts';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { exampleCarrier } from '../../engine/statuses/carrier.ts';
import { NOW, saying, statusWorld } from './status-world.ts';
import { pushOf } from './world.ts';

const database = freshDatabase();
const world = statusWorld(() => database.pool);
beforeEach(world.empty);

const waiting = () => world.count(`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
const unprocessed = () => database.values(`select id from pushes where state = 'pending' and due_at is not null`);
const numbered = (...trackingNumbers: string[]) => world.consignmentWith({ trackingNumbers });
const updated = saying('T1', 'DELIVERED', '08:00:00', { lastUpdatedAt: '2026-05-01 08:00:01' });
const delivered = saying('T1', 'DELIVERED', '08:00:00');

describe('A push', () => {
  it('is recorded as it came', async () => {
    const body = Buffer.from([0x7b, 0x00, 0xff, 0x7d]);
    const push = { ...pushOf('example', '', NOW), body, environment: 'sandbox' } as const;
    expect(await world.intake().take(push)).toMatchObject({ state: 'failed' });
    const recorded = { carrier_code: 'example', source: 'contract', environment: 'sandbox', state: 'failed', body };
    const columns = Object.keys(recorded).join();
    expect(await database.rows(`select ${columns} from pushes`)).toEqual([recorded]);
  });

  it('that could only be recorded is processed by the pump, by one of several', async () => {
    await numbered('T1');
    const id = await world.push(delivered);
    expect(await unprocessed()).toEqual([id]);
    const claimed = await Promise.all([1, 2].map(() => claimDuePushes(database.pool, 10)));
    expect(claimed.flat().map((push) => push.id)).toEqual([id]);
    expect(await world.intake().resume(claimed.flat()[0]!)).toMatchObject({ state: 'done', recorded: 1 });
    expect(await unprocessed()).toEqual([]);
    expect(await claimDuePushes(database.pool, 10)).toEqual([]);
  });

  it('is found again by the pump when who claimed it died', async () => {
    const id = await world.push([]);
    await claimDuePushes(database.pool, 10);
    expect(await claimDuePushes(database.pool, 10)).toEqual([]);
    await database.rows(`update pushes set due_at = due_at - interval '61 seconds'`);
    expect((await claimDuePushes(database.pool, 10)).map((push) => push.id)).toEqual([id]);
  });

  it('moves its package and consignment and is told', async () => {
    const id = await numbered('T1', 'T2');
    const result = await world.say(saying('T2', 'DELIVERY_FAILED', '10:00:00', { carrierSubStatusCode: 'NH' }));
    expect(result).toMatchObject({ kind: 'processed', state: 'done', recorded: 1, duplicates: 0, unmatched: 0 });
    const failed = { status: 'Delivery Failed', reason: 'NOT_HOME' };
    const atMs = Date.UTC(2026, 4, 1, 10);
    expect(await world.get(id)).toMatchObject({
      status: 'Delivery Failed',
      packages: [
        { status: 'Order Created', statusAtMs: undefined },
        { ...failed, statusAtMs: atMs },
      ],
    });
    const which = { consignmentId: id, event: 'consignment.delivery_failed', position: 1 };
    const what = {
      ...failed,
      previousStatus: 'Order Created',
      occurredAt: new Date(atMs).toISOString(),
      eventTimezone: 'UTC',
    };
    expect(await world.told()).toMatchObject([{ ...which, ...what }]);
  });

  it('of the whole consignment moves all its packages, with a notice for each', async () => {
    const id = await numbered('T1', 'T2');
    await world.say({ type: 'Reference', value: 'R1', carrierStatusCode: 'DELIVERED' });
    expect((await world.get(id)).status).toBe('Order Delivered');
    expect((await world.told()).map(({ position }) => position)).toEqual([0, 1]);
  });

  it('may bring many events, told in the order in which they happened', async () => {
    const id = await numbered('T1');
    await world.say([
      saying('T1', 'DELIVERED', '12:00:00'),
      saying('T1', 'PICKED_UP', '08:00:00'),
      saying('T1', 'IN_TRANSIT', '09:00:00'),
    ]);
    expect((await world.get(id)).status).toBe('Order Delivered');
    expect((await world.told()).map(({ previousStatus, status }) => [previousStatus, status])).toEqual([
      ['Order Created', 'Order Picked Up'],
      ['Order Picked Up', 'In Transit'],
      ['In Transit', 'Order Delivered'],
    ]);
  });

  it('that comes late is recorded and told, but moves nothing back', async () => {
    const id = await numbered('T1');
    await world.say(saying('T1', 'OUT_FOR_DELIVERY', '12:00:00'));
    await world.say(saying('T1', 'IN_TRANSIT', '09:00:00'));
    const packages = [{ status: 'Out for Delivery', statusAtMs: Date.UTC(2026, 4, 1, 12) }];
    expect(await world.get(id)).toMatchObject({ packages });
    expect((await world.told())[1]).toMatchObject({ status: 'In Transit', previousStatus: null });
  });

  it('without a readable time counts as of its receipt, and the event says so', async () => {
    const id = await numbered('T1');
    await world.say({ value: 'T1', carrierStatusCode: 'IN_TRANSIT', statusReceivedAt: 'yesterday' });
    expect((await world.get(id)).packages[0]?.statusAtMs).toBe(NOW);
    const [event] = await world.events();
    expect(JSON.parse(event!.warnings)).toEqual([expect.stringContaining('"yesterday" cannot be read')]);
  });

  it('of a consignment that we cancelled moves it only when the carrier has it all the same', async () => {
    const id = await numbered('T1');
    await database.rows(`update consignments set acceptance = 'cancelled', status = 'Cancelled'`);
    await database.rows(`update packages set status = 'Cancelled', status_at = now()`);
    await world.say(saying('T1', 'SHIPMENT_CREATED', '08:00:00'));
    expect((await world.get(id)).status).toBe('Cancelled');
    await world.say(saying('T1', 'PICKED_UP', '09:00:00'));
    expect((await world.get(id)).status).toBe('Order Picked Up');
  });

  it('with texts that PostgreSQL cannot hold is recorded all the same', async () => {
    await numbered('T1');
    const hostile = '\u0000\uD800x';
    const result = await world.say({
      value: `T1${hostile}`,
      type: hostile,
      orderNo: hostile,
      eventTimezone: hostile,
      carrierStatusCode: `${hostile}${'y'.repeat(100_000)}`,
      carrierSubStatusCode: 'z'.repeat(100_000),
      carrierStatusDescription: 'ü'.repeat(100_000),
      extraInfo: { comments: hostile },
      info: { ['__proto__x']: hostile },
    });
    expect(result).toMatchObject({ state: 'done', recorded: 1, unmatched: 1, unmapped: 1 });
  });

  it('by a native webhook brings what the profile makes of it', async () => {
    const id = await numbered('T1');
    const push = await world.push('raw', { source: 'webhook' });
    const seen: unknown[] = [];
    const intake = world.intake({
      eventsOf: (record, carrier) => {
        seen.push([Buffer.from(record.body).toString(), record.request.method, carrier.code]);
        return Promise.resolve([delivered]);
      },
    });
    await intake.process(push);
    expect(seen).toEqual([['raw', 'POST', 'example']]);
    expect((await world.get(id)).status).toBe('Order Delivered');
  });
});

describe('A push of a consignment that somebody has locked', () => {
  it('waits for its lock, and keeps no other push waiting', async () => {
    const locked = await numbered('T1');
    await world.consignmentWith({ reference: 'R2', trackingNumbers: ['T2'] });
    const intake = world.intake();
    let taken: Promise<unknown> = Promise.resolve();
    await transaction(database.pool, async (client) => {
      await lockConsignments(client, [locked]);
      taken = intake.take(pushOf('example', delivered, NOW));
      const others = await Promise.all(
        ['09:00:00', '10:00:00'].map((at) => intake.take(pushOf('example', saying('T2', 'DELIVERED', at), NOW))),
      );
      expect(others).toEqual([1, 2].map(() => expect.objectContaining({ state: 'done', recorded: 1 })));
      await until('the push waits for the lock', async () => (await waiting()) === 1);
      expect(await intake.take(pushOf('example', saying('T2', 'DELIVERED', '11:00:00'), NOW))).toMatchObject({
        recorded: 1,
      });
    });
    expect(await taken).toMatchObject({ state: 'done', recorded: 1 });
  });

  it('that has waited for the lock knows what was recorded meanwhile', async () => {
    const locked = await numbered('T1');
    const intake = world.intake();
    const reading = await intake.read(pushOf('example', delivered, NOW));
    const store = { ...world.deps, pool: database.pool };
    let late: ReturnType<typeof writeLatePushes> | undefined;
    await transaction(database.pool, async (client) => {
      await lockConsignments(client, [locked]);
      late = writeLatePushes(store, [reading]);
      await until('the push waits for the lock', async () => (await waiting()) === 1);
      // By who has the lock.
      expect(await writePushes({ ...store, pool: client as unknown as Pool }, [reading])).toMatchObject([
        { recorded: 1 },
      ]);
    });
    expect(await late).toMatchObject([{ kind: 'processed', recorded: 0, duplicates: 1 }]);
    expect(await world.count('events')).toBe(1);
  });
});

/** Each as a push of its own, at once. */
const take = async (updates: readonly object[]) => {
  const intake = world.intake();
  return await Promise.all(updates.map((update) => intake.take(pushOf('example', update, NOW))));
};

describe('Pushes of one consignment that come together', () => {
  const codes = ['PICKED_UP', 'IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED'];
  const life = codes.map((code, at) => saying('T1', code, `${10 + at}:00:00`));
  it('are written together, in their order, each as if it were alone', async () => {
    const id = await numbered('T1');
    const intake = world.intake();
    const readings = [];
    for (const update of life) readings.push(await intake.read(pushOf('example', update, NOW)));
    let statements = 0;
    const pool = new Proxy(database.pool, {
      get: (real, name) => {
        if (name !== 'query') return Reflect.get(real, name, real) as unknown;
        return async (...args: readonly [{ text?: string }]) => {
          if (args[0].text?.includes('insert into pushes') === true) statements += 1;
          return await (real.query as (...of: unknown[]) => Promise<unknown>)(...args);
        };
      },
    });
    const written = await writePushes({ ...world.deps, pool }, readings);
    expect(written).toEqual(life.map(() => expect.objectContaining({ state: 'done', recorded: 1 })));
    expect(statements).toBe(1);
    expect((await world.get(id)).packages[0]?.status).toBe('Order Delivered');
    const told = (await world.told()).map(({ previousStatus, consignmentStatus }) => [
      previousStatus,
      consignmentStatus,
    ]);
    expect(told).toEqual([
      ['Order Created', 'Order Picked Up'],
      ['Order Picked Up', 'In Transit'],
      ['In Transit', 'Out for Delivery'],
      ['Out for Delivery', 'Order Delivered'],
    ]);
    expect(await database.values('select count(*) from events group by push_id')).toEqual([1, 1, 1, 1]);
  });

  it('may say the same: it is recorded and told once', async () => {
    await numbered('T1');
    const taken = await take([delivered, updated, delivered, delivered]);
    expect(taken.filter((one) => one.kind === 'processed' && one.recorded === 1)).toHaveLength(1);
    expect(taken.filter((one) => one.kind === 'processed' && one.duplicates === 1)).toHaveLength(3);
    expect(await world.told()).toHaveLength(1);
  });

  it('do not fail by one of them that cannot be recorded', async () => {
    const id = await numbered('T1');
    await database.rows(`alter table events add constraint none check (body not like '%poison%')`);
    const taken = await take([life[0]!, { ...life[1], orderNo: 'O-R1', info: { x: 'poison' } }, ...life.slice(2)]);
    await database.rows('alter table events drop constraint none');
    expect(taken.map((one) => one.kind)).toEqual(['processed', 'recorded', 'processed', 'processed']);
    expect(await world.count('events')).toBe(3);
    expect((await world.get(id)).status).toBe('Order Delivered');
    expect(await unprocessed()).toHaveLength(1);
  });
});

describe('A push that cannot be read', () => {
  it('is kept as failed with the reason, and visible', async () => {
    const id = await world.push('{"value": ');
    expect(await world.process(id)).toMatchObject({ state: 'failed', recorded: 0 });
    const [failed] = await listFailedPushes(database.pool, { limit: 10 });
    expect(failed).toMatchObject({ id, carrierCode: 'example', failure: expect.stringContaining('body_not_readable') });
  });

  it('in parts is failed, but the rest of it is recorded, once', async () => {
    await numbered('T1');
    const id = await world.push([saying('T1', 'PICKED_UP', '08:00:00'), 'what?']);
    expect(await world.process(id)).toMatchObject({ state: 'failed', recorded: 1 });
    expect(await world.process(id)).toMatchObject({ state: 'failed', recorded: 0, duplicates: 1 });
    expect(await world.told()).toHaveLength(1);
  });

  it('is done once it can be, also where it names what an event of its own had waited for', async () => {
    const id = await world.consignmentWith();
    await world.holdCreate(id);
    const early = saying('T1', 'PICKED_UP', '08:00:00');
    const push = await world.push([early, 'what?']);
    expect(await world.process(push)).toMatchObject({ state: 'failed', unmatched: 1 });
    const proof = saying('T1', 'IN_TRANSIT', '09:00:00', { consignmentNumber: 'C-R1' });
    await database.rows('update pushes set body = $2 where id = $1', push, Buffer.from(JSON.stringify([early, proof])));
    expect(await world.process(push)).toMatchObject({ state: 'done', recorded: 1 });
    expect(await database.rows('select state, failure from pushes')).toEqual([{ state: 'done', failure: null }]);
    await world.resume();
    expect((await world.events()).map(({ match }) => match)).toEqual(['matched', 'matched']);
    expect(await database.values('select due_at from pushes')).toEqual([null]);
  });

  it('because its carrier is not loaded is processed once it is', async () => {
    world.carriers.clear();
    const id = await world.push(saying('T1', 'PICKED_UP', '08:00:00'));
    expect(await world.process(id)).toMatchObject({ state: 'failed', failure: expect.stringContaining('no carrier') });
    world.carriers.set('example', exampleCarrier());
    expect(await world.process(id)).toMatchObject({ state: 'done', recorded: 1 });
    expect(await listFailedPushes(database.pool, { limit: 10 })).toEqual([]);
  });

  it('by its mapping is failed; one that met with another problem is tried again', async () => {
    const id = await world.push('<x/>', { source: 'webhook' });
    const failing = (thrown: Error) => world.intake({ eventsOf: () => Promise.reject(thrown) }).process(id);
    await expect(failing(new Error('out of memory'))).rejects.toThrow('out of memory');
    expect(await unprocessed()).toEqual([id]);
    const failed = await failing(new Failure('no such field', { code: 'expression_failed' }));
    expect(failed).toMatchObject({ state: 'failed', failure: 'expression_failed: no such field' });
  });
});

describe('An event that comes again', () => {
  it('is one event and told once', async () => {
    await numbered('T1');
    await world.say([updated, updated]);
    expect(await world.say({ ...updated, lastUpdatedAt: '2026-05-01 08:00:02' })).toMatchObject({
      recorded: 0,
      duplicates: 1,
    });
    expect(await world.count('events')).toBe(1);
    expect(await world.told()).toHaveLength(1);
  });

  it('with another proof of delivery is another', async () => {
    await numbered('T1');
    await world.say(delivered);
    await world.say({ ...delivered, extraInfo: { receivedBy: 'A. Example' } });
    expect((await world.told()).map(({ status }) => status)).toEqual(['Order Delivered', 'Order Delivered']);
  });

  it('in a push processed twice, at once or later, is processed once', async () => {
    await numbered('T1');
    const id = await world.push(delivered);
    const blocker = await database.pool.connect();
    await blocker.query('begin');
    await blocker.query('select 1 from pushes where id = $1 for update', [id]);
    const all = Promise.all([1, 2, 3, 4].map(() => world.process(id)));
    await until('all four wait for the push, or for the one that does', async () => (await waiting()) === 4);
    await blocker.query('rollback');
    blocker.release();
    const results = await all;
    expect(results.filter(({ kind }) => kind === 'processed')).toHaveLength(1);
    expect(await world.process(id)).toEqual({ kind: 'nothing_to_do' });
    expect(await world.process(999)).toEqual({ kind: 'nothing_to_do' });
    expect(await world.told()).toHaveLength(1);
  });
});

describe('The notices of a push', () => {
  it('say the states that the push has led to, in order', async () => {
    await numbered('T1', 'T2');
    const push = await world.push([
      saying('T1', 'DELIVERED', '09:00:00', { extraInfo: { receivedBy: 'A. Example' } }),
      saying('T1', 'OUT_FOR_DELIVERY', '08:00:00'),
    ]);
    await world.process(push);
    expect(await database.values('select body::json from notices order by sequence')).toEqual([
      expect.objectContaining({
        sequence: 1,
        event: 'consignment.out_for_delivery',
        timestamp: '2026-05-01T08:00:00.000Z',
        receivedAt: expect.stringMatching(/^2026/),
        trackingNumber: 'T1',
        status: 'Out for Delivery',
        previousStatus: 'Order Created',
        consignmentStatus: 'Partially Delivered',
      }),
      expect.objectContaining({
        sequence: 2,
        status: 'Order Delivered',
        previousStatus: 'Out for Delivery',
        occurredAt: '2026-05-01T09:00:00.000Z',
        eventTimezone: 'UTC',
        carrierStatus: { code: 'DELIVERED' },
        extraInfo: { receivedBy: 'A. Example' },
      }),
    ]);
  });

  it('that cannot be recorded leave nothing of it recorded, and it is tried again', async () => {
    await numbered('T1');
    const push = await world.push(delivered);
    await database.rows('alter table notices add constraint none check (false) not valid');
    await expect(world.process(push)).rejects.toThrow('violates check constraint');
    await database.rows('alter table notices drop constraint none');
    expect(await world.count('events')).toBe(0);
    expect(await world.process(push)).toMatchObject({ state: 'done', recorded: 1 });
  });
});
