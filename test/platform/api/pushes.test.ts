import { beforeEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/platform/processes/metrics.ts';
import { claimDuePushes } from '../../../src/platform/records/pushes.ts';
import type { Accepted } from '../../../src/engine/consignment/answer.ts';
import { accepted, done } from './carrier.ts';
import { apiWorld, JSON_TYPE, order } from './world.ts';

/** By how much the clock goes on at each look at it. */
let stepMs = 0;
let goneMs = 0;
const api = apiWorld({ nowMs: () => api.clock.now() + (goneMs += stepMs) });
const { admin } = api;

const push = async (body: unknown, environment = 'production') => {
  const { token } = await api.issue('carriers/acme', { environment });
  const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE };
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const reply = await api.call({ method: 'POST', url: '/v2/carriers/acme/statuses', headers, payload });
  const [{ id }] = await api.sql('select max(id) as id from pushes');
  return { ...reply, id: id as number };
};
const said = (value: string, carrierStatusCode = 'PICKED_UP', more: object = {}) => ({
  value,
  carrierStatusCode,
  ...more,
});
const list = async (query: string) => (await admin.get(`/admin/pushes?${query}`)).body;
const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: number }) => id);
/** An order that the carrier has. */
const created = async (changes: object = {}, reference = 'REF-1') => {
  expect((await api.shop.create(order({ ...changes }, reference))).status).toBe(200);
  return { shipper: (await api.shop.opened()).code, environment: 'production', referenceNumber: reference };
};
const status = async (reference = 'REF-1') => (await api.shop.read(reference)).status;

/** A push for each reason, one that is well, and the consignments. */
const pushEach = async (unknown = 'BEAMED_UP') => {
  const a = await created({ 'consignmentDetails.orderNumber': 'O-SAME' });
  const b = await created(
    { 'consignmentDetails.orderNumber': 'O-SAME', 'consignmentDetails.consignmentNumber': 'CON-2' },
    'REF-2',
  );
  return {
    unmatched: (await push(said('NOBODY'))).id,
    ambiguous: (await push({ orderNo: 'O-SAME', carrierStatusCode: 'PICKED_UP' })).id,
    unmapped: (await push(said('T-REF-1-P1', unknown))).id,
    failed: (await push('{}')).id,
    well: (await push(said('T-REF-1-P1'))).id,
    consignments: [b, a],
  };
};

const alerted = (code: string, id: number) => ({ level: 'warn', alert: `push_${code}`, carrier: 'acme', push: id });

const assign = (id: number, body: object) => admin.post(`/admin/pushes/${id}/assign`, { note: 'They called', ...body });

const rematch = async (body: object = {}) => (await admin.post('/admin/pushes/rematch', body)).body;

const renormalise = async (body: object) => (await admin.post('/admin/pushes/renormalise', body)).body;

beforeEach(async () => {
  await api.sql('truncate events, pushes, consignments cascade');
});

