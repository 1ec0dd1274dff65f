import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../src/workbench/replay/payload.ts';
import { recognise } from '../../../src/workbench/replay/recognise.ts';
import { targetOf } from '../../../src/workbench/replay/target.ts';
import { runPayload } from '../../../src/workbench/replay/run-payload.ts';
import { carrierOf } from '../../engine/dispatch/world.ts';
import { consignmentNamed } from '../cases/running.ts';
import { startCost } from '../../support/cost.ts';

const PLACE = { file: 'payloads.jsonl', line: 3, column: 1 };

/** A call a package, two operations on one URL but for its action, an own webhook. */
const ACME = `carrier: acme
name: Acme
services: { Express: { typeOfService: EXPRESS, code: E } }
environments: { production: { url: 'https://api.acme.example/v1' } }
credentials: { key: { secret: true } }
auth: login
auths:
  login:
    session:
      login: { post: /login, body: { json: { key: '\${credentials.key}' } } }
      token: response.body.token
operations:
  create:
    forEach: consignment.itemList
    post: /parcels
    body: { json: { reference: '\${item.itemReferenceNumber}', kilos: '\${item.itemWeight}' } }
    result: |
      { "itemsTrackDetails": steps.create.{
          "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number,
          "label": { "url": body.label } } }
  cancel: { forEach: shipment.packages, delete: '/parcels/\${item.trackingNumber}' }
  track:
    get: '/parcels/\${item.trackingNumber}/events'
    result: 'response.body.events.{ "carrierStatusCode": code, "statusReceivedAt": at }'
outcomes:
  - { when: response.body.error, do: reject, code: response.body.error, messages: response.body.error }
statuses:
  webhook: { auth: { apiKey: { header: x-key, value: '\${credentials.key}' } }, events: 'request.body.{ "value": number, "carrierStatusCode": code, "statusReceivedAt": at }' }
  table: { MOVING: In Transit, DONE: Order Delivered }
`;

const acme = carrierOf(ACME);
const running = { nowMs: Date.parse('2026-05-01T09:00:00Z') };
const run = async (value: unknown, as?: Parameters<typeof recognise>[2]) => {
  const [payload] = recognise(value, PLACE, as);
  return await runPayload(payload as Payload, acme, running);
};
const ORDERED = { method: 'POST', url: 'https://api.acme.example/v1/parcels', headers: [] };
/** An entry of a HAR: what the carrier answered to that request. */
const answered = (status: number, body: unknown, request: object = ORDERED): object => ({
  request,
  response: { status, headers: [], content: { mimeType: 'application/json', text: JSON.stringify(body) } },
});
const got = (path: string): object => ({ method: 'GET', url: `https://api.acme.example/v1/${path}`, headers: [] });
const postedToUs = (path: string): object => ({
  request: { method: 'POST', url: `https://waybill.example/v2/${path}`, headers: [], postData: { text: '{}' } },
  response: { status: 200, headers: [], content: {} },
});
const kindsOf = (entry: object) => recognise(entry, PLACE, undefined).map(({ kind, carrier }) => [kind, carrier]);

describe('a consignment', () => {
  test('shows every request that would be sent, the login among them', async () => {
    const [seen] = await run(consignmentNamed('three-boxes-de'));
    expect(seen).toMatchObject({ action: 'create', outcome: 'built', events: [] });
    expect(seen?.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', 'https://api.acme.example/v1/login', { key: 'example-key' }],
      ...[1, 2, 3].map((at) => ['POST', ORDERED.url, { reference: `PKG-${at}`, kilos: 2.4 }]),
    ]);
  });

  test('to be cancelled is cancelled by the numbers of its packages', async () => {
    const consignment = consignmentNamed('one-box-de');
    const itemList = (consignment['itemList'] as object[]).map((item) => ({ ...item, itemTrackingNumber: 'A1' }));
    const [seen] = await run({ ...consignment, itemList, typeOfAction: 'CANCEL' });
    expect(seen).toMatchObject({ action: 'cancel', outcome: 'built' });
    expect(seen?.requests.at(-1)).toMatchObject({ method: 'DELETE', url: 'https://api.acme.example/v1/parcels/A1' });
  });

  test('that lacks what the contract demands is of no use', async () => {
    const { destinationCity: _, ...consignment } = consignmentNamed('one-box-de');
    const [seen] = await run(consignment);
    expect(seen).toMatchObject({ action: 'create', outcome: 'invalid', requests: [] });
    expect(seen?.messages?.join()).toContain('destinationCity');
  });
});

