import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  claimDeliveries,
  deliveryParts,
  type Capacity,
  notifyDeliveries,
} from '../../../src/platform/records/deliveries.ts';
import { createConclude } from '../../../src/platform/records/delivery-ends.ts';
import { findDelivery, listDeliveries } from '../../../src/platform/records/delivery-log.ts';
import {
  beginRedelivery,
  continueRedelivery,
  findRedelivery,
  findRunningRedeliveries,
  redeliverOne,
} from '../../../src/platform/records/redeliveries.ts';
import {
  createHeaders,
  createKeys,
  createSubscription,
  deleteSubscription,
  findSubscription,
  pauseSubscription,
  resumeSubscription,
} from '../../../src/platform/records/subscriptions.ts';
import type { DeliveryAttempt, DeliveryClaim, NextState } from '../../../src/engine/webhooks/delivery.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { queryAll } from '../../../src/platform/records/sql.ts';
import { freshDatabase } from '../../support/database.ts';
import { ageLeases } from '../../support/leases.ts';
import { newConsignment, newOwner, notices, notify, ownerOfEachTest, pauseAll, sealer } from './world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
let nowMs: number;
let subscriptionId: string;

beforeEach(async () => {
  nowMs = Date.now() + 1_000;
  // What other tests left is not to be claimed here.
  await pauseAll(database.pool);
  subscriptionId = await subscribe();
});

const subscribe = async (whose = owner) =>
  (await createSubscription(database.pool, sealer, whose, { url: 'https://shop.example.com', orderTypes: ['FORWARD'] }))
    .id;

/** `count` deliveries of one consignment, oldest first. */
const several = async (count: number, reference?: string, whose = owner) => {
  const consignmentId = await newConsignment(database.pool, whose, reference === undefined ? {} : { reference });
  return await notify(database.pool, consignmentId, notices(count));
};

/** For each but these. */
const capacityFor = (...own: [subscriptionId: string, room: number][]): Capacity => ({
  bySubscription: new Map(own),
  others: 12,
});
const TWELVE = capacityFor();
const claimUpTo = async (free: number, own: Partial<Parameters<typeof claimDeliveries>[1]> = {}) => {
  const store = { pool: database.pool, keysOf: createKeys(sealer), headersOf: createHeaders(sealer) };
  return await claimDeliveries(store, { free, capacity: TWELVE, after: '', nowMs, ...own });
};
const idsOf = (claims: readonly DeliveryClaim[]) => claims.map(({ deliveryId }) => deliveryId);
const claimIds = async (...given: Parameters<typeof claimUpTo>) => idsOf((await claimUpTo(...given)).claims);

/** Claims the one that is due for longest, which is this one. */
const claim = async (id: number): Promise<DeliveryClaim> => {
  const { claims } = await claimUpTo(1);
  expect(idsOf(claims)).toEqual([id]);
  return claims[0]!;
};

const conclude = async (ended: DeliveryClaim, next: NextState, own: Partial<DeliveryAttempt> = {}) =>
  await createConclude(database.pool, () => nowMs)({ claim: ended, attempt: { ...answered500(), ...own }, next });
const end = async (id: number, next: NextState) => await conclude(await claim(id), next);
const answered500 = () =>
  ({ atMs: nowMs, durationMs: 12, status: 500, outcome: 'http_error', message: 'answered 500' }) as const;
const failed = { state: 'failed', pause: undefined } as const;
const waits = (ms = 1_800_000): NextState => ({
  state: 'waiting',
  dueAtMs: nowMs + ms,
  counted: true,
  pause: undefined,
});

const rowOf = async (id: number | undefined) =>
  (await database.rows<Record<string, unknown>>('select state, attempts, lease from deliveries where id = $1', id))[0];
const healthOf = async (id = subscriptionId) => await findSubscription(database.pool, owner, id);