describe('A push', () => {
  it('of a number that nobody knows is that of the one consignment that order and consignment number stand for', async () => {
    await created();
    await push(said('NEW', 'PICKED_UP', { orderNo: 'ORD-1' }));
    expect(await status()).toBe('Order Created');
    await push(said('NEW', 'PICKED_UP', { orderNo: 'ORD-1', consignmentNumber: 'CON-9' }));
    expect(await status()).toBe('Order Created');
    await push(said('NEW', 'DELIVERED', { orderNo: 'ORD-1', consignmentNumber: 'CON-1' }));
    expect(await status()).toBe('Order Delivered');
  });

  it('says by its direction which consignment of an order it is for', async () => {
    await created({ 'consignmentDetails.orderNumber': 'O-SAME' });
    await created(
      {
        'consignmentDetails.orderNumber': 'O-SAME',
        'consignmentDetails.consignmentNumber': 'CON-2',
        'consignmentDetails.consignmentType': 'REVERSE',
      },
      'REF-2',
    );
    await push({ orderNo: 'O-SAME', carrierStatusCode: 'DELIVERED', statusIdentifierValue: 'REVERSE' });
    expect([await status(), await status('REF-2')]).toEqual(['Order Created', 'Returned to Origin']);
  });

  it('means of a return what the rows for returns say, whether it names the direction, the number or the order later', async () => {
    await push({ value: 'T-EARLY', carrierStatusCode: 'DELIVERED' });
    const [{ id }] = await api.sql('select id from pushes');
    const returned = { 'consignmentDetails.consignmentType': 'REVERSE' };
    await created(returned);
    const second = await created({ ...returned, 'consignmentDetails.consignmentNumber': 'CON-2' }, 'REF-2');
    await created({}, 'REF-3');
    await push(said('T-REF-1-P1', 'DELIVERED'));
    expect((await assign(id, second)).status).toBe(200);
    await push(said('T-REF-3-P1', 'DELIVERED'));
    const statuses = [await status(), await status('REF-2'), await status('REF-3')];
    expect(statuses).toEqual(['Returned to Origin', 'Returned to Origin', 'Order Delivered']);
    const kept = await api.sql('select distinct status from events where consignment_id is not null order by 1');
    expect(kept).toEqual([{ status: 'Order Delivered' }, { status: 'Returned to Origin' }]);
  });

  it('finds its consignment by the numbers from before an update and by those of after it', async () => {
    await created();
    const [one] = (accepted(api.carrier.sent[0]!.consignment) as { result: Accepted }).result.packages;
    api.carrier.answers(done({ packages: [{ ...one, trackingNumber: 'LATER' }], memo: {}, warnings: [] }));
    expect((await api.shop.change({ deliveryInstructions: 'Ring twice' })).status).toBe(200);
    await push(said('T-REF-1-P1', 'PICKED_UP'));
    expect(await status()).toBe('Order Picked Up');
    await push(said('LATER', 'DELIVERED'));
    expect(await status()).toBe('Order Delivered');
  });
});

