import { describe, expect, it } from 'vitest';
import type { HeldWhy, RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { held, rejected } from './carrier.ts';
import { countHeld } from '../../../src/platform/records/held-dispatches.ts';
import { apiWorld } from './world.ts';

const api = apiWorld();
const { shop, carrier } = api;
const note = 'Seen in the carrier’s portal';
const numbers = (trackingNumber = 'OP-1', packageId = 'P1') => [{ packageId, trackingNumber }];

/** A consignment of the shop's whose last dispatch ended so; the carrier does as usual again. */
const endedAs = async (outcome: RunOutcome | 'nothing' | 'as usual', operation = 'create') => {
  carrier.answers((asked) => (asked === operation ? outcome : 'as usual'));
  await shop.create();
  if (operation === 'update') await shop.change({ deliveryInstructions: 'first' });
  if (operation === 'cancel') await shop.cancel();
  carrier.answers('as usual');
  carrier.sent = [];
  const [dispatch] = await api.sql('select id, seed from dispatches order by id desc limit 1');
  const { id, seed } = dispatch as { id: number; seed: string };
  const resolve = (outcome: string, more: object = { note }) =>
    api.admin.post(`/admin/dispatches/${id}/resolve`, { outcome, ...more });
  return { id, seed, resolve };
};

describe('POST /v2/consignments/{referenceNumber}/dispatch', () => {
  it.each(['fail', 'config_error'] as const)('sends anew, with keys of its own, what was held for %s', async (why) => {
    const { seed } = await endedAs(held(why));
    expect(await shop.retry()).toMatchObject({
      status: 200,
      body: { data: [{ trackingDetails: [{ packageId: 'P1', trackingNumber: 'T-REF-1-P1' }] }] },
    });
    const dispatches = [{ state: 'cancelled' }, { state: 'done' }];
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted', dispatches });
    const [after] = await api.sql('select seed from dispatches order by id desc limit 1');
    expect(after.seed).not.toBe(seed);
  });

  it('goes on with the same dispatch where nobody knows, and lets its calls be tried again', async () => {
    const { id } = await endedAs(held('unknown_outcome'));
    await api.sql(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
       values ($1, 'create', 0, 4, 'unknown', now(), now())`,
      [id],
    );
    expect((await shop.retry()).status).toBe(200);
    expect(await api.sql('select attempt from calls where dispatch_id = $1', [id])).toEqual([{ attempt: 0 }]);
    const { dispatches } = await shop.read();
    expect(dispatches).toEqual([expect.objectContaining({ id, state: 'done' })]);
  });

  it('is not needed where the carrier had spoken of it before nobody knew: that counts', async () => {
    await shop.create(undefined, { prefer: 'respond-async' });
    const { token } = await api.issue('carriers/acme', { environment: 'production' });
    const pushed = { value: 'T-9', consignmentNumber: 'CON-1', carrierStatus: 'DELIVERED' };
    expect((await api.as(token).post('/v2/carriers/acme/statuses', pushed)).status).toBe(200);
    carrier.answers(held('unknown_outcome'));
    await api.work();
    expect(await shop.read()).toMatchObject({
      acceptance: 'accepted',
      status: 'Order Delivered',
      trackingDetails: [{ trackingNumber: 'T-9' }],
      dispatches: [{ state: 'done' }],
    });
    expect((await api.admin.get('/admin/dispatches/held')).body.data).toEqual([]);
    expect((await shop.retry()).status).toBe(409);
  });

  it('hands it on to whoever has room', async () => {
    await endedAs(held('fail'));
    api.state.handedOn = [];
    carrier.answers('nothing');
    await shop.retry();
    const [{ id }] = await api.sql('select max(id) as id from dispatches');
    expect(api.state.handedOn).toEqual([id]);
  });

  it('may be held again, or rejected', async () => {
    await endedAs(held('fail'));
    carrier.answers(held('fail'));
    expect((await shop.retry()).body.data[0].trackingDetails).toEqual([]);
    carrier.answers(rejected('no'));
    expect((await shop.retry()).status).toBe(422);
  });

  it('retries a held cancel', async () => {
    await endedAs(held('fail'), 'cancel');
    expect((await shop.retry()).status).toBe(200);
    expect((await shop.read()).status).toBe('Cancelled');
  });

  it.each([
    ['nothing is held', 'as usual'],
    ['the dispatch is under way', 'nothing'],
    ['a part may remain at the carrier', held('undo_failed')],
  ] as const)('is 409 when %s', async (_, outcome) => {
    await endedAs(outcome);
    if (outcome === 'nothing') carrier.answers('nothing');
    expect((await shop.retry()).status).toBe(409);
  });

  it('takes an empty body that is said to be JSON', async () => {
    await endedAs(held('fail'));
    const url = '/v2/consignments/REF-1/dispatch';
    expect((await shop.post(url, undefined, { 'content-type': 'application/json' })).status).toBe(200);
  });

  it.each(['%00', 'x'.repeat(101)])('is 400 for what no reference can be: %s', async (reference) => {
    expect((await shop.retry(reference)).status).toBe(400);
  });
});

describe('a held dispatch', () => {
  it('is listed for operators, with why and for whom', async () => {
    const { id } = await endedAs(held('undo_failed', 'could not take back step create'));
    const { body } = await api.admin.get('/admin/dispatches/held?limit=500');
    expect(body.data.find((one: { id: number }) => one.id === id)).toEqual({
      id,
      operation: 'create',
      shipper: (await shop.opened()).code,
      environment: 'production',
      referenceNumber: 'REF-1',
      carrierCode: 'acme',
      packages: ['P1'],
      failure: { why: 'undo_failed', code: 'undo_failed', messages: ['could not take back step create'] },
      heldAt: '2026-05-01T09:00:00.000Z',
    });
    const first = (await api.admin.get('/admin/dispatches/held?limit=1')).body;
    const second = (await api.admin.get(`/admin/dispatches/held?limit=1&after=${first.nextAfter}`)).body;
    expect(second.data[0].id).toBeGreaterThan(first.data[0].id);
  });

  it('for a part that stayed at the carrier is open to the shipper again once an operator has cleared it', async () => {
    const { resolve } = await endedAs(held('undo_failed'));
    expect((await resolve('not_done')).body).toMatchObject({ state: 'held', acceptance: 'pending' });
    expect((await shop.retry()).body.data[0].trackingDetails).toHaveLength(1);
    expect((await shop.read()).acceptance).toBe('accepted');
  });

  it.each(['create', 'update', 'cancel'])(
    'of a %s that an operator found not done leaves the list, and can be sent again',
    async (what) => {
      const { resolve, id } = await endedAs(held('unknown_outcome'), what);
      const listed = async () =>
        (await api.admin.get('/admin/dispatches/held?limit=500')).body.data.some(
          (one: { id: number }) => one.id === id,
        );
      const before = await countHeld(api.database.pool);
      expect(await listed()).toBe(true);
      expect((await resolve('not_done')).status).toBe(200);
      expect(await listed()).toBe(false);
      expect(await countHeld(api.database.pool)).toBe(before - 1);
      expect(await shop.read()).toMatchObject({ acceptance: 'held', reason: { code: 'resolved_by_operator' } });
      carrier.sent = [];
      expect((await shop.retry()).status).toBe(200);
      expect(carrier.asked()).toEqual([what]);
    },
  );

  it('that the carrier did carry out ends well with the numbers it gave', async () => {
    const { resolve } = await endedAs(held('unknown_outcome'));
    expect((await resolve('done')).status).toBe(400);
    const strange = await resolve('done', { note, trackingNumbers: numbers('OP-1', 'P9') });
    expect(strange.text).toMatch(/lacks package P1.*names P9/);
    const given = { note, trackingNumbers: numbers(' OP-1 '), masterTrackingNumber: 'OP-M' };
    const accepted = { state: 'done', acceptance: 'accepted', referenceNumber: 'REF-1' };
    expect((await resolve('done', given)).body).toMatchObject(accepted);
    expect(await shop.read()).toMatchObject({
      masterTrackingNumber: 'OP-M',
      trackingDetails: [{ packageId: 'P1', trackingNumber: 'OP-1' }],
    });
    const notices = await api.sql('select event from notices order by consignment_id desc, sequence limit 2');
    expect(notices).toEqual([{ event: 'consignment.held' }, { event: 'consignment.tracking' }]);
  });

  it('that will not be done frees the reference of a create', async () => {
    const { resolve } = await endedAs(held('undo_failed'));
    expect((await resolve('rejected')).body).toMatchObject({ acceptance: 'rejected' });
    expect((await shop.create()).status).toBe(200);
  });

  it('of a cancel that the carrier did carry out cancels', async () => {
    const { resolve } = await endedAs(held('unknown_outcome'), 'cancel');
    expect((await resolve('done')).body).toMatchObject({ acceptance: 'cancelled' });
    expect((await shop.read()).status).toBe('Cancelled');
  });

  it('is resolved once, and the audit log says by whom and how it was known', async () => {
    const { resolve, id } = await endedAs(held('unknown_outcome'), 'update');
    expect((await resolve('rejected')).body).toMatchObject({ state: 'rejected' });
    expect((await resolve('rejected')).status).toBe(409);
    const audit = await api.sql(`select actor, detail from audit_log where action = 'resolve' order by id desc`);
    expect(audit[0]).toEqual({ actor: 'admin', detail: `dispatch ${id} (update) is rejected: ${note}` });
  });

  it('is resolved by what says how it is known, and nothing else is taken for one', async () => {
    const { resolve } = await endedAs(held('undo_failed'));
    for (const [outcome, more] of [
      ['rejected', {}],
      ['gone', { note }],
      ['not_done', { note, trackingNumbers: numbers() }],
      ['rejected', { note, masterTrackingNumber: 'M' }],
    ] as const)
      expect((await resolve(outcome, more)).status).toBe(400);
    expect((await api.admin.post('/admin/dispatches/999999/resolve', { outcome: 'rejected', note })).status).toBe(404);
  });
});

/** What a carrier that recreates leaves when it cancelled the old shipment and did not make the new one. */
const recreate = (why: HeldWhy) => endedAs({ ...held(why), oldCancelled: true } as RunOutcome, 'update');

describe('an update that cancelled the shipment of before and made no new one', () => {
  it('leaves a create to do: a retry creates, and cancels nothing', async () => {
    await recreate('fail');
    const held = { acceptance: 'held', trackingDetails: [], labels: [{ state: 'revoked' }] };
    expect(await shop.read()).toMatchObject(held);
    expect((await shop.retry()).body.data[0].trackingDetails).toHaveLength(1);
    expect(carrier.asked()).toEqual(['create']);
    expect(carrier.sent[0]?.consignment).toMatchObject({ typeOfAction: 'CREATE', deliveryInstructions: 'first' });
    const [{ input }] = await api.sql('select input from dispatches order by id desc limit 1');
    expect(JSON.parse(input)).not.toHaveProperty('shipment');
  });

  it('takes a further change into what a retry creates', async () => {
    await recreate('fail');
    expect((await shop.change({ deliveryInstructions: 'second' })).status).toBe(200);
    expect(carrier.sent).toEqual([]);
    await shop.retry();
    expect(carrier.sent).toMatchObject([{ operation: 'create', consignment: { deliveryInstructions: 'second' } }]);
  });

  it('is cancelled here, as the carrier has nothing', async () => {
    await recreate('fail');
    expect((await shop.cancel()).body).toMatchObject({ successCount: 1 });
    expect(carrier.sent).toEqual([]);
    expect((await shop.read()).acceptance).toBe('cancelled');
  });

  it('frees its reference when the carrier refuses the create for good', async () => {
    await recreate('fail');
    carrier.answers(rejected('no'));
    expect((await shop.retry()).status).toBe(422);
    carrier.answers('as usual');
    expect((await shop.create()).status).toBe(200);
  });

  it('goes on with itself where nobody knows of the new one, and takes no other action before', async () => {
    await recreate('unknown_outcome');
    expect((await shop.change({ deliveryInstructions: 'second' })).status).toBe(409);
    expect((await shop.cancel()).body).toMatchObject({ failedCount: 1 });
    const packages = [{ itemReferenceNumber: 'P1', trackingNumber: 'NEW', memo: {} }];
    const result = { packages, memo: {}, warnings: [] };
    carrier.answers({ kind: 'done', result, answers: {}, oldCancelled: true });
    await shop.retry();
    expect(carrier.asked()).toEqual(['update']);
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted', trackingDetails: [{ trackingNumber: 'NEW' }] });
  });
});