describe('a claim', () => {
  test('takes what is due and not finished, the oldest first, once', async () => {
    const [crashed, waiting, delivered, later, pending] = await several(5);
    await claim(crashed!);
    await end(waiting!, waits(60_000));
    await end(delivered!, { state: 'delivered' });
    await end(later!, waits(120_000));
    await ageLeases(database.pool, 'deliveries', 90_000);
    nowMs += 60_000;
    const { claims, nextInMs } = await claimUpTo(10);
    expect(idsOf(claims)).toEqual([crashed, pending, waiting]);
    expect(claims.map(({ attempt, tries }) => [attempt, tries])).toEqual([
      [2, 1],
      [1, 1],
      [2, 2],
    ]);
    expect(nextInMs).toBe(60_000);
    expect(await claimIds(10)).toEqual([]);
  });

  test('takes up to as many as it may, and two at once take none twice', async () => {
    const ids = await several(10);
    expect(await claimIds(4)).toEqual(ids.slice(0, 4));
    const both = await Promise.all([claimIds(10), claimIds(10)]);
    expect(both.flat().toSorted((a, b) => a - b)).toEqual(ids.slice(4));
  });

  test('takes of each subscription as many as may be under way in a process, and says of which there are more', async () => {
    const other = await newOwner(database.pool);
    const theirs = await subscribe(other);
    const ours = await several(14);
    const ids = await several(3, undefined, other);
    const first = await claimUpTo(100);
    expect(idsOf(first.claims)).toEqual([...ours.slice(0, 12), ...ids]);
    expect(first.behind).toEqual([subscriptionId]);
    await several(1, undefined, other);
    const second = await claimUpTo(100, { capacity: capacityFor([subscriptionId, 1], [theirs, 0]) });
    expect(idsOf(second.claims)).toEqual([ours[12]]);
    expect(second.behind.toSorted()).toEqual([subscriptionId, theirs].toSorted());
  });

  test('takes few for a receiver that fails for a minute, and not for one that failed once', async () => {
    const ids = await several(16);
    await end(ids[0]!, failed);
    nowMs += 60_000;
    expect(await claimIds(3)).toEqual(ids.slice(1, 4));
    nowMs += 1;
    expect(await claimIds(100)).toEqual(ids.slice(4, 6));
    expect(await claimIds(100, { capacity: capacityFor([subscriptionId, 0]) })).toEqual([]);
  });

  test('holds its lease from when it is written, however long its statement has taken until then', async () => {
    const [id] = await several(1);
    const left = await transaction(database.pool, async (client) => {
      await client.query('select pg_sleep(0.5)');
      const store = {
        pool: client as unknown as typeof database.pool,
        keysOf: createKeys(sealer),
        headersOf: createHeaders(sealer),
      };
      await claimDeliveries(store, { free: 1, capacity: TWELVE, after: '', nowMs });
      const query = 'select extract(epoch from lease_until - clock_timestamp()) as left from deliveries where id = $1';
      return (await client.query<{ left: string }>(query, [id])).rows[0]?.left;
    });
    expect(Number(left)).toBeGreaterThan(44.6);
  });

  test('takes none of a paused subscription, and goes on from subscription to subscription past two hundred', async () => {
    const [id] = await several(1);
    await pauseSubscription(database.pool, owner, subscriptionId, nowMs);
    expect(await claimUpTo(10)).toEqual({ claims: [], behind: [], nextInMs: undefined, after: '' });
    await resumeSubscription(database.pool, owner, subscriptionId);
    await database.rows(
      `insert into subscriptions (id, shipper_id, environment, url, order_types, secret)
       select 'sub_-' || lpad(n::text, 4, '0'), $1, 'production', '', '{}', '' from generate_series(1, 200) n`,
      owner.shipperId,
    );
    await database.rows(
      `insert into deliveries (notice_id, subscription_id, state, due_at)
       select d.notice_id, s.id, 'waiting', now() + interval '1 hour' from deliveries d, subscriptions s
       where d.id = $1 and s.id ~ '^sub_-[0-9]{4}$'`,
      id,
    );
    const { claims, after } = await claimUpTo(10);
    expect(claims).toEqual([]);
    expect(after).toMatch(/^sub_/);
    const next = await claimUpTo(10, { after });
    await database.rows(`delete from subscriptions where id ~ '^sub_-[0-9]{4}$'`);
    expect(next).toMatchObject({ claims: [{ deliveryId: id }], after: '' });
  });
});

