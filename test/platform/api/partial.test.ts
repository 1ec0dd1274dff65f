/** Creates that a carrier does in part: what exists is kept and named, can be cancelled, and is never sent again. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { WireOutcome } from '../../../src/engine/transport/wire.ts';
import { answer, reset } from '../../engine/dispatch/world.ts';
import { apiWorld, order } from './world.ts';

const profileOf = (code: string, update: string) => `
carrier: ${code}
name: Parcels
environments: { production: { url: 'https://${code}.example.com' } }
operations:
  create:
    steps:
      - { id: pickup, bestEffort: true, post: /pickups }
      - id: parcel
        forEach: consignment.itemList
        partial: true
        post: '/parcels/\${item.itemReferenceNumber}'
        headers: { Key: '\${idempotencyKey}' }
        body: { json: { to: '\${consignment.destinationName}' } }
    result: |
      { "itemsTrackDetails": [steps.parcel.{
          "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number, "label": { "content": body.label } }] }
  ${update}
  cancel: { forEach: shipment.packages, delete: '/parcels/\${item.trackingNumber}', idempotency: none }
statuses: { table: { PICKED_UP: Order Picked Up, DELIVERED: Order Delivered } }
`;
/** It answers a repeat without numbers. */
const BOOKED = `
carrier: booked
name: Booked
environments: { production: { url: 'https://booked.example.com' } }
memo: [orderId, depot]
operations:
  create:
    post: /orders
    outcomes: [ { status: 409, do: succeed } ]
    result: |
      { "itemsTrackDetails": [], "numbersUnknown": response.body.message, "memo": { "orderId": "O-7" },
        "label": { "content": "JVBERi0xLjQKJSVFT0YK" } }
  cancel: { delete: '/orders/\${shipment.memo.orderId}' }
statuses: { table: { DELIVERED: Order Delivered } }
`;
const profiles = {
  booked: BOOKED,
  parcels: profileOf('parcels', 'update: recreate'),
  rigid: profileOf('rigid', "update: { put: '/parcels/${shipment.trackingNumber}' }"),
};
const api = apiWorld({}, { profiles });
const { shop, admin } = api;

/** In the place of a status: no answer came. */
const LOST = 0;
/** What the carrier refuses from now on, by path, with a status; and what it was asked. */
let refusing: Record<string, number>;
let asked: string[];
let keys: Record<string, string>;
let hasLabels: boolean;
let saying: string;
beforeEach(() => {
  [refusing, asked, keys, hasLabels, saying] = [{}, [], {}, true, ''];
  api.state.wire = ({ method, url, headers }) => {
    const { pathname } = new URL(url);
    const name = pathname.split('/').at(-1) ?? '';
    asked.push(`${method} ${pathname}`);
    keys[name] = String(headers['key']);
    const status = refusing[name];
    const label = hasLabels ? Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64') : undefined;
    const made = { number: `T-${name}`, label };
    const said: WireOutcome =
      status === undefined ? answer(200, made) : answer(status, { message: `no ${name}${saying}` });
    return Promise.resolve(status === LOST ? reset : said);
  };
});

const [first] = order().consignmentDetails.packageDetails;
const packages = ['P1', 'P2', 'P3'].map((id) => ({ ...first, id }));
const THREE = {
  'carrier.code': 'parcels',
  'consignmentDetails.packageDetails': packages,
  'consignmentDetails.totalQuantity': 3,
};
const three = (carrier = 'parcels') => order({ ...THREE, 'carrier.code': carrier });
const entry = (reply: { body: { data: unknown[] } }) => reply.body.data[0] as Record<string, never>;
/** P2 is refused. */
const createPart = async (carrier?: string) => {
  refusing['P2'] = 422;
  const created = await shop.create(three(carrier));
  asked = [];
  return created;
};
const tracked = (...ids: string[]) =>
  ids.map((packageId) => expect.objectContaining({ packageId, trackingNumber: `T-${packageId}` }) as object);
