import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FetchedLabel } from '../../../src/engine/dispatch/result.ts';
import { Failure } from '../../../src/engine/failure.ts';
import { NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { fetchOnDemand, type Fetching, fetchLabels } from '../../../src/engine/labels/fetch.ts';
import { createServeLabel } from '../../../src/engine/labels/serve.ts';
import {
  beginChange,
  type ConsignmentChange,
  withLabels,
  withoutLabels,
} from '../../../src/platform/records/change.ts';
import { readConsignments } from '../../../src/platform/records/consignments.ts';
import { createLabels, findLabel } from '../../../src/platform/records/labels.ts';
import { writeChanges } from '../../../src/platform/records/write-changes.ts';
import type { Owner } from '../../../src/platform/records/shippers.ts';
import { freshDatabase } from '../../support/database.ts';
import { ageLeases } from '../../support/leases.ts';
import { until } from '../../support/until.ts';
import { closeServers, openTransport, startHttp } from '../transport/servers.ts';
import { newConsignment, newOwner } from '../../platform/records/world.ts';
import { newLabel, PDF, ZPL } from './labels.ts';

const database = freshDatabase();
let pool: Pool;
const MINUTE = 60_000;
let owner: Owner;
let nowMs: number;

beforeEach(async () => {
  ({ pool } = database);
  owner = await newOwner(pool);
  nowMs = Date.UTC(2026, 0, 5);
  await pool.query('delete from labels');
});
afterEach(closeServers);

const now = (): number => nowMs;
const context = { publicUrl: 'https://waybill.example.com', nowMs: now, factsOf: () => NO_FACTS };
const change = async (id: number, make: (begun: ConsignmentChange) => ConsignmentChange) => {
  const consignment = (await readConsignments(pool, [id])).get(id)!;
  await writeChanges(pool, [{ changes: [make(beginChange(consignment))] }]);
};
const limiterOf = (concurrency: number) => createConcurrencyLimiter(concurrency, now, () => 0);
const labels = () => createLabels({ ...context, pool });
const fetching = (own: Partial<Fetching> = {}): Fetching => ({
  labels: labels(),
  limiter: limiterOf(8),
  send: openTransport().send,
  nowMs: now,
  random: () => 0,
  retryOf: async () => await Promise.resolve({ waitMs: MINUTE, maxMs: 4 * MINUTE, untilMs: 10 * MINUTE }),
  authHeaders: async () => await Promise.resolve({}),
  runLabelOperation: async () => await Promise.reject(new Error('nobody should ask')),
  ...own,
});
/** Fetches all that is due, as a worker does; yields what became of this one. */
const fetch = async (id: string, own: Partial<Fetching> = {}) => {
  const { claims } = await labels().claimDue(100);
  const ended = await Promise.all(claims.map(async (claim) => await fetchLabels(claim, fetching(own))));
  const at = claims.findIndex((claim) => claim.labels.some((label) => label.id === id));
  const endings = ended[at];
  if (endings === undefined) return 'not_ours';
  if (endings === 'lease_lost') return endings;
  return endings.find(({ label }) => label.id === id)?.next?.state ?? 'pending';
};

/** A carrier's label server: the bodies in turn, 404 where there is none, the last one for ever. */
const startStore = async (...bodies: (Buffer | undefined)[]) =>
  await startHttp((_request, response) => {
    const body = bodies.length > 1 ? bodies.shift() : bodies[0];
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body);
  });

/** Pending labels of a consignment of their own, one a package, due after `dueInMs`. */
const pending = async (sourceUrl?: string, packages = 1, dueInMs = 0) => {
  const consignmentId = await newConsignment(pool, owner, { packages });
  const wish = { ...(sourceUrl === undefined ? {} : { sourceUrl }), dueAtMs: nowMs + dueInMs };
  const ids: string[] = [];
  for (let position = 0; position < packages; position += 1)
    ids.push(await newLabel(pool, consignmentId, { position, ...wish }));
  return { consignmentId, ids, id: ids[0]! };
};

