import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FetchedLabel } from '../../../src/engine/dispatch/result.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { fetchLabel, type Fetching } from '../../../src/engine/labels/fetch.ts';
import { createServeLabel } from '../../../src/engine/labels/serve.ts';
import { revokeLabels, writeLabels, createLabels, findLabel } from '../../../src/platform/records/labels.ts';
import { parseLabelJobId } from '../../../src/platform/records/outbox.ts';
import { createRecordNotices } from '../../../src/platform/records/notices.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import type { Owner } from '../../../src/platform/records/shippers.ts';
import { createTransport, type Transport } from '../../../src/engine/transport/transport.ts';
import { freshDatabase } from '../../support/database.ts';
import { ageLeases } from '../../support/leases.ts';
import { until } from '../../support/until.ts';
import { closeServers, startHttp } from '../transport/servers.ts';
import { newConsignment, newOwner, takeOutbox } from '../../platform/records/world.ts';
import { newLabel, PDF, ZPL } from './labels.ts';

const database = freshDatabase();
const MINUTE = 60_000;
let owner: Owner;
let transport: Transport;
let nowMs: number;

beforeEach(async () => {
  owner = await newOwner(database.pool);
  transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
  nowMs = Date.UTC(2026, 0, 5);
  await takeOutbox(database.pool);
});
afterEach(async () => {
  transport.close();
  await closeServers();
});

const fetching = (own: Partial<Fetching> = {}): Fetching => ({
  labels: createLabels({
    pool: database.pool,
    nowMs: () => nowMs,
    recordNotices: createRecordNotices({ publicUrl: 'https://waybill.example.com', nowMs: () => nowMs }),
  }),
  limiter: createConcurrencyLimiter(
    8,
    () => nowMs,
    () => 0,
  ),
  send: transport.send,
  nowMs: () => nowMs,
  random: () => 0,
  retryOf: async () => await Promise.resolve({ waitMs: MINUTE, maxMs: 4 * MINUTE, untilMs: 10 * MINUTE }),
  authHeaders: async () => await Promise.resolve({}),
  runLabelOperation: async () => await Promise.reject(new Error('nobody should ask')),
  ...own,
});

/** A carrier's label server: the bodies in turn, 404 where there is none, the last one for ever. */
const startStore = async (...bodies: (Buffer | undefined)[]) =>
  await startHttp((_request, response) => {
    const body = bodies.length > 1 ? bodies.shift() : bodies[0];
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body);
  });

/** A pending label of a consignment of its own. */
const labelAt = async (sourceUrl: string, dueAtMs = nowMs): Promise<string> =>
  await newLabel(database.pool, await newConsignment(database.pool, owner), { sourceUrl, dueAtMs });

const look = async (id: string) => (await findLabel(database.pool, id))!;
const noticesOf = async (consignmentId: number) => {
  const { rows } = await database.pool.query<{ event: string; body: string }>(
    'select event, body from notices where consignment_id = $1 order by sequence',
    [consignmentId],
  );
  return rows.map(({ event, body }) => ({ event, body: JSON.parse(body) as Record<string, unknown> }));
};

const loginDown = async () => await Promise.reject(new Error('the login is down'));