const missing = { code: 'package_missing', message: 'no P2', packageId: 'P2' };
const notices = async () =>
  (await api.sql(`select body::json as body from notices where ${LAST} order by sequence`)).map(
    ({ body }) => body as Record<string, never>,
  );
const told = async () =>
  (await notices()).map(({ event, trackingDetails = [] }) => {
    const ids = (trackingDetails as { readonly packageId: string }[]).map(({ packageId }) => packageId);
    return `${event} ${ids.join(' ') || '*'}`;
  });
/** The dispatch of the last consignment, as operators find it; undefined: it is not held. */
const heldOne = async () => {
  const { shipper } = (await api.sql('select s.code as shipper from shippers s order by id desc limit 1'))[0];
  const { body } = await admin.get(`/admin/dispatches/held?why=partial&shipper=${shipper}`);
  return body.data[0]?.id as number | undefined;
};
const LAST = 'consignment_id = (select max(id) from consignments)';
const pickUp = (position: number) =>
  api.sql(`update packages set status = 'Order Picked Up' where position = $1 and ${LAST}`, [position]);
const statuses = async () =>
  (await api.sql(`select status from packages where ${LAST} order by position`)).map(({ status }) => status as string);
const PARTIAL = {
  acceptance: 'partial',
  reason: { code: 'partial', message: 'package P2 was not made: no P2' },
  trackingDetails: tracked('P1', 'P3'),
  warnings: [missing],
};

