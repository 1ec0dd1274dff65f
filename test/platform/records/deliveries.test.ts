import { beforeEach, describe, expect, test } from 'vitest';
import { createDeliveries, findDueDeliveries } from '../../../src/platform/records/deliveries.ts';
import { parseDeliveryJobId, parseRedeliveryJobId } from '../../../src/platform/records/outbox.ts';
import { findDelivery, listDeliveries } from '../../../src/platform/records/delivery-log.ts';
import {
  beginRedelivery,
  continueRedelivery,
  findRedelivery,
  findRunningRedeliveries,
  redeliverOne,
} from '../../../src/platform/records/redeliveries.ts';
import {
  createSubscription,
  deleteSubscription,
  pauseSubscription,
} from '../../../src/platform/records/subscriptions.ts';
import type { DeliveryClaim, NextState } from '../../../src/engine/webhooks/delivery.ts';
import { freshDatabase } from '../../support/database.ts';
import { ageLeases } from '../../support/leases.ts';
import { newConsignment, newOwner, notices, notify, ownerOfEachTest, sealer, takeJobs, takeOutbox } from './world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
let nowMs: number;
let subscriptionId: string;

beforeEach(async () => {
  nowMs = Date.now() + 1_000;
  subscriptionId = await subscribe();
});

const subscribe = async (whose = owner) =>
  (await createSubscription(database.pool, sealer, whose, { url: 'https://shop.example.com', orderTypes: ['FORWARD'] }))
    .id;

const deliveries = createDeliveries({
  get pool() {
    return database.pool;
  },
  sealer,
  nowMs: () => nowMs,
});

/** `count` deliveries of one consignment. */
const several = async (count: number, reference?: string) => {
  const consignmentId = await newConsignment(database.pool, owner, reference === undefined ? {} : { reference });
  const ids = await notify(database.pool, consignmentId, notices(count));
  await takeOutbox(database.pool);
  return ids;
};

const claim = async (id: number): Promise<DeliveryClaim> => {
  const claimed = await deliveries.claim(id);
  if (claimed.kind !== 'claimed') throw new Error(`not claimed but ${claimed.kind}`);
  return claimed.claim;
};

const end = async (id: number, next: NextState) => deliveries.conclude(await claim(id), answered500(), next);
const answered500 = () =>
  ({ atMs: nowMs, durationMs: 12, status: 500, outcome: 'http_error', message: 'answered 500' }) as const;
const failed = { state: 'failed', pause: undefined } as const;
const waits = (ms = 1_800_000): NextState => ({
  state: 'waiting',
  dueAtMs: nowMs + ms,
  counted: true,
  pause: undefined,
});

const dueJobs = async (limit = 100, graceMs = 0) => await findDueDeliveries(database.pool, { nowMs, graceMs, limit });
const unfinished = async (limit = 100) => (await dueJobs(limit)).map(parseDeliveryJobId);

describe('the reconciler', () => {
  test('finds what is due and not finished, with the id of its next job', async () => {
    const [pending, waiting, sending, delivered, crashed] = await several(5);
    await end(waiting!, waits(60_000));
    await end(delivered!, { state: 'delivered' });
    await claim(crashed!);
    await ageLeases(database.pool, 'deliveries', 90_000);
    nowMs += 90_000;
    await claim(sending!);
    const found = await dueJobs();
    expect(found).toEqual(expect.arrayContaining([`w-${pending}-a1`, `w-${waiting}-a2`, `w-${crashed}-a2`]));
    const ids = found.map(parseDeliveryJobId);
    expect(ids).not.toContain(sending);
    expect(ids).not.toContain(delivered);
  });

  test('leaves what became due just now to the queue', async () => {
    const [id] = await several(1);
    expect((await dueJobs(100, 60_000)).map(parseDeliveryJobId)).not.toContain(id);
  });

  test('begins with those that found no place: the oldest may still have a job, which a dead worker took', async () => {
    const [oldest, ...ids] = await several(14);
    for (const id of ids.slice(0, 12)) await claim(id);
    expect(await deliveries.claim(ids[12]!)).toEqual({ kind: 'busy' });
    const found = async (count: number) => (await unfinished(count)).filter((id) => [oldest, ...ids].includes(id));
    expect(await found(1)).toEqual([ids[12]]);
    expect(await found(2)).toEqual([ids[12], oldest]);
  });

  test('takes only so many of each subscription, and none of a paused one', async () => {
    const many = await several(20);
    const other = await newOwner(database.pool);
    await subscribe(other);
    const [theirs] = await notify(database.pool, await newConsignment(database.pool, other));
    const found = await unfinished(3);
    expect(found.filter((id) => many.includes(id!))).toHaveLength(3);
    expect(found).toContain(theirs);
    await pauseSubscription(database.pool, owner, subscriptionId, nowMs);
    expect((await unfinished()).filter((id) => many.includes(id!))).toEqual([]);
  });
});

describe('places', () => {
  const PLACES = 12;

  test('of senders that died are others’ after a quarter of a minute, long before their leases end', async () => {
    const ids = await several(PLACES + 1);
    for (const id of ids.slice(0, PLACES)) await claim(id);
    expect(await deliveries.claim(ids[PLACES]!)).toEqual({ kind: 'busy' });
    nowMs += 15_001;
    expect(await deliveries.claim(ids[PLACES]!)).toEqual({ kind: 'busy' });
    await ageLeases(database.pool, 'deliveries', 15_001);
    await claim(ids[PLACES]!);
    expect(await deliveries.claim(ids[0]!)).toEqual({ kind: 'not_ours' });
  });

  test('are few for a receiver that fails for a minute, and not for one that failed once', async () => {
    const [first, ...ids] = await several(5);
    await end(first!, failed);
    for (const id of ids.slice(0, 3)) await claim(id);
    nowMs += 60_001;
    await ageLeases(database.pool, 'deliveries', 60_001);
    const others = await several(3);
    for (const id of others.slice(0, 2)) await claim(id);
    expect(await deliveries.claim(others[2]!)).toEqual({ kind: 'busy' });
  });
});

