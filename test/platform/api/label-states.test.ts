import { beforeEach, describe, expect, it } from 'vitest';
import { done } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { shop, carrier } = api;
const PDF = Buffer.from('%PDF-1.4\nexample\n%%EOF\n');
const ZPL = Buffer.from('^XA^FO10,10^FDEXAMPLE^FS^XZ');

/** The carrier's answer, with this label of its one package. */
const gives = (label?: object, trackingNumber = 'T-1') =>
  carrier.answers((asked) =>
    asked === 'create'
      ? done({ packages: [{ itemReferenceNumber: 'P1', trackingNumber, memo: {}, label }], memo: {}, warnings: [] })
      : 'as usual',
  );
const create = async (changes = {}) => (await shop.create(order(changes))).body.data[0];
const notices = async (): Promise<{ event: string }[]> => {
  const rows = await api.sql(
    'select body from notices where consignment_id = (select max(id) from consignments) order by sequence',
  );
  return rows.map(({ body }) => JSON.parse(body));
};
const [leastPackage] = order().consignmentDetails.packageDetails;
const madeElsewhere = (...trackingDetails: object[]) => ({
  'consignmentDetails.packageDetails': [{ ...leastPackage, trackingDetails }],
});
const OUTSIDE = 'https://labels.example.com/made-outside.pdf';

const push = async (value: string, said: object) => {
  const { token } = await api.issue('carriers/acme', { environment: 'production' });
  const { status } = await api.as(token).post('/v2/carriers/acme/statuses', { value, ...said });
  expect(status).toBe(200);
};

describe('a label that cannot be read', () => {
  beforeEach(() => gives({ content: '<html>Not now</html>' }));
  const reason = { code: 'label_unknown_format', message: 'the carrier sent HTML where a label should be' };

  it('is a warning in the reply to the create, whose tracking number stays', async () => {
    expect(await create()).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: [{ trackingNumber: 'T-1' }],
      warnings: [{ ...reason, packageId: 'P1' }],
    });
  });

  it('has failed, with the reason, where the consignment is read', async () => {
    await create();
    expect((await shop.read()).labels).toEqual([{ id: expect.any(String), packageId: 'P1', state: 'failed', reason }]);
  });

  it('is told of by a webhook', async () => {
    await create();
    const [, told] = await notices();
    expect(told).toMatchObject({
      event: 'consignment.label',
      state: 'failed',
      reason: reason.message,
      info: { code: reason.code },
      packageId: 'P1',
      trackingNumber: 'T-1',
      labels: [],
    });
  });
});

describe('a label', () => {
  it('that the carrier did not give is a warning', async () => {
    gives();
    const warnings = [{ code: 'label_missing', message: 'the carrier gave no label', packageId: 'P1' }];
    expect(await create()).toMatchObject({ acceptance: 'accepted', warnings });
    expect(await shop.read()).toMatchObject({ warnings, labels: [] });
    await shop.cancel();
    expect(await shop.read()).not.toHaveProperty('warnings');
  });

  it.each([
    ['PDF', 'ZPL', PDF, 'ZPL'],
    ['ZPL', 'PDF, which is the default,', ZPL, undefined],
  ])('in %s instead of %s is a warning', async (given, _, content, labelFormat) => {
    gives({ content });
    const asked = labelFormat ?? 'PDF';
    const { warnings } = await create(
      labelFormat === undefined ? {} : { 'consignmentDetails.labelFormat': labelFormat },
    );
    const message = `the label is ${given}, not the ${asked} that was asked for`;
    expect(warnings).toEqual([{ code: 'label_format', message, packageId: 'P1' }]);
  });

  it('in the format that was asked for is none', async () => {
    gives({ content: ZPL });
    expect(await create({ 'consignmentDetails.labelFormat': 'ZPL' })).not.toHaveProperty('warnings');
  });

  it('made outside is returned by its labelUrl, where the carrier gave none of its own and took the number', async () => {
    gives(undefined, 'PRE-1');
    const outside = madeElsewhere({ trackingNumber: 'PRE-1', labelUrl: OUTSIDE });
    const entry = await create(outside);
    expect(entry.trackingDetails).toMatchObject([{ trackingNumber: 'PRE-1', label: OUTSIDE }]);
    expect(entry).not.toHaveProperty('warnings');
    expect((await shop.read()).trackingDetails).toEqual(entry.trackingDetails);
    expect((await shop.create(order(outside))).body.data.trackingDetails).toEqual(entry.trackingDetails);
  });

  it('made outside for another number than the carrier gave is not returned', async () => {
    gives(undefined, 'OTHER');
    const entry = await create(madeElsewhere({ trackingNumber: 'PRE-1', labelUrl: OUTSIDE }));
    expect(entry.trackingDetails[0]).not.toHaveProperty('label');
    expect(entry.warnings).toMatchObject([{ code: 'label_missing' }]);
  });
});