const look = async (id: string) => (await findLabel(pool, id))!;
const noticesOf = async (consignmentId: number) => {
  const query = 'select event, body from notices where consignment_id = $1 order by sequence';
  const { rows } = await pool.query<{ event: string; body: string }>(query, [consignmentId]);
  return rows.map(({ event, body }): Record<string, unknown> => ({ event, ...(JSON.parse(body) as object) }));
};
const keyless = async () => await Promise.reject(new Failure('no key', { code: 'secret_key_missing' }));
const failing = (message: string) => async () => await Promise.reject(new Error(message));

describe('a label with a URL', () => {
  test('is stored as it is, and its package’s notice is written with it', async () => {
    const { consignmentId, ids } = await pending((await startStore(PDF)).url, 2);
    const id = ids[1]!;
    await pool.query(`update labels set due_at = due_at + interval '1 hour' where id = $1`, [ids[0]]);
    expect(await fetch(id)).toBe('stored');
    expect(await look(id)).toMatchObject({ state: 'stored', format: 'PDF', content: PDF, dueAtMs: undefined });
    const url = `https://waybill.example.com/v2/labels/${id}`;
    const labels = [{ packageId: 'PKG-2', url, format: 'PDF' }];
    expect(await noticesOf(consignmentId)).toMatchObject([{ event: 'consignment.label', packageId: 'PKG-2', labels }]);
    expect(await fetch(id)).toBe('not_ours');
  });

  test('that is a placeholder is asked again less and less often, then given up', async () => {
    const store = await startStore(undefined);
    const { id, consignmentId } = await pending(store.url);
    const startMs = nowMs;
    const asked: number[] = [];
    for (let second = 0; second <= 15 * 60; second += 15) {
      nowMs = startMs + second * 1_000;
      const before = store.received();
      await fetch(id);
      if (store.received() > before) asked.push(second / 60);
    }
    expect(asked).toEqual([0, 1, 3, 7, 10]);
    expect(await look(id)).toMatchObject({ state: 'failed', failure: expect.stringContaining('answered 404') });
    const told = { event: 'consignment.label', state: 'failed', info: { code: 'label_not_ready' }, labels: [] };
    expect(await noticesOf(consignmentId)).toMatchObject([told]);
  });

  test('of a carrier that takes up its part of the process comes back in its turn, which does not count', async () => {
    const { promise: hangs, resolve: answers } = Promise.withResolvers<void>();
    const store = await startHttp((_request, response) => void hangs.then(() => response.end(PDF)));
    const slow = await pending(store.url);
    const limiter = limiterOf(1);
    const fetched = fetch(slow.id, { limiter });
    await until('it is asked for', () => store.received() === 1);
    const next = await pending(store.url);
    expect(await fetch(next.id, { limiter })).toBe('pending');
    expect((await look(next.id)).dueAtMs).toBeGreaterThan(nowMs);
    answers();
    expect(await fetched).toBe('stored');
    nowMs += MINUTE;
    expect(await fetch(next.id, { limiter })).toBe('stored');
    const { rows } = await pool.query('select tries from labels where id = $1', [next.id]);
    expect(rows).toEqual([{ tries: 1 }]);
  });

  test('of an account whose key another process has is left to it, and the try does not count', async () => {
    const { id } = await pending((await startStore(PDF)).url);
    expect(await fetch(id, { authHeaders: keyless })).toBe('pending');
    const { rows } = await pool.query('select tries, until_at, lease from labels where id = $1', [id]);
    expect(rows).toEqual([{ tries: 0, until_at: null, lease: null }]);
    expect(await fetch(id)).toBe('not_ours');
    nowMs += 10_000;
    expect(await fetch(id)).toBe('stored');
  });

  test('is fetched once, however many try', async () => {
    const store = await startStore(PDF);
    const { id } = await pending(store.url);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => fetch(id)));
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(store.received()).toBe(1);
  });

  test('is fetched by another when its fetcher is gone', async () => {
    const { id } = await pending((await startStore(PDF)).url);
    await labels().claimDue(1);
    nowMs += 3 * MINUTE;
    expect(await fetch(id)).toBe('not_ours');
    await ageLeases(pool, 'labels', 3 * MINUTE);
    expect(await fetch(id)).toBe('stored');
  });

  test.each(['revoked', 'replaced'])(
    'that is %s meanwhile does not get the old bytes, and nobody is told',
    async (how) => {
      const fresh = await startStore(ZPL);
      const { consignmentId, id } = await pending();
      const stale = await startHttp((_request, response) => {
        const changed = change(consignmentId, (begun) =>
          how === 'revoked'
            ? withoutLabels(begun)
            : withLabels(begun, [{ position: 0, label: { url: fresh.url } }], context),
        );
        void changed.then(() => response.end(PDF));
      });
      await pool.query('update labels set source_url = $2 where id = $1', [id, stale.url]);
      expect(await fetch(id)).toBe('lease_lost');
      expect(await noticesOf(consignmentId)).toEqual([]);
      expect(await look(id)).toMatchObject({ state: how === 'revoked' ? 'revoked' : 'pending', content: undefined });
      expect(await fetch(id)).toBe(how === 'revoked' ? 'not_ours' : 'stored');
      expect((await look(id)).content).toEqual(how === 'revoked' ? undefined : ZPL);
    },
  );
});