const states = (rows: readonly { state: string }[]) => rows.map(({ state }) => state);
const sending = (count: number) => Array.from({ length: count }, () => 'sending');
const pending = (count: number) => Array.from({ length: count }, () => 'pending');

describe('deliveries that are written claimed', () => {
  const room = { lease: randomUUID(), slots: 100, capacity: TWELVE, behind: [] as readonly string[] };

  /** Writes so many notices with their deliveries, and hears whether others were told. */
  const write = async (count: number, given?: Partial<typeof room>) => {
    const own = given && { ...room, ...given };
    const consignmentId = await newConsignment(database.pool, owner);
    return await queryAll<{ subscriptionId: string; isDue: boolean; state: string; told: unknown }>(database.pool)`
      with told as (
        insert into notices (id, consignment_id, sequence, event, body)
        select ${consignmentId} || '-' || n, ${consignmentId}, n, 'consignment.status', '{}' from generate_series(1, ${count}::int) n
        returning id as notice_id, sequence as place, ${owner.shipperId}::bigint as shipper_id,
          ${owner.environment} as environment, '{FORWARD}'::text[] as order_types, '{}'::text[] as events),
      ${deliveryParts(own)}
      select delivery.subscription_id, is_due, case when is_leased then 'sending' else 'pending' end as state,
        ${notifyDeliveries(own)} as told
      from delivery order by place`;
  };
  const told = async (given?: Partial<typeof room>) => (await write(1, given)).map((row) => row.told !== undefined);

  test('belong to the process that wrote them, up to its room and to each subscription’s share', async () => {
    expect(states(await write(5, {}))).toEqual(sending(5));
    expect(await claimIds(100)).toEqual([]);
    expect(states(await write(5, { slots: 2 }))).toEqual([...sending(2), ...pending(3)]);
    expect(states(await write(14, {}))).toEqual([...sending(12), ...pending(2)]);
    expect(states(await write(5, { capacity: capacityFor([subscriptionId, 2]) }))).toEqual([
      ...sending(2),
      ...pending(3),
    ]);
    const rows = await write(3, { behind: [subscriptionId] });
    expect(rows).toMatchObject([{ state: 'pending', isDue: true }, { isDue: true }, { isDue: true }]);
    expect(await claimIds(100)).toHaveLength(11);
  });

  test('are sent again by another when that process dies', async () => {
    await write(1, {});
    await ageLeases(database.pool, 'deliveries', 90_000);
    expect((await claimUpTo(10)).claims).toMatchObject([{ attempt: 2, tries: 1 }]);
  });

  test('are not those of a failing or a paused subscription, of which only the failing are due', async () => {
    await database.rows('update subscriptions set failing_since = now() where id = $1', subscriptionId);
    const second = await subscribe();
    await pauseSubscription(database.pool, owner, second, nowMs);
    const rows = await write(1, {});
    expect(Object.fromEntries(rows.map((row) => [row.subscriptionId, [row.state, row.isDue]]))).toEqual({
      [subscriptionId]: ['pending', true],
      [second]: ['pending', false],
    });
  });

  test('tell other processes only where there is no room and somebody to be sent to', async () => {
    expect(await told({})).toEqual([false]);
    expect(await told({ slots: 0 })).toEqual([false]);
    expect(await told()).toEqual([true]);
    await pauseSubscription(database.pool, owner, subscriptionId, nowMs);
    expect(await told()).toEqual([false]);
  });
});

const ended = (of: DeliveryClaim, next: NextState) => ({ claim: of, attempt: answered500(), next });
const version = async () => await database.values('select xmin::text from subscriptions where id = $1', subscriptionId);

