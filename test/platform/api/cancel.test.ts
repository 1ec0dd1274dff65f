import { beforeEach, describe, expect, it } from 'vitest';
import { done, held, rejected } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { shop, carrier } = api;
const URL = '/v2/consignments-cancel';
const outcomeOf = async () => (await shop.cancel()).body.data[0];
const callWas = (state: 'sending' | 'unknown') =>
  api.sql(
    `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
     select max(id), 'create', 0, 1, $1, now(), now() from dispatches`,
    [state],
  );

describe('POST /v2/consignments-cancel, of an order that the carrier has', () => {
  beforeEach(async () => {
    await shop.create();
  });

  it('needs no remark', async () => {
    expect(await shop.post(URL, { consignments: [{ referenceNumber: 'REF-1' }] })).toMatchObject({
      status: 200,
      body: { data: [{ status: 'Success', trackingDetails: [{ remark: expect.any(String) }] }] },
    });
  });

  it('is 400 with counts for references that are not known, and carries out the rest', async () => {
    const { status, body } = await shop.cancel('REF-1', 'nowhere');
    expect(status).toBe(400);
    expect(body).toEqual({
      timestamp: expect.any(String),
      status: 'BAD_REQUEST',
      code: 'unknown_reference',
      errors: [{ referenceNumber: 'nowhere', details: ['referenceNumber nowhere is not known'] }],
      findings: [{ code: 'invalid', message: 'referenceNumber nowhere is not known' }],
      successCount: 1,
      failedCount: 1,
      data: [expect.objectContaining({ referenceNumber: 'REF-1', status: 'Success' })],
    });
  });

  it('says where there was nothing to tell the carrier', async () => {
    expect(await outcomeOf()).toMatchObject({ status: 'Success', message: 'Cancelled' });
    await shop.create(order({}, 'REF-2'));
    carrier.answers(done({ carrierTold: false }));
    expect((await shop.cancel('REF-2')).body.data).toMatchObject([
      { status: 'Success', message: 'Cancelled; there was nothing to tell the carrier', carrierTold: false },
    ]);
  });

  it('answers a reference named twice once', async () => {
    expect((await shop.cancel('REF-1', 'REF-1')).body).toMatchObject({ successCount: 1, failedCount: 0 });
  });

  it('fails for one that was picked up, and points at the return flow', async () => {
    await api.reached('Order Picked Up');
    expect(await outcomeOf()).toMatchObject({
      status: 'Failed',
      code: 'dispatched',
      message: expect.stringContaining('return flow'),
    });
    expect(carrier.asked()).toEqual(['create']);
  });

  it.each([
    [
      'refuses',
      rejected('on the van already'),
      'carrier_rejected',
      'The carrier refused the cancellation: on the van already',
      'accepted',
    ],
    ['fails', held('fail', 'no service'), 'held', 'The cancellation is held: no service', 'held'],
    ['does not answer', 'nothing', 'pending', 'The carrier has not confirmed the cancellation yet', 'pending'],
  ] as const)('fails, and says why, when the carrier %s', async (_, outcome, code, message, acceptance) => {
    carrier.answers(outcome);
    expect(await outcomeOf()).toMatchObject({ status: 'Failed', code, message: expect.stringContaining(message) });
    expect((await shop.read()).acceptance).toBe(acceptance);
  });

  it.each([
    ['refused', rejected('on the van already'), { event: 'consignment.rejected', reason: 'on the van already' }],
    ['held', held('fail', 'no service'), { event: 'consignment.held', reason: 'no service' }],
    ['done', done(), { event: 'consignment.cancelled', reason: null, status: 'Cancelled' }],
  ] as const)('that ends after its answer is told of by webhook: %s', async (_, outcome, event) => {
    carrier.answers('nothing');
    await shop.cancel();
    carrier.answers(outcome);
    await api.work();
    const [told] = await api.sql(
      `select body from notices where event <> 'consignment.tracking' order by consignment_id desc, sequence desc limit 1`,
    );
    const info = event.reason === null ? {} : { info: { operation: 'cancel', messages: [event.reason] } };
    expect(JSON.parse(told.body)).toMatchObject({ referenceNumber: 'REF-1', ...event, ...info });
  });

  it('may be asked again after the carrier failed', async () => {
    carrier.answers(held('fail'));
    await shop.cancel();
    carrier.answers('as usual');
    expect((await shop.cancel()).body.successCount).toBe(1);
  });
});