const answering = (answer: Awaited<ReturnType<Fetching['runLabelOperation']>>) => ({
  runLabelOperation: async () => await Promise.resolve(answer),
});
const yielding = (...labels: FetchedLabel[]) => answering(labels);

describe('a label is asked for again, and not lost,', () => {
  const notLoaded = failing('no carrier acme is loaded');
  const retry = { retryOf: notLoaded, runLabelOperation: notLoaded };
  const nonsense = yielding({ itemReferenceNumber: undefined, label: { content: 'soon' } });

  test.each<[string, string | undefined, Partial<Fetching>, number, string?]>([
    ['after not yet', undefined, answering('not_yet'), MINUTE],
    [
      'after a problem',
      undefined,
      answering({ code: 'carrier_down', messages: ['try later'], isRefusal: false }),
      MINUTE,
    ],
    ['after nonsense', undefined, nonsense, MINUTE],
    ['when its carrier is not loaded, but not without end', undefined, retry, 30_000, 'no carrier acme is loaded'],
    [
      'when authentication fails',
      'http://127.0.0.1:9/label',
      { authHeaders: failing('the login is down') },
      MINUTE,
      'the login is down',
    ],
  ])('%s', async (_, sourceUrl, own, inMs, failure) => {
    const { id } = await pending(sourceUrl, 3);
    expect(await fetch(id, own)).toBe('pending');
    const label = { state: 'pending', dueAtMs: nowMs + inMs };
    expect(await look(id)).toMatchObject(failure === undefined ? label : { ...label, failure });
  });
});