describe('What carriers pushed and nobody could place or understand', () => {
  it('is listed by its reason, state, carrier, source and time, page by page, the newest first', async () => {
    const { consignments: _, well, ...found } = await pushEach();
    for (const [reason, id] of Object.entries(found)) expect(await ids(`reason=${reason}`), reason).toEqual([id]);
    const { unmatched, ambiguous, unmapped, failed } = found;
    expect(await ids('state=failed')).toEqual([failed]);
    expect(await ids('carrier=acme&source=contract&limit=2')).toEqual([well, failed]);
    expect(await ids('carrier=solo')).toEqual([]);
    const page = await list('limit=3');
    expect(page.nextBefore).toBe(unmapped);
    expect(await ids(`cursor=${page.nextCursor}`)).toEqual([ambiguous, unmatched]);
    expect(await ids(`before=${page.nextBefore}`)).toEqual([ambiguous, unmatched]);
    await api.sql(`update pushes set received_at = '2026-04-01T00:00:00Z' where id = $1`, [unmatched]);
    expect(await ids('until=2026-04-02T00:00:00Z')).toEqual([unmatched]);
    expect(await ids('since=2026-04-02T00:00:00Z&reason=unmatched')).toEqual([]);
    const zero = { unmatched: 0, ambiguous: 0, unmapped: 0 };
    expect((await list('state=failed')).data).toEqual([
      {
        id: failed,
        carrierCode: 'acme',
        source: 'contract',
        environment: 'production',
        state: 'failed',
        ...zero,
        receivedAt: '2026-05-01T09:00:00.000Z',
        failure: expect.stringContaining('value is missing'),
      },
    ]);
  });

  it.each(['carrier', 'since', 'reason=odd', 'state=odd', 'carrierCode=acme', 'limit=0'])(
    'a filter that is none is 400: %s',
    async (query) => {
      expect((await admin.get(`/admin/pushes?${query}`)).status).toBe(400);
    },
  );

  it('is shown in full: as it came without what is secret, each event, and which consignments it may be for', async () => {
    const { ambiguous, consignments } = await pushEach();
    const { body } = await admin.get(`/admin/pushes/${ambiguous}`);
    expect(body).toMatchObject({
      id: ambiguous,
      ambiguous: 1,
      encoding: 'utf8',
      readNow: { updates: 1, problems: [] },
      request: { method: 'POST', url: '/v2/carriers/acme/statuses', headers: { 'content-type': 'application/json' } },
      events: [
        { match: 'ambiguous', status: 'Order Picked Up', carrierStatus: 'PICKED_UP', update: { orderNo: 'O-SAME' } },
      ],
    });
    expect(body.events[0].candidates).toEqual(consignments);
    const { id } = await push([said('T-REF-1-P1', 'DELIVERED', { info: { password: 'planted' } }), {}]);
    const { body: whole } = await admin.get(`/admin/pushes/${id}`);
    expect(JSON.stringify(whole)).not.toContain('planted');
    expect(whole).toMatchObject({
      state: 'failed',
      readNow: { updates: 1, problems: [expect.stringContaining('[1].value is missing')] },
      body: expect.stringContaining('***password***'),
      events: [{ match: 'matched', consignment: consignments[1], packageId: 'P1', candidates: [] }],
    });
    expect((await admin.get('/admin/pushes/1')).status).toBe(404);
  });

  it('is counted by its reason', async () => {
    const { consignments: _, well: __, ...found } = await pushEach();
    const metrics = await createMetrics(api.database.pool).text();
    for (const reason of Object.keys(found))
      expect(metrics).toContain(`waybill_pushes_unsettled{reason="${reason}"} 1`);
  });

  it('is told in the log with its id: at once, and what may fit yet once more when nobody looks for it any longer', async () => {
    const before = api.log.lines.length;
    const { unmatched, ambiguous, unmapped, failed } = await pushEach('WARPED');
    await push(said('T-REF-1-P1', 'WARPED', { statusReceivedAt: '2026-04-30 08:00:00' }));
    for (const minutes of [1, 11]) {
      await api.sql(`update events set received_at = received_at - $1 * interval '1 minute'`, [minutes]);
      await api.sql('update pushes set due_at = now() where due_at is not null');
      const due = await claimDuePushes(api.database.pool, 10);
      for (const one of due.toSorted((a, b) => a.id - b.id)) await api.intake().resume(one);
    }
    const lines = api.log.lines.slice(before).map(({ level, fields }) => ({ level, ...fields }));
    const open = { level: 'info', carrier: 'acme', unmatched: 1 };
    expect(lines).toMatchObject([
      { ...open, push: unmatched, ambiguous: 0 },
      { ...open, push: ambiguous, ambiguous: 1 },
      { ...alerted('unmapped', unmapped), code: 'WARPED' },
      { ...alerted('failed', failed), failure: expect.stringContaining('value is missing') },
      alerted('unmatched', unmatched),
      alerted('ambiguous', ambiguous),
    ]);
  });
});