describe('POST /v2/consignments-cancel', () => {
  it('cancels at the carrier, package by package, and revokes the labels', async () => {
    for (const reference of ['A', 'B']) await shop.create(order({}, reference));
    const { status, body } = await shop.cancel('A', 'B');
    expect(status).toBe(200);
    expect(body).toEqual({
      timestamp: 'Fri May 01 2026 09:00:00 GMT+0000',
      successCount: 2,
      failedCount: 0,
      data: ['A', 'B'].map((referenceNumber) => ({
        referenceNumber,
        status: 'Success',
        message: 'Cancelled',
        acceptance: 'cancelled',
        trackingDetails: [{ trackingNumber: `T-${referenceNumber}-P1`, status: 'Success', remark: 'Example' }],
      })),
    });
    const cancelled = { acceptance: 'cancelled', status: 'Cancelled', labels: [{ state: 'revoked' }] };
    const read = await shop.read('A');
    expect(read).toMatchObject(cancelled);
    expect(read.labels[0]).not.toHaveProperty('url');
    expect(carrier.asked()).toEqual(['create', 'create', 'cancel', 'cancel']);
    // Both are cancelled at once.
    const ofB = carrier.sent.findLast(({ consignment }) => consignment.referenceId === 'B');
    expect(ofB?.input).toMatchObject({
      consignment: { typeOfAction: 'CANCEL' },
      service: { typeOfService: 'EXPRESS' },
      shipment: { trackingNumber: 'T-B-P1' },
      remark: 'Example',
    });
    const audit = await api.sql(`select detail from audit_log where action = 'cancel'`);
    expect(audit.at(-1)).toEqual({ detail: 'Example' });
  });

  it('keeps no answer under its key when it knows none of them', async () => {
    const cancel = (...references: string[]) => {
      const consignments = references.map((referenceNumber) => ({ referenceNumber }));
      return shop.post(URL, { consignments }, { 'idempotency-key': references.join() });
    };
    expect((await cancel('REF-1')).status).toBe(400);
    await shop.create();
    expect((await cancel('REF-1')).status).toBe(200);
    await cancel('REF-1', 'nowhere');
    expect((await cancel('REF-1', 'nowhere')).headers['idempotency-replayed']).toBe('true');
  });

  it('is 200 also when some fail: one that is cancelled already', async () => {
    for (const reference of ['A', 'B']) await shop.create(order({}, reference));
    await shop.cancel('A');
    const remark = 'Cancellation is not allowed: already cancelled';
    const failed = { status: 'Failed', trackingDetails: [{ trackingNumber: 'T-A-P1', status: 'Failed', remark }] };
    expect(await shop.cancel('A', 'B')).toMatchObject({
      status: 200,
      body: { successCount: 1, failedCount: 1, data: [failed, {}] },
    });
  });

  it('fails where the carrier cannot cancel', async () => {
    await shop.create(order({ 'carrier.code': 'solo' }));
    expect(await outcomeOf()).toMatchObject({ status: 'Failed', message: expect.stringContaining('cannot cancel') });
  });

  it('takes back a create that was never sent, without asking the carrier', async () => {
    carrier.answers('nothing');
    await shop.create();
    carrier.answers('as usual');
    expect((await shop.cancel()).body).toMatchObject({ successCount: 1, data: [{ trackingDetails: [] }] });
    expect(carrier.sent).toEqual([]);
    const cancelled = { acceptance: 'cancelled', status: 'Cancelled', dispatches: [{ state: 'cancelled' }] };
    expect(await shop.read()).toMatchObject(cancelled);
  });

  it('does not take back a create that may have been sent', async () => {
    carrier.answers('nothing');
    await shop.create();
    await callWas('unknown');
    expect(await outcomeOf()).toMatchObject({ status: 'Failed', message: expect.stringContaining('under way') });
  });

  it('waits for a create that is under way, then cancels what it made', async () => {
    carrier.answers('nothing');
    await shop.create();
    await callWas('sending');
    carrier.answers('as usual');
    expect((await shop.cancel()).body).toMatchObject({
      successCount: 1,
      data: [{ trackingDetails: [{ trackingNumber: 'T-REF-1-P1' }] }],
    });
  });

  it.each([
    ['fail', 'Success', 'Cancelled'],
    ['config_error', 'Success', 'Cancelled'],
    ['unknown_outcome', 'Failed', 'Nobody knows'],
    ['undo_failed', 'Failed', 'operator'],
  ] as const)('of a create held for %s is a %s', async (why, status, message) => {
    carrier.answers(held(why));
    await shop.create();
    expect(await outcomeOf()).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  it.each([
    [{}, 'consignments'],
    [{ consignments: [] }, 'consignments'],
    [{ consignments: [{ remark: 'x' }] }, 'consignments[0].referenceNumber'],
    [{ consignments: [{ referenceNumber: 'REF-1', remark: 5 }] }, 'consignments[0].remark'],
    [[], ''],
  ])('is 400 for %j', async (given, named) => {
    const { status, body } = await shop.post(URL, given);
    expect(status).toBe(400);
    expect(body.errors[0].details.join()).toContain(named);
  });
});
