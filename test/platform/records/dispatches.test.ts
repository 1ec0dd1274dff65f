import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WireRequest } from '../../../src/engine/transport/wire.ts';
import { performDispatch } from '../../../src/engine/dispatch/perform.ts';
import { effectsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import { LeaseLost } from '../../../src/engine/dispatch/ports.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { createSealer, keyName } from '../../../src/platform/records/sealer.ts';
import { answer, carrierOf, refused, reset } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { carrier, claimOf, dispatchWorld, done, each, made, profile } from './dispatch-world.ts';
import { sealer } from './world.ts';

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);

beforeEach(world.begin);

/** Makes each package by a call that may be repeated, and keeps those that were made. */
const parcels = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    idempotency: key
    forEach: consignment.itemList
    partial: true
    post: '/\${item.itemReferenceNumber}'
    headers: { Key: '\${idempotencyKey}' }
    result: '{ "itemsTrackDetails": [steps.create.{ "trackingNumber": body.number }] }'
`);

/** A dispatch whose worker was gone after the fence of its call: nobody knows whether that was sent. */
const diedBehindTheFence = async () => {
  const { dispatchId } = await world.accept(carrier);
  const claim = await claimOf(world.worker(carrier).dispatches, dispatchId);
  await claim.attemptLog().fence({ step: 'create', element: 0 }, 1, world.clock.now(), 30_000);
  await world.leaseOver();
  return dispatchId;
};
/** A dispatch that one worker performs whose carrier answers so. */
const performed = async (...replies: typeof world.script) => {
  const accepted = await world.accept(carrier);
  world.script.push(...replies);
  return { ...accepted, outcome: await world.worker(carrier).perform(accepted.dispatchId) };
};

/** A dispatch whose carrier gave that number. */
const givenNumber = async (number = 'T1') => {
  const accepted = await world.accept(carrier);
  world.script.push(answer(201, { number }));
  expect(await world.worker(carrier).perform(accepted.dispatchId)).toBe('done');
  return accepted;
};
const takenBy = (by: string) => ({
  code: 'tracking_number_taken',
  messages: [`the carrier gave the tracking number T1, which is that of consignment ${by}`],
});

describe('a dispatch in the records', () => {
  it('is carried out, and what it brought is in the records', async () => {
    const { dispatchId, consignmentId, outcome } = await performed(done);
    expect(outcome).toBe('done');
    expect(await world.row(dispatchId)).toMatchObject({ state: 'done', attempt: 1, lease: null, failure: null });
    const acceptance = await database.values('select acceptance from consignments where id = $1', consignmentId);
    expect(acceptance).toEqual(['accepted']);
  });

  it('has the outcome of a call on record before the next leaves, and that of the last with its own end', async () => {
    const { dispatchId } = await world.accept(each, 2);
    const statesNow = async () => (await world.calls(dispatchId)).map(({ state }) => state);
    const seen: unknown[] = [];
    const look = async () => {
      seen.push(await statesNow());
      return done;
    };
    world.script.push(look, look);
    expect(await world.worker(each).perform(dispatchId)).toBe('done');
    expect(seen).toEqual([['sending'], ['succeeded', 'sending']]);
    expect(await statesNow()).toEqual(['succeeded', 'succeeded']);
    expect(await database.rows('select 1 from exchanges where dispatch_id = $1', dispatchId)).toHaveLength(2);
  });

  it('are claimed many at once, each that is free and the first of its consignment', async () => {
    const [one, other] = [await world.accept(carrier), await world.accept(carrier)];
    const later = await world.add(carrier, one.consignmentId, 'cancel');
    const { dispatches } = world.worker(carrier);
    const claimed = await dispatches.claim([one.dispatchId, other.dispatchId, later, 999_999_999]);
    expect(new Set(claimed.map(({ dispatchId }) => dispatchId))).toEqual(new Set([one.dispatchId, other.dispatchId]));
  });

  it('is claimed by one of many workers', async () => {
    world.script.push(done);
    const { dispatchId } = await world.accept(carrier);
    const workers = Array.from({ length: 8 }, () => world.worker(carrier));
    const performed = await Promise.all(workers.map(async (one) => await one.perform(dispatchId)));
    expect(performed.toSorted()).toEqual(['done', ...Array.from({ length: 7 }, () => 'not_ours')]);
    expect(world.sent).toHaveLength(1);
  });

  it('waits for an earlier one of its consignment, whose end tells of it', async () => {
    const { dispatchId, consignmentId } = await world.accept(carrier);
    const cancel = await world.add(carrier, consignmentId, 'cancel');
    const worker = world.worker(carrier);
    expect(await worker.perform(cancel)).toBe('not_ours');
    const claim = await claimOf(worker.dispatches, dispatchId);
    expect(await worker.dispatches.conclude(claim, { dispatch: { state: 'done' }, notices: [] })).toBe(cancel);
    world.script.push(answer(204));
    expect(await worker.perform(cancel)).toBe('done');
    expect(world.sent.map(({ method }) => method)).toEqual(['DELETE']);
  });

  it('that waits is not taken up before it is due, and whoever looks knows when that is', async () => {
    world.script.push(refused);
    const { dispatchId } = await world.accept(carrier);
    const worker = world.worker(carrier);
    expect(await worker.perform(dispatchId)).toBe('waiting');
    const { due_at } = await world.row(dispatchId);
    expect(due_at.getTime()).toBe(world.clock.now() + 2_000);
    expect(await worker.perform(dispatchId)).toBe('not_ours');
    const looked = await worker.dispatches.claimDue(1_000);
    expect(looked.work.map((claim) => claim.dispatchId)).not.toContain(dispatchId);
    expect(looked.nextInMs).toBeGreaterThan(0);
    expect(looked.nextInMs).toBeLessThanOrEqual(2_000);
    world.clock.advance(2_000);
    world.script.push(done);
    expect(await worker.perform(dispatchId)).toBe('done');
  });

  it('are taken up by who looks, so many as it has room for, each by one of them', async () => {
    const accepted = await Promise.all(Array.from({ length: 6 }, async () => await world.accept(carrier)));
    const looked = await Promise.all(
      [4, 4].map(async (atMost) => (await world.worker(carrier).dispatches.claimDue(atMost)).work),
    );
    expect(Math.max(...looked.map(({ length }) => length))).toBeLessThanOrEqual(4);
    const rest = (await world.worker(carrier).dispatches.claimDue(1_000)).work;
    const ids = [...looked.flat(), ...rest].map((claim) => claim.dispatchId);
    expect(ids).toHaveLength(new Set(ids).size);
    expect(ids).toEqual(expect.arrayContaining(accepted.map(({ dispatchId }) => dispatchId)));
  });

  it('is left to the worker that has it by one whose clock is ahead, also where the carrier can be asked', async () => {
    const lookup = `  lookup: { get: /orders, result: 'response.body.number ? { "itemsTrackDetails": { "trackingNumber": response.body.number } }' }\n`;
    const asked = carrierOf(profile + lookup);
    const { dispatchId } = await world.accept(asked);
    const other = world.worker(asked);
    const seen: unknown[] = [];
    const meanwhile = async () => {
      world.clock.advance(3_600_000);
      seen.push((await other.dispatches.claimDue(1_000)).work.length, await other.perform(dispatchId));
      return done;
    };
    world.script.push(meanwhile, answer(200, {}), done);
    expect(await world.worker(asked).perform(dispatchId)).toBe('done');
    expect(seen).toEqual([0, 'not_ours']);
    expect(world.sent).toHaveLength(1);
  });

  it('whose worker died before the fence is taken up again when the lease is over, and sent once', async () => {
    const { dispatchId } = await world.accept(carrier);
    await world.worker(carrier).dispatches.claim([dispatchId]);
    const worker = world.worker(carrier);
    expect(await worker.perform(dispatchId)).toBe('not_ours');
    await world.leaseOver();
    const { work } = await worker.dispatches.claimDue(1_000);
    const found = work.find((claim) => claim.dispatchId === dispatchId) ?? expect.fail('nobody finds it');
    world.script.push(done);
    expect(await performDispatch(found, worker.performing)).toBe('done');
    expect(world.sent).toHaveLength(1);
  });

  it('whose worker died behind the fence is unknown, and never sent again to a carrier without promises', async () => {
    const dispatchId = await diedBehindTheFence();
    expect(await world.worker(carrier).perform(dispatchId)).toBe('held');
    expect(world.sent).toHaveLength(0);
    expect((await world.row(dispatchId)).failure).toContain('unknown_outcome');
  });

  it.each([1, 2, 3])(
    'done in part loses and doubles nothing whose worker dies at call %i, and at its retry',
    async (at) => {
      const { dispatchId, consignmentId } = await world.accept(parcels, 3);
      const keys: string[] = [];
      let [diesAt, refuses, ended] = [at, true, ''];
      world.script.push(
        ...Array.from({ length: 7 }, () => async ({ url, headers }: WireRequest) => {
          const package_ = url.slice(-2);
          keys.push(`${package_} ${headers['key']}`);
          if ((diesAt -= 1) === 0) {
            await world.leaseOver();
            ended = await world.worker(parcels).perform(dispatchId);
          }
          return refuses && package_ === 'P2' ? answer(422, {}) : answer(201, { number: `T-${package_}` });
        }),
      );
      const numbers = async () =>
        await database.values(
          'select tracking_number from packages where consignment_id = $1 order by position',
          consignmentId,
        );
      const asked = () => keys.splice(0).map((key) => key.slice(0, 2));
      expect(await world.worker(parcels).perform(dispatchId)).toBe('lease_lost');
      expect([ended, await numbers()]).toEqual(['held', ['T-P1', null, 'T-P3']]);
      expect(new Set(keys).size).toBe(3);
      expect(asked()).toEqual(['P1', 'P2', 'P3'].flatMap((one, index) => (index === at - 1 ? [one, one] : [one])));
      [diesAt, refuses] = [1, false];
      expect(await world.retryByHand(consignmentId, parcels.hash)).toBe(dispatchId);
      expect(await world.worker(parcels).perform(dispatchId)).toBe('lease_lost');
      expect([ended, await numbers()]).toEqual(['done', ['T-P1', 'T-P2', 'T-P3']]);
      expect(new Set(keys).size).toBe(1);
      expect(asked()).toEqual(['P2', 'P2']);
      const told =
        "select event from notices where consignment_id = $1 and event like 'consignment.tracking%' order by 1";
      const events = ['consignment.tracking', 'consignment.tracking.2'];
      expect(await database.values(told, consignmentId)).toEqual(events);
    },
  );

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
    expect(await database.rows('select 1 from exchanges where dispatch_id = $1', dispatchId)).toEqual([]);
  });

  it('of a carrier that takes up its part of the worker waits its turn, and other carriers do not', async () => {
    const { promise: hangs, resolve: answers } = Promise.withResolvers<typeof done>();
    const login = 'auth: { session: { login: { post: /login }, token: response.body.token } }';
    const hanging = carrierOf(profile.replace(/auth: .*/, login));
    const other = carrierOf(profile.replace('carrier: acme', 'carrier: other'));
    await world.account('other', { key: 'key-0123456789' });
    world.script.push(() => hangs, done);
    const { performing, dispatches } = world.worker(hanging);
    const worker = {
      ...performing,
      dispatches,
      limiter: createConcurrencyLimiter(1, world.clock.now, () => 0),
      carrierVersion: (code: string) => Promise.resolve(code === 'other' ? other : hanging),
    };
    const [first, second] = [await world.accept(hanging), await world.accept(hanging)];
    const perform = async ({ dispatchId }: typeof first) =>
      await performDispatch(await claimOf(worker.dispatches, dispatchId), worker);
    const logsIn = perform(first);
    await until('the login is under way', () => world.sent.length === 1);
    expect(await perform(second)).toBe('waiting');
    expect(await perform(await world.accept(other))).toBe('done');
    world.script.push(done, done);
    answers(answer(200, { token: 'session-0123456789' }));
    expect(await logsIn).toBe('done');
    world.clock.advance(60_000);
    expect(await perform(second)).toBe('done');
  });

  it('cannot be concluded by a worker that has lost it', async () => {
    const { dispatchId } = await world.accept(carrier);
    const { dispatches } = world.worker(carrier);
    const first = await claimOf(dispatches, dispatchId);
    await world.leaseOver();
    const second = await claimOf(dispatches, dispatchId);
    await expect(dispatches.conclude(first, { dispatch: { state: 'done' }, notices: [] })).rejects.toThrow(LeaseLost);
    await dispatches.conclude(second, { dispatch: { state: 'held' }, notices: [] });
    expect((await world.row(dispatchId)).state).toBe('held');
  });

  it('is concluded together with others: those lost, refused by the records or changed meanwhile fail or go on alone', async () => {
    const accepted = [];
    for (let at = 0; at < 4; at += 1) accepted.push(await world.accept(carrier));
    const ids = accepted.map(({ dispatchId }) => dispatchId);
    const { dispatches } = world.worker(carrier);
    const claims = (await dispatches.claim(ids)).toSorted((a, b) => a.dispatchId - b.dispatchId);
    const [lost, , changed] = accepted;
    await database.rows('update dispatches set lease = gen_random_uuid() where id = $1', lost?.dispatchId);
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query('update consignments set version = version + 1 where id = $1', [changed?.consignmentId]);
    const concluded = Promise.allSettled(
      claims.map(async (claim, at) => {
        const number = at === 1 ? 'T\u0000' : `T${at}`;
        const effects = { acceptance: 'accepted', masterTrackingNumber: number, notices: [] } as const;
        return await dispatches.conclude(claim, { dispatch: { state: 'done' }, ...effects });
      }),
    );
    await sleep(200);
    await other.query('commit');
    other.release();
    expect((await concluded).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    const rows = await Promise.all(ids.map(world.row));
    expect(rows.map(({ state }) => state)).toEqual(['sending', 'held', 'done', 'done']);
    expect(await failureOf(ids[1]!)).toMatchObject({ problem: { code: 'answer_not_recordable' } });
    const numbers = 'select master_tracking_number from consignments where id = any($1) order by id';
    const consignmentIds = accepted.map(({ consignmentId }) => consignmentId);
    expect(await database.values(numbers, consignmentIds)).toEqual([null, null, 'T2', 'T3']);
  });

  it('is concluded when the records are back, while its lease holds', async () => {
    const { dispatchId } = await world.accept(carrier);
    let isAway = true;
    const pool = new Proxy(database.pool, {
      get: (real, name) => {
        if (name === 'connect' && isAway) return () => Promise.reject(new Error('Connection terminated'));
        const value = Reflect.get(real, name, real) as unknown;
        return typeof value === 'function' ? (value.bind(real) as unknown) : value;
      },
    });
    const { dispatches } = world.worker(carrier, pool);
    const claim = await claimOf(dispatches, dispatchId);
    const concluded = dispatches.conclude(claim, { dispatch: { state: 'done' }, notices: [] });
    await sleep(50);
    isAway = false;
    await concluded;
    expect((await world.row(dispatchId)).state).toBe('done');
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

  it('is planned once, however many are claimed at a time', async () => {
    const pool = createPool({ databaseUrl: database.databaseUrl, log: quietLog, max: 1 });
    const { dispatches } = world.worker(carrier, pool);
    for (let claims = 0; claims < 12; claims += 1) {
      const { dispatchId } = await world.accept(carrier);
      expect(await dispatches.claim([dispatchId])).toHaveLength(1);
    }
    const plans = await pool.query({
      // By a name, it is asked of the connection that prepares.
      name: 'plans',
      text: "select custom_plans, generic_plans from pg_prepared_statements where name <> 'plans' and statement ~ 'skip locked'",
    });
    expect(plans.rows).toEqual([{ custom_plans: 0, generic_plans: 12 }]);
    await pool.end();
  });
});

const failureOf = async (dispatchId: number) =>
  JSON.parse((await world.row(dispatchId)).failure ?? '{}') as { why: string; problem: { code: string } };
/** A create of two packages whose first is made at the carrier, and whose second is to be tried again. */
const halfDone = async () => {
  const accepted = await world.accept(each, 2);
  world.script.push(answer(201, { number: 'A1' }), refused, answer(201, { number: 'A2' }));
  const worker = world.worker(each);
  expect(await worker.perform(accepted.dispatchId)).toBe('waiting');
  return { ...accepted, worker };
};
/** A manual retry takes the same dispatch up, and no more than the rest is sent. */
const goesOnByHand = async ({ dispatchId, consignmentId, worker }: Awaited<ReturnType<typeof halfDone>>) => {
  expect(await world.retryByHand(consignmentId)).toBe(dispatchId);
  expect(await worker.perform(dispatchId)).toBe('done');
  expect(world.sent).toHaveLength(3);
};

describe('a dispatch that meets with a problem', () => {
  it('that a mistake of ours stops is held where it can be seen, as unknown when something was begun', async () => {
    const mistake = new TypeError('undefined is not a function');
    const stopped = async (reply: Parameters<typeof world.script.push>[0] | undefined) => {
      const { dispatchId } = await world.accept(carrier);
      const worker = world.worker(carrier);
      if (reply === undefined) worker.performing.carrierVersion = () => Promise.reject(mistake);
      else world.script.push(reply);
      expect(await worker.perform(dispatchId)).toBe('held');
      return await failureOf(dispatchId);
    };
    const problem = { code: 'internal_error', messages: [expect.not.stringContaining('undefined')] };
    expect(await stopped(undefined)).toEqual({ why: 'config_error', problem });
    expect(await stopped(() => Promise.reject(mistake))).toEqual({ why: 'unknown_outcome', problem });
    expect(world.defects).toEqual([mistake, mistake]);
  });

  it('goes on after the records were away, at the call that is missing, with the answers of before', async () => {
    const { dispatchId } = await world.accept(each, 2);
    world.script.push(answer(201, { number: 'A1' }), () => Promise.reject(new Error('Connection terminated')));
    await expect(world.worker(each).perform(dispatchId)).rejects.toThrow('terminated');
    await database.pool.query(`update calls set state = 'retry' where dispatch_id = $1 and element = 1`, [dispatchId]);
    await world.leaseOver();
    world.script.push(answer(201, { number: 'A2' }));
    expect(await world.worker(each).perform(dispatchId)).toBe('done');
    expect(world.sent).toHaveLength(3);
    expect((await world.row(dispatchId)).result).toContain('"trackingNumber":"A1"');
  });

  it('keeps its raw answers sealed while it may go on, and none at its end', async () => {
    const { dispatchId } = await world.accept(each, 2);
    world.script.push(answer(201, { number: 'PLAIN-NUMBER' }), refused);
    const worker = world.worker(each);
    await worker.perform(dispatchId);
    const [kept] = await world.calls(dispatchId);
    expect(kept?.answer?.byteLength).toBeGreaterThan(20);
    expect(kept?.answer?.includes('PLAIN-NUMBER')).toBe(false);
    world.clock.advance(2_000);
    world.script.push(done);
    await worker.perform(dispatchId);
    expect((await world.calls(dispatchId)).map(({ answer: left }) => left)).toEqual([null, null]);
  });

  it('whose kept answer is sealed by a key that is lost is held, and goes on when that is there', async () => {
    const begun = await halfDone();
    const { dispatchId } = begun;
    world.clock.advance(2_000);
    const another = createSealer(Buffer.alloc(32, 8).toString('base64'), [], [keyName(sealer.mark)]);
    expect(await world.worker(each, database.pool, another).perform(dispatchId)).toBe('held');
    const problem = { code: 'secret_unreadable', messages: [expect.stringContaining(keyName(sealer.mark))] };
    expect(await failureOf(dispatchId)).toMatchObject({ why: 'unknown_outcome', problem });
    await goesOnByHand(begun);
  });

  it('whose key this worker lacks is left to one that has it, and to nobody in vain all the time', async () => {
    const other = createSealer(Buffer.alloc(32, 8).toString('base64'));
    const begun = await halfDone();
    const { dispatchId } = await world.accept(carrier);
    world.clock.advance(2_000);
    const lacking = world.worker(each, database.pool, other);
    for (const id of [begun.dispatchId, dispatchId]) {
      const { attempt } = await world.row(id);
      const fresh = world.worker(each, database.pool, other);
      expect(await fresh.perform(id)).toBe('waiting');
      expect(await failureOf(id)).toMatchObject({ why: 'waiting', problem: { code: 'secret_key_missing' } });
      expect(fresh.dispatches.countLeft()).toBe(1);
      world.clock.advance(1_000);
      expect(await fresh.perform(id)).toBe('not_ours');
      expect((await fresh.dispatches.claimDue(1_000)).work.map((claim) => claim.dispatchId)).not.toContain(id);
      expect((await world.row(id)).attempt).toBe(attempt + 1);
    }
    world.script.push(done);
    expect(await world.worker(carrier).perform(dispatchId)).toBe('done');
    // Nobody else came: a minute later it is tried again.
    expect(await lacking.perform(begun.dispatchId)).toBe('waiting');
    world.clock.advance(60_000);
    expect(lacking.dispatches.countLeft()).toBe(0);
    expect(await lacking.perform(begun.dispatchId)).toBe('waiting');
  });

  it('of which a part is done sends no more than the rest once its missing account is there', async () => {
    const begun = await halfDone();
    await world.account('acme', { key: 'env:WAYBILL_CARRIER_LATE' });
    world.clock.advance(2_000);
    expect(await begun.worker.perform(begun.dispatchId)).toBe('held');
    expect((await failureOf(begun.dispatchId)).problem.code).toBe('account_variable_missing');
    await world.account('acme', { key: 'key-0123456789' });
    await goesOnByHand(begun);
  });

  it('of an account that is gone is held for an operator', async () => {
    const orphan = carrierOf(profile.replace('acme', 'orphan'));
    const { dispatchId } = await world.accept(orphan);
    expect(await world.worker(orphan).perform(dispatchId)).toBe('held');
    expect((await world.row(dispatchId)).failure).toContain('account_missing');
  });

  it('that may have been sent stays unknown when its version is gone', async () => {
    const dispatchId = await diedBehindTheFence();
    const gone = carrierOf(profile.replaceAll(/ {2}create:[^]*\n(?= {2}cancel)/g, ''));
    expect(await world.worker(gone).perform(dispatchId)).toBe('held');
    const gaveUp = { why: 'unknown_outcome', problem: { code: 'operation_missing' } };
    expect(await failureOf(dispatchId)).toMatchObject(gaveUp);
  });

  it('survives a carrier that gives a link to remember which is too long for an index', async () => {
    const link = `https://files.acme.example/${Array.from({ length: 6_000 }, () => Math.random().toString(36)[2]).join('')}`;
    expect(await performed(answer(201, { number: 'T1', link }))).toMatchObject({ outcome: 'done' });
  });

  it('with a number that no record can hold is held, not tried for ever', async () => {
    const { dispatchId, outcome } = await performed(answer(201, { number: 'T\u00001' }));
    expect(outcome).toBe('held');
    expect((await failureOf(dispatchId)).why).toBe('unknown_outcome');
  });

  describe('whose carrier gives the tracking number of another consignment', () => {
    it('is held as unknown with that reason, and what the carrier answered is on record', async () => {
      const { reference } = await givenNumber();
      const { dispatchId, consignmentId } = await performed(done);
      expect(await failureOf(dispatchId)).toEqual({ why: 'unknown_outcome', problem: takenBy(reference) });
      expect(await world.row(dispatchId)).toMatchObject({ state: 'held' });
      expect(await world.calls(dispatchId)).toMatchObject([{ state: 'succeeded', answer: expect.any(Buffer) }]);
      expect(await database.values('select status from exchanges where dispatch_id = $1', dispatchId)).toEqual([201]);
      const numbers = `select tracking_number from packages where consignment_id = $1`;
      expect(await database.values(numbers, consignmentId)).toEqual([null]);
    });

    it('of two that end together one has it', async () => {
      const accepted = [await world.accept(carrier), await world.accept(carrier)];
      world.script.push(done, done);
      const worker = world.worker(carrier);
      await Promise.all(accepted.map(async ({ dispatchId }) => await worker.perform(dispatchId)));
      const ended = await Promise.all(accepted.map(async ({ dispatchId }) => (await world.row(dispatchId)).state));
      expect(ended.toSorted()).toEqual(['done', 'held']);
    });

    it('is held after an update as well, and not for the number it has', async () => {
      const changing = carrierOf(
        profile +
          `  update: { put: /orders, result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }\n`,
      );
      await keepProfileVersion(database.pool, changing.hash, changing.code, '{}');
      const [{ reference }, own] = [await givenNumber(), await givenNumber('T2')];
      const update = async (number: string) => {
        const dispatchId = await world.add(changing, own.consignmentId, 'update');
        const consignment = JSON.stringify({
          consignment: { itemList: [{ itemReferenceNumber: 'P1' }] },
          shipment: {},
        });
        await database.rows('update dispatches set input = $2 where id = $1', dispatchId, consignment);
        world.script.push(answer(200, { number }));
        await world.worker(changing).perform(dispatchId);
        return dispatchId;
      };
      expect(await world.row(await update('T2'))).toMatchObject({ state: 'done' });
      expect(await failureOf(await update('T1'))).toEqual({ why: 'unknown_outcome', problem: takenBy(reference) });
    });

    it.each([
      ['is delivered', `update consignments set status = 'Order Delivered'`],
      ['is cancelled', `update consignments set acceptance = 'cancelled'`],
      ['has another by now', `update packages set tracking_number = 'T9'`],
      ['is of another account', 'update consignments set account_id = null'],
    ])('has it where the other %s', async (_, statement) => {
      const { consignmentId } = await givenNumber();
      const key = statement.includes('packages') ? 'consignment_id' : 'id';
      await database.rows(`${statement} where ${key} = $1`, consignmentId);
      expect(await world.row((await performed(done)).dispatchId)).toMatchObject({ state: 'done' });
    });

    it('has it in a sandbox, where one number may be that of all', async () => {
      await givenNumber();
      const { dispatchId, consignmentId } = await world.accept(carrier);
      await database.rows(`update consignments set environment = 'sandbox' where id = $1`, consignmentId);
      const claim = await claimOf(world.worker(carrier).dispatches, dispatchId);
      const { dispatches } = world.worker(carrier);
      await dispatches.conclude(claim, effectsOf('create', made('T1'), NO_FACTS));
      expect(await world.row(dispatchId)).toMatchObject({ state: 'done' });
    });
  });

  it('whose end the records refuse is held, not tried for ever, with what the carrier answered on record', async () => {
    const { dispatchId } = await world.accept(carrier);
    const { dispatches } = world.worker(carrier);
    const claim = await claimOf(dispatches, dispatchId);
    const log = claim.attemptLog();
    const key = { step: 'create', element: 0 };
    await log.fence(key, 1, world.clock.now(), 1_000);
    const raw = { status: 201, headers: {}, body: Buffer.from('{}') };
    await log.commit(
      { ...key, attempt: 1, state: 'succeeded', firstSentAtMs: world.clock.now(), answer: raw },
      undefined,
    );
    await dispatches.conclude(claim, { dispatch: { state: 'done' }, masterTrackingNumber: 'T\u0000', notices: [] });
    expect((await world.row(dispatchId)).state).toBe('held');
    const refusal = { why: 'unknown_outcome', problem: { code: 'answer_not_recordable' } };
    expect(await failureOf(dispatchId)).toMatchObject(refusal);
    expect(await world.calls(dispatchId)).toMatchObject([{ state: 'succeeded', answer: expect.any(Buffer) as Buffer }]);
  });

  it('writes no secret: not in failure, result, calls or exchanges', async () => {
    const told = { headers: { 'content-type': 'text/plain' }, body: Buffer.from('bad key key-0123456789') };
    const { dispatchId, outcome } = await performed({ ...answer(400), ...told });
    expect(outcome).toBe('rejected');
    for (const table of ['dispatches', 'calls', 'exchanges', 'notices', 'accounts']) {
      const text = (await database.values(`select row_to_json(t)::text from ${table} t`)).join('\n');
      expect(text, table).not.toContain('key-0123456789');
      expect(text, table).not.toContain(Buffer.from('key-0123456789').toString('hex'));
    }
    expect((await world.row(dispatchId)).failure).toContain('***key***');
  });

  const idempotent = carrierOf(
    `${profile.replace('create:', 'create:\n    idempotency: reference')}retry: { attempts: 2 }\n`,
  );

  /** A dispatch of two attempts that are used up in doubt. */
  const usedUp = async (last: typeof refused) => {
    const accepted = await world.accept(idempotent);
    const worker = world.worker(idempotent);
    world.script.push(reset, last);
    expect(await worker.perform(accepted.dispatchId)).toBe('waiting');
    world.clock.advance(10_000);
    expect(await worker.perform(accepted.dispatchId)).toBe('held');
    return { ...accepted, worker };
  };

  it('tells no secret when attempts are used up in doubt', async () => {
    const { dispatchId } = await usedUp({ ...reset, message: 'nobody at key-0123456789' } as typeof reset);
    expect((await world.row(dispatchId)).failure).not.toContain('key-0123456789');
  });

  it('goes on with new attempts when it is retried after it used them up in doubt', async () => {
    const { dispatchId, consignmentId, worker } = await usedUp(reset);
    world.script.push(done);
    expect(await world.retryByHand(consignmentId)).toBe(dispatchId);
    expect(await worker.perform(dispatchId)).toBe('done');
    expect(world.sent).toHaveLength(3);
  });

  it('is held by name while the variable of its account is missing, and goes on when that is given', async () => {
    await world.account('acme', { key: 'env:WAYBILL_CARRIER_LATE' });
    const { dispatchId, consignmentId, outcome } = await performed();
    expect(outcome).toBe('held');
    expect(world.sent).toEqual([]);
    const message = expect.stringContaining('credentials.key is to come from WAYBILL_CARRIER_LATE, which is not set');
    const problem = { code: 'account_variable_missing', messages: [message] };
    expect(await failureOf(dispatchId)).toMatchObject({ why: 'config_error', problem });
    vi.stubEnv('WAYBILL_CARRIER_LATE', 'late-key-0123456789');
    const again = await world.retryByHand(consignmentId);
    world.script.push(done);
    expect(await world.worker(carrier).perform(again)).toBe('done');
    expect(world.sent[0]?.headers).toMatchObject({ 'x-key': 'late-key-0123456789' });
    vi.unstubAllEnvs();
  });
});

