import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, done, held, rejected } from './harness.ts';

describe('POST /v2/consignments/{referenceNumber}/dispatch', () => {
  const api = apiUnderTest();
  const created = async (outcome: RunOutcome | undefined) => {
    const shipper = await api.newShipper();
    api.state.answering = () => outcome;
    expect((await shipper.create(leastOrder())).statusCode).toBe(200);
    const retry = async () => await shipper.retry('REF-1');
    const read = async () => await shipper.read('REF-1');
    return { shipper, retry, read };
  };

  it.each(['fail', 'config_error'] as const)('sends anew, with keys of its own, what was held for %s', async (why) => {
    const { retry, read } = await created(held(why));
    const before = await api.database.pool.query('select seed from dispatches order by id desc limit 1');
    api.state.answering = accepts();
    const { statusCode, data } = await retry();
    expect(statusCode).toBe(200);
    expect(data.data[0].trackingDetails).toHaveLength(1);
    const { dispatches, acceptance } = await read();
    expect(acceptance).toBe('accepted');
    expect(dispatches.map(({ state }: { state: string }) => state)).toEqual(['cancelled', 'done']);
    const after = await api.database.pool.query('select seed from dispatches order by id desc limit 1');
    expect(after.rows[0].seed).not.toBe(before.rows[0].seed);
  });

  it('goes on with the same dispatch where nobody knows, and lets its calls be tried again', async () => {
    const { retry, read } = await created(held('unknown_outcome'));
    await api.database.pool.query(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
       select id, 'create', 0, 4, 'unknown', now(), now() from dispatches order by id desc limit 1`,
    );
    const before = await api.database.pool.query('select id, seed from dispatches order by id desc limit 1');
    api.state.answering = accepts();
    const { statusCode } = await retry();
    expect(statusCode).toBe(200);
    const calls = await api.database.pool.query('select attempt from calls where dispatch_id = $1', [
      before.rows[0].id,
    ]);
    expect(calls.rows).toEqual([{ attempt: 0 }]);
    const { dispatches } = await read();
    expect(dispatches).toHaveLength(1);
    expect(dispatches[0]).toMatchObject({ id: before.rows[0].id, state: 'done' });
  });

  it('queues the work of it', async () => {
    const { retry } = await created(held('fail'));
    await api.database.pool.query('delete from outbox');
    api.state.answering = () => undefined;
    await retry();
    const { rows } = await api.database.pool.query('select queue, job_id from outbox');
    expect(rows).toEqual([{ queue: 'dispatch', job_id: expect.stringMatching(/^d-\d+-a1$/) }]);
  });

  it('may be held again, or rejected', async () => {
    const { retry } = await created(held('fail'));
    expect((await retry()).data.data[0].trackingDetails).toEqual([]);
    api.state.answering = () => rejected('no');
    expect((await retry()).statusCode).toBe(422);
  });

  it('retries a held cancel', async () => {
    const { shipper, retry, read } = await created(accepts()('create', canonical()));
    api.state.answering = () => held('fail');
    await shipper.cancel({ consignments: [{ referenceNumber: 'REF-1' }] });
    api.state.answering = () => done();
    expect((await retry()).statusCode).toBe(200);
    expect((await read()).status).toBe('Cancelled');
  });

  it.each([
    ['nothing is held', accepts()('create', canonical())],
    ['the dispatch is under way', undefined],
    ['a part may remain at the carrier', held('undo_failed')],
  ])('is 409 when %s', async (_, outcome) => {
    const { retry } = await created(outcome);
    expect((await retry()).statusCode).toBe(409);
  });

  it('is 404 for another shipper', async () => {
    await created(held('fail'));
    const other = await api.newShipper();
    expect((await other.retry('REF-1')).statusCode).toBe(404);
  });

  it('takes an empty body that is said to be JSON', async () => {
    const { shipper } = await created(held('fail'));
    const response = await shipper('POST', '/v2/consignments/REF-1/dispatch', undefined, {
      'content-type': 'application/json',
    });
    expect(response.statusCode).toBe(200);
  });

  it('is not misled by text that no reference can hold', async () => {
    const { shipper } = await created(held('fail'));
    expect((await shipper('POST', '/v2/consignments/%00/dispatch')).statusCode).toBe(400);
    expect((await shipper('POST', `/v2/consignments/${'x'.repeat(101)}/dispatch`)).statusCode).toBe(400);
  });
});

function canonical() {
  return { referenceId: 'REF-1', itemList: [{ itemReferenceNumber: 'P1' }] } as never;
}
