import { describe, expect, it } from 'vitest';
import { done, held, rejected } from './carrier.ts';
import { apiWorld, order, TRACKED, TRACKED_ENTRY } from './world.ts';

const api = apiWorld();
const { shop, carrier } = api;
const instruct = (headers?: Record<string, string>) =>
  shop.update({ consignmentDetails: { referenceNumber: 'REF-1', deliveryInstructions: 'ring twice' } }, headers);
const ASYNC = { prefer: 'respond-async' };
const entry = (reply: { body: { data: unknown[] } }) => reply.body.data[0];
const REASON = { code: 'unknown_outcome', message: 'the line went dead' };
const lost = held('unknown_outcome', 'the line went dead');
const listed = async (query: string) =>
  (await shop.get(`/v2/consignments${query}`)).body.data.map(
    (one: { referenceNumber: string; acceptance: string; reason?: object }) =>
      `${one.referenceNumber} ${one.acceptance} ${JSON.stringify(one.reason ?? '')}`,
  );

describe('the entry of a consignment', () => {
  it('says that the carrier has accepted it', async () => {
    expect(entry(await shop.create())).toEqual(TRACKED_ENTRY);
  });

  it('says that it is pending while the carrier has not answered', async () => {
    carrier.answers('nothing');
    expect(entry(await shop.create())).toMatchObject({ acceptance: 'pending', trackingDetails: [] });
    expect(entry(await shop.create(order({}, 'REF-2'), ASYNC))).toMatchObject({ acceptance: 'pending' });
    expect(await shop.read()).toMatchObject({ acceptance: 'pending' });
  });

  it('says that a create is held, and why, in its reply, to a repeat of it, when read and when listed', async () => {
    carrier.answers(lost);
    const is = { acceptance: 'held', reason: REASON, trackingDetails: [] };
    expect(entry(await shop.create())).toMatchObject(is);
    expect(await shop.create()).toMatchObject({ status: 409, body: { data: is } });
    expect(await shop.read()).toMatchObject(is);
    expect(await listed('')).toEqual([`REF-1 held ${JSON.stringify(REASON)}`]);
  });

  it('says that a retry is held again, and that it is accepted once the carrier has it', async () => {
    carrier.answers(held('fail', 'out of service'));
    await shop.create();
    expect(entry(await shop.retry())).toMatchObject({ acceptance: 'held', reason: { message: 'out of service' } });
    carrier.answers('as usual');
    const retried = entry(await shop.retry());
    expect(retried).toMatchObject({ acceptance: 'accepted', trackingDetails: [TRACKED] });
    expect(retried).not.toHaveProperty('reason');
  });

  it('of an update that is held says so, and keeps the known numbers and labels', async () => {
    await shop.create();
    carrier.answers(lost);
    const is = { ...TRACKED_ENTRY, acceptance: 'held', reason: REASON };
    expect(entry(await instruct())).toEqual(is);
    expect(await shop.read()).toMatchObject(is);
  });

  it('of an update that is under way says so, and keeps the known numbers and labels', async () => {
    await shop.create();
    carrier.answers('nothing');
    const is = { ...TRACKED_ENTRY, acceptance: 'pending' };
    expect(entry(await instruct(ASYNC))).toEqual(is);
    expect(await shop.read()).toMatchObject(is);
    carrier.answers('as usual');
    await api.work();
    expect(await shop.read()).toMatchObject(TRACKED_ENTRY);
  });

  it('of one that was rejected says why when it is read', async () => {
    carrier.answers(rejected('no such street'));
    await shop.create();
    const is = { acceptance: 'rejected', reason: { code: 'refused', message: 'no such street' } };
    expect(await shop.read()).toMatchObject(is);
    carrier.answers('as usual');
    await shop.create();
    carrier.answers(rejected('too late'));
    await instruct();
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted' });
  });

  it('says of a cancel what became of it', async () => {
    await shop.create();
    carrier.answers(lost);
    const held = { acceptance: 'held', reason: REASON, status: 'Failed' };
    expect(entry(await shop.cancel())).toMatchObject(held);
    carrier.answers('nothing');
    expect(entry(await shop.cancel())).toMatchObject({ acceptance: 'pending', status: 'Failed' });
    carrier.answers('as usual');
    await api.work();
    expect(entry(await shop.cancel())).toMatchObject({ acceptance: 'cancelled', status: 'Failed' });
    expect(await shop.read()).toMatchObject({ acceptance: 'cancelled' });
  });

  it('says that it is partial where some packages have numbers and others have none', async () => {
    const [first] = order().consignmentDetails.packageDetails;
    const two = [first, { ...first, id: 'P2' }];
    await shop.create(order({ 'consignmentDetails.packageDetails': two, 'consignmentDetails.totalQuantity': 2 }));
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted' });
    await api.sql(`update packages set tracking_number = null where position = 1`);
    await api.sql('update consignments set lacks_numbers = true');
    expect(await shop.read()).toMatchObject({ acceptance: 'partial', trackingDetails: [{ packageId: 'P1' }] });
    expect(await listed('?acceptance=partial')).toEqual(['REF-1 partial ""']);
  });
});

describe('what the carrier warned of', () => {
  it('is in the reply to a create, when read and in a later conflict', async () => {
    const label = { content: '%PDF-1.4\n%%EOF\n' };
    const packages = [{ itemReferenceNumber: 'P1', trackingNumber: 'T-REF-1-P1', memo: {}, label }];
    carrier.answers(done({ packages, memo: {}, warnings: ['the depot is closed on Friday'] }));
    const is = { warnings: [{ code: 'carrier_warning', message: 'the depot is closed on Friday' }] };
    expect(entry(await shop.create())).toMatchObject(is);
    expect(await shop.create()).toMatchObject({ status: 409, body: { data: is } });
    carrier.answers(done());
    await instruct();
    expect(await shop.read()).toMatchObject(is);
  });
});

describe('a list', () => {
  it('is asked for by acceptance as entries say it', async () => {
    const create = (reference: string, headers = {}) => shop.create(order({}, reference), headers);
    await create('ACCEPTED');
    await create('CANCELLED');
    await shop.cancel('CANCELLED');
    carrier.answers(lost);
    await create('HELD');
    carrier.answers(rejected('no'));
    await create('REJECTED');
    carrier.answers('nothing');
    await create('PENDING');
    for (const acceptance of ['accepted', 'cancelled', 'held', 'rejected', 'pending'])
      expect(await listed(`?acceptance=${acceptance}`), acceptance).toEqual([
        expect.stringMatching(new RegExp(`^${acceptance.toUpperCase()} ${acceptance} `)),
      ]);
    expect((await shop.get('/v2/consignments?acceptance=lost')).status).toBe(400);
  });
});
