import { beforeEach, describe, expect, it } from 'vitest';
import { performDispatch } from '../../../src/engine/dispatch/perform.ts';
import { LeaseLost } from '../../../src/engine/dispatch/ports.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { findDueDispatches } from '../../../src/platform/records/dispatches.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { answer, carrierOf, refused } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { carrier, dispatchWorld, done, profile } from './dispatch-world.ts';

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);

beforeEach(world.begin);

const dueJobs = async () => await findDueDispatches(database.pool, { nowMs: world.clock.now(), graceMs: 0, limit: 10 });

describe('a dispatch in the records', () => {
  it('is carried out, and what it brought is in the records', async () => {
    world.script.push(done);
    const { dispatchId, consignmentId } = await world.accept(carrier);
    expect(await world.worker(carrier).perform(dispatchId)).toBe('done');
    expect(await world.row(dispatchId)).toMatchObject({ state: 'done', attempt: 1, lease: null, failure: null });
    const { rows } = await database.pool.query('select acceptance from consignments where id = $1', [consignmentId]);
    expect(rows).toEqual([{ acceptance: 'accepted' }]);
  });

  it('is claimed by one of many workers', async () => {
    world.script.push(done);
    const { dispatchId } = await world.accept(carrier);
    const workers = Array.from({ length: 8 }, () => world.worker(carrier));
    const performed = await Promise.all(workers.map(async (one) => await one.perform(dispatchId)));
    expect(performed.toSorted()).toEqual(['done', ...Array.from({ length: 7 }, () => 'not_ours')]);
    expect(world.sent).toHaveLength(1);
  });

  it('waits for an earlier one of its consignment, and is queued by the end of that', async () => {
    const { dispatchId, consignmentId } = await world.accept(carrier);
    const cancel = await world.add(carrier, consignmentId, 'cancel');
    const worker = world.worker(carrier);
    expect(await worker.perform(cancel)).toBe('not_ours');
    await database.pool.query('delete from outbox');
    world.script.push(done, answer(204));
    await worker.perform(dispatchId);
    const { rows } = await database.pool.query('select job_id from outbox');
    expect(rows).toEqual([{ job_id: `d-${cancel}-a1` }]);
    expect(await worker.perform(cancel)).toBe('done');
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  });

  it('that waits is not taken up before it is due, and is queued for then', async () => {
    world.script.push(refused);
    const { dispatchId } = await world.accept(carrier);
    await database.pool.query('delete from outbox');
    const worker = world.worker(carrier);
    expect(await worker.perform(dispatchId)).toBe('waiting');
    const { due_at } = await world.row(dispatchId);
    expect(due_at.getTime()).toBe(world.clock.now() + 2_000);
    const { rows } = await database.pool.query('select job_id, due_at from outbox');
    expect(rows).toEqual([{ job_id: `d-${dispatchId}-a2`, due_at }]);
    expect(await worker.perform(dispatchId)).toBe('not_ours');
    world.clock.advance(2_000);
    world.script.push(done);
    expect(await worker.perform(dispatchId)).toBe('done');
  });

  it('is left to the worker that has it by one whose clock is ahead, also where the carrier can be asked', async () => {
    const lookup = `  lookup: { get: /orders, result: 'response.body.number ? { "itemsTrackDetails": { "trackingNumber": response.body.number } }' }\n`;
    const asked = carrierOf(profile + lookup);
    const { dispatchId } = await world.accept(asked);
    const other = world.worker(asked);
    const seen: unknown[] = [];
    const meanwhile = async () => {
      world.clock.advance(3_600_000);
      seen.push(await dueJobs(), await other.perform(dispatchId));
      return done;
    };
    world.script.push(meanwhile, answer(200, {}), done);
    expect(await world.worker(asked).perform(dispatchId)).toBe('done');
    expect(seen).toEqual([expect.not.arrayContaining([`d-${dispatchId}-a2`]), 'not_ours']);
    expect(world.sent).toHaveLength(1);
  });

  it('whose worker died before the fence is taken up again when the lease is over, and sent once', async () => {
    const { dispatchId } = await world.accept(carrier);
    await world.worker(carrier).dispatches.claim(dispatchId);
    const worker = world.worker(carrier);
    expect(await worker.perform(dispatchId)).toBe('not_ours');
    expect(await dueJobs()).not.toContain(`d-${dispatchId}-a2`);
    await world.leaseOver();
    expect(await dueJobs()).toContain(`d-${dispatchId}-a2`);
    world.script.push(done);
    expect(await worker.perform(dispatchId)).toBe('done');
    expect(world.sent).toHaveLength(1);
  });

  it('whose worker died behind the fence is unknown, and never sent again to a carrier without promises', async () => {
    const { dispatchId } = await world.accept(carrier);
    const claim = await world.worker(carrier).dispatches.claim(dispatchId);
    await (await claim?.attemptLog())?.fence({ step: 'create', element: 0 }, 1, world.clock.now(), 30_000);
    await world.leaseOver();
    expect(await world.worker(carrier).perform(dispatchId)).toBe('held');
    expect(world.sent).toHaveLength(0);
    expect((await world.row(dispatchId)).failure).toContain('unknown_outcome');
  });

  it('taken over while its carrier is slow writes nothing more', async () => {
    const { dispatchId } = await world.accept(carrier);
    const other = world.worker(carrier);
    let taken: string | undefined;
    world.script.push(async () => {
      await world.leaseOver();
      taken = await other.perform(dispatchId);
      return done;
    });
    expect(await world.worker(carrier).perform(dispatchId)).toBe('lease_lost');
    expect(taken).toBe('held');
    expect(await world.row(dispatchId)).toMatchObject({ state: 'held' });
    expect(await world.calls(dispatchId)).toMatchObject([{ state: 'sending', answer: null }]);
    const { rows } = await database.pool.query('select 1 from exchanges where dispatch_id = $1', [dispatchId]);
    expect(rows).toHaveLength(0);
  });

  it('of a carrier that takes up its part of the worker waits its turn, and other carriers do not', async () => {
    const { promise: hangs, resolve: answers } = Promise.withResolvers<typeof done>();
    const login = 'auth: { session: { login: { post: /login }, token: response.body.token } }';
    const hanging = carrierOf(profile.replace(/auth: .*/, login));
    const other = carrierOf(profile.replace('carrier: acme', 'carrier: other'));
    await world.account('other', { key: 'key-0123456789' });
    world.script.push(() => hangs, done);
    const { performing } = world.worker(hanging);
    const worker = {
      ...performing,
      limiter: createConcurrencyLimiter(1, world.clock.now, () => 0),
      carrierVersion: (code: string) => Promise.resolve(code === 'other' ? other : hanging),
    };
    const [first, second] = [await world.accept(hanging), await world.accept(hanging)];
    const logsIn = performDispatch(first.dispatchId, worker);
    await until('the login is under way', () => world.sent.length === 1);
    expect(await performDispatch(second.dispatchId, worker)).toBe('waiting');
    expect(await performDispatch((await world.accept(other)).dispatchId, worker)).toBe('done');
    world.script.push(done, done);
    answers(answer(200, { token: 'session-0123456789' }));
    expect(await logsIn).toBe('done');
    world.clock.advance(60_000);
    expect(await performDispatch(second.dispatchId, worker)).toBe('done');
  });

  it('cannot be concluded by a worker that has lost it', async () => {
    const { dispatchId } = await world.accept(carrier);
    const { dispatches } = world.worker(carrier);
    const first = await dispatches.claim(dispatchId);
    await world.leaseOver();
    const second = await dispatches.claim(dispatchId);
    if (first === undefined || second === undefined) throw new Error('not claimed');
    await expect(dispatches.conclude(first, { dispatch: { state: 'done' }, notices: [] })).rejects.toThrow(LeaseLost);
    await dispatches.conclude(second, { dispatch: { state: 'held' }, notices: [] });
    expect((await world.row(dispatchId)).state).toBe('held');
  });

  it('excludes others also where each has connections of its own', async () => {
    const pools = [1, 2].map(() => createPool({ databaseUrl: database.databaseUrl, log: quietLog }));
    const { dispatchId } = await world.accept(carrier);
    world.script.push(done);
    const performed = await Promise.all(
      pools.map(async (pool) => await world.worker(carrier, pool).perform(dispatchId)),
    );
    expect(performed.toSorted()).toEqual(['done', 'not_ours']);
    await Promise.all(pools.map(async (pool) => await pool.end()));
  });
});
