import { beforeEach, expect, test } from 'vitest';
import { parseLabelJobId } from '../../../src/platform/records/outbox.ts';
import { listLabels, createLabels, findDueLabels, findLabel } from '../../../src/platform/records/labels.ts';
import type { Owner } from '../../../src/platform/records/shippers.ts';
import { newLabel, PDF } from '../../engine/labels/labels.ts';
import { freshDatabase } from '../../support/database.ts';
import { ageLeases } from '../../support/leases.ts';
import { newConsignment, newOwner } from './world.ts';

const database = freshDatabase();
let owner: Owner;
let nowMs: number;

beforeEach(async () => {
  owner = await newOwner(database.pool);
  nowMs = Date.UTC(2026, 0, 5);
  await database.pool.query('delete from labels');
});

const labels = createLabels({
  get pool() {
    return database.pool;
  },
  nowMs: () => nowMs,
  recordNotices: async () => await Promise.resolve(),
});

test('the reconciler finds labels that are due, not those being fetched, with the id of their next job', async () => {
  const consignmentId = await newConsignment(database.pool, owner);
  const due = await newLabel(database.pool, consignmentId, { sourceUrl: 'https://a.example', dueAtMs: nowMs });
  const later = await newLabel(database.pool, consignmentId, { sourceUrl: 'https://b.example', dueAtMs: nowMs + 1 });
  const taken = await newLabel(database.pool, consignmentId, { sourceUrl: 'https://c.example', dueAtMs: nowMs });
  await labels.claim(taken, false);
  const find = async () => await findDueLabels(database.pool, { nowMs, graceMs: 0, limit: 10 });
  expect(await find()).toEqual([`l-${due}-a1`]);
  nowMs += 300_000;
  expect(new Set((await find()).map(parseLabelJobId))).toEqual(new Set([due, later]));
  await ageLeases(database.pool, 'labels', 300_000);
  expect(new Set((await find()).map(parseLabelJobId))).toEqual(new Set([due, later, taken]));
  expect(await find()).toContain(`l-${taken}-a2`);
  expect(await findDueLabels(database.pool, { nowMs, graceMs: 0, limit: 1 })).toHaveLength(1);
  expect(await findDueLabels(database.pool, { nowMs, graceMs: 600_000, limit: 10 })).toEqual([]);
});

test('a claim names the consignment, its account and the package', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
  const id = await newLabel(database.pool, consignmentId, {
    position: 1,
    sourceUrl: 'https://a.example',
    dueAtMs: nowMs,
  });
  await newLabel(database.pool, consignmentId, { position: 0, dueAtMs: nowMs });
  expect(await labels.claim(id, false)).toEqual({
    lease: expect.any(String) as unknown,
    labels: [{ id, position: 1, itemReferenceNumber: 'PKG-2' }],
    consignmentId,
    carrierCode: 'acme',
    environment: 'production',
    accountId: undefined,
    sourceUrl: 'https://a.example',
    tries: 1,
    untilAtMs: undefined,
  });
});

test('a claim for one without a URL takes along what the same operation brings', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 3 });
  const first = await newLabel(database.pool, consignmentId, { position: 0, dueAtMs: nowMs + 1 });
  await newLabel(database.pool, consignmentId, { position: 1, sourceUrl: 'https://a.example', dueAtMs: nowMs });
  const third = await newLabel(database.pool, consignmentId, { position: 2, dueAtMs: nowMs });
  await newLabel(database.pool, await newConsignment(database.pool, owner), { dueAtMs: nowMs });
  expect((await labels.claim(third, false))?.labels.map(({ id }) => id)).toEqual([first, third]);
  expect(await labels.claim(first, true)).toBeUndefined();
});

test('one not due is claimed only by who asks for it', async () => {
  const consignmentId = await newConsignment(database.pool, owner);
  const id = await newLabel(database.pool, consignmentId, { sourceUrl: 'https://a.example', dueAtMs: nowMs + 1 });
  expect(await labels.claim(id, false)).toBeUndefined();
  expect(await labels.claim(id, true)).toBeDefined();
});

test('labels of a consignment are listed by package, without their bytes', async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
  const all = await newLabel(database.pool, consignmentId, { position: null, dueAtMs: nowMs });
  const second = await newLabel(database.pool, consignmentId, { position: 1, dueAtMs: nowMs });
  const first = await newLabel(database.pool, consignmentId, { position: 0, dueAtMs: nowMs });
  await database.pool.query(`update labels set state = 'stored', content = $2, format = 'PDF' where id = $1`, [
    first,
    PDF,
  ]);
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