describe('the ends of deliveries', () => {
  test('are recorded together, each under its own lease, and each attempt is logged', async () => {
    const ids = await several(4);
    const lost = await claim(ids[0]!);
    await ageLeases(database.pool, 'deliveries', 90_000);
    const again = await claim(ids[0]!);
    const [second, third, fourth] = (await claimUpTo(3)).claims;
    const counted = createConclude(database.pool, () => nowMs);
    const results = await Promise.all([
      counted(ended(second!, { state: 'delivered' })),
      counted(ended(lost, { state: 'delivered' })),
      counted(ended(again, failed)),
      counted(ended(third!, waits(5))),
      counted(ended(fourth!, { state: 'waiting', dueAtMs: nowMs, counted: false, pause: undefined })),
    ]);
    expect(results).toEqual([true, false, true, true, true]);
    expect(await Promise.all(ids.map(rowOf))).toEqual([
      { state: 'failed', attempts: 2, lease: null },
      { state: 'delivered', attempts: 1, lease: null },
      { state: 'waiting', attempts: 1, lease: null },
      { state: 'waiting', attempts: 1, lease: null },
    ]);
    const { tries } = (await findDelivery(database.pool, owner, ids[0]!))!;
    expect(tries.map(({ outcome }) => outcome)).toEqual(['http_error', 'http_error']);
    expect((await claimUpTo(1)).claims).toMatchObject([{ deliveryId: ids[3], attempt: 2, tries: 1 }]);
  });

  test('that PostgreSQL cannot hold leave the others of their batch recorded', async () => {
    const ids = await several(4);
    const { claims } = await claimUpTo(4);
    const add = createConclude(database.pool, () => nowMs);
    const results = await Promise.allSettled(
      claims.map(async (one, at) => {
        const attempt = { ...answered500(), message: at === 2 ? 'no \0 is text' : 'answered 500' };
        return await add({ claim: one, attempt, next: { state: 'delivered' } });
      }),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    const states = (await Promise.all(ids.map(rowOf))).map((row) => row?.['state']);
    expect(states).toEqual(['delivered', 'delivered', 'sending', 'delivered']);
  });

  test('change the health of their subscription in their order, and only where it changes', async () => {
    // The first of them is recorded alone, the others together.
    const well = { state: 'delivered' } as const;
    await several(12);
    const endAll = async (...nexts: readonly NextState[]) => {
      const { claims } = await claimUpTo(nexts.length);
      const add = createConclude(database.pool, () => nowMs);
      await Promise.all(nexts.map(async (next, at) => await add({ claim: claims[at]!, attempt: answered500(), next })));
    };
    const before = await version();
    await endAll(well);
    expect(await version()).toEqual(before);
    await endAll(failed);
    const failingSinceMs = nowMs;
    expect(await healthOf()).toMatchObject({ failingSinceMs });
    nowMs += 1_000;
    await endAll(failed);
    expect(await healthOf()).toMatchObject({ failingSinceMs });
    await endAll(well, well, failed);
    expect(await healthOf()).toMatchObject({ failingSinceMs: nowMs });
    await endAll(failed, failed, well);
    expect(await healthOf()).toMatchObject({ failingSinceMs: undefined });
    await endAll(well, { state: 'waiting', dueAtMs: nowMs, counted: false, pause: 'gone' }, well);
    expect(await healthOf()).toMatchObject({ state: 'paused', pauseReason: 'gone', pausedAtMs: nowMs });
  });

  test('wait for nobody but the deletion of their subscription, which leaves none', async () => {
    const [id] = await several(1);
    const claimed = await claim(id!);
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('delete from subscriptions where id = $1', [subscriptionId]);
    const concluded = conclude(claimed, failed);
    await sleep(50);
    await client.query('commit');
    client.release();
    expect(await concluded).toBe(false);
    expect(await rowOf(id)).toBeUndefined();
  });

  test('of many subscriptions never wait in a circle for those that another process writes down', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, async () => await subscribe()));
    const processes = [ids, ids.toReversed()].map((order) => ({
      order,
      add: createConclude(database.pool, () => nowMs),
    }));
    // Nothing is held by these claims: what is told of the subscriptions is written all the same.
    const telling = processes.map(async ({ order, add }, at) => {
      for (let round = 0; round < 40; round += 1) {
        const next: NextState = (round + at) % 2 === 0 ? waits() : { state: 'delivered' };
        const made = { deliveryId: 0, attempt: 1, lease: randomUUID() } as DeliveryClaim;
        await Promise.all(order.map(async (id) => await add(ended({ ...made, subscriptionId: id }, next))));
      }
    });
    await Promise.all(telling);
  });
});

