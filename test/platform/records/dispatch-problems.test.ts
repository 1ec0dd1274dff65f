import { beforeEach, describe, expect, it, vi } from 'vitest';
import { performDispatch } from '../../../src/engine/dispatch/perform.ts';
import { createSealer, keyName } from '../../../src/platform/records/sealer.ts';
import { createDispatches } from '../../../src/platform/records/dispatches.ts';
import { answer, carrierOf, refused, reset } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { carrier, dispatchWorld, done, each, profile } from './dispatch-world.ts';
import { sealer } from './world.ts';

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);

beforeEach(world.begin);

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

  it('whose kept answer is sealed by a key that is missing is held, and goes on when that is there', async () => {
    const begun = await halfDone();
    const { dispatchId, worker } = begun;
    world.clock.advance(2_000);
    const another = createSealer(Buffer.alloc(32, 8).toString('base64'));
    const dispatches = createDispatches({ ...world.storeOn(database.pool), sealer: another });
    expect(await performDispatch(dispatchId, { ...worker.performing, dispatches })).toBe('held');
    expect(await failureOf(dispatchId)).toMatchObject({
      why: 'unknown_outcome',
      problem: { code: 'secret_unreadable', messages: [expect.stringContaining(keyName(sealer.mark))] },
    });
    await goesOnByHand(begun);
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
    const { dispatchId } = await world.accept(carrier);
    const claim = await world.worker(carrier).dispatches.claim(dispatchId);
    await (await claim?.attemptLog())?.fence({ step: 'create', element: 0 }, 1, world.clock.now(), 30_000);
    await world.leaseOver();
    const gone = carrierOf(profile.replaceAll(/ {2}create:[^]*\n(?= {2}cancel)/g, ''));
    expect(await world.worker(gone).perform(dispatchId)).toBe('held');
    const gaveUp = { why: 'unknown_outcome', problem: { code: 'operation_missing' } };
    expect(await failureOf(dispatchId)).toMatchObject(gaveUp);
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
    expect((await failureOf(dispatchId)).why).toBe('unknown_outcome');
  });

  it('whose end the records refuse is held, not tried for ever', async () => {
    const { dispatchId } = await world.accept(carrier);
    const { dispatches } = world.worker(carrier);
    const claim = await dispatches.claim(dispatchId);
    if (claim === undefined) throw new Error('not claimed');
    await dispatches.conclude(claim, { dispatch: { state: 'done' }, masterTrackingNumber: 'T\u0000', notices: [] });
    expect((await world.row(dispatchId)).state).toBe('held');
    const refusal = { why: 'unknown_outcome', problem: { code: 'answer_not_recordable' } };
    expect(await failureOf(dispatchId)).toMatchObject(refusal);
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
    expect(await world.retryByHand(consignmentId)).toBe(dispatchId);
    expect(await worker.perform(dispatchId)).toBe('done');
    expect(world.sent).toHaveLength(3);
  });

  it('is held by name while the variable of its account is missing, and goes on when that is given', async () => {
    await world.account('acme', { key: 'env:WAYBILL_CARRIER_LATE' });
    const { dispatchId, consignmentId } = await world.accept(carrier);
    expect(await world.worker(carrier).perform(dispatchId)).toBe('held');
    expect(world.sent).toEqual([]);
    expect(await failureOf(dispatchId)).toMatchObject({
      why: 'config_error',
      problem: {
        code: 'account_variable_missing',
        messages: [expect.stringContaining('credentials.key is to come from WAYBILL_CARRIER_LATE, which is not set')],
      },
    });

    vi.stubEnv('WAYBILL_CARRIER_LATE', 'late-key-0123456789');
    const again = await world.retryByHand(consignmentId);
    world.script.push(done);
    expect(await world.worker(carrier).perform(again)).toBe('done');
    expect(world.sent[0]?.headers).toMatchObject({ 'x-key': 'late-key-0123456789' });
    vi.unstubAllEnvs();
  });
});