describe('a label that a carrier pushes', () => {
  it('as labelUrl counts like label.url: it will be fetched from there, in the place of the one before', async () => {
    gives(undefined, 'LATE-1');
    await create();
    await push('LATE-1', { carrierStatus: 'PICKED_UP', labelUrl: 'https://acme.example.com/late.pdf' });
    const { trackingDetails, labels, warnings } = await shop.read();
    expect(labels).toMatchObject([{ packageId: 'P1', state: 'pending', url: trackingDetails[0].label }]);
    expect(warnings).toBeUndefined();
    expect(await api.sql('select source_url from labels order by created_at desc limit 1')).toEqual([
      { source_url: 'https://acme.example.com/late.pdf' },
    ]);
  });

  it('and that cannot be read has failed, and a webhook tells it', async () => {
    gives(undefined, 'LATE-2');
    await create();
    await push('LATE-2', { carrierStatus: 'PICKED_UP', label: { content: 'nothing of the kind' } });
    expect((await shop.read()).labels).toMatchObject([{ state: 'failed', reason: { code: 'label_unknown_format' } }]);
    expect(await notices()).toContainEqual(expect.objectContaining({ event: 'consignment.label', state: 'failed' }));
  });
});

/** A label that the carrier refused until we gave up; yields its id. */
const failedOnce = async (trackingNumber: string) => {
  gives({ url: 'https://acme.example.com/label.pdf' }, trackingNumber);
  await create();
  const [{ id }] =
    await api.sql(`update labels set state = 'failed', due_at = null, tries = 8, failure = 'the label URL answered 403',
    failure_code = 'label_refused' where consignment_id = (select max(id) from consignments) returning id`);
  return id as string;
};
const labelNow = async () => (await shop.read()).labels[0];

describe('a label that failed', () => {
  const reason = { code: 'label_refused', message: 'the label URL answered 403' };

  it('is asked for anew by its shipper', async () => {
    const id = await failedOnce('F-1');
    expect(await labelNow()).toEqual({ id, packageId: 'P1', state: 'failed', reason });
    expect(await shop.post(`/v2/labels/${id}/retry`)).toMatchObject({ status: 200, body: { id, state: 'pending' } });
    expect(await labelNow()).toMatchObject({ id, state: 'pending', url: expect.stringContaining(id) });
    expect(await api.sql('select tries, due_at <= now() as due from labels where id = $1', [id])).toEqual([
      { tries: 0, due: true },
    ]);
    const said = { actor: `shipper:${(await shop.opened()).code}`, action: 'retry', subject: `label:${id}` };
    expect(await api.sql('select actor, action, subject from audit_log order by id desc limit 1')).toEqual([said]);
  });

  it('is 404 for another shipper, and 409 when it has not failed', async () => {
    const id = await failedOnce('F-2');
    expect((await (await api.newShipper()).post(`/v2/labels/${id}/retry`)).status).toBe(404);
    expect((await shop.post(`/v2/labels/${'x'.repeat(32)}/retry`)).status).toBe(404);
    expect((await shop.post(`/v2/labels/${id}/retry`)).status).toBe(200);
    const again = await shop.post(`/v2/labels/${id}/retry`);
    expect(again).toMatchObject({ status: 409, body: { message: expect.stringContaining('pending') } });
  });

  it('is 409 where the carrier cannot be asked for it again', async () => {
    gives({ content: '<html>Not now</html>' });
    await create();
    const { id } = await labelNow();
    const message = expect.stringContaining('came with the carrier’s answer');
    expect(await shop.post(`/v2/labels/${id}/retry`)).toMatchObject({ status: 409, body: { message } });
    expect(await labelNow()).toMatchObject({ state: 'failed' });
  });

  it('is listed for operators with the reason, the newest first, until its consignment has ended', async () => {
    const first = await failedOnce('F-3');
    const code = (await shop.opened()).code;
    const { body } = await api.admin.get('/admin/labels/failed?limit=1');
    expect(body.data).toEqual([
      {
        id: first,
        shipper: code,
        environment: 'production',
        referenceNumber: 'REF-1',
        carrierCode: 'acme',
        packageId: 'P1',
        trackingNumber: 'F-3',
        reason,
      },
    ]);
    const next = await api.admin.get(`/admin/labels/failed?limit=500&cursor=${body.nextCursor}`);
    expect(next.body.data.map(({ id }: { id: string }) => id)).not.toContain(first);
    await api.sql(`update consignments set status = 'Order Delivered'`);
    expect((await api.admin.get('/admin/labels/failed')).body.data).toEqual([]);
    expect((await api.admin.get('/admin/labels/failed?cursor=x')).status).toBe(400);
  });

  it('is asked for anew by an operator', async () => {
    const id = await failedOnce('F-4');
    expect(await api.admin.post(`/admin/labels/${id}/retry`)).toMatchObject({
      status: 200,
      body: { state: 'pending' },
    });
    expect((await api.admin.post(`/admin/labels/${'y'.repeat(32)}/retry`)).status).toBe(404);
    expect(await api.sql('select actor from audit_log order by id desc limit 1')).toEqual([{ actor: 'admin' }]);
  });
});
