import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { DispatchQueue, HandedOn } from '../../../src/platform/queue/dispatch-queue.ts';
import { createAlert } from '../../../src/platform/records/alert.ts';
import { createDispatching } from '../../../src/platform/processes/dispatching.ts';
import { wakeByNotify } from '../../../src/platform/processes/pump.ts';
import { listen } from '../../../src/platform/records/listener.ts';
import type { Log } from '../../../src/platform/records/pool.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { answer, carrierOf, refused } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { carrier, dispatchWorld, done, profile } from '../records/dispatch-world.ts';

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);

beforeEach(async () => {
  await world.begin();
  await database.rows(`update dispatches set state = 'cancelled' where state in ('pending', 'sending', 'waiting')`);
});

type Handler = (some: readonly HandedOn[]) => Promise<void>;
/** A queue in memory, which may be away. */
const fakeQueue = () => {
  const state = { isAway: false, added: [] as HandedOn[], handle: undefined as Handler | undefined };
  const queue: DispatchQueue = {
    add: (some) => {
      if (state.isAway) return Promise.reject(new Error('away'));
      state.added.push(...some);
      return Promise.resolve();
    },
    work: (handle) => void (state.handle = handle),
    stop: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return { state, queue };
};

/** A process that performs dispatches once it is started. */
const processOf = async (queue?: DispatchQueue, others: readonly Carrier[] = [], log: Log = quietLog) => {
  const { performing } = world.worker(carrier);
  const performed: string[] = [];
  const ended: number[] = [];
  const dispatching = createDispatching({
    ...world.storeOn(database.pool),
    log,
    alert: createAlert(log),
    calls: { ports: performing, noteExchange: () => () => Promise.resolve() },
    carriers: { version: (code) => Promise.resolve(others.find((one) => one.code === code) ?? carrier) },
    metrics: { watchLeft: () => {}, performed: (_, outcome) => void performed.push(outcome) },
    queue,
    ended: (ids) => void ended.push(...ids),
    uptimeMs: () => performance.now(),
    closeLimitMs: 2_000,
  });
  const listener = await listen({ databaseUrl: database.databaseUrl, log: quietLog });
  await wakeByNotify([dispatching.pump], listener);
  onTestFinished(async () => {
    await dispatching.close();
    await listener.close();
  });
  return { ...dispatching, performed, ended };
};
const stateOf = async (id: number) => (await world.row(id)).state;
/** How often it was looked what is due, from now to the end of the test. */
const countLooks = (): (() => number) => {
  const queries = vi.spyOn(database.pool, 'query');
  onTestFinished(() => queries.mockRestore());
  return () => queries.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('order by due_at limit')).length;
};
/** How many of these are in that state. */
const countOf = async (ids: readonly number[], state: string): Promise<number> =>
  (await database.rows('select from dispatches where id = any($1) and state = $2', ids, state)).length;
const isDone = (id: number) => until('it is done', async () => (await stateOf(id)) === 'done');

it('a dispatch is performed by the process that accepted it, and whoever waits there is told', async () => {
  const worker = await processOf();
  worker.start();
  await sleep(50);
  const { dispatchId } = await world.accept(carrier);
  world.script.push(done);
  worker.add([dispatchId]);
  await until('it has ended', () => worker.ended.includes(dispatchId), 900);
  expect(await stateOf(dispatchId)).toBe('done');
});

it.each(['by Redis', 'by PostgreSQL, without Redis', 'by PostgreSQL, while Redis is away'])(
  'a dispatch that an API accepted comes to a worker %s',
  async (how) => {
    const { queue, state } = fakeQueue();
    const own = how === 'by PostgreSQL, without Redis' ? undefined : queue;
    state.isAway = how.endsWith('away');
    const [api, worker] = [await processOf(own), await processOf(own)];
    worker.start();
    await sleep(50);
    const { dispatchId } = await world.accept(carrier);
    world.script.push(done);
    api.add([dispatchId]);
    if (how === 'by Redis') {
      await until('it is queued', () => state.added.length === 1);
      await state.handle?.(state.added);
    }
    await isDone(dispatchId);
    await until('the worker has counted it', () => worker.performed.length > 0);
    expect(worker.performed).toEqual(['done']);
  },
);