describe('POST /admin/pushes/{id}/assign', () => {
  it('gives a push to a consignment, whose shipper is told, and which is known by its number from now on', async () => {
    const whose = await created();
    const early = await push(said('NEW', 'PICKED_UP', { statusReceivedAt: '2026-04-30 08:00:00' }));
    const { id } = await push(said('NEW', 'PICKED_UP'));
    const dry = (await assign(id, { ...whose, dryRun: true })).body;
    expect([dry.dryRun, await status(), await ids('reason=unmatched')]).toEqual([
      true,
      'Order Created',
      [id, early.id],
    ]);
    const { body } = await assign(id, whose);
    expect(body).toEqual({ ...dry, dryRun: false });
    expect(body.data).toEqual([{ id, carrierCode: 'acme', read: 0, matched: 1, mapped: 0, consignments: [whose] }]);
    expect(await status()).toBe('Order Picked Up');
    expect(await ids('reason=unmatched')).toEqual([early.id]);
    expect(await api.sql(`select due_at <= now() as due from pushes where id = $1`, [early.id])).toEqual([
      { due: true },
    ]);
    await push(said('NEW', 'DELIVERED'));
    expect(await status()).toBe('Order Delivered');
    const [audited] = (await admin.get('/admin/audit?action=assign_push')).body.data;
    expect(audited).toMatchObject({ subject: `push:${id}`, detail: expect.stringContaining('They called') });
    expect((await assign(id, whose)).status).toBe(409);
  });

  it('gives one of its events, and to one package where it says which', async () => {
    const { packageDetails } = order().consignmentDetails as { packageDetails: object[] };
    const two = [packageDetails[0], { ...packageDetails[0], id: 'P2' }];
    const whose = await created({ 'consignmentDetails.packageDetails': two, 'consignmentDetails.totalQuantity': 2 });
    const { id } = await push([said('NEW-1', 'PICKED_UP'), said('NEW-2', 'DELIVERED')]);
    const [one] = (await admin.get(`/admin/pushes/${id}`)).body.events;
    const some = { ...whose, packageId: 'P2', events: [one.id] };
    expect((await assign(id, some)).body.data).toMatchObject([{ matched: 1 }]);
    const { events } = (await admin.get(`/admin/pushes/${id}`)).body;
    expect(events).toMatchObject([{ match: 'matched', packageId: 'P2', consignment: whose }, { match: 'unmatched' }]);
    expect((await assign(id, some)).status).toBe(400);
    expect((await assign(id, { ...whose, packageId: 'P9' })).text).toContain('P1, P2');
  });

  it('is refused where the push cannot be for it', async () => {
    const whose = await created();
    const { id } = await push(said('NEW'), 'sandbox');
    expect(await assign(id, whose)).toMatchObject({ status: 409, text: expect.stringContaining('of sandbox') });
    expect((await assign(id, { ...whose, referenceNumber: 'REF-9' })).status).toBe(404);
    expect((await assign(1, whose)).status).toBe(404);
    expect((await admin.post(`/admin/pushes/${id}/assign`, whose)).status).toBe(400);
    await api.sql(`update consignments set carrier_code = 'solo'`);
    expect((await assign(id, whose)).text).toContain('Carrier acme sent');
  });
});

describe('POST /admin/pushes/rematch', () => {
  it('finds the consignments of one or many that have a name by now, and only says so in a dry run', async () => {
    const { id: first } = await push(said('T-REF-1-P1', 'PICKED_UP'));
    const { id: other } = await push(said('NOBODY'));
    const { id: second } = await push(said('T-REF-1-P1', 'DELIVERED'));
    const whose = await created();
    expect(await status()).toBe('Order Created');
    const matched = { carrierCode: 'acme', read: 0, matched: 1, mapped: 0, consignments: [whose] };
    const none = { ...matched, id: other, matched: 0, consignments: [] };
    const all = [{ ...matched, id: second }, none, { ...matched, id: first }];
    expect(await rematch({ carrier: 'acme', dryRun: true })).toEqual({ dryRun: true, data: all });
    expect(await status()).toBe('Order Created');
    expect(await rematch({ ids: [first] })).toMatchObject({ dryRun: false, data: [{ id: first, matched: 1 }] });
    expect(await status()).toBe('Order Picked Up');
    const page = await rematch({ limit: 1 });
    expect(page).toMatchObject({ data: [{ id: second, matched: 1 }], nextBefore: second });
    expect(await rematch({ before: page.nextBefore })).toEqual({ dryRun: false, data: [none] });
    expect(await status()).toBe('Order Delivered');
  });

  it('begins no more when its time is up, and says where to go on', async () => {
    const pushed: number[] = [];
    for (let number = 0; number < 45; number += 1) pushed.unshift((await push(said(`LATE-${number}`))).id);
    stepMs = 8_000;
    const page = await rematch({ carrier: 'acme' });
    stepMs = goneMs = 0;
    expect(page.data.length).toBeGreaterThan(0);
    expect(page.data.length).toBeLessThan(45);
    expect(page.nextBefore).toBe(page.data.at(-1).id);
    const rest = await rematch({ carrier: 'acme', before: page.nextBefore });
    expect([...page.data, ...rest.data].map(({ id }: { id: number }) => id).slice(0, 45)).toEqual(pushed);
  });

  it('never chooses where several fit', async () => {
    await created({ 'consignmentDetails.orderNumber': 'O-SAME' });
    await created(
      { 'consignmentDetails.orderNumber': 'O-SAME', 'consignmentDetails.consignmentNumber': 'C-2' },
      'REF-2',
    );
    const { id } = await push({ orderNo: 'O-SAME', carrierStatusCode: 'DELIVERED' });
    expect((await rematch({ ids: [id] })).data).toMatchObject([{ id, matched: 0, consignments: [] }]);
    expect([await status(), await status('REF-2')]).toEqual(['Order Created', 'Order Created']);
  });

  it('takes no filter that it does not know', async () => {
    for (const body of [{ carrierCode: 'acme' }, { reason: 'failed' }, { ids: [] }, { limit: 501 }])
      expect((await admin.post('/admin/pushes/rematch', body)).status, JSON.stringify(body)).toBe(400);
  });
});

