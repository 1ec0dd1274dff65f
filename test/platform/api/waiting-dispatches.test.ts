import { describe, expect, it } from 'vitest';
import { countAway } from '../../../src/platform/records/waiting-dispatches.ts';
import { away } from './carrier.ts';
import { apiWorld, order, TRACKED_ENTRY } from './world.ts';

const api = apiWorld();
const { shop, carrier, clock } = api;
const MINUTE = 60_000;
const NEXT = '2026-05-01T09:05:00.000Z';
const PENDING = {
  acceptance: 'pending',
  reason: { code: 'connection_refused', message: 'nobody listens' },
  nextTryAt: NEXT,
};

/** REF-1, whose last dispatch waits; its carrier does as usual when it is asked again. */
const waiting = async (operation = 'create') => {
  const sinceMs = clock.now();
  carrier.answers((asked) => (asked === operation ? away(sinceMs, sinceMs + 5 * MINUTE) : 'as usual'));
  const created = await shop.create();
  const reply = operation === 'update' ? await shop.change({ deliveryInstructions: 'first' }) : created;
  carrier.answers('as usual');
  carrier.sent = [];
  const [{ id }] = await api.sql('select max(id) as id from dispatches');
  const send = async () => await api.admin.post(`/admin/dispatches/${id}/send`);
  const retried = async () => {
    await api.sql(`update dispatches set state = 'pending' where id = $1 and state = 'waiting'`, [id]);
    await api.work();
  };
  return { id: id as number, reply, send, retried };
};

describe('a create whose carrier is away', () => {
  it('is pending, with the reason and its next try, in its reply, when read, and when listed', async () => {
    const { reply } = await waiting();
    expect(reply).toMatchObject({ status: 200, body: { data: [{ ...PENDING, trackingDetails: [] }] } });
    expect(await shop.read()).toMatchObject({
      ...PENDING,
      dispatches: [
        {
          state: 'waiting',
          dueAt: NEXT,
          awaySince: '2026-05-01T09:00:00.000Z',
          failure: { why: 'waiting', code: 'connection_refused', messages: ['nobody listens'] },
        },
      ],
    });
    expect((await shop.get('/v2/consignments?acceptance=pending')).body.data).toMatchObject([PENDING]);
    expect((await shop.retry()).body.data).toMatchObject(PENDING);
  });

  it('says so no more when it is done', async () => {
    const { retried } = await waiting();
    await retried();
    expect((await shop.read()).dispatches[0]).not.toHaveProperty('awaySince');
    expect((await shop.change()).body.data).toEqual([TRACKED_ENTRY]);
  });

  it('is cancelled unsent', async () => {
    await waiting();
    expect((await shop.cancel()).body).toMatchObject({
      successCount: 1,
      data: [{ status: 'Success', acceptance: 'cancelled' }],
    });
    expect(await shop.read()).toMatchObject({ acceptance: 'cancelled', dispatches: [{ state: 'cancelled' }] });
    await api.work();
    expect(carrier.sent).toEqual([]);
  });

  it('takes an update into its next try', async () => {
    const { retried } = await waiting();
    expect((await shop.change({ deliveryInstructions: 'second' })).body.data).toMatchObject([PENDING]);
    await retried();
    const consignment = { typeOfAction: 'CREATE', deliveryInstructions: 'second' };
    expect(carrier.sent).toMatchObject([{ operation: 'create', consignment }]);
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted' });
  });

  it('goes to another carrier where an update says so', async () => {
    await waiting();
    expect((await shop.change({}, { carrier: { code: 'solo' } })).status).toBe(200);
    expect(await shop.read()).toMatchObject({
      acceptance: 'accepted',
      carrierCode: 'solo',
      dispatches: [{ state: 'cancelled' }, { state: 'done' }],
    });
    expect(carrier.asked()).toEqual(['create']);
  });

  it('of which something may have been done is neither cancelled nor changed', async () => {
    const { id } = await waiting();
    await api.sql(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
       values ($1, 'create', 0, 1, 'unknown', now(), now())`,
      [id],
    );
    expect((await shop.cancel()).body).toMatchObject({ failedCount: 1, data: [PENDING] });
    expect((await shop.change({ deliveryInstructions: 'second' })).status).toBe(409);
    expect((await shop.read()).dispatches).toMatchObject([{ state: 'waiting' }]);
  });
});

describe('an update whose carrier is away', () => {
  it('keeps the numbers that are known, and a cancel takes its place', async () => {
    const { reply } = await waiting('update');
    expect(reply.body.data).toMatchObject([{ ...PENDING, trackingDetails: TRACKED_ENTRY.trackingDetails }]);
    expect((await shop.cancel()).body).toMatchObject({ successCount: 1 });
    expect(carrier.asked()).toEqual(['cancel']);
    expect((await shop.read()).dispatches).toMatchObject([
      { state: 'done' },
      { state: 'cancelled' },
      { state: 'done' },
    ]);
  });
});

describe('what waits', () => {
  it('is listed for operators, the soonest first, page by page and by carrier', async () => {
    await api.sql(`update dispatches set state = 'cancelled' where state = 'waiting'`);
    const { id } = await waiting();
    carrier.answers(away(clock.now(), clock.now() + MINUTE, 'http_429'));
    await shop.create(order({}, 'REF-2'));
    expect(await countAway(api.database.pool)).toBe(2);
    const { data, nextCursor } = (await api.admin.get('/admin/dispatches/waiting?limit=1')).body;
    expect(data).toMatchObject([{ referenceNumber: 'REF-2', failure: { code: 'http_429' } }]);
    const next = (await api.admin.get(`/admin/dispatches/waiting?limit=1&cursor=${nextCursor}`)).body;
    expect(next).toEqual({
      data: [
        {
          id,
          operation: 'create',
          shipper: (await shop.opened()).code,
          environment: 'production',
          referenceNumber: 'REF-1',
          carrierCode: 'acme',
          attempts: 1,
          failure: { why: 'waiting', code: 'connection_refused', messages: ['nobody listens'] },
          awaySince: '2026-05-01T09:00:00.000Z',
          nextTryAt: NEXT,
        },
      ],
    });
    expect((await api.admin.get('/admin/dispatches/waiting?carrier=acme')).body.data).toHaveLength(2);
    expect((await api.admin.get('/admin/dispatches/waiting?carrier=solo')).body.data).toEqual([]);
  });

  it('is tried now where an operator wants it, with new patience, and the audit log says who', async () => {
    const { id, send } = await waiting();
    api.state.handedOn = [];
    expect(await send()).toMatchObject({ status: 200, body: { id, state: 'waiting' } });
    expect(api.state.handedOn).toEqual([id]);
    const [row] = await api.sql('select due_at, away_since from dispatches where id = $1', [id]);
    expect(row).toEqual({ due_at: new Date(clock.now()), away_since: null });
    const [entry] = await api.sql('select actor, action, detail from audit_log order by id desc limit 1');
    expect(entry).toEqual({ actor: 'admin', action: 'send_now', detail: `dispatch ${id}` });
    await shop.cancel();
    expect(await send()).toMatchObject({ status: 409, body: { code: 'dispatch_not_waiting' } });
    expect((await api.admin.post('/admin/dispatches/999999/send')).status).toBe(404);
  });
});
