import { describe, expect, it } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { accepted, done, held, rejected } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const OTHER = `
carrier: other
name: Other Parcels
environments: { production: { url: 'https://other.example.com' } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
statuses: { table: { PICKED_UP: Order Picked Up } }
`;
const api = apiWorld({}, { profiles: { other: OTHER } });
const { shop, carrier } = api;

const toOther = (rest: object = {}) => shop.change(rest, { carrier: { code: 'other' } });
/** Each test has a consignment of its own, all of one reference: numbers must tell them apart. */
let made = 0;
/** A carrier that makes no label, and takes every cancel unless told otherwise. */
const withoutLabels = (cancel: Parameters<typeof carrier.answers>[0] = done()) => {
  made += 1;
  const number = `T-${made}`;
  carrier.answers((operation) => (operation === 'cancel' ? cancel : numbered(`${number}-${carrier.sent.length}`)));
  return number;
};
const numbered = (trackingNumber: string) => {
  const itemList = [{ itemReferenceNumber: 'P1' }];
  const outcome = accepted({ referenceId: 'x', itemList } as Consignment, { labels: false });
  const { result } = outcome as { result: { packages: object[] } };
  return done({ ...result, packages: result.packages.map((one) => ({ ...one, trackingNumber })) });
};
const asked = () => carrier.sent.map(({ operation, consignment }) => `${operation} at ${consignment.carrierCode}`);

