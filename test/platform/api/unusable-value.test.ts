import { beforeEach, describe, expect, it } from 'vitest';
import { answer, carrierOf, createWorld, profileOf, type Reply, runOf } from '../../engine/dispatch/world.ts';
import { runOperation } from '../../../src/engine/dispatch/operation.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { apiWorld, order, STAMP } from './world.ts';

const api = apiWorld();
const { shop, carrier } = api;

/** Asks for a telephone number and short names, takes no order of more than 25 kg, and needs a number of its account. */
const PICKY = carrierOf(
  profileOf(`create:
  post: /orders
  body: { json: picky.jsonata }
  outcomes: [ { status: 422, do: reject, code: response.body.code, messages: response.body.text, fields: '"destinationPostalCode"' } ]
  result: '{ "itemsTrackDetails": [consignment.itemList.{ "itemReferenceNumber": itemReferenceNumber, "trackingNumber": "T-1" }] }'
update: { put: /orders, body: { json: picky.jsonata } }
cancel: { post: /cancel, body: { json: { why: '\${$cut(remark, $number($first(remark, 9)))}' } } }`),
  {
    'picky.jsonata': `{
  "light": consignment.totalWeight < 0.1 ? $reject("below 100 g"),
  "heavy": consignment.totalWeight > 25 ? $reject("over 25 kg", "WEIGHT"),
  "phone": $phone(consignment.destinationContactNumber, consignment.destinationCountry, "e164"),
  "names": $map(consignment.itemList, function($i) { $wrap($i.itemName, 9, 1) }),
  "depot": $number(settings.account) }`,
  },
);

let account: string;
let reply: Reply;
beforeEach(() => {
  [account, reply] = ['12', {}];
  carrier.answers(async (operation, inputs): Promise<RunOutcome> => {
    const world = createWorld(PICKY, [reply]);
    const settings = { account };
    const credentials = { key: 'key-0123456789' };
    return await runOperation(
      runOf(PICKY, operation, { inputs, account: { id: 1, version: 1, credentials, settings } }),
      world.ports,
    );
  });
});

const PHONE = 'shipTo.contact.contactNumber';
const NAME = 'consignmentDetails.packageDetails[1].description';
const NO_PHONE = `${PHONE}: this is not a telephone number of DE`;
const NO_ROOM = `${NAME}: the text does not fit into 1 lines of 9 characters`;
const wrong = (referenceNumber?: string) => order({ 'shipTo.address.country': 'DE', [PHONE]: 'ask' }, referenceNumber);
const right = () => order({ 'shipTo.address.country': 'DE', [PHONE]: '030 1234567' });

const alerts = () => api.log.lines.filter((line) => JSON.stringify(line).includes('dispatch_held'));

describe('a value of the order that the profile cannot use', () => {
  it('is 422 that names the shipper’s field, with a code, and frees the reference', async () => {
    const { status, body } = await shop.create(wrong());
    expect(status).toBe(422);
    expect(body).toEqual({
      timestamp: STAMP,
      status: 'UNPROCESSABLE_ENTITY',
      code: 'unusable_value',
      message: 'The create holds what cannot be sent to Acme Parcels',
      errors: [NO_PHONE],
      findings: [{ code: 'unusable_value', field: PHONE, message: NO_PHONE }],
      data: { orderNumber: 'ORD-1', referenceNumber: 'REF-1', trackingDetails: [] },
    });
    expect(alerts()).toEqual([]);
    expect((await shop.create(right())).status).toBe(200);
  });

  it('is named with the index of its package', async () => {
    const [box] = right().consignmentDetails.packageDetails;
    const packageDetails = [box, { ...box, id: 'P2', description: 'a name too long' }];
    const body = {
      ...right(),
      consignmentDetails: { ...right().consignmentDetails, totalQuantity: 2, packageDetails },
    };
    expect(await shop.create(body)).toMatchObject({
      status: 422,
      body: { findings: [{ code: 'unusable_value', field: NAME, message: NO_ROOM }] },
    });
  });

  it('of a create that was answered already is told by GET, the list and a webhook', async () => {
    expect(await shop.create(wrong(), { prefer: 'respond-async' })).toMatchObject({ status: 200 });
    await api.work();
    const reason = { code: 'unusable_value', message: NO_PHONE, fields: [PHONE] };
    expect(await shop.read()).toMatchObject({ acceptance: 'rejected', reason });
    expect((await shop.get('/v2/consignments?acceptance=rejected')).body.data).toMatchObject([{ reason }]);
    const [{ body: notice }] = await api.sql(
      'select body from notices order by consignment_id desc, sequence desc limit 1',
    );
    const info = { operation: 'create', code: 'unusable_value', messages: [NO_PHONE], fields: [PHONE] };
    expect(JSON.parse(notice)).toMatchObject({ event: 'consignment.rejected', reason: NO_PHONE, info });
  });

  it('of an update is 422, and the order stays as it was', async () => {
    await shop.create(right());
    const { status, body } = await shop.update({ ...wrong() });
    expect([status, body.code, body.findings]).toEqual([
      422,
      'unusable_value',
      [{ code: 'unusable_value', field: PHONE, message: NO_PHONE }],
    ]);
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted' });
    expect((await api.stored()).order.shipTo.contact.contactNumber).toBe('030 1234567');
  });

  it('of a cancel fails that entry, with code and field', async () => {
    await shop.create(right());
    const { status, body } = await shop.cancel();
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { status: 'Failed', code: 'unusable_value', fields: ['remark'], acceptance: 'accepted' },
    ]);
    expect(body.data[0].message).toBe('The cancellation was not sent: remark: this is not a number');
  });

  it.each(['sandbox', 'production'])('is the same in %s', async (environment) => {
    const { code } = await shop.opened();
    const credentials = { token: 'secret-token' };
    await api.admin.put('/admin/accounts', { shipper: code, carrier: 'acme', environment, credentials });
    const { token } = await api.issue(`shippers/${code}`, { environment });
    expect(await api.as(token).create(wrong())).toMatchObject({ status: 422, body: { code: 'unusable_value' } });
  });
});