describe('a label with a URL', () => {
  test('is stored as it is, and its package’s notice is written with it', async () => {
    const store = await startStore(PDF);
    const consignmentId = await newConsignment(database.pool, owner, { packages: 2 });
    const id = await newLabel(database.pool, consignmentId, { position: 1, sourceUrl: store.url, dueAtMs: nowMs });
    expect(await fetchLabel(id, fetching())).toBe('stored');
    expect(await look(id)).toMatchObject({ state: 'stored', format: 'PDF', content: PDF, dueAtMs: undefined });
    expect(await noticesOf(consignmentId)).toEqual([
      {
        event: 'consignment.label',
        body: expect.objectContaining({
          packageId: 'PKG-2',
          labels: [{ packageId: 'PKG-2', url: `https://waybill.example.com/v2/labels/${id}`, format: 'PDF' }],
        }) as unknown,
      },
    ]);
    expect(await fetchLabel(id, fetching())).toBe('not_ours');
  });

  test('that is a placeholder is asked again less and less often, then given up', async () => {
    const store = await startStore(undefined);
    const consignmentId = await newConsignment(database.pool, owner);
    const id = await newLabel(database.pool, consignmentId, { sourceUrl: store.url, dueAtMs: nowMs });
    const startMs = nowMs;
    const asked: number[] = [];
    for (let second = 0; second <= 15 * 60; second += 15) {
      nowMs = startMs + second * 1_000;
      const before = store.received();
      await fetchLabel(id, fetching());
      if (store.received() > before) asked.push(second / 60);
    }
    expect(asked).toEqual([0, 1, 3, 7, 10]);
    expect(await look(id)).toMatchObject({ state: 'failed', failure: expect.stringContaining('answered 404') });
    expect(await noticesOf(consignmentId)).toEqual([]);
  });

  test('gets a job of its own for each try', async () => {
    const store = await startStore(undefined, PDF);
    const consignmentId = await newConsignment(database.pool, owner);
    const id = await newLabel(database.pool, consignmentId, { sourceUrl: store.url, dueAtMs: nowMs });
    expect(await fetchLabel(id, fetching())).toBe('pending');
    expect(await takeOutbox(database.pool)).toEqual([
      { queue: 'label', job_id: `l-${id}-a2`, due_at: new Date(nowMs + MINUTE) },
    ]);
    nowMs += MINUTE;
    expect(await fetchLabel(id, fetching())).toBe('stored');
  });

  test('of a carrier that takes up its part of the process comes back in its turn, which does not count', async () => {
    const { promise: hangs, resolve: answers } = Promise.withResolvers<void>();
    const store = await startHttp((_request, response) => void hangs.then(() => response.end(PDF)));
    const ids = [];
    for (let number = 0; number < 2; number += 1) {
      const consignmentId = await newConsignment(database.pool, owner);
      ids.push(await newLabel(database.pool, consignmentId, { sourceUrl: store.url, dueAtMs: nowMs }));
    }
    const [slow = '', next = ''] = ids;
    const limiter = createConcurrencyLimiter(
      1,
      () => nowMs,
      () => 0,
    );
    const fetched = fetchLabel(slow, fetching({ limiter }));
    await until('it is asked for', () => store.received() === 1);
    expect(await fetchLabel(next, fetching({ limiter }))).toBe('pending');
    const [job] = await takeOutbox(database.pool);
    expect(parseLabelJobId(job?.job_id ?? '')).toBe(next);
    expect(job?.due_at?.getTime()).toBeGreaterThan(nowMs);
    answers();
    expect(await fetched).toBe('stored');
    nowMs += MINUTE;
    expect(await fetchLabel(next, fetching({ limiter }))).toBe('stored');
    const { rows } = await database.pool.query('select tries from labels where id = $1', [next]);
    expect(rows).toEqual([{ tries: 1 }]);
  });

  test('is fetched once, however many try', async () => {
    const store = await startStore(PDF);
    const id = await labelAt(store.url);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => fetchLabel(id, fetching())));
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(store.received()).toBe(1);
  });

  test('is fetched by another when its fetcher is gone', async () => {
    const store = await startStore(PDF);
    const id = await labelAt(store.url);
    await fetching().labels.claim(id, false);
    expect(await fetchLabel(id, fetching())).toBe('not_ours');
    nowMs += 3 * MINUTE;
    expect(await fetchLabel(id, fetching())).toBe('not_ours');
    await ageLeases(database.pool, 'labels', 3 * MINUTE);
    expect(await fetchLabel(id, fetching())).toBe('stored');
  });

  test('that is revoked meanwhile stays revoked, and nobody is told of it', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    const store = await startHttp((_request, response) => {
      void transaction(database.pool, async (client) => {
        await revokeLabels(client, consignmentId);
      }).then(() => response.end(PDF));
    });
    const id = await newLabel(database.pool, consignmentId, { sourceUrl: store.url, dueAtMs: nowMs });
    expect(await fetchLabel(id, fetching())).toBe('lease_lost');
    expect(await look(id)).toMatchObject({ state: 'revoked', content: undefined });
    expect(await noticesOf(consignmentId)).toEqual([]);
  });

  test('that an update replaces meanwhile does not get the old bytes', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    const fresh = await startStore(ZPL);
    const stale = await startHttp((_request, response) => {
      void transaction(database.pool, async (client) => {
        await writeLabels(client, consignmentId, [{ position: 0, label: { url: fresh.url } }], nowMs);
      }).then(() => response.end(PDF));
    });
    const id = await newLabel(database.pool, consignmentId, { sourceUrl: stale.url, dueAtMs: nowMs });
    expect(await fetchLabel(id, fetching())).toBe('lease_lost');
    expect(await look(id)).toMatchObject({ state: 'pending' });
    expect(await fetchLabel(id, fetching())).toBe('stored');
    expect(await look(id)).toMatchObject({ content: ZPL });
  });

  test('is not lost by a proof that cannot be had', async () => {
    const id = await labelAt('http://127.0.0.1:9/label');

    expect(await fetchLabel(id, fetching({ authHeaders: loginDown }))).toBe('pending');
    expect(await look(id)).toMatchObject({ failure: 'the login is down' });
  });
});