describe('labels that the label operation brings', () => {
  test('are asked for once and stored for every package', async () => {
    const { consignmentId, ids } = await pending(undefined, 3);
    const own = { itemReferenceNumber: 'PKG-3', label: { url: (await startStore(ZPL)).url } };
    const other = { itemReferenceNumber: 'PKG-1', label: { content: PDF.toString('base64') } };
    const runLabelOperation = vi.fn(yielding(own, other).runLabelOperation);
    expect(await fetch(ids[1]!, { runLabelOperation })).toBe('pending');
    expect(runLabelOperation).toHaveBeenCalledTimes(1);
    const stored = await Promise.all(ids.map(look));
    const states = stored.map(({ state, format = '' }) => `${state} ${format}`);
    expect(states).toEqual(['stored PDF', 'pending ', 'stored ZPL']);
    expect((await noticesOf(consignmentId)).map((notice) => notice['packageId'])).toEqual(['PKG-1', 'PKG-3']);
    nowMs += MINUTE;
    const late = yielding({ itemReferenceNumber: 'PKG-2', label: { content: ZPL } });
    expect(await fetch(ids[1]!, late)).toBe('stored');
  });

  test('may be one document for all', async () => {
    const { ids, id } = await pending(undefined, 3);
    expect(await fetch(id, yielding({ itemReferenceNumber: undefined, label: { content: PDF } }))).toBe('stored');
    for (const one of ids) expect(await look(one)).toMatchObject({ state: 'stored', content: PDF });
  });

  test('are not asked for twice at the same time', async () => {
    const { ids } = await pending(undefined, 3);
    let calls = 0;
    const runLabelOperation = async () => {
      calls += 1;
      return await sleep(100, 'not_yet' as const);
    };
    const outcomes = await Promise.all(ids.map((id) => fetch(id, { runLabelOperation })));
    expect(outcomes.sort()).toEqual(['not_ours', 'not_ours', 'pending']);
    expect(calls).toBe(1);
  });

  test('are claimed whole or not at all, however many claim at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { ids } = await pending(undefined, 30);
      const claimed = await Promise.all([1, 2, 3, 4].map(async () => (await labels().claimDue(100)).claims));
      expect(claimed.flat().map((claim) => claim.labels.length)).toEqual([ids.length]);
    }
  });
});

const serve = (own: Partial<Fetching> = {}, waitMs = 5_000) =>
  createServeLabel({
    findLabel: async (id) => await findLabel(pool, id),
    fetchNow: async (id) => await fetchOnDemand(id, fetching(own)),
    waitMs,
  });

describe('a label that is asked for', () => {
  const LATER = 60 * MINUTE;

  test('is fetched then, before it is due, by one request for all who ask', async () => {
    const store = await startStore(PDF);
    const { id } = await pending(store.url, 1, LATER);
    const ask = serve();
    for (const served of await Promise.all([ask(id), ask(id), ask(id), serve()(id)]))
      expect(served).toMatchObject({ kind: 'ready', bytes: PDF, contentType: 'application/pdf', format: 'PDF' });
    expect(store.received()).toBe(1);
  });

  test('and is not there yet says so, and is asked for again when it was to be', async () => {
    const store = await startStore(undefined);
    const { id } = await pending(store.url, 1, LATER);
    for (let times = 0; times < 3; times += 1)
      expect(await serve()(id)).toMatchObject({ kind: 'not_ready', dueAtMs: nowMs + LATER });
    expect(store.received()).toBe(3);
    const { rows } = await pool.query('select tries, until_at, lease from labels where id = $1', [id]);
    expect(rows).toEqual([{ tries: 0, until_at: null, lease: null }]);
  });

  test('does not keep anybody waiting for long', async () => {
    const { id } = await pending((await startHttp(() => undefined)).url);
    const from = performance.now();
    expect(await serve({ timeoutMs: 1_000 }, 200)(id)).toMatchObject({ kind: 'not_ready' });
    expect(performance.now() - from).toBeLessThan(900);
    await until('the try has ended', async () => (await labels().claimOnDemand(id)) !== undefined);
  });

  test('and failed or was revoked is gone; one that never was is unknown', async () => {
    const failed = await pending('nonsense');
    expect(await serve()(failed.id)).toMatchObject({ kind: 'gone', why: 'failed' });
    const revoked = await pending();
    await change(revoked.consignmentId, withoutLabels);
    expect(await serve()(revoked.id)).toMatchObject({ kind: 'gone', why: 'revoked' });
    for (const id of ['', 'x', '../x', 'a\u0000b', 'x'.repeat(1_000)])
      expect(await serve()(id)).toEqual({ kind: 'unknown' });
  });

  test('that cannot be looked for at all is an error', async () => {
    const { id } = await pending();
    const ask = createServeLabel({ findLabel: look, fetchNow: failing('no database') });
    await expect(ask(id)).rejects.toThrow('no database');
  });
});