describe('POST /admin/pushes/renormalise', () => {
  it('normalises again what the table has learnt, and reads again what failed, and only says so in a dry run', async () => {
    await created();
    const { id: learnt } = await push(said('T-REF-1-P1', 'PICKED_UP'));
    await api.sql(`update events set status = 'Unmapped'`);
    const { id: unknown } = await push(said('T-REF-1-P1', 'BEAMED_UP'));
    const { id: failed } = await push(said('T-REF-1-P1', 'DELIVERED'));
    await api.sql('delete from events where push_id = $1', [failed]);
    await api.sql(`update pushes set state = 'failed', failure = 'carrier_unknown: x' where id = $1`, [failed]);
    await api.sql(`update packages set status = 'Order Created', status_at = null`);
    const data = [
      { id: failed, read: 1, matched: 1, mapped: 0 },
      { id: unknown, read: 0, matched: 1, mapped: 0 },
      { id: learnt, read: 0, matched: 1, mapped: 1 },
    ];
    expect(await renormalise({ dryRun: true })).toMatchObject({ dryRun: true, data });
    expect([await ids('state=failed'), await ids('reason=unmapped')]).toEqual([[failed], [unknown, learnt]]);
    expect(await renormalise({ reason: 'unmapped' })).toMatchObject({ dryRun: false, data: data.slice(1) });
    expect([await status(), await ids('reason=unmapped')]).toEqual(['Order Picked Up', [unknown]]);
    expect(await renormalise({ reason: 'failed' })).toMatchObject({ data: data.slice(0, 1) });
    expect([await status(), await ids('state=failed')]).toEqual(['Order Delivered', []]);
  });

  it('forgets what an older profile made of a push and nobody could place, unless it cannot be read any more', async () => {
    const whose = await created();
    const { id: misread } = await push(said('T-REF-1-P1', 'DELIVERED'));
    const { id: unreadable } = await push(said('NOBODY'));
    await api.sql(
      `update events set match = 'unmatched', consignment_id = null, identity = '\\x00', sought_value = 'OTHER',
      body = '{"value":"OTHER"}' where push_id = $1`,
      [misread],
    );
    await api.sql(`update packages set status = 'Order Created', status_at = null`);
    await api.sql(`update pushes set body = '{' where id = $1`, [unreadable]);
    const { data } = await renormalise({ reason: 'unmatched' });
    expect(data).toMatchObject([
      { id: unreadable, read: 0, failure: expect.stringContaining('body_not_readable') },
      { id: misread, read: 1, matched: 1, consignments: [whose] },
    ]);
    expect([await status(), await ids('reason=unmatched')]).toEqual(['Order Delivered', [unreadable]]);
    expect(await ids('state=failed')).toEqual([]);
  });
});