describe('An update that names another carrier', () => {
  it('cancels at the one and creates at the other, while no label exists', async () => {
    const number = withoutLabels();
    await shop.create(order({ 'consignmentDetails.deliveryInstructions': 'old' }));
    const { status, body } = await toOther({ deliveryInstructions: 'new' });
    expect([status, body.data[0]]).toMatchObject([
      200,
      {
        referenceNumber: 'REF-1',
        acceptance: 'accepted',
        trackingDetails: [{ trackingNumber: `${number}-2`, carrierDetails: { code: 'other', name: 'Other Parcels' } }],
      },
    ]);
    expect(asked()).toEqual(['create at acme', 'cancel at acme', 'create at other']);
    expect(carrier.sent[1]?.consignment).toMatchObject({ typeOfAction: 'CANCEL', deliveryInstructions: 'old' });
    expect(carrier.sent[2]?.consignment).toMatchObject({ typeOfAction: 'CREATE', deliveryInstructions: 'new' });
    expect(await api.stored()).toMatchObject({
      carrier_code: 'other',
      order: { carrier: { code: 'other' }, consignmentDetails: { deliveryInstructions: 'new' } },
      canonical: { carrierCode: 'other' },
    });
    const [{ code }] = await api.sql(
      'select a.carrier_code as code from accounts a join consignments c on c.account_id = a.id order by c.id desc limit 1',
    );
    expect(code).toBe('other');
  });

  it('is told of as one consignment, whose old numbers name it no more', async () => {
    const number = withoutLabels();
    await shop.create();
    await toOther();
    const events = await api.sql(
      `select event from notices where consignment_id = (select max(id) from consignments) order by sequence`,
    );
    expect(events.map(({ event }) => event)).toEqual(['consignment.tracking', 'consignment.tracking.2']);
    const push = async (code: string, value: string) => {
      const { token } = await api.issue(`carriers/${code}`);
      const said = { value, orderNo: 'ORD-1', carrierStatusCode: 'PICKED_UP', statusReceivedAt: '2026-05-01 12:00:00' };
      expect((await api.as(token).post(`/v2/carriers/${code}/statuses`, said)).status).toBe(200);
      return (await shop.read()).status;
    };
    expect(await push('acme', `${number}-0`)).toBe('Order Created');
    expect(await push('other', `${number}-2`)).toBe('Order Picked Up');
  });

  it('is not cancelled by what the first carrier says of its shipment, before or after the other has it', async () => {
    const number = withoutLabels();
    await shop.create();
    const body = { consignmentDetails: { referenceNumber: 'REF-1' }, carrier: { code: 'other' } };
    await shop.update(body, { prefer: 'respond-async' });
    const push = async (code: string, value: string, carrierStatusCode: string) => {
      const { token } = await api.issue(`carriers/${code}`);
      const said = { value, carrierStatusCode, statusReceivedAt: '2026-05-01 12:00:00' };
      expect((await api.as(token).post(`/v2/carriers/${code}/statuses`, said)).status).toBe(200);
      return (await shop.read()).status;
    };
    expect(await push('acme', `${number}-0`, 'CANCELLED')).toBe('Cancelled');
    // Nobody has its reference before its end: there may be a shipment yet.
    expect((await shop.create()).status).toBe(409);
    await api.work();
    await api.work();
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted', status: 'Order Created' });
    expect(await push('other', `${number}-2`, 'PICKED_UP')).toBe('Order Picked Up');
  });

  it('changes nothing where the carrier refuses to cancel', async () => {
    const number = withoutLabels(rejected('on the van already'));
    await shop.create();
    expect(await toOther()).toMatchObject({
      status: 422,
      body: { message: 'Acme Parcels rejected the cancel', errors: ['on the van already'] },
    });
    expect(await shop.read()).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: [{ trackingNumber: `${number}-0`, carrierDetails: { code: 'acme' } }],
    });
    expect((await api.stored()).order.carrier.code).toBe('acme');
  });

  it('is 422 in the words of the other where that rejects it, and cancelled at the one', async () => {
    withoutLabels();
    await shop.create();
    carrier.answers((operation) => (operation === 'cancel' ? done() : rejected('no such street')));
    expect(await toOther()).toMatchObject({
      status: 422,
      body: { message: 'Other Parcels rejected the create', errors: ['no such street'] },
    });
    expect((await shop.read()).acceptance).toBe('rejected');
  });

  it('waits in the held cancel, whose retry goes on to the other', async () => {
    withoutLabels(held('fail', 'no service'));
    await shop.create();
    expect((await toOther()).body.data[0]).toMatchObject({ acceptance: 'held', reason: { message: 'no service' } });
    const number = withoutLabels();
    await shop.retry();
    await api.work();
    expect(await shop.read()).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: [{ trackingNumber: expect.stringContaining(number), carrierDetails: { code: 'other' } }],
    });
  });

  it('goes on by itself where nobody waits', async () => {
    withoutLabels();
    await shop.create();
    const body = { consignmentDetails: { referenceNumber: 'REF-1' }, carrier: { code: 'other' } };
    expect((await shop.update(body, { prefer: 'respond-async' })).body.data[0].acceptance).toBe('pending');
    await api.work();
    await api.work();
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted', trackingDetails: [{ packageId: 'P1' }] });
    expect(asked().at(-1)).toBe('create at other');
  });

  it('only creates where the carrier never had the order', async () => {
    carrier.answers(held('fail'));
    await shop.create();
    const number = withoutLabels();
    expect((await toOther()).body.data[0]).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: [{ trackingNumber: expect.stringContaining(number) }],
    });
    expect(asked()).toEqual(['create at acme', 'create at other']);
    expect((await shop.cancel()).status).toBe(200);
  });

  it('is 422 once a label exists', async () => {
    await shop.create();
    const says = 'carrier.code cannot be changed once a label exists; cancel the consignment and create it anew';
    expect(await toOther()).toMatchObject({
      status: 422,
      body: { errors: [says], findings: [{ code: 'carrier_fixed', field: 'carrier.code' }] },
    });
    expect(asked()).toEqual(['create at acme']);
  });

  it('is 422 where the carrier has the order and cannot cancel it', async () => {
    withoutLabels();
    await shop.create(order({ 'carrier.code': 'solo' }));
    const { status, body } = await toOther();
    expect([status, body.errors]).toEqual([
      422,
      [expect.stringContaining('carrier solo has the order and cannot cancel')],
    ]);
  });

  it('is 422 for a carrier that does not offer what the order asks for', async () => {
    withoutLabels();
    await shop.create(order({ 'consignmentDetails.consignmentType': 'REVERSE' }));
    expect(await shop.change({}, { carrier: { code: 'solo' } })).toMatchObject({
      status: 422,
      body: { errors: ['consignmentDetails.consignmentType REVERSE is not offered by carrier solo'] },
    });
  });

  it('is carried out once under a key', async () => {
    withoutLabels();
    await shop.create();
    const body = { consignmentDetails: { referenceNumber: 'REF-1' }, carrier: { code: 'other' } };
    const key = { 'idempotency-key': 'move' };
    const first = await shop.update(body, key);
    expect((await shop.update(body, key)).text).toBe(first.text);
    expect(asked()).toHaveLength(3);
  });
});
