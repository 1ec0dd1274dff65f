import { beforeEach, expect, test } from 'vitest';
import { parseLabelJobId } from '../../../src/platform/records/outbox.ts';
import { listLabels, createLabels, findDueLabels, findLabel } from '../../../src/platform/records/labels.ts';
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
const due = (graceMs = 0, limit = 10) => findDueLabels(database.pool, { nowMs, graceMs, limit });

const labels = createLabels({
  get pool() {
    return database.pool;
  },
  nowMs: () => nowMs,
  publicUrl: 'https://waybill.example.com',
  factsOf: () => NO_FACTS,
});

test('the reconciler finds labels that are due, not those being fetched, with the id of their next job', async () => {
  const consignmentId = await newConsignment(database.pool, owner);
  const first = await pending(consignmentId, { sourceUrl: SOURCE });
  const later = await pending(consignmentId, { sourceUrl: SOURCE, dueAtMs: nowMs + 1 });
  const taken = await pending(consignmentId, { sourceUrl: SOURCE });
  await labels.claim(taken, false);
  expect(await due()).toEqual([`l-${first}-a1`]);
  nowMs += 300_000;
  expect(new Set((await due()).map(parseLabelJobId))).toEqual(new Set([first, later]));
  await ageLeases(database.pool, 'labels', 300_000);
  expect(new Set((await due()).map(parseLabelJobId))).toEqual(new Set([first, later, taken]));
  expect(await due()).toContain(`l-${taken}-a2`);
  expect(await due(0, 1)).toHaveLength(1);
  expect(await due(600_000)).toEqual([]);
});

test('a claim names the consignment, its account and the package', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
  const id = await pending(consignmentId, { position: 1, sourceUrl: SOURCE });
  await pending(consignmentId, { position: 0 });
  expect(await labels.claim(id, false)).toEqual({
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
  await pending(consignmentId, { position: 1, sourceUrl: SOURCE });
  const third = await pending(consignmentId, { position: 2 });
  await pending(await newConsignment(database.pool, owner));
  expect((await labels.claim(third, false))?.labels.map(({ id }) => id)).toEqual([first, third]);
  expect(await labels.claim(first, true)).toBeUndefined();
});

test('one not due is claimed only by who asks for it', async () => {
  const consignmentId = await newConsignment(database.pool, owner);
  const id = await pending(consignmentId, { sourceUrl: SOURCE, dueAtMs: nowMs + 1 });
  expect(await labels.claim(id, false)).toBeUndefined();
  expect(await labels.claim(id, true)).toBeDefined();
});

test('labels of a consignment are listed by package, without their bytes', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
  const all = await pending(consignmentId, { position: null });
  const second = await pending(consignmentId, { position: 1 });
  const first = await pending(consignmentId, { position: 0 });
  await database.rows(`update labels set state = 'stored', content = $2, format = 'PDF' where id = $1`, first, PDF);
  const listed = await listLabels(database.pool, consignmentId);
  expect(listed.map(({ id, position }) => [id, position])).toEqual([
    [first, 0],
    [second, 1],
    [all, undefined],
  ]);
  expect(listed[0]).not.toHaveProperty('content');
  expect(await findLabel(database.pool, first)).toMatchObject({ state: 'stored', content: PDF, format: 'PDF' });
  expect(await findLabel(database.pool, 'nobody')).toBeUndefined();
});
