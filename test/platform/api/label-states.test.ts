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
    expect((await shop.read()).labels).toEqual([{ packageId: 'P1', state: 'failed', reason }]);
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