it.each([
  ['a value that cannot be used', '$number(consignment.destinationContactNumber)'],
  ['what $reject says', '$reject("too far")'],
  ['a refusal by the carrier', '"none"'],
])('%s after an earlier call was carried out keeps the reference, so that nothing is done twice', async (_, text) => {
  const booking = carrierOf(
    profileOf(`create:
  steps:
    - { id: book, post: /book }
    - { id: pickup, post: /pickup, body: { json: pickup.jsonata } }
  result: '{ "itemsTrackDetails": [] }'`),
    { 'pickup.jsonata': `{ "phone": ${text} }` },
  );
  const sent: string[] = [];
  carrier.answers(async (operation, inputs): Promise<RunOutcome> => {
    const world = createWorld(booking, [{}, 422]);
    const outcome = await runOperation(runOf(booking, operation, { inputs }), world.ports);
    sent.push(...world.requests());
    return outcome;
  });
  const { status, body } = await shop.create(wrong());
  expect([status, body.data[0].acceptance]).toEqual([200, 'held']);
  expect(await shop.create(right())).toMatchObject({ status: 409 });
  expect(await shop.retry()).toMatchObject({ status: 409, body: { code: 'undo_failed' } });
  expect(sent.filter((one) => one !== 'POST /pickup')).toEqual(['POST /book']);
});

it('what $reject says keeps its code in the 422', async () => {
  expect(await shop.create(order({ 'consignmentDetails.totalWeight': 30 }))).toMatchObject({
    status: 422,
    body: { code: 'carrier_rejected', errors: ['over 25 kg'], findings: [{ code: 'WEIGHT', message: 'over 25 kg' }] },
  });
  expect((await shop.create(order({ 'consignmentDetails.totalWeight': 0.05 }, 'REF-9'))).body).toMatchObject({
    message: 'The create is not possible with Acme Parcels',
    errors: ['below 100 g'],
  });
});

it('what the carrier refuses names the field that its rule names', async () => {
  reply = answer(422, { code: 'PC', text: 'no such postcode' });
  const field = 'shipTo.address.pincode';
  expect(await shop.create(right())).toMatchObject({
    status: 422,
    body: { code: 'carrier_rejected', findings: [{ code: 'PC', message: 'no such postcode', field }] },
  });
  await shop.create(right(), { prefer: 'respond-async' });
  await api.work();
  expect((await shop.read()).reason).toEqual({ code: 'PC', message: 'no such postcode', fields: [field] });
});

it('a value of the account that is wrong holds the order, and operators are told', async () => {
  account = 'none';
  const { status, body } = await shop.create(right());
  expect([status, body.data[0].acceptance, body.data[0].reason.code]).toEqual([200, 'held', 'mapping_failed']);
  const [row] = await api.sql('select failure from dispatches order by id desc limit 1');
  expect(JSON.parse(row.failure)).toMatchObject({ why: 'config_error' });
});