const list = async (filter: Parameters<typeof listDeliveries>[2]) =>
  await listDeliveries(database.pool, owner, filter, { limit: 100 });

describe('the log', () => {
  test('is filtered by subscription, state, event, reference and time, and paged newest first', async () => {
    const second = await subscribe();
    const ids = await several(3, 'ref-of-three');
    const later = await several(2, 'ref-of-two');
    await end(ids[0]!, failed);
    const newestFirst = [...ids, ...later].sort((a, b) => b - a);
    expect((await list({})).map(({ id }) => id)).toEqual(newestFirst);
    expect(await list({ subscriptionId: second })).toHaveLength(5);
    const lastTry = { attempt: 1, ...answered500() };
    const failure = { id: ids[0], state: 'failed', referenceNumber: 'ref-of-three', attempts: 1, lastTry };
    expect(await list({ state: 'failed' })).toEqual([expect.objectContaining(failure)]);
    expect(await list({ referenceNumber: 'ref-of-two' })).toHaveLength(later.length);
    expect(await list({ event: 'consignment.tracking' })).toHaveLength(ids.length + later.length);
    expect(await list({ event: 'consignment.label' })).toEqual([]);
    expect(await list({ event: 'consignment.status' })).toEqual([]);
    expect(await list({ sinceMs: nowMs + 3_600_000 })).toEqual([]);
    expect(await list({ sinceMs: nowMs - 3_600_000 })).toHaveLength(ids.length + later.length);

    const seen: number[] = [];
    for (let before: number | undefined, page = 1; page > 0;) {
      const items = await listDeliveries(database.pool, owner, {}, { limit: 2, before });
      seen.push(...items.map(({ id }) => id));
      before = items.at(-1)?.id;
      page = items.length;
    }
    expect(seen).toEqual(newestFirst);
  });

  test('shows nothing of another shipper or environment', async () => {
    const [id] = await several(1);
    for (const stranger of [await newOwner(database.pool), { ...owner, environment: 'sandbox' as const }]) {
      expect(await listDeliveries(database.pool, stranger, { subscriptionId }, { limit: 10 })).toEqual([]);
      expect(await findDelivery(database.pool, stranger, id!)).toBeUndefined();
      expect(await redeliverOne(database.pool, stranger, id!, nowMs)).toBeUndefined();
    }
  });

  test('loses nothing but its rows when the subscription is deleted while one is being sent', async () => {
    const [id] = await several(1);
    const claimed = await claim(id!);
    await deleteSubscription(database.pool, owner, subscriptionId);
    expect(await conclude(claimed, { state: 'delivered' })).toBe(false);
  });
});

