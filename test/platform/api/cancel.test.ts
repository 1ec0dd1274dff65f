import { describe, expect, it } from 'vitest';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, done, held, rejected } from './harness.ts';

describe('POST /v2/consignments-cancel', () => {
  const api = apiUnderTest();
  const create = async (references: readonly string[], changes: Record<string, unknown> = {}) => {
    const shipper = await api.newShipper();
    for (const reference of references) {
      const body = changed(leastOrder(), { 'consignmentDetails.referenceNumber': reference, ...changes });
      expect((await shipper.create(body)).statusCode).toBe(200);
    }
    const cancel = async (...names: string[]) =>
      await shipper.cancel({
        consignments: names.map((referenceNumber) => ({ referenceNumber, remark: 'customer changed their mind' })),
      });
    const read = async (reference: string) => await shipper.read(reference);
    return { shipper, cancel, read };
  };

  it('cancels at the carrier, package by package, and revokes the labels', async () => {
    const { cancel, read } = await create(['A', 'B']);
    const { statusCode, data } = await cancel('A', 'B');
    expect(statusCode).toBe(200);
    expect(data).toEqual({
      timestamp: 'Fri May 01 2026 09:00:00 GMT+0000',
      successCount: 2,
      failedCount: 0,
      data: ['A', 'B'].map((referenceNumber) => ({
        referenceNumber,
        status: 'Success',
        message: 'Cancelled',
        trackingDetails: [
          { trackingNumber: `T-${referenceNumber}-P1`, status: 'Success', remark: 'customer changed their mind' },
        ],
      })),
    });
    expect(await read('A')).toMatchObject({
      acceptance: 'cancelled',
      status: 'Cancelled',
      labels: [{ state: 'revoked' }],
    });
    const input = await api.database.pool.query(
      `select input from dispatches d join consignments c on c.id = d.consignment_id
       where operation = 'cancel' and reference_number = 'B'`,
    );
    expect(JSON.parse(input.rows[0].input)).toMatchObject({
      consignment: { typeOfAction: 'CANCEL' },
      service: { typeOfService: 'EXPRESS' },
      shipment: { trackingNumber: 'T-B-P1' },
      remark: 'customer changed their mind',
    });
    const audit = await api.database.pool.query(`select detail from audit_log where action = 'cancel'`);
    expect(audit.rows.at(-1)).toEqual({ detail: 'customer changed their mind' });
  });

  it('is 400 for references that are not known, and carries out the rest', async () => {
    const { cancel } = await create(['A']);
    const { statusCode, data } = await cancel('A', 'nowhere');
    expect(statusCode).toBe(400);
    expect(data).toMatchObject({
      status: 'BAD_REQUEST',
      errors: [{ referenceNumber: 'nowhere', details: ['referenceNumber nowhere is not known'] }],
      successCount: 1,
      failedCount: 1,
      data: [{ referenceNumber: 'A', status: 'Success' }],
    });
  });

  it('keeps no answer under its key when it knows none of them', async () => {
    const { shipper } = await create([]);
    const cancel = async (...references: string[]) =>
      await shipper.cancel(
        { consignments: references.map((referenceNumber) => ({ referenceNumber })) },
        { 'idempotency-key': references.join() },
      );
    expect((await cancel('A')).statusCode).toBe(400);
    await shipper.create(changed(leastOrder(), { 'consignmentDetails.referenceNumber': 'A' }));
    expect((await cancel('A')).statusCode).toBe(200);
    await cancel('A', 'nowhere');
    expect((await cancel('A', 'nowhere')).headers['idempotency-replayed']).toBe('true');
  });

  it('treats another shipper’s reference as not known', async () => {
    await create(['A']);
    const { cancel } = await create([]);
    expect((await cancel('A')).statusCode).toBe(400);
  });

  it('fails for one that is cancelled already', async () => {
    const { cancel } = await create(['A']);
    await cancel('A');
    const { statusCode, data } = await cancel('A');
    expect(statusCode).toBe(200);
    expect(data).toMatchObject({ successCount: 0, failedCount: 1, data: [{ status: 'Failed' }] });
    expect(data.data[0].trackingDetails[0]).toEqual({
      trackingNumber: 'T-A-P1',
      status: 'Failed',
      remark: 'Cancellation is not allowed: already cancelled',
    });
  });

  it('answers a reference named twice once', async () => {
    const { cancel } = await create(['A']);
    expect((await cancel('A', 'A')).data).toMatchObject({ successCount: 1, failedCount: 0 });
  });

  it('fails for one that was picked up, and points at the return flow', async () => {
    const { cancel } = await create(['A']);
    await api.database.pool.query(`update packages set status = 'Order Picked Up'`);
    expect((await cancel('A')).data.data[0]).toMatchObject({
      status: 'Failed',
      message: expect.stringContaining('return flow'),
    });
  });

  it('fails where the carrier cannot cancel', async () => {
    const { cancel } = await create(['A'], { 'carrier.code': 'solo' });
    expect((await cancel('A')).data.data[0]).toMatchObject({
      status: 'Failed',
      message: expect.stringContaining('cannot cancel'),
    });
  });

  it.each([
    ['refuses', () => rejected('on the van already'), 'The carrier refused the cancellation: on the van already'],
    ['fails', () => held('fail', 'no service'), 'The cancellation is held: no service'],
    ['does not answer', () => undefined, 'The carrier has not confirmed the cancellation yet'],
  ])('fails, and says why, when the carrier %s', async (_, answering, message) => {
    api.state.answering = accepts();
    const { cancel, read } = await create(['A']);
    api.state.answering = answering;
    expect((await cancel('A')).data.data[0]).toMatchObject({
      status: 'Failed',
      message: expect.stringContaining(message),
    });
    expect((await read('A')).acceptance).toBe('accepted');
  });

  it.each([
    ['refused', rejected('on the van already'), 'consignment.rejected', 'on the van already'],
    ['held', held('fail', 'no service'), 'consignment.held', 'no service'],
    ['done', done(), 'consignment.status', null],
  ] as const)('that ends after its answer is told of by webhook: %s', async (_, outcome, event, reason) => {
    const { cancel } = await create(['A']);
    api.state.answering = () => undefined;
    await cancel('A');
    const { rows } = await api.database.pool.query<{ id: number }>('select max(id) as id from dispatches');
    api.state.answering = () => outcome;
    await api.perform(rows[0]!.id);
    const { rows: notices } = await api.database.pool.query<{ body: string }>(
      `select body from notices where event <> 'consignment.tracking' order by consignment_id desc, sequence desc limit 1`,
    );
    const told = JSON.parse(notices[0]!.body);
    expect(told).toMatchObject({ event, referenceNumber: 'A', reason });
    if (reason === null) expect(told).toMatchObject({ status: 'Cancelled' });
    else expect(told.info).toMatchObject({ operation: 'cancel', messages: [reason] });
  });

  it('may be asked again after the carrier refused', async () => {
    const { cancel } = await create(['A']);
    api.state.answering = () => held('fail');
    await cancel('A');
    api.state.answering = () => done();
    expect((await cancel('A')).data.successCount).toBe(1);
  });

  it('takes back a create that was never sent, without asking the carrier', async () => {
    api.state.answering = () => undefined;
    const { cancel, read } = await create(['A']);
    api.state.answering = () => {
      throw new Error('the carrier was asked');
    };
    expect((await cancel('A')).data).toMatchObject({ successCount: 1, data: [{ trackingDetails: [] }] });
    expect(await read('A')).toMatchObject({
      acceptance: 'cancelled',
      status: 'Cancelled',
      dispatches: [{ state: 'cancelled' }],
    });
  });

  it('does not take back a create that may have been sent', async () => {
    api.state.answering = () => undefined;
    const { cancel } = await create(['A']);
    await api.database.pool.query(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
       select id, 'create', 0, 1, 'unknown', now(), now() from dispatches order by id desc limit 1`,
    );
    expect((await cancel('A')).data.data[0]).toMatchObject({
      status: 'Failed',
      message: expect.stringContaining('under way'),
    });
  });

  it('waits for a create that is under way, then cancels what it made', async () => {
    api.state.answering = () => undefined;
    const { cancel } = await create(['A']);
    await api.database.pool.query(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
       select id, 'create', 0, 1, 'sending', now(), now() from dispatches order by id desc limit 1`,
    );
    api.state.answering = accepts();
    expect((await cancel('A')).data).toMatchObject({
      successCount: 1,
      data: [{ trackingDetails: [{ trackingNumber: 'T-A-P1' }] }],
    });
  });

  it.each([
    ['fail', 'Success', 'Cancelled'],
    ['config_error', 'Success', 'Cancelled'],
    ['unknown_outcome', 'Failed', 'Nobody knows'],
    ['undo_failed', 'Failed', 'operator'],
  ] as const)('of a create held for %s is a %s', async (why, status, message) => {
    api.state.answering = () => held(why);
    const { cancel } = await create(['A']);
    expect((await cancel('A')).data.data[0]).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  it('cancels once when asked many times at once', async () => {
    const { cancel } = await create(['A']);
    const all = await Promise.all(Array.from({ length: 8 }, async () => await cancel('A')));
    expect(all.reduce((sum, { data }) => sum + Number(data.successCount), 0)).toBe(1);
  });

  it.each([[{}], [{ consignments: [] }], [{ consignments: [{ remark: 'x' }] }], [[]]])(
    'is 400 for %j',
    async (body) => {
      const { shipper } = await create([]);
      expect((await shipper.cancel(body)).statusCode).toBe(400);
    },
  );
});
