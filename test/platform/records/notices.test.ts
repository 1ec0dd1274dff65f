import { describe, expect, test } from 'vitest';
import { createSubscription } from '../../../src/platform/records/subscriptions.ts';
import type { Owner } from '../../../src/platform/records/shippers.ts';
import type { NoticeDraft } from '../../../src/engine/webhooks/event.ts';
import type { SubscribedOrderType } from '../../../src/engine/webhooks/subscription.ts';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { newConsignment, newOwner, notify, ownerOfEachTest, sealer } from './world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);

const subscribe = async (whose: Owner, ...orderTypes: SubscribedOrderType[]) =>
  (await createSubscription(database.pool, sealer, whose, { url: 'https://shop.example.com', orderTypes })).id;

const noticesOf = (consignmentId: number) =>
  database.rows<{ id: string; sequence: number; event: string; body: Record<string, unknown> }>(
    'select id, sequence, event, body::json as body from notices where consignment_id = $1 order by sequence',
    consignmentId,
  );

describe('notices', () => {
  test('go to nobody whose subscription is being deleted, and what they tell of is kept', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    const leaving = await subscribe(owner, 'FORWARD');
    const staying = await subscribe(owner, 'FORWARD');
    const deleting = await database.pool.connect();
    await deleting.query('begin');
    await deleting.query('delete from subscriptions where id = $1', [leaving]);
    const notified = notify(database.pool, consignmentId, [{ event: 'consignment.tracking' }]);
    await until('it waits for the deletion', async () => {
      const blocked = await database.rows(`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%with unit as%'`);
      return blocked.length === 1;
    });
    await deleting.query('commit');
    deleting.release();
    await notified;
    expect(await database.values('select subscription_id from deliveries')).toEqual([staying]);
  });

  test('are named in the order of the seconds they were written in', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    for (const nowMs of [1, 2, 3].map((second) => Date.UTC(2026, 10, 23) + second * 1_000))
      await notify(database.pool, consignmentId, [{ event: 'consignment.tracking' }], () => nowMs);
    const ids = (await noticesOf(consignmentId)).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    for (const id of ids) expect(id).toMatch(/^evt_[0-9a-f]{8}[\w-]{16}$/);
  });

  test('are numbered without gaps, each with its body', async () => {
    const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
    const nowMs = Date.UTC(2026, 0, 5);
    const tracking = { event: 'consignment.tracking' } as const;
    await notify(
      database.pool,
      consignmentId,
      [0, 1].map((position) => ({ ...tracking, position })),
      () => nowMs,
    );
    await notify(database.pool, consignmentId, [{ event: 'consignment.held', reason: 'nobody knows' }]);
    const written = await noticesOf(consignmentId);
    expect(written.map(({ sequence, event }) => [sequence, event])).toEqual([
      [1, 'consignment.tracking'],
      [2, 'consignment.tracking.2'],
      [3, 'consignment.held'],
    ]);
    expect(written.map(({ body }) => body['eventId'])).toEqual(written.map(({ id }) => id));
    expect(written[1]?.body).toMatchObject({ sequence: 2, packageId: 'PKG-2', timestamp: '2026-01-05T00:00:00.000Z' });
    expect(new Set(written.map(({ id }) => id)).size).toBe(3);
    for (const { id } of written) expect(id).toMatch(/^evt_[\w-]{20,}$/);
  });

  test('go to each subscription of the shipper, environment and order type', async () => {
    const ours = [await subscribe(owner, 'FORWARD', 'REVERSE'), await subscribe(owner, 'FORWARD')];
    await subscribe(owner, 'TRANSFER');
    await subscribe({ ...owner, environment: 'sandbox' }, 'FORWARD');
    await subscribe(await newOwner(database.pool), 'FORWARD');
    const consignmentId = await newConsignment(database.pool, owner, { orderTypes: ['FORWARD'] });
    const ids = await notify(database.pool, consignmentId);
    const theirs = await database.values('select subscription_id from deliveries where id = any($1)', ids);
    expect(theirs.toSorted()).toEqual(ours.toSorted());
  });

  test.each([
    ['to the URLs of exchanges alone, where there are some', ['FORWARD', 'EXCHANGE'], ['EXCHANGE']],
    ['to those of each of its types', ['FORWARD', 'EXCHANGE', 'TRANSFER'], ['EXCHANGE', 'TRANSFER']],
    ['to one that takes all its types, once', ['REVERSE', 'TRANSFER'], ['TRANSFER']],
  ] as const)('go %s', async (_, orderTypes, wanted) => {
    const all = {
      FORWARD: await subscribe(owner, 'FORWARD'),
      REVERSE: await subscribe(owner, 'REVERSE'),
      EXCHANGE: await subscribe(owner, 'EXCHANGE'),
      TRANSFER: await subscribe(owner, 'REVERSE', 'TRANSFER'),
    };
    const ids = await notify(database.pool, await newConsignment(database.pool, owner, { orderTypes }));
    const theirs = await database.values('select subscription_id from deliveries where id = any($1)', ids);
    expect(theirs.toSorted()).toEqual(wanted.map((type) => all[type]).toSorted());
  });

  test('of an exchange go by its direction where no URL is for exchanges', async () => {
    const forward = await subscribe(owner, 'FORWARD');
    await subscribe(await newOwner(database.pool), 'EXCHANGE');
    const consignmentId = await newConsignment(database.pool, owner, { orderTypes: ['FORWARD', 'EXCHANGE'] });
    const ids = await notify(database.pool, consignmentId);
    expect(await database.values('select subscription_id from deliveries where id = any($1)', ids)).toEqual([forward]);
  });

  test('go only where their events are asked for', async () => {
    const subscribed = async (...events: string[]) =>
      (
        await createSubscription(database.pool, sealer, owner, {
          url: 'https://shop.example.com',
          orderTypes: ['FORWARD'],
          events,
        })
      ).id;
    const [labels, statuses, delivered] = [
      await subscribed('consignment.label', 'consignment.held'),
      await subscribed('consignment.status'),
      await subscribed('consignment.order_delivered'),
    ];
    const consignmentId = await newConsignment(database.pool, owner);
    const told = async (...drafts: NoticeDraft[]) => {
      const ids = await notify(database.pool, consignmentId, drafts);
      return await database.values(
        'select subscription_id from deliveries where id = any($1) order by id, subscription_id',
        ids,
      );
    };
    expect(await told({ event: 'consignment.label', state: 'stored' })).toEqual([labels]);
    expect(await told({ event: 'consignment.label', state: 'stored' })).toEqual([labels]);
    expect(await told({ event: 'consignment.tracking' })).toEqual([]);
    expect(await told({ event: 'consignment.status', status: 'In Transit' })).toEqual([statuses]);
    const both = await told({ event: 'consignment.status', status: 'Order Delivered' });
    expect(both.toSorted()).toEqual([statuses, delivered].toSorted());
  });

  test('are counted on from those of before they were counted', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    await database.rows(
      `insert into notices (id, consignment_id, sequence, event, body) select 'old-' || n, $1, n, 'consignment.tracking', '{}'
       from generate_series(1, 2) as n`,
      consignmentId,
    );
    await database.rows(
      'update consignments set event_counts = null, notice_sequence = 2 where id = $1',
      consignmentId,
    );
    await notify(database.pool, consignmentId);
    await notify(database.pool, consignmentId);
    const written = (await noticesOf(consignmentId)).slice(2).map(({ sequence, event }) => [sequence, event]);
    expect(written).toEqual([
      [3, 'consignment.tracking.3'],
      [4, 'consignment.tracking.4'],
    ]);
  });

  test('are kept for a paused subscription, too', async () => {
    const id = await subscribe(owner, 'FORWARD');
    await database.rows(`update subscriptions set state = 'paused', pause_reason = 'requested' where id = $1`, id);
    expect(await notify(database.pool, await newConsignment(database.pool, owner))).toHaveLength(1);
  });

  test('name the labels by our own links, those still to come too, but none that is revoked', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    await database.pool.query(
      `insert into labels (id, consignment_id, position, state, format)
       values ('one', $1, 0, 'stored', 'PDF'), ('two', $1, null, 'pending', null), ('three', $1, 0, 'revoked', 'PDF')`,
      [consignmentId],
    );
    await notify(database.pool, consignmentId);
    const [notice] = await noticesOf(consignmentId);
    expect(notice!.body['labels']).toEqual([
      { packageId: 'PKG-1', url: 'https://waybill.example.com/v2/labels/one', format: 'PDF' },
      { url: 'https://waybill.example.com/v2/labels/two' },
    ]);
  });

  test('none write nothing', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    expect(await notify(database.pool, consignmentId, [])).toEqual([]);
    expect(await noticesOf(consignmentId)).toEqual([]);
  });
});
