import { beforeEach, describe, expect, it } from 'vitest';
import { held } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { admin, shop, carrier } = api;

const heldOnes = async (query = '') => (await admin.get(`/admin/dispatches/held?limit=500&${query}`)).body.data;
const references = (entries: readonly { referenceNumber: string }[]) =>
  entries.map(({ referenceNumber }) => referenceNumber);
const retry = (body: object) => admin.post('/admin/dispatches/retry', body);
const resolve = (body: object) => admin.post('/admin/dispatches/resolve', body);
const cancel = (body: object) => admin.post('/admin/consignments/cancel', body);
let code = '';

beforeEach(async () => {
  await api.sql('truncate consignments cascade');
  ({ code } = await shop.opened());
  carrier.answers(held('fail', 'no luck'));
  for (const reference of ['F-1', 'F-2', 'F-3']) await shop.create(order({}, reference));
  carrier.answers(held('unknown_outcome'));
  await shop.create(order({ 'carrier.code': 'solo' }, 'U-1'));
  carrier.reset();
  api.state.handedOn = [];
});

describe('GET /admin/dispatches/held', () => {
  it.each([
    ['carrier=acme', 'F-1 F-2 F-3'],
    ['carrier=zzz', ''],
    ['carrier=solo&operation=create', 'U-1'],
    ['operation=cancel', ''],
    ['why=unknown_outcome', 'U-1'],
    ['code=fail', 'F-1 F-2 F-3'],
    ['shipper=nobody', ''],
    ['environment=sandbox', ''],
    ['heldFrom=2026-05-01T09:00:00Z', 'F-1 F-2 F-3 U-1'],
    ['heldBefore=2026-05-01T09:00:00Z', ''],
  ])('lists what fits, and nothing else: %s', async (query, found) => {
    expect(references(await heldOnes(query)).join(' ')).toBe(found);
  });

  it('is 400 for a filter that there is not', async () => {
    for (const query of ['reason=x', 'why=odd', 'heldFrom=today'])
      expect((await admin.get(`/admin/dispatches/held?${query}`)).status).toBe(400);
  });
});

