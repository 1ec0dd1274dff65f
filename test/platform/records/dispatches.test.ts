import { beforeEach, describe, expect, it, vi } from 'vitest';
import { performDispatch } from '../../../src/engine/dispatch/perform.ts';
import { LeaseLost } from '../../../src/engine/dispatch/ports.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { createSealer, keyName } from '../../../src/platform/records/sealer.ts';
import { acceptRetry } from '../../../src/platform/records/accept-retry.ts';
import { createDispatches, findDueDispatches } from '../../../src/platform/records/dispatches.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { answer, carrierOf, refused, reset } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { dispatchWorld, sealer } from './dispatch-world.ts';

const profile = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
credentials: { key: { secret: true } }
auth: { apiKey: { header: x-key, value: '\${credentials.key}' } }
memo: [link]
operations:
  create:
    post: /orders
    result: |
      { "itemsTrackDetails": { "trackingNumber": response.body.number, "memo": $prune({ "link": response.body.link }) } }
  cancel: { delete: '/orders/\${shipment.trackingNumber}', idempotency: none }
`;
const carrier = carrierOf(profile);
const each = carrierOf(
  profile
    .replace('post: /orders', 'forEach: consignment.itemList\n    post: /orders')
    .replace(/result: \|\n.*\n/, `result: '{ "itemsTrackDetails": steps.create.{ "trackingNumber": body.number } }'\n`),
);
const done = answer(201, { number: 'T1' });

describe('a dispatch in the records', () => {
  const database = freshDatabase();
  const world = dispatchWorld(() => database.pool);

  const dueJobs = async () =>
    await findDueDispatches(database.pool, { nowMs: world.clock.now(), graceMs: 0, limit: 10 });

  /** Yields the dispatch that goes on. */
  const retryByHand = async (consignmentId: number): Promise<number> => {
    const retry = { consignmentId, profileHash: carrier.hash, actor: 'shipper:example', claim: undefined };
    const { settle, ...store } = world.storeOn(database.pool);
    const again = await acceptRetry({ ...store, ...settle }, retry);
    if (again.kind !== 'accepted' || again.dispatchId === undefined) throw new Error(`refused: ${again.kind}`);
    return again.dispatchId;
  };

  beforeEach(async () => {
    world.sent.length = 0;
    world.script.length = 0;
    await world.account('acme', { key: 'key-0123456789' });
  });

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

  it('that a mistake of ours stops is held where it can be seen, as unknown when something was begun', async () => {
    const mistake = new TypeError('undefined is not a function');
    const stopped = async (reply: Parameters<typeof world.script.push>[0] | undefined) => {
      const { dispatchId } = await world.accept(carrier);
      const worker = world.worker(carrier);
      if (reply === undefined) worker.performing.carrierVersion = () => Promise.reject(mistake);
      else world.script.push(reply);
      expect(await worker.perform(dispatchId)).toBe('held');
      return JSON.parse((await world.row(dispatchId)).failure ?? '{}') as unknown;
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

  it('whose kept answer is sealed by a key that is missing is held, and goes on when that is there', async () => {
    const { dispatchId, consignmentId } = await world.accept(each, 2);
    world.script.push(answer(201, { number: 'A1' }), refused, answer(201, { number: 'A2' }));
    const worker = world.worker(each);
    expect(await worker.perform(dispatchId)).toBe('waiting');
    world.clock.advance(2_000);
    const another = createSealer(Buffer.alloc(32, 8).toString('base64'));
    const dispatches = createDispatches({ ...world.storeOn(database.pool), sealer: another });
    expect(await performDispatch(dispatchId, { ...worker.performing, dispatches })).toBe('held');
    expect(JSON.parse((await world.row(dispatchId)).failure ?? '')).toMatchObject({
      why: 'unknown_outcome',
      problem: { code: 'secret_unreadable', messages: [expect.stringContaining(keyName(sealer.mark))] },
    });
    expect(await retryByHand(consignmentId)).toBe(dispatchId);
    expect(await worker.perform(dispatchId)).toBe('done');
    expect(world.sent).toHaveLength(3);
  });

  it('of which a part is done sends no more than the rest once its missing account is there', async () => {
    const { dispatchId, consignmentId } = await world.accept(each, 2);
    world.script.push(answer(201, { number: 'A1' }), refused, answer(201, { number: 'A2' }));
    const worker = world.worker(each);
    expect(await worker.perform(dispatchId)).toBe('waiting');
    await world.account('acme', { key: 'env:WAYBILL_CARRIER_LATE' });
    world.clock.advance(2_000);
    expect(await worker.perform(dispatchId)).toBe('held');
    expect((await world.row(dispatchId)).failure).toContain('account_variable_missing');
    await world.account('acme', { key: 'key-0123456789' });
    expect(await retryByHand(consignmentId)).toBe(dispatchId);
    expect(await worker.perform(dispatchId)).toBe('done');
    expect(world.sent).toHaveLength(3);
  });

  it('of an account that is gone is held for an operator', async () => {
    const orphan = carrierOf(profile.replace('acme', 'orphan'));
    const { dispatchId } = await world.accept(orphan);
    expect(await world.worker(orphan).perform(dispatchId)).toBe('held');
    expect((await world.row(dispatchId)).failure).toContain('account_missing');
  });

  it('that may have been sent stays unknown when its version is gone', async () => {
    const { dispatchId } = await world.accept(carrier);
    const claim = await world.worker(carrier).dispatches.claim(dispatchId);
    await (await claim?.attemptLog())?.fence({ step: 'create', element: 0 }, 1, world.clock.now(), 30_000);
    await world.leaseOver();
    const gone = carrierOf(profile.replaceAll(/ {2}create:[^]*\n(?= {2}cancel)/g, ''));
    expect(await world.worker(gone).perform(dispatchId)).toBe('held');
    const { failure } = await world.row(dispatchId);
    expect(JSON.parse(failure ?? '{}')).toMatchObject({
      why: 'unknown_outcome',
      problem: { code: 'operation_missing' },
    });
  });

  it('survives a carrier that gives a link to remember which is too long for an index', async () => {
    const link = `https://files.acme.example/${Array.from({ length: 6_000 }, () => Math.random().toString(36)[2]).join('')}`;
    const { dispatchId } = await world.accept(carrier);
    world.script.push(answer(201, { number: 'T1', link }));
    expect(await world.worker(carrier).perform(dispatchId)).toBe('done');
  });

  it('with a number that no record can hold is held, not tried for ever', async () => {
    const { dispatchId } = await world.accept(carrier);
    world.script.push(answer(201, { number: 'T\u00001' }));
    expect(await world.worker(carrier).perform(dispatchId)).toBe('held');
    expect((await world.row(dispatchId)).failure).toContain('unknown_outcome');
  });

  it('whose end the records refuse is held, not tried for ever', async () => {
    const { dispatchId } = await world.accept(carrier);
    const { dispatches } = world.worker(carrier);
    const claim = await dispatches.claim(dispatchId);
    if (claim === undefined) throw new Error('not claimed');
    await dispatches.conclude(claim, { dispatch: { state: 'done' }, masterTrackingNumber: 'T\u0000', notices: [] });
    const { state, failure } = await world.row(dispatchId);
    expect(state).toBe('held');
    expect(JSON.parse(failure ?? '{}')).toMatchObject({
      why: 'unknown_outcome',
      problem: { code: 'answer_not_recordable' },
    });
  });

  it('writes no secret: not in failure, result, calls or exchanges', async () => {
    const { dispatchId } = await world.accept(carrier);
    world.script.push({
      ...answer(400),
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from('bad key key-0123456789'),
    } as typeof done);
    expect(await world.worker(carrier).perform(dispatchId)).toBe('rejected');
    for (const table of ['dispatches', 'calls', 'exchanges', 'notices', 'outbox', 'accounts']) {
      const { rows } = await database.pool.query(`select row_to_json(t)::text as text from ${table} t`);
      const text = rows.map((row: { text: string }) => row.text).join('\n');
      expect(text, table).not.toContain('key-0123456789');
      expect(text, table).not.toContain(Buffer.from('key-0123456789').toString('hex'));
    }
    expect((await world.row(dispatchId)).failure).toContain('***key***');
  });

  const idempotent = carrierOf(
    `${profile.replace('create:', 'create:\n    idempotency: reference')}retry: { attempts: 2 }\n`,
  );

  it('tells no secret when attempts are used up in doubt', async () => {
    const { dispatchId } = await world.accept(idempotent);
    const talking = { ...refused, message: 'nobody at key-0123456789' } as typeof refused;
    world.script.push(reset, talking);
    const worker = world.worker(idempotent);
    await worker.perform(dispatchId);
    world.clock.advance(10_000);
    expect(await worker.perform(dispatchId)).toBe('held');
    expect((await world.row(dispatchId)).failure).not.toContain('key-0123456789');
  });

  it('goes on with new attempts when it is retried after it used them up in doubt', async () => {
    const { dispatchId, consignmentId } = await world.accept(idempotent);
    const worker = world.worker(idempotent);
    world.script.push(reset, reset, done);
    expect(await worker.perform(dispatchId)).toBe('waiting');
    world.clock.advance(10_000);
    expect(await worker.perform(dispatchId)).toBe('held');
    expect(await retryByHand(consignmentId)).toBe(dispatchId);
    expect(await worker.perform(dispatchId)).toBe('done');
    expect(world.sent).toHaveLength(3);
  });

  it('is held by name while the variable of its account is missing, and goes on when that is given', async () => {
    await world.account('acme', { key: 'env:WAYBILL_CARRIER_LATE' });
    const { dispatchId, consignmentId } = await world.accept(carrier);
    expect(await world.worker(carrier).perform(dispatchId)).toBe('held');
    expect(world.sent).toEqual([]);
    expect(JSON.parse((await world.row(dispatchId)).failure ?? '')).toMatchObject({
      why: 'config_error',
      problem: {
        code: 'account_variable_missing',
        messages: [expect.stringContaining('credentials.key is to come from WAYBILL_CARRIER_LATE, which is not set')],
      },
    });

    vi.stubEnv('WAYBILL_CARRIER_LATE', 'late-key-0123456789');
    const again = await retryByHand(consignmentId);
    world.script.push(done);
    expect(await world.worker(carrier).perform(again)).toBe('done');
    expect(world.sent[0]?.headers).toMatchObject({ 'x-key': 'late-key-0123456789' });
    vi.unstubAllEnvs();
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