const threePending = async () => {
  const consignmentId = await newConsignment(database.pool, owner, { packages: 3 });
  const ids: string[] = [];
  for (const position of [0, 1, 2])
    ids.push(await newLabel(database.pool, consignmentId, { position, dueAtMs: nowMs }));
  return { consignmentId, ids };
};
const yielding = (...labels: FetchedLabel[]) => {
  let calls = 0;
  const runLabelOperation = async () => {
    calls += 1;
    return await Promise.resolve(labels);
  };
  return { runLabelOperation, calls: () => calls };
};

const notLoaded = async () => await Promise.reject(new Error('no carrier acme is loaded'));

test('a label of a carrier that is not loaded waits, rather than being asked for without end', async () => {
  const id = await newLabel(database.pool, await newConsignment(database.pool, owner), { dueAtMs: nowMs });
  expect(await fetchLabel(id, fetching({ retryOf: notLoaded, runLabelOperation: notLoaded }))).toBe('pending');
  expect(await look(id)).toMatchObject({ dueAtMs: nowMs + 30_000, failure: 'no carrier acme is loaded' });
});

describe('labels that the label operation brings', () => {
  test('are asked for once and stored for every package', async () => {
    const { consignmentId, ids } = await threePending();
    const store = await startStore(ZPL);
    const operation = yielding(
      { itemReferenceNumber: 'PKG-3', label: { url: store.url } },
      { itemReferenceNumber: 'PKG-1', label: { content: PDF.toString('base64') } },
    );
    expect(await fetchLabel(ids[1]!, fetching(operation))).toBe('pending');
    expect((await Promise.all(ids.map(look))).map(({ state, format }) => [state, format])).toEqual([
      ['stored', 'PDF'],
      ['pending', undefined],
      ['stored', 'ZPL'],
    ]);
    expect((await noticesOf(consignmentId)).map(({ body }) => body['packageId'])).toEqual(['PKG-1', 'PKG-3']);
    expect((await takeOutbox(database.pool)).map(({ job_id }) => job_id)).toEqual([`l-${ids[1]}-a2`]);
    nowMs += MINUTE;
    expect(
      await fetchLabel(ids[1]!, fetching(yielding({ itemReferenceNumber: 'PKG-2', label: { content: ZPL } }))),
    ).toBe('stored');
    expect(operation.calls()).toBe(1);
  });

  test('may be one document for all', async () => {
    const { ids } = await threePending();
    expect(
      await fetchLabel(ids[0]!, fetching(yielding({ itemReferenceNumber: undefined, label: { content: PDF } }))),
    ).toBe('stored');
    for (const id of ids) expect(await look(id)).toMatchObject({ state: 'stored', content: PDF });
  });

  test.each([
    ['not yet', 'not_yet' as const],
    ['a problem', { code: 'carrier_down', messages: ['try later'] }],
    ['nonsense', [{ itemReferenceNumber: undefined, label: { content: 'soon' } }]],
  ])('are asked for again after %s', async (_, answer) => {
    const { ids } = await threePending();
    const runLabelOperation = async () => await Promise.resolve(answer);
    expect(await fetchLabel(ids[0]!, fetching({ runLabelOperation }))).toBe('pending');
    expect(await look(ids[0]!)).toMatchObject({ state: 'pending', dueAtMs: nowMs + MINUTE });
  });

  test('are not asked for twice at the same time', async () => {
    const { ids } = await threePending();
    let calls = 0;
    const runLabelOperation = async () => {
      calls += 1;
      await sleep(100);
      return 'not_yet' as const;
    };
    const outcomes = await Promise.all(ids.map((id) => fetchLabel(id, fetching({ runLabelOperation }))));
    expect(outcomes.sort()).toEqual(['not_ours', 'not_ours', 'pending']);
    expect(calls).toBe(1);
  });
});

