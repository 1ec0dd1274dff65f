import { beforeEach, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/engine/error-codes.ts';
import { done, held } from './carrier.ts';
import { ADMIN_TOKEN, apiWorld, type Headers, JSON_TYPE, type Method, order } from './world.ts';

const api = apiWorld();
const { shop, admin, carrier } = api;
const HOOK = { url: 'https://shop.example.com/hook', orderTypes: ['FORWARD'] };

const ask = async (on: string, body?: unknown, headers?: Headers) => {
  const [method = '', url = ''] = on.split(' ');
  const as = url.startsWith('/admin') ? admin : shop;
  return await as.request(method as Method, url, body, headers);
};

describe('the code of an error body', () => {
  beforeEach(async () => {
    carrier.reset();
    await shop.create();
  });

  it.each([
    ['GET /v3/nothing', 'unknown_route'],
    ['DELETE /v2/webhooks', 'method_not_allowed'],
    ['GET /v2/consignments?referenceNumber=nowhere', 'unknown_consignment'],
    ['GET /v2/consignments?colour=red', 'bad_request'],
    ['POST /v2/consignments/nowhere/dispatch', 'unknown_consignment'],
    ['POST /v2/consignments/REF-1/dispatch', 'nothing_held'],
    [`GET /v2/labels/${'x'.repeat(32)}`, 'unknown_label'],
    [`POST /v2/labels/${'x'.repeat(32)}/retry`, 'unknown_label'],
    ['GET /v2/facilities/NOWHERE', 'unknown_facility'],
    ['GET /v2/webhooks/none', 'unknown_webhook'],
    ['GET /v2/webhooks/deliveries/1', 'unknown_delivery'],
    ['GET /v2/webhooks/redeliveries/1', 'unknown_redelivery'],
    ['GET /admin/exchanges?shipper=nobody&referenceNumber=x', 'unknown_consignment'],
    ['POST /admin/labels/xxxxxxxxxxxxxxxx/retry', 'unknown_label'],
    ['DELETE /admin/tokens/none', 'unknown_token'],
  ])('says in one word what is wrong: %s is %s', async (on, code) => {
    const { status, body } = await ask(on);
    expect(body).toMatchObject({ code });
    expect(ERROR_CODES[code as 'conflict'].status).toBe(status);
  });

  it.each([
    ['POST /v2/consignments', order(), 'duplicate_reference'],
    ['POST /v2/consignments', order({ 'carrier.code': 'nobody' }, 'REF-2'), 'rules_broken'],
    ['PUT /v2/consignments', { consignmentDetails: { referenceNumber: 'nowhere' } }, 'unknown_consignment'],
    ['POST /v2/consignments-cancel', { consignments: [{ referenceNumber: 'nowhere' }] }, 'unknown_reference'],
    ['POST /admin/shippers/nobody/tokens', {}, 'unknown_shipper'],
    ['POST /admin/carriers/nobody/tokens', {}, 'unknown_carrier'],
    ['POST /admin/dispatches/99/resolve', { outcome: 'done', note: 'x' }, 'unknown_dispatch'],
  ])('says in one word what is wrong with what was sent: %s %j is %s', async (on, given, code) => {
    const { status, body } = await ask(on, given);
    expect(body).toMatchObject({ code });
    expect(ERROR_CODES[code as 'conflict'].status).toBe(status);
  });

  it('tells no token from a wrong one, and both from one of another kind', async () => {
    const url = '/v2/consignments';
    expect((await api.call({ url })).body.code).toBe('token_missing');
    expect((await api.as('nonsense').get(url)).body.code).toBe('token_invalid');
    expect((await api.as(ADMIN_TOKEN).get(url)).body.code).toBe('token_invalid');
    expect((await api.as((await api.issue('carriers/acme')).token).get(url)).body.code).toBe('forbidden');
  });

  it('tells bytes that cannot be read from an order that is wrong', async () => {
    expect((await ask('POST /v2/consignments', '{', JSON_TYPE)).body).toMatchObject({
      code: 'unreadable_request',
      findings: [{ message: expect.any(String) }],
    });
    expect((await ask('POST /v2/consignments', {})).body).toMatchObject({ code: 'bad_request' });
    expect((await ask('POST /v2/consignments', 'a', { 'content-type': 'text/plain' })).body.code).toBe(
      'unsupported_media_type',
    );
  });

  it('tells a key that was used for something else', async () => {
    const headers = { 'idempotency-key': 'one' };
    await shop.create(order({}, 'REF-2'), headers);
    expect((await shop.create(order({}, 'REF-3'), headers)).body.code).toBe('idempotency_key_reused');
  });

  it('tells why a consignment can no longer be changed', async () => {
    await api.reached('In Transit');
    expect((await shop.change({ deliveryInstructions: 'x' })).body.code).toBe('dispatched');
    await api.reached('Order Created');
    await shop.cancel();
    expect((await shop.change({ deliveryInstructions: 'x' })).body.code).toBe('cancelled');
  });

  it('tells that nobody knows of a create, and that an action is under way', async () => {
    carrier.answers(held('unknown_outcome'));
    await shop.create(order({}, 'REF-2'));
    expect((await shop.update({ consignmentDetails: { referenceNumber: 'REF-2' } })).body.code).toBe('create_unknown');
    carrier.answers('nothing');
    await shop.change({ deliveryInstructions: 'one' });
    expect((await shop.change({ deliveryInstructions: 'two' })).body.code).toBe('under_way');
    carrier.answers(done());
  });

  it('names each finding by its field and a code', async () => {
    const wrong = order({ 'shipTo.contact': { name: 'Max' }, 'consignmentDetails.totalWeight': 'x' }, 'REF-2');
    expect((await shop.create(wrong)).body.findings).toEqual(
      expect.arrayContaining([
        {
          code: 'required',
          field: 'shipTo.contact.contactNumber',
          message: 'shipTo.contact.contactNumber is required',
        },
        expect.objectContaining({ code: 'wrong_type', field: 'consignmentDetails.totalWeight' }),
      ]),
    );
    const broken = order({ 'consignmentDetails.totalWeight': -1, 'consignmentDetails.serviceType': 'Rocket' }, 'REF-2');
    const { body } = await shop.create(broken);
    expect(body.findings.map(({ code, field }: Record<string, string>) => [code, field])).toEqual(
      expect.arrayContaining([['positive', 'consignmentDetails.totalWeight']]),
    );
    expect(body.findings.map(({ message }: Record<string, string>) => message)).toEqual(body.errors);
  });

  it('tells the hundred-and-first webhook why there is none', async () => {
    for (let made = 0; made < 100; made += 1) await shop.post('/v2/webhooks', HOOK);
    expect((await shop.post('/v2/webhooks', HOOK)).body.code).toBe('webhook_limit');
  });
});