describe('a create that is done in part', () => {
  it('names what exists and what is missing: in its reply, when read and listed, and by webhook', async () => {
    const created = await createPart();
    expect(created.status).toBe(200);
    expect(entry(created)).toMatchObject(PARTIAL);
    expect(entry(created)['trackingDetails']?.[0]).toHaveProperty('label');
    expect(await shop.read()).toMatchObject({ ...PARTIAL, dispatches: [{ state: 'held' }] });
    const { warnings: _, trackingDetails: _details, ...briefly } = PARTIAL;
    expect((await shop.get('/v2/consignments?acceptance=partial')).body.data).toMatchObject([briefly]);
    expect((await shop.get('/v2/consignments?acceptance=held')).body.data).toEqual([]);
    const of = await notices();
    expect(of.filter(({ event }) => event === 'consignment.partial')).toMatchObject([
      { info: { operation: 'create', code: 'partial', made: ['P1', 'P3'], missing: ['P2'] } },
    ]);
    expect((await told()).filter((one) => one.startsWith('consignment.tracking'))).toEqual([
      'consignment.tracking P1 P3',
    ]);
  });

  it('sends what is missing again, under a key of its own, and nothing else', async () => {
    await createPart();
    const [before, toldBefore] = [keys['P2'], (await told()).length];
    refusing = {};
    expect(entry(await shop.retry())).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: tracked('P1', 'P2', 'P3'),
    });
    expect(asked).toEqual(['POST /parcels/P2']);
    expect(keys['P2']).not.toBe(before);
    expect((await shop.read())['warnings']).toBeUndefined();
    expect((await told()).slice(toldBefore)).toEqual(['consignment.tracking.2 P2']);
  });

  it('leaves steps that are not needed as they ended, for what came after them is made', async () => {
    refusing = { pickups: 422, P2: 422 };
    await shop.create(three());
    [refusing, asked] = [{}, []];
    expect(entry(await shop.retry())).toMatchObject({ acceptance: 'accepted', warnings: [{ code: 'step_failed' }] });
    expect(asked).toEqual(['POST /parcels/P2']);
  });

  it.each(['P1', 'P2'])('is proved by no push while nobody knows of %s, as others may be missing', async (lost) => {
    refusing = { [lost]: LOST };
    const consignmentNumber = `CON-${lost}`;
    const named = order({ ...THREE, 'consignmentDetails.consignmentNumber': consignmentNumber });
    await shop.create(named, { prefer: 'respond-async' });
    const { token } = await api.issue('carriers/parcels', { environment: 'production' });
    const said = { value: `N-${lost}`, consignmentNumber };
    const push = async (carrierStatus: string) =>
      await api.as(token).post('/v2/carriers/parcels/statuses', { ...said, carrierStatus });
    expect((await push('PICKED_UP')).status).toBe(200);
    await api.work();
    expect(await shop.read()).toMatchObject({ dispatches: [{ state: 'held' }] });
    expect((await push('DELIVERED')).status).toBe(200);
    expect(await shop.read()).toMatchObject({ acceptance: 'held', dispatches: [{ state: 'held' }] });
  });

  it('stays in part where that is refused again, and where an operator retries it', async () => {
    await createPart();
    expect(entry(await shop.retry())).toMatchObject(PARTIAL);
    expect((await admin.post('/admin/dispatches/retry', { ids: [await heldOne()] })).status).toBe(200);
    await api.work();
    expect(asked).toEqual(['POST /parcels/P2', 'POST /parcels/P2']);
  });

  it.each(['\u0000', '\ud800'])(
    'is found by its reason and sent again whatever the carrier says of it: %j',
    async (said) => {
      saying = said;
      await createPart();
      expect(await shop.read()).toMatchObject({ acceptance: 'partial' });
      expect(await heldOne()).toBeDefined();
      refusing = {};
      expect(entry(await shop.retry())).toMatchObject({ acceptance: 'accepted' });
      expect(asked).toEqual(['POST /parcels/P2']);
    },
  );

  it('is cancelled by what exists', async () => {
    await createPart();
    expect(entry(await shop.cancel())).toMatchObject({ status: 'Success', acceptance: 'cancelled' });
    expect(asked).toEqual(['DELETE /parcels/T-P1', 'DELETE /parcels/T-P3']);
    expect(await heldOne()).toBeUndefined();
  });

  it('goes on after one of its parcels was picked up', async () => {
    await createPart();
    await pickUp(0);
    refusing = {};
    expect(entry(await shop.retry())).toMatchObject({ acceptance: 'accepted' });
    expect(await statuses()).toEqual(['Order Picked Up', 'Order Created', 'Order Created']);
  });

  it('is a create that failed where nothing of it was made', async () => {
    refusing = { P1: 422, P2: 422, P3: 422 };
    expect((await shop.create(three())).status).toBe(422);
  });
});

const instructed = () => shop.change({ deliveryInstructions: 'ring twice' });
const toOther = () => shop.change({}, { carrier: { code: 'rigid' } });

describe.each([
  ['cancel', () => shop.cancel(), []],
  ['update that cancels first', instructed, ['parcels']],
  ['move to another carrier', toOther, ['rigid']],
])('a %s of what is there in part', (_, ask, makers) => {
  it('leaves the missing package to a retry where the carrier refuses it', async () => {
    hasLabels = false;
    await createPart();
    refusing = { 'T-P1': 409 };
    await ask();
    expect(asked).toEqual(['DELETE /parcels/T-P1']);
    const { reason } = PARTIAL;
    expect(await shop.read()).toMatchObject({ acceptance: 'partial', reason, trackingDetails: tracked('P1', 'P3') });
    [refusing, asked] = [{}, []];
    expect(entry(await shop.retry())).toMatchObject({ acceptance: 'accepted' });
    expect(asked).toEqual(['POST /parcels/P2']);
  });

  it('lets go of it with the parcels that were made', async () => {
    hasLabels = false;
    await createPart();
    refusing = {};
    expect((await ask()).status).toBe(200);
    expect(await heldOne()).toBeUndefined();
    expect(asked.filter((one) => one === 'POST /parcels/P2')).toEqual(makers.map(() => 'POST /parcels/P2'));
  });
});