test('an order that breaks the structure is refused as the API would', async () => {
  const [seen] = await run({ consignmentDetails: {}, shipTo: {}, carrier: { code: 'acme' } });
  expect(seen).toMatchObject({ action: 'order', outcome: 'reject', code: 'http_400' });
});

describe('a status push', () => {
  test('shows the status it results in', async () => {
    const [seen] = await run({ value: 'A1', carrierStatusCode: 'MOVING', statusReceivedAt: '2026-05-01 08:00:00' });
    expect(seen?.events).toEqual([
      expect.objectContaining({
        carrierStatus: 'MOVING',
        status: 'In Transit',
        occurredAt: '2026-05-01T08:00:00.000Z',
      }),
    ]);
  });

  test('in the carrier’s own form is mapped without its proof', async () => {
    const [seen] = await run({ number: 'A1', code: 'LOST', at: '2026-05-01T08:00:00Z' }, { kind: 'webhook' });
    expect(seen?.events).toEqual([expect.objectContaining({ carrierStatus: 'LOST', status: 'Unmapped' })]);
  });
});

describe('an answer of a HAR', () => {
  const label = 'https://files.example/1.pdf';
  test.each([
    [
      'finds its step, is classified and mapped',
      answered(200, { number: 'A1', label }),
      { action: 'create', outcome: 'succeed', result: { itemsTrackDetails: [{ trackingNumber: 'A1', label }] } },
    ],
    [
      'is refused by the rule of the profile',
      answered(400, { error: 'NO_STREET' }),
      { action: 'create', outcome: 'reject', code: 'NO_STREET', messages: ['NO_STREET'] },
    ],
    [
      'of a track shows its statuses',
      answered(200, { events: [{ code: 'DONE', at: '2026-05-01' }] }, got('parcels/A1/events?x=1')),
      { action: 'track', outcome: 'succeed', events: [{ status: 'Order Delivered' }] },
    ],
    [
      'without a tracking number leaves nobody knowing',
      answered(200, {}),
      { outcome: 'unknown_outcome', code: 'answer_inconsistent' },
    ],
  ])('%s', async (_, entry, seen) => expect((await run(entry))[0]).toMatchObject(seen));

  test('to a request that the profile does not make cannot be used', async () => {
    const rates = run(answered(200, {}, got('rates')));
    await expect(rates).rejects.toThrow('GET https://api.acme.example/v1/rates is no request of acme');
  });

  test.each([
    ['consignments', ['order', undefined]],
    ['carriers/acme/statuses', ['push', 'acme']],
    ['carriers/acme/webhook/1', ['webhook', 'acme']],
  ])('that is a call to our %s is what it says', (path, kind) => expect(kindsOf(postedToUs(path))).toEqual([kind]));
});

test('what is nothing we know has to be named', () => {
  expect(() => recognise({ hello: 1 }, PLACE, undefined)).toThrow(
    'it is no order, consignment, status update or exchange',
  );
  expect(recognise({ hello: 1 }, PLACE, { kind: 'answer', target: { operation: 'create' } })).toMatchObject([
    { kind: 'answer', target: { operation: 'create' } },
  ]);
});

const callTo = (path: string) => ({ method: 'POST', url: `https://api.acme.example/v1${path}`, headers: {} }) as never;
const LONG = `/a${'x'.repeat(300)}`;

test('a call fits a URL of many placeholders, or does not, at once', () => {
  const url = `/a${'${item.itemReferenceNumber}'.repeat(14)}/b`;
  const carrier = carrierOf(ACME.replace('post: /parcels\n', `post: '${url}'\n`));
  const cost = startCost();
  expect(targetOf(carrier, callTo(`${LONG}/b`)).step.id).toBe('create');
  expect(() => targetOf(carrier, callTo(`${LONG}/c`))).toThrow('is no request of acme');
  expect(cost()).toBeLessThan(1_000);
});
