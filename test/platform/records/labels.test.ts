import { beforeEach, expect, test } from 'vitest';
import { readConsignments } from '../../../src/platform/records/consignments.ts';
import { createLabels, findLabel } from '../../../src/platform/records/labels.ts';
import { NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import { type LabelWish, newLabel, PDF } from '../../engine/labels/labels.ts';
import { freshDatabase } from '../../support/database.ts';
import { ageLeases } from '../../support/leases.ts';
import { newConsignment, ownerOfEachTest } from './world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
let nowMs: number;

beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 5);
  await database.pool.query('delete from labels');
});

const SOURCE = 'https://a.example/label';
/** A label of the consignment to be fetched, due now. */
const pending = (consignmentId: number, wish: Partial<LabelWish> = {}) =>
  newLabel(database.pool, consignmentId, { dueAtMs: nowMs, ...wish });

const labels = createLabels({
  get pool() {
    return database.pool;
  },
  nowMs: () => nowMs,
  publicUrl: 'https://waybill.example.com',
  factsOf: () => NO_FACTS,
});

const claimDue = async (atMost = 10) => {
  const { claims, nextInMs } = await labels.claimDue(atMost);
  return { claims: claims.map((claim) => claim.labels.map(({ id }) => id)), nextInMs };
};

test('a claim takes what is due and not being fetched, the oldest first, and says when the next is', async () => {
  const consignmentId = await newConsignment(database.pool, owner);
  const taken = await pending(consignmentId, { sourceUrl: SOURCE, dueAtMs: nowMs - 2 });
  const first = await pending(consignmentId, { sourceUrl: SOURCE, dueAtMs: nowMs - 1 });
  const later = await pending(consignmentId, { sourceUrl: SOURCE, dueAtMs: nowMs + 60_000 });
  expect(await claimDue(1)).toEqual({ claims: [[taken]], nextInMs: 60_000 });
  expect(await claimDue()).toEqual({ claims: [[first]], nextInMs: 60_000 });
  expect(await claimDue()).toEqual({ claims: [], nextInMs: 60_000 });
  nowMs += 300_000;
  expect(await claimDue()).toEqual({ claims: [[later]], nextInMs: undefined });
  await ageLeases(database.pool, 'labels', 300_000);
  expect(new Set((await claimDue()).claims.flat())).toEqual(new Set([first, later, taken]));
});

test('claims at once take no label twice', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
    ids.push(await pending(consignmentId, { position: 0 }), await pending(consignmentId, { position: 1 }));
  }
  const claims = (await Promise.all([claimDue(4), claimDue(100), claimDue(4)])).flatMap((one) => one.claims);
  const rest = (await claimDue(100)).claims;
  expect([...claims, ...rest].flat().toSorted()).toEqual(ids.toSorted());
});

test('a claim names the consignment, its account and the package', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
  const id = await pending(consignmentId, { position: 1, sourceUrl: SOURCE });
  await pending(consignmentId, { position: 0, dueAtMs: nowMs + 1 });
  expect((await labels.claimDue(1)).claims[0]).toEqual({
    lease: expect.any(String) as unknown,
    labels: [{ id, position: 1, itemReferenceNumber: 'PKG-2' }],
    consignmentId,
    carrierCode: 'acme',
    environment: 'production',
    accountId: undefined,
    sourceUrl: SOURCE,
    tries: 1,
    untilAtMs: undefined,
  });
});

test('a claim for one without a URL takes along what the same operation brings', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 3 });
  const first = await pending(consignmentId, { position: 0, dueAtMs: nowMs + 1 });
  const second = await pending(consignmentId, { position: 1, sourceUrl: SOURCE });
  const third = await pending(consignmentId, { position: 2 });
  const other = await pending(await newConsignment(database.pool, owner));
  expect(new Set((await claimDue()).claims)).toEqual(new Set([[first, third], [second], [other]]));
  expect(await labels.claimOnDemand(first)).toBeUndefined();
});

test('one not due is claimed only by who asks for it', async () => {
  const consignmentId = await newConsignment(database.pool, owner);
  const id = await pending(consignmentId, { sourceUrl: SOURCE, dueAtMs: nowMs + 1 });
  expect((await claimDue()).claims).toEqual([]);
  expect(await labels.claimOnDemand(id)).toMatchObject({ labels: [{ id }], tries: 1 });
});

test('labels of a consignment are listed by package, without their bytes', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
  const all = await pending(consignmentId, { position: null });
  const second = await pending(consignmentId, { position: 1 });
  const first = await pending(consignmentId, { position: 0 });
  await database.rows(`update labels set state = 'stored', content = $2, format = 'PDF' where id = $1`, first, PDF);
  const listed = (await readConsignments(database.pool, [consignmentId])).get(consignmentId)!.labels;
  expect(listed.map(({ id, position }) => [id, position])).toEqual([
    [first, 0],
    [second, 1],
    [all, undefined],
  ]);
  expect(listed[0]).not.toHaveProperty('content');
  expect(await findLabel(database.pool, first)).toMatchObject({ state: 'stored', content: PDF, format: 'PDF' });
  expect(await findLabel(database.pool, 'nobody')).toBeUndefined();
});