describe('an update of what is there in part', () => {
  it('is refused where the carrier would take it for the part', async () => {
    await createPart('rigid');
    expect(await instructed()).toMatchObject({
      status: 409,
      body: { code: 'partial', data: { acceptance: 'partial' } },
    });
    expect(asked).toEqual([]);
  });

  it('makes all anew where it cancels and creates; of that, too, the missing part is made later', async () => {
    await createPart();
    refusing = { P1: 422 };
    const updated = entry(await instructed());
    expect(asked.filter((one) => one.startsWith('DELETE'))).toEqual(['DELETE /parcels/T-P1', 'DELETE /parcels/T-P3']);
    expect(updated).toMatchObject({ acceptance: 'partial', trackingDetails: tracked('P2', 'P3') });
    await pickUp(1);
    [refusing, asked] = [{}, []];
    expect(entry(await shop.retry())).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: tracked('P1', 'P2', 'P3'),
    });
    expect(asked).toEqual(['POST /parcels/P1']);
    expect(await statuses()).toEqual(['Order Created', 'Order Picked Up', 'Order Created']);
  });

  it('keeps what is made anew while nobody knows of the rest', async () => {
    await createPart();
    refusing = { P1: 422 };
    await instructed();
    refusing = { P1: LOST };
    await shop.retry();
    expect(await shop.read()).toMatchObject({ trackingDetails: tracked('P2', 'P3') });
    const [record] = await api.sql('select acceptance from consignments order by id desc limit 1');
    expect(record).toEqual({ acceptance: 'accepted' });
  });
});

const resolved = async (outcome: string, more: object = {}) => {
  await createPart();
  return await admin.post(`/admin/dispatches/${await heldOne()}/resolve`, { outcome, note: 'Seen there', ...more });
};

const numbersOf = (...ids: string[]) =>
  ids.map((packageId) => ({ packageId, trackingNumber: packageId === 'P2' ? 'OP-2' : `T-${packageId}` }));

describe('an operator, who looked at the carrier,', () => {
  it('gives the numbers of all that is there', async () => {
    expect((await resolved('done')).status).toBe(400);
    const trackingNumbers = numbersOf('P1', 'P2', 'P3');
    const done = await admin.post(`/admin/dispatches/${await heldOne()}/resolve`, {
      outcome: 'done',
      note: 'x',
      trackingNumbers,
    });
    expect(done.body).toMatchObject({ state: 'done', acceptance: 'accepted' });
    expect((await shop.read())['trackingDetails']).toMatchObject([{}, { trackingNumber: 'OP-2' }, {}]);
  });

  it('says that the rest will not be made: the part stays', async () => {
    expect((await resolved('rejected')).body).toMatchObject({ state: 'rejected', acceptance: 'accepted' });
    expect(await shop.read()).toMatchObject({ acceptance: 'partial', trackingDetails: tracked('P1', 'P3') });
  });

  it('says that nothing of it is left, so that all is made anew', async () => {
    await resolved('not_done');
    expect(await shop.read()).toMatchObject({ acceptance: 'held', trackingDetails: [] });
    refusing = {};
    expect(entry(await shop.retry())).toMatchObject({ acceptance: 'accepted' });
    expect(asked).toEqual(['POST /pickups', 'POST /parcels/P1', 'POST /parcels/P2', 'POST /parcels/P3']);
  });
});

describe('an operator, who looked for a package that nobody knew of,', () => {
  it('says that it is not there: what exists stays, and the package is made', async () => {
    await createPart();
    refusing = { P2: LOST };
    await shop.retry();
    expect(await shop.read()).toMatchObject({ acceptance: 'held', trackingDetails: tracked('P1', 'P3') });
    const [{ id }] = (await api.sql(`select id from dispatches where state = 'held' and ${LAST}`)) as [{ id: number }];
    const resolved = await admin.post(`/admin/dispatches/${id}/resolve`, { outcome: 'not_done', note: 'No P2 there' });
    expect(resolved.body).toMatchObject({ state: 'held', acceptance: 'accepted' });
    expect(await shop.read()).toMatchObject({ ...PARTIAL, reason: { code: 'partial', message: 'No P2 there' } });
    const before = keys['P2'];
    [refusing, asked] = [{}, []];
    expect(entry(await shop.retry())).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: tracked('P1', 'P2', 'P3'),
    });
    expect(asked).toEqual(['POST /parcels/P2']);
    expect(keys['P2']).not.toBe(before);
  });
});

