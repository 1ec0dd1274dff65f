import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type CallRecord, LeaseLost } from '../../../src/engine/dispatch/ports.ts';
import { takeFromSequences } from '../../../src/platform/records/sequences.ts';
import { answer, bodyOf, carrierOf, refused } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { claimOf, dispatchWorld } from './dispatch-world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    post: /orders
    body: { json: { number: "\${$sequence('sscc', { 'pad': 4 })}", again: "\${$sequence('sscc')}", id: "\${$uuid('x')}", now: '\${now}' } }
    result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'
`);
const key = { step: 'create', element: 0 };
const record: CallRecord = {
  ...key,
  attempt: 1,
  state: 'succeeded',
  firstSentAtMs: 0,
  answer: { status: 200, headers: { a: 'b' }, body: Buffer.from([0, 10, 255]) },
};

describe('the attempt log of a claimed dispatch', () => {
  const database = freshDatabase();
  const world = dispatchWorld(() => database.pool);
  const claim = async () => {
    await world.account('acme', {});
    const { dispatchId } = await world.accept(carrier);
    return await open(dispatchId);
  };
  const open = async (dispatchId: number) => {
    const claimed = await claimOf(world.worker(carrier).dispatches, dispatchId);
    return { dispatchId, attemptLog: claimed.attemptLog() };
  };
  const reopen = async (dispatchId: number) => {
    await world.leaseOver();
    return await open(dispatchId);
  };
  /** How long from now the lease still holds. */
  const leaseLeft = async (dispatchId: number) => {
    const query = 'select extract(epoch from lease_until - now())::float8 * 1000 from dispatches where id = $1';
    return (await database.values<number>(query, dispatchId))[0];
  };

  it('reads back what was committed, to the byte', async () => {
    const { dispatchId, attemptLog } = await claim();
    await attemptLog.fence(key, 1, world.clock.now(), 30_000);
    await attemptLog.commit({ ...record, firstSentAtMs: world.clock.now() }, undefined);
    await attemptLog.flush();
    const again = await reopen(dispatchId);
    expect(again.attemptLog.calls).toMatchObject([{ ...record, firstSentAtMs: expect.any(Number) as number }]);
  });

  it('shows a call whose end nobody saw as sending', async () => {
    const { dispatchId, attemptLog } = await claim();
    const at = world.clock.now();
    await attemptLog.fence(key, 3, at, 30_000);
    expect((await reopen(dispatchId)).attemptLog.calls).toEqual([
      { ...key, attempt: 3, state: 'sending', firstSentAtMs: at },
    ]);
  });

  it('holds the lease for the whole of a call, and longer for what is written after it', async () => {
    const { dispatchId, attemptLog } = await claim();
    await attemptLog.fence(key, 1, world.clock.now(), 300_000);
    expect(await leaseLeft(dispatchId)).toBeGreaterThan(305_000);
    await attemptLog.fence({ step: 'other', element: 0 }, 1, world.clock.now(), 1_000);
    expect(await leaseLeft(dispatchId)).toBeGreaterThan(250_000);
  });

  it('writes nothing when the lease is another’s', async () => {
    const { dispatchId, attemptLog } = await claim();
    await reopen(dispatchId);
    await expect(attemptLog.fence(key, 1, 0, 1)).rejects.toThrow(LeaseLost);
    await attemptLog.commit(record, undefined);
    await expect(attemptLog.flush()).rejects.toThrow(LeaseLost);
    await expect(attemptLog.drawSequence('k', 'n', {})).rejects.toThrow(LeaseLost);
    expect(await world.calls(dispatchId)).toEqual([]);
    expect(await database.rows(`select 1 from sequences where name = 'n'`)).toEqual([]);
  });

  it('is fenced and written together with others, and only one that was taken over fails', async () => {
    await world.account('acme', {});
    const accepted = await Promise.all([1, 2, 3].map(async () => (await world.accept(carrier)).dispatchId));
    const claims = await world.worker(carrier).dispatches.claim(accepted);
    const [lost] = claims;
    await database.rows(`update dispatches set lease = gen_random_uuid() where id = $1`, lost?.dispatchId);
    const logs = claims.map(({ attemptLog }) => attemptLog());
    const fenced = await Promise.allSettled(logs.map((log) => log.fence(key, 1, 0, 1_000)));
    expect(fenced.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    for (const log of logs) await log.commit(record, undefined);
    const written = await Promise.allSettled(logs.map((log) => log.flush()));
    expect(written.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    const states = await Promise.all(claims.map(async ({ dispatchId }) => await world.calls(dispatchId)));
    expect(states.map((calls) => calls.map(({ state }) => state))).toEqual([[], ['succeeded'], ['succeeded']]);
  });

  it('has flushed only what is on record, whoever began to write it', async () => {
    const { dispatchId, attemptLog } = await claim();
    await attemptLog.commit(record, undefined);
    void attemptLog.flush();
    await attemptLog.flush();
    expect(await world.calls(dispatchId)).toMatchObject([{ state: 'succeeded' }]);
  });

  it('keeps what could not be written for the next try, unless something newer was noted', async () => {
    const { dispatchId, attemptLog } = await claim();
    await attemptLog.commit({ ...record, state: 'retry' }, undefined);
    await attemptLog.commit({ ...record, step: 'other' }, undefined);
    await database.rows('alter table calls rename to calls_away');
    try {
      const failing = attemptLog.flush();
      await attemptLog.commit({ ...record, attempt: 2 }, undefined);
      await expect(failing).rejects.toThrow('calls');
    } finally {
      await database.rows('alter table calls_away rename to calls');
    }
    await attemptLog.flush();
    expect(await world.calls(dispatchId)).toMatchObject([
      { step: 'create', attempt: 2, state: 'succeeded' },
      { step: 'other', attempt: 1 },
    ]);
  });

  it('never lets fences and what was noted of parallel calls wait for each other', async () => {
    await world.account('acme', {});
    const accepted = await Promise.all(
      Array.from({ length: 32 }, async () => (await world.accept(carrier)).dispatchId),
    );
    const claims = await world.worker(carrier).dispatches.claim(accepted);
    const lanes = claims.flatMap(({ attemptLog }) => [0, 1, 2].map((lane) => ({ lane, log: attemptLog() })));
    const work = lanes.map(async ({ lane, log }, at) => {
      for (let call = 0; call < 20; call += 1) {
        const one = { step: 'create', element: 100 * lane + call };
        await sleep((at * 7 + call * 3) % 5);
        await log.fence(one, 1, 0, 1_000);
        await sleep((at * 3 + call * 7) % 5);
        await log.commit({ ...record, ...one }, undefined);
        await log.flush();
      }
    });
    await Promise.all(work);
  });

  it('leaves what others noted on record when one cannot be recorded', async () => {
    await world.account('acme', {});
    const accepted = await Promise.all([1, 2, 3].map(async () => (await world.accept(carrier)).dispatchId));
    const claims = await world.worker(carrier).dispatches.claim(accepted);
    const written = await Promise.allSettled(
      claims.map(async ({ attemptLog }, at) => {
        const log = attemptLog();
        await log.commit({ ...record, step: at === 1 ? 'no\0record' : 'create' }, undefined);
        await log.flush();
      }),
    );
    expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('lets no byte leave when the process slept over its fence', async () => {
    const { attemptLog } = await claim();
    const slow = expect(attemptLog.fence(key, 1, 0, 30_000)).rejects.toThrow(LeaseLost);
    await endOfTurn();
    world.clock.advance(16_000);
    await slow;
  });

  it('draws each value of a sequence once, however many ask at once for the first', async () => {
    const claims = await Promise.all(Array.from({ length: 8 }, async () => await claim()));
    const drawn = await Promise.all(
      claims.map(async ({ attemptLog }) => await attemptLog.drawSequence('k', 'fresh', { pad: 3 })),
    );
    expect(drawn.toSorted()).toEqual(['001', '002', '003', '004', '005', '006', '007', '008']);
  });

  it('draws none that is drawn for what no dispatch records', async () => {
    const account = await world.account('acme', {});
    const { attemptLog } = await claim();
    const take = takeFromSequences(database.pool)(account);
    const taken = await Promise.all([
      ...Array.from({ length: 5 }, () => take('shared', { min: 10 })),
      attemptLog.drawSequence('k', 'shared', { min: 10 }),
    ]);
    expect(new Set(taken)).toEqual(new Set(['10', '11', '12', '13', '14', '15']));
  });

  it('has a sequence of its own for each account and name', async () => {
    const [one, other] = [await world.account('acme', {}), await world.account('other', {})];
    const take = takeFromSequences(database.pool);
    expect([await take(one)('a', {}), await take(other)('a', {}), await take(one)('b', {})]).toEqual(['1', '1', '1']);
  });

  it('goes round from max to min', async () => {
    const { attemptLog } = await claim();
    const options = { min: 8, max: 9 };
    const drawn = [];
    for (const each of ['a', 'b', 'c']) drawn.push(await attemptLog.drawSequence(each, 'round', options));
    expect(drawn).toEqual(['8', '9', '8']);
  });

  it('gives a repeat the values of the first try', async () => {
    await world.account('acme', {});
    const { dispatchId } = await world.accept(carrier);
    world.script.push(refused, answer(200, { number: 'T1' }));
    const worker = world.worker(carrier);
    expect(await worker.perform(dispatchId)).toBe('waiting');
    world.clock.advance(5_000);
    expect(await worker.perform(dispatchId)).toBe('done');
    const [first, second] = world.sent.map(bodyOf);
    expect(first).toEqual(second);
    expect(first).toMatchObject({ number: expect.stringMatching(/^\d{4}$/) as string });
    expect(await database.rows('select 1 from draws where dispatch_id = $1', dispatchId)).toHaveLength(1);
  });
});