it('a job ends when its dispatches are claimed, not when they are done', async () => {
  const { queue, state } = fakeQueue();
  const worker = await processOf(queue);
  worker.start();
  const { dispatchId } = await world.accept(carrier);
  const answers = Promise.withResolvers<typeof done>();
  world.script.push(() => answers.promise);
  await state.handle?.([{ id: dispatchId }, { id: 999_999_999 }]);
  expect(await stateOf(dispatchId)).toBe('sending');
  answers.resolve(done);
  await isDone(dispatchId);
});

it('what nobody handed on is found: of a process that died, and of a queue that lost it', async () => {
  const { dispatchId } = await world.accept(carrier);
  world.script.push(done);
  (await processOf(fakeQueue().queue)).start();
  await isDone(dispatchId);
});

it('what has to wait is taken up when it is due', async () => {
  const worker = await processOf();
  worker.start();
  const { dispatchId } = await world.accept(carrier);
  world.script.push(refused, done);
  worker.add([dispatchId]);
  await until('it waits', async () => (await stateOf(dispatchId)) === 'waiting');
  world.clock.advance(2_000);
  await isDone(dispatchId);
});

it('the end of one hands on the next of its consignment', async () => {
  const worker = await processOf();
  worker.start();
  const { dispatchId, consignmentId } = await world.accept(carrier);
  const next = await world.add(carrier, consignmentId, 'cancel');
  world.script.push(done, done);
  worker.add([dispatchId]);
  await isDone(next);
  await until('whoever waits is told', () => worker.ended.length === 2);
  expect(worker.ended).toEqual([dispatchId, next]);
});

it('what a closing process was handed is handed on, and what it has begun ends first', async () => {
  const { queue, state } = fakeQueue();
  const worker = await processOf(queue);
  worker.start();
  const { dispatchId } = await world.accept(carrier);
  const answers = Promise.withResolvers<typeof done>();
  world.script.push(() => answers.promise);
  worker.add([dispatchId]);
  await until('it is under way', () => world.sent.length === 1);
  const later = await world.accept(carrier);
  const handed = state.handle?.([{ id: later.dispatchId }]);
  const closed = worker.close();
  await handed;
  await until('it is handed on', () => state.added.some(({ id }) => id === later.dispatchId));
  answers.resolve(done);
  await closed;
  expect(await stateOf(dispatchId)).toBe('done');
  expect(await stateOf(later.dispatchId)).toBe('pending');
});

it('more than there are slots for are done one after another, whoever handed them on', async () => {
  const worker = await processOf();
  const accepted = await Promise.all(Array.from({ length: 140 }, async () => await world.accept(carrier)));
  world.script.push(...accepted.map(() => done));
  worker.start();
  worker.add(accepted.map(({ dispatchId }) => dispatchId));
  // One carrier has its share of the slots: what is beyond it waits its turn.
  const step = setInterval(() => world.clock.advance(1_000), 20);
  onTestFinished(() => clearInterval(step));
  await until('all are done', () => worker.ended.length === accepted.length);
  expect(new Set(worker.ended).size).toBe(accepted.length);
});

it('what its carrier has no room for stays where it is until there is room, and is claimed once', async () => {
  const worker = await processOf();
  worker.start();
  const answers = Promise.withResolvers<typeof done>();
  const accepted = await Promise.all(Array.from({ length: 120 }, async () => await world.accept(carrier)));
  const ids = accepted.map(({ dispatchId }) => dispatchId);
  world.script.push(...ids.map(() => async () => await answers.promise));
  worker.add(ids, carrier.code);
  await until('its share is at work', async () => (await countOf(ids, 'sending')) === 64);
  expect(await countOf(ids, 'pending')).toBe(120 - 64);
  answers.resolve(done);
  await until('all are done', () => worker.ended.length === ids.length);
  expect(await database.values('select max(attempt) from dispatches where id = any($1)', ids)).toEqual([1]);
});