describe('POST /admin/dispatches/retry', () => {
  it('by a filter takes up all that fit, and says of each what became of it', async () => {
    const { status, body } = await retry({ filter: { carrier: 'acme', shipper: code } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ dryRun: false, doneCount: 3, refusedCount: 0 });
    expect(references(body.data)).toEqual(['F-1', 'F-2', 'F-3']);
    expect(api.state.handedOn).toHaveLength(3);
    for (const { dispatchId } of body.data) expect(api.state.handedOn).toContain(dispatchId);
    await api.work();
    expect(await shop.read('F-2')).toMatchObject({ acceptance: 'accepted' });
    expect(references(await heldOnes())).toEqual(['U-1']);
    const noted = (await admin.get('/admin/audit?action=retry&actor=admin')).body.data;
    expect(noted).toHaveLength(3);
  });

  it('as a dry run says the same and changes nothing', async () => {
    const before = await api.sql('select * from dispatches order by id');
    const noted = (await admin.get('/admin/audit?limit=1')).body.data;
    const { body } = await retry({ filter: { carrier: 'acme' }, dryRun: true });
    expect(body).toMatchObject({ dryRun: true, doneCount: 3 });
    expect(body.data[0]).not.toHaveProperty('dispatchId');
    expect(await api.sql('select * from dispatches order by id')).toEqual(before);
    expect(api.state.handedOn).toEqual([]);
    expect((await admin.get('/admin/audit?limit=1')).body.data).toEqual(noted);
  });

  it('goes page by page, and on where it was cut short', async () => {
    const first = (await retry({ filter: { carrier: 'acme' }, limit: 2 })).body;
    expect(references(first.data)).toEqual(['F-1', 'F-2']);
    const again = (await retry({ filter: { carrier: 'acme' }, limit: 2 })).body;
    expect(references(again.data)).toEqual(['F-3']);
    expect(again).not.toHaveProperty('nextCursor');
    const next = (await retry({ filter: { carrier: 'acme' }, limit: 2, cursor: first.nextCursor })).body;
    expect(next).toMatchObject({ data: [], doneCount: 0 });
  });

  it('by ids says of each that cannot be why', async () => {
    const [one] = await heldOnes();
    const ids = [one.id, 999_999];
    expect((await retry({ ids })).body).toMatchObject({ doneCount: 1, refusedCount: 1 });
    const again = (await retry({ ids: [one.id] })).body.data;
    expect(again).toMatchObject([{ id: one.id, referenceNumber: 'F-1', result: 'refused', code: 'busy' }]);
    await api.work();
    expect((await retry({ ids: [one.id] })).body.data).toMatchObject([{ result: 'refused', code: 'nothing_held' }]);
  });

  it.each([
    [{}, 'ids or filter is required'],
    [{ ids: [1], filter: { carrier: 'acme' } }, 'not both'],
    [{ filter: {} }, 'filter'],
    [{ filter: { colour: 'red' } }, 'colour'],
    [{ filter: { carrier: 'acme' }, cursor: 'x' }, 'cursor'],
    [{ filter: { carrier: 'acme' }, limit: 501 }, 'limit'],
  ])('is 400 for %j', async (body, message) => {
    const answer = await retry(body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
  });
});

describe('POST /admin/dispatches/resolve', () => {
  const note = 'Seen in the carrier’s portal';
  it('ends all that fit as the operator says', async () => {
    const { body } = await resolve({ filter: { code: 'fail' }, outcome: 'rejected', note });
    expect(body).toMatchObject({ doneCount: 3 });
    expect(await shop.read('F-1')).toMatchObject({ acceptance: 'rejected' });
  });

  it('leaves those whose tracking numbers it would need, and says so', async () => {
    const { body } = await resolve({ filter: { code: 'fail' }, outcome: 'done', note, dryRun: true });
    expect(body).toMatchObject({ doneCount: 0, refusedCount: 3, data: [{ code: 'numbers_missing' }, {}, {}] });
    expect(await shop.read('F-1')).toMatchObject({ acceptance: 'held' });
  });
});

describe('POST /admin/consignments/cancel', () => {
  it('cancels all that fit, whose carriers have nothing here and now, the others by their carriers', async () => {
    await shop.create(order({}, 'A-1'));
    const trial = (await cancel({ filter: { shipper: code, carrier: 'acme' }, dryRun: true })).body;
    const { body } = await cancel({ filter: { shipper: code, carrier: 'acme' }, remark: 'recalled' });
    expect(references(body.data)).toEqual(['A-1', 'F-3', 'F-2', 'F-1']);
    expect(trial.doneCount).toBe(body.doneCount);
    expect(body.doneCount).toBe(4);
    expect(await shop.read('F-1')).toMatchObject({ acceptance: 'cancelled' });
    await api.work();
    expect(carrier.asked()).toContain('cancel');
    expect(await shop.read('A-1')).toMatchObject({ acceptance: 'cancelled' });
    const again = (await cancel({ filter: { shipper: code, carrier: 'acme' } })).body;
    expect(again).toMatchObject({ doneCount: 0, refusedCount: 4, data: [{ code: 'cancelled' }, {}, {}, {}] });
  });

  it('refuses what its carrier cannot, or nobody knows of, and says so', async () => {
    const { body } = await cancel({ filter: { number: 'U-1' } });
    expect(body.data).toMatchObject([{ referenceNumber: 'U-1', result: 'refused', code: 'create_unknown' }]);
    await shop.create(order({ 'carrier.code': 'solo' }, 'S-1'));
    expect((await cancel({ filter: { number: 'S-1' } })).body.data).toMatchObject([{ code: 'carrier_cannot' }]);
  });
});