const serve = (own: Partial<Fetching> = {}, waitMs = 5_000) =>
  createServeLabel({
    findLabel: async (id) => await findLabel(database.pool, id),
    fetchNow: async (id) => await fetchLabel(id, fetching(own), { asked: true }),
    waitMs,
  });

describe('a label that is asked for', () => {
  test('is fetched then, before it is due, by one request for all who ask', async () => {
    const store = await startStore(PDF);
    const id = await labelAt(store.url, nowMs + 60 * MINUTE);
    const ask = serve();
    const served = await Promise.all([ask(id), ask(id), ask(id), serve()(id)]);
    for (const one of served) {
      expect(one).toMatchObject({ kind: 'ready', bytes: PDF, contentType: 'application/pdf', format: 'PDF' });
    }
    expect(store.received()).toBe(1);
  });

  test('and is not there yet says so, and is asked for again when it was to be', async () => {
    const store = await startStore(undefined);
    const id = await labelAt(store.url, nowMs + 60 * MINUTE);
    for (let times = 0; times < 3; times += 1) {
      expect(await serve()(id)).toMatchObject({ kind: 'not_ready', dueAtMs: nowMs + 60 * MINUTE });
    }
    expect(store.received()).toBe(3);
    const { rows } = await database.pool.query('select tries, until_at, lease from labels where id = $1', [id]);
    expect(rows).toEqual([{ tries: 0, until_at: null, lease: null }]);
  });

  test('does not keep anybody waiting for long', async () => {
    const store = await startHttp(() => undefined);
    const id = await labelAt(store.url);
    const fetched: Promise<unknown>[] = [];
    const ask = createServeLabel({
      findLabel: async (label) => await findLabel(database.pool, label),
      fetchNow: async (label) => {
        const flight = fetchLabel(label, fetching({ timeoutMs: 1_000 }), { asked: true });
        fetched.push(flight);
        return await flight;
      },
      waitMs: 200,
    });
    const from = performance.now();
    expect(await ask(id)).toMatchObject({ kind: 'not_ready' });
    expect(performance.now() - from).toBeLessThan(900);
    await Promise.all(fetched);
    expect(fetched).toHaveLength(1);
  });

  test('and failed or was revoked is gone; one that never was is unknown', async () => {
    const consignmentId = await newConsignment(database.pool, owner);
    const failed = await newLabel(database.pool, consignmentId, { sourceUrl: 'nonsense', dueAtMs: nowMs });
    expect(await serve()(failed)).toMatchObject({ kind: 'gone', why: 'failed' });
    const revoked = await newLabel(database.pool, consignmentId, { dueAtMs: nowMs });
    await transaction(database.pool, async (client) => {
      await revokeLabels(client, consignmentId);
    });
    expect(await serve()(revoked)).toMatchObject({ kind: 'gone', why: 'revoked' });
    for (const id of ['', 'x', '../x', 'a\u0000b', 'x'.repeat(1_000)])
      expect(await serve()(id)).toEqual({ kind: 'unknown' });
  });

  test('that cannot be looked for at all is an error to who asked', async () => {
    const id = await newLabel(database.pool, await newConsignment(database.pool, owner), { dueAtMs: nowMs });
    const ask = createServeLabel({
      findLabel: async (label) => await findLabel(database.pool, label),
      fetchNow: async () => await Promise.reject(new Error('no database')),
    });
    await expect(ask(id)).rejects.toThrow('no database');
  });
});