it('what its carrier has no room for is not looked for each time more of it comes', async () => {
  const worker = await processOf();
  worker.start();
  const hanging = Promise.withResolvers<typeof done>();
  const accepted = await Promise.all(Array.from({ length: 110 }, async () => await world.accept(carrier)));
  world.script.push(...accepted.map(() => async () => await hanging.promise));
  const ids = accepted.map(({ dispatchId }) => dispatchId);
  worker.add(ids.slice(0, 70), carrier.code);
  await until('its share is at work', async () => (await countOf(ids, 'sending')) === 64);
  const looks = countLooks();
  const beganMs = performance.now();
  for (const id of ids.slice(70)) {
    worker.add([id], carrier.code);
    await sleep(5);
  }
  const seconds = Math.ceil((performance.now() - beganMs) / 1_000);
  expect(looks()).toBeLessThanOrEqual(1 + seconds);
  hanging.resolve(done);
  await until('all are done', () => worker.ended.length === ids.length);
});

it('what is due of a carrier that has no room is left by each look, until there is room', async () => {
  const worker = await processOf();
  worker.start();
  const answers = Promise.withResolvers<typeof done>();
  const acceptSome = async (length: number) =>
    (await Promise.all(Array.from({ length }, async () => await world.accept(carrier)))).map((one) => one.dispatchId);
  const first = await acceptSome(64);
  world.script.push(...Array.from({ length: 94 }, () => async () => await answers.promise));
  worker.add(first, carrier.code);
  await until('its share is at work', async () => (await countOf(first, 'sending')) === 64);
  const more = await acceptSome(30);
  const looks = countLooks();
  await until('it has looked', () => looks() > 1);
  expect(await countOf(more, 'pending')).toBe(30);
  answers.resolve(done);
  // A look may claim more than there is room for: that comes back later.
  const step = setInterval(() => world.clock.advance(1_000), 20);
  onTestFinished(() => clearInterval(step));
  await until('all are done', () => worker.ended.length === 94);
  expect(worker.ended).toEqual(expect.arrayContaining(more));
});

it('lines of four carriers at their limits leave slots to a fifth', async () => {
  const others = ['b', 'c', 'd', 'e'].map((code) => carrierOf(profile.replace('carrier: acme', `carrier: ${code}`)));
  for (const { code } of others) await world.account(code, { key: 'key-0123456789' });
  const worker = await processOf(undefined, others);
  worker.start();
  const hanging = Promise.withResolvers<typeof done>();
  const accepted = await Promise.all(
    others.flatMap((one) => Array.from({ length: 60 }, async () => await world.accept(one))),
  );
  world.script.push(...accepted.map(() => async () => await hanging.promise));
  worker.add(accepted.map(({ dispatchId }) => dispatchId));
  await until('they hang', () => world.sent.length === 32);
  const { dispatchId } = await world.accept(carrier);
  world.script.unshift(done);
  worker.add([dispatchId]);
  await until('the fifth is done', () => worker.ended.includes(dispatchId), 1_500);
  hanging.resolve(done);
});

it('a label that cannot be read is in the log, with the reason', async () => {
  const labelled = carrierOf(
    profile.replace(
      '"trackingNumber": response.body.number,',
      '"trackingNumber": response.body.number, "label": { "content": response.body.label },',
    ),
  );
  const log = recordingLog();
  const worker = await processOf(undefined, [labelled], log);
  worker.start();
  const { dispatchId, consignmentId } = await world.accept(labelled);
  world.script.push(answer(201, { number: 'T-LABEL', label: '<html>Not now</html>' }));
  worker.add([dispatchId]);
  await isDone(dispatchId);
  const said = { carrier: 'acme', consignment: consignmentId, code: 'label_unknown_format' };
  await until('it is said', () => log.lines.length > 0);
  expect(log.lines).toMatchObject([{ level: 'warn', message: 'a label has failed', fields: said }]);
});

it('a dispatch that is held is in the log, with the reason, by a code that stays', async () => {
  const log = recordingLog();
  const worker = await processOf(undefined, [], log);
  worker.start();
  const { dispatchId, consignmentId } = await world.accept(carrier);
  world.script.push(answer(403, { message: 'not you' }));
  worker.add([dispatchId]);
  await until('it is held', async () => (await stateOf(dispatchId)) === 'held');
  await until('it is said', () => log.lines.length > 0);
  const { code, messages } = JSON.parse((await world.row(dispatchId)).failure ?? '').problem;
  expect(log.lines.map(({ fields }) => fields)).toMatchObject([
    {
      alert: 'dispatch_held',
      dispatch: dispatchId,
      consignment: consignmentId,
      carrier: 'acme',
      code,
      reason: messages.join('; '),
    },
  ]);
});