describe('a step that is not needed', () => {
  it('is a warning of the reply where it fails', async () => {
    refusing = { pickups: 500 };
    expect(entry(await shop.create(three()))).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: tracked('P1', 'P2', 'P3'),
      warnings: [{ code: 'step_failed', message: expect.stringContaining('pickup was not done') as string }],
    });
  });

  it('is not asked for again by the retry of a create that failed, where nobody knows of it', async () => {
    refusing = { pickups: 500, P1: 403, P2: 403, P3: 403 };
    await shop.create(three());
    [refusing, asked] = [{}, []];
    expect(entry(await shop.retry())).toMatchObject({ acceptance: 'accepted', warnings: [{ code: 'step_failed' }] });
    expect(asked).toEqual(['POST /parcels/P1', 'POST /parcels/P2', 'POST /parcels/P3']);
  });
});

const resolve = async (id: number | undefined, more: object) =>
  await admin.post(`/admin/dispatches/${id}/resolve`, { outcome: 'done', note: 'asked them', ...more });

describe('a create whose numbers nobody knows', () => {
  const reason = { code: 'numbers_unknown', message: 'no orders' };
  beforeEach(async () => {
    refusing['orders'] = 409;
    expect(entry(await shop.create(three('booked')))).toMatchObject({
      acceptance: 'partial',
      reason,
      trackingDetails: [],
    });
  });

  it('is partial when read and listed, and is cancelled by what was remembered', async () => {
    expect(await shop.read()).toMatchObject({ acceptance: 'partial', reason });
    expect((await shop.get('/v2/consignments?acceptance=partial')).body.data).toMatchObject([{ reason }]);
    expect((await shop.cancel()).body.data).toMatchObject([{ status: 'Success' }]);
    expect(asked).toEqual(['POST /orders', 'DELETE /orders/O-7']);
  });

  it('is not sent again by a retry', async () => {
    expect(entry(await shop.retry())).toMatchObject({ acceptance: 'partial', reason });
    expect(asked).toEqual(['POST /orders']);
  });

  it('gets its numbers, and what is to be remembered, of an operator', async () => {
    const trackingNumbers = ['P1', 'P2', 'P3'].map((id) => ({ packageId: id, trackingNumber: `T-${id}` }));
    expect((await resolve(await heldOne(), {})).status).toBe(400);
    const wrong = await resolve(await heldOne(), { trackingNumbers, memo: { ordreId: 'O-8' } });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('memo ordreId is not declared')]);
    const [one, ...more] = trackingNumbers;
    const told = { trackingNumbers: [{ ...one, memo: { depot: 'HAM' } }, ...more], memo: { orderId: 'O-8' } };
    expect((await resolve(await heldOne(), told)).status).toBe(200);
    const read = await shop.read();
    expect(read).toMatchObject({ acceptance: 'accepted', trackingDetails: tracked('P1', 'P2', 'P3') });
    expect(read.trackingDetails[0]).toHaveProperty('label');
    const [row] =
      await api.sql(`select c.memo, lacks_numbers, p.memo as own from consignments c join packages p on p.consignment_id = c.id
      where ${LAST} and position = 0`);
    expect([JSON.parse(row.memo), JSON.parse(row.own)]).toEqual([{ orderId: 'O-8' }, { depot: 'HAM' }]);
    expect(row.lacks_numbers).toBeNull();
  });
});