/** A create whose carrier answers as its profile does not read it. */
const misread = async (by: typeof carrier) => {
  const { dispatchId, consignmentId } = await world.accept(by);
  world.script.push(answer(201, { id: 'T1' }));
  expect(await world.worker(by).perform(dispatchId)).toBe('held');
  /** By that version of the profile. */
  const retried = async (version = by, ...replies: typeof world.script) => {
    await keepProfileVersion(database.pool, version.hash, 'acme', '{}');
    world.script.push(...replies);
    expect(await world.retryByHand(consignmentId, version.hash)).toBe(dispatchId);
    return await world.worker(version).perform(dispatchId);
  };
  return { dispatchId, retried };
};

describe('a retry of a create whose answer nobody understood', () => {
  const lines = { create: 'create:\n    idempotency: key\n    headers: { key: "${idempotencyKey}" }' };
  const idempotent = carrierOf(profile.replace('create:', lines.create));
  const mended = carrierOf(profile.replace('response.body.number', 'response.body.id'));
  const asking = carrierOf(
    `${profile}  lookup: { get: /orders, result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }\n`,
  );
  it('asks the carrier the same again where it recognises repeats, as often as it is wanted', async () => {
    const { retried } = await misread(idempotent);
    expect(await retried(idempotent, answer(201, {}))).toBe('held');
    expect(await retried(idempotent, done)).toBe('done');
    expect(world.sent).toHaveLength(3);
    expect(new Set(world.sent.map(({ headers }) => headers['key'])).size).toBe(1);
  });

  it('asks by lookup where there is one', async () => {
    const { retried } = await misread(asking);
    expect(await retried(asking, answer(200, { number: 'T1' }))).toBe('done');
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('is never made twice where the carrier promises nothing, and reads the answer by a mended profile', async () => {
    const { retried, dispatchId } = await misread(carrier);
    expect(await retried()).toBe('held');
    expect(await failureOf(dispatchId)).toMatchObject({ why: 'unknown_outcome' });
    expect(await retried(mended)).toBe('done');
    expect(world.sent).toHaveLength(1);
  });

  it('does not send what another version of the profile makes of it under the same key', async () => {
    const { retried } = await misread(idempotent);
    const other = carrierOf(profile.replace('create:', lines.create).replace('key: {', 'key: { title: x,'));
    expect(await retried(other)).toBe('held');
    expect(await retried(other)).toBe('held');
    expect(world.sent).toHaveLength(1);
  });
});