const list = async (filter: Parameters<typeof listDeliveries>[2]) =>
  (await listDeliveries(database.pool, owner, filter, { limit: 100 })).items;

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
    expect(await list({ sinceMs: nowMs + 3_600_000 })).toEqual([]);
    expect(await list({ sinceMs: nowMs - 3_600_000 })).toHaveLength(ids.length + later.length);

    const seen: number[] = [];
    let before: number | undefined;
    do {
      const page = await listDeliveries(database.pool, owner, {}, { limit: 2, before });
      seen.push(...page.items.map(({ id }) => id));
      before = page.next;
    } while (before !== undefined);
    expect(seen).toEqual(newestFirst);
  });

  test('shows nothing of another shipper or environment', async () => {
    const [id] = await several(1);
    for (const stranger of [await newOwner(database.pool), { ...owner, environment: 'sandbox' as const }]) {
      const page = await listDeliveries(database.pool, stranger, { subscriptionId }, { limit: 10 });
      expect(page).toEqual({ items: [], next: undefined });
      expect(await findDelivery(database.pool, stranger, id!)).toBeUndefined();
      expect(await redeliverOne(database.pool, stranger, id!, nowMs)).toBeUndefined();
    }
  });

  test('loses nothing but its rows when the subscription is deleted while one is being sent', async () => {
    const [id] = await several(1);
    const claimed = await claim(id!);
    await deleteSubscription(database.pool, owner, subscriptionId);
    expect(await deliveries.conclude(claimed, answered500(), { state: 'delivered' })).toBe(false);
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
    expect(await takeJobs(database.pool)).toEqual([`w-${id}-a3`]);
    expect(await claim(id!)).toMatchObject({ webhookId: before, attempt: 3, tries: 1 });
  });

  test('of one that waits for its next try has a job of its own, beside the one that is put off', async () => {
    const [id] = await several(1);
    await end(id!, waits());
    expect(await takeJobs(database.pool)).toEqual([`w-${id}-a2`]);
    expect(await redeliverOne(database.pool, owner, id!, nowMs)).toBe('queued');
    expect(await takeJobs(database.pool)).toEqual([`w-${id}-a3`]);
    expect(await claim(id!)).toMatchObject({ tries: 1 });
    expect(await deliveries.claim(id!)).toEqual({ kind: 'not_ours' });
  });

  test('does not count as a try', async () => {
    const [id] = await several(1);
    await end(id!, waits());
    await redeliverOne(database.pool, owner, id!, nowMs);
    await end(id!, { state: 'delivered' });
    expect(await findDelivery(database.pool, owner, id!)).toMatchObject({ attempts: 2, tries: [{}, {}] });
    const { items } = await listDeliveries(database.pool, owner, { subscriptionId }, { limit: 1 });
    expect(items).toMatchObject([{ id, attempts: 2 }]);
  });

  test('of one whose subscription is paused waits for the resume', async () => {
    const [id] = await several(1);
    await end(id!, failed);
    await pauseSubscription(database.pool, owner, subscriptionId, nowMs);
    expect(await redeliverOne(database.pool, owner, id!, nowMs)).toBe('paused');
    expect(await deliveries.claim(id!)).toEqual({ kind: 'paused' });
  });

  test('of all that match runs in batches with progress, and takes each once', async () => {
    const ids = await several(1_203, 'ref-many');
    const failedAll = `update deliveries set state = 'failed', attempts = 5, finished_at = now() where id = any($1)`;
    await database.rows(failedAll, ids.slice(0, 1_200));
    const begun = await beginRedelivery(database.pool, owner, { referenceNumber: 'ref-many' });
    expect(begun).toMatchObject({ state: 'running', matching: 1_200, redelivered: 0 });
    const [first] = await takeJobs(database.pool);
    expect(parseRedeliveryJobId(first!)).toBe(begun.id);
    expect(await findRunningRedeliveries(database.pool)).toContain(first);

    const progress: number[] = [];
    const queued: string[] = [];
    for (let job: string | undefined = 'first'; job !== undefined;) {
      const after = await continueRedelivery(database.pool, begun.id, nowMs);
      progress.push(after!.redelivered);
      const jobs = await takeJobs(database.pool);
      queued.push(...jobs.filter((id) => id.startsWith('w-')));
      job = jobs.find((id) => id.startsWith('r-'));
      // What fails again meanwhile is not taken again.
      await database.pool.query(`update deliveries set state = 'failed' where id = $1`, [ids[0]]);
    }
    expect(progress).toEqual([500, 1_000, 1_200]);
    expect(queued.sort()).toEqual(Array.from(ids.slice(0, 1_200), (id) => `w-${id}-a6`).sort());
    const done = { state: 'done', redelivered: 1_200, finishedAtMs: nowMs };
    expect(await findRedelivery(database.pool, owner, begun.id)).toMatchObject(done);
    expect(await continueRedelivery(database.pool, begun.id, nowMs)).toBeUndefined();
    expect(await findRunningRedeliveries(database.pool)).not.toContain(first);
    expect(await findRedelivery(database.pool, await newOwner(database.pool), begun.id)).toBeUndefined();
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