describe('redelivery', () => {
  test('of one gives it all its tries again, under the same webhook-id', async () => {
    const [id] = await several(1);
    const before = (await claim(id!)).webhookId;
    expect(await redeliverOne(database.pool, owner, id!, nowMs)).toBe('under_way');
    await ageLeases(database.pool, 'deliveries', 90_000);
    await end(id!, failed);
    expect(await redeliverOne(database.pool, owner, id!, nowMs)).toBe('queued');
    expect(await claim(id!)).toMatchObject({ webhookId: before, attempt: 3, tries: 1 });
  });

  test('of one that waits for its next try is due at once, and once', async () => {
    const [id] = await several(1);
    await end(id!, waits());
    expect(await claimIds(1)).toEqual([]);
    expect(await redeliverOne(database.pool, owner, id!, nowMs)).toBe('queued');
    expect(await claim(id!)).toMatchObject({ attempt: 2, tries: 1 });
    nowMs += 1_800_000;
    expect(await claimIds(1)).toEqual([]);
  });

  test('does not count as a try', async () => {
    const [id] = await several(1);
    await end(id!, waits());
    await redeliverOne(database.pool, owner, id!, nowMs);
    await end(id!, { state: 'delivered' });
    expect(await findDelivery(database.pool, owner, id!)).toMatchObject({ attempts: 2, tries: [{}, {}] });
    expect(await listDeliveries(database.pool, owner, { subscriptionId }, { limit: 1 })).toMatchObject([
      { id, attempts: 2 },
    ]);
  });

  test('of one whose subscription is paused waits for the resume', async () => {
    const [id] = await several(1);
    await end(id!, failed);
    await pauseSubscription(database.pool, owner, subscriptionId, nowMs);
    expect(await redeliverOne(database.pool, owner, id!, nowMs)).toBe('paused');
    expect(await claimIds(1)).toEqual([]);
  });

  test('of all that match runs in batches with progress, and takes each once', async () => {
    const ids = await several(1_203, 'ref-many');
    const failedAll = `update deliveries set state = 'failed', attempts = 5, finished_at = now() where id = any($1)`;
    await database.rows(failedAll, ids.slice(0, 1_200));
    const begun = await beginRedelivery(database.pool, owner, { referenceNumber: 'ref-many' });
    expect(begun).toMatchObject({ state: 'running', matching: 1_200, redelivered: 0 });
    expect(await findRunningRedeliveries(database.pool, 100)).toContain(begun.id);

    const progress: number[] = [];
    for (let running = true; running;) {
      const after = await continueRedelivery(database.pool, begun.id, nowMs);
      progress.push(after!.redelivered);
      running = after!.state === 'running';
      // What fails again meanwhile is not taken again.
      await database.pool.query(`update deliveries set state = 'failed' where id = $1`, [ids[0]]);
    }
    expect(progress).toEqual([500, 1_000, 1_200]);
    const due = `select count(*) from deliveries where id = any($1) and state = 'pending' and uncounted = 5`;
    expect(await database.values(due, ids)).toEqual([1_199]);
    const done = { state: 'done', redelivered: 1_200, finishedAtMs: nowMs };
    expect(await findRedelivery(database.pool, owner, begun.id)).toMatchObject(done);
    expect(await continueRedelivery(database.pool, begun.id, nowMs)).toBeUndefined();
    expect(await findRunningRedeliveries(database.pool, 100)).not.toContain(begun.id);
    expect(await findRedelivery(database.pool, await newOwner(database.pool), begun.id)).toBeUndefined();
  });

  test('of all that match waits for no other that is long or fails', async () => {
    await several(1);
    const wish = [database.pool, owner, { state: 'pending' }] as const;
    const ids = [await beginRedelivery(...wish), await beginRedelivery(...wish)].map(({ id }) => id);
    const seen = new Set<number | undefined>();
    for (let look = 0; look < 300 && !ids.every((id) => seen.has(id)); look += 1) {
      seen.add((await findRunningRedeliveries(database.pool, 1))[0]);
    }
    expect([...seen]).toEqual(expect.arrayContaining(ids));
    for (const id of ids) await continueRedelivery(database.pool, id, nowMs);
  });

  test('of all that match is left to the process that is at it', async () => {
    await several(1);
    const { id } = await beginRedelivery(database.pool, owner, { state: 'pending' });
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('select from redeliveries where id = $1 for update', [id]);
    expect(await findRunningRedeliveries(database.pool, 100)).not.toContain(id);
    expect(await continueRedelivery(database.pool, id, nowMs)).toBeUndefined();
    await client.query('rollback');
    client.release();
    expect(await continueRedelivery(database.pool, id, nowMs)).toMatchObject({ state: 'done' });
  });

  test('of all that match, with a state, takes those in that state', async () => {
    const ids = await several(3);
    await end(ids[0]!, { state: 'delivered' });
    await end(ids[1]!, failed);
    const begun = await beginRedelivery(database.pool, owner, { state: 'delivered', subscriptionId });
    expect(begun.matching).toBe(1);
    await continueRedelivery(database.pool, begun.id, nowMs);
    const states = await database.values('select state from deliveries where id = any($1) order by id', ids);
    expect(states).toEqual(['pending', 'failed', 'pending']);
  });
});
