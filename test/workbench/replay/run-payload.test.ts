import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../src/workbench/replay/payload.ts';
import { recognise } from '../../../src/workbench/replay/recognise.ts';
import { runPayload } from '../../../src/workbench/replay/run-payload.ts';
import { ACME, consignmentNamed, PLACE, written } from './running.ts';

const acme = written(ACME);
const running = { nowMs: Date.parse('2026-05-01T09:00:00Z') };
const run = async (value: unknown, as?: Parameters<typeof recognise>[2]) => {
  const [payload] = recognise(value, PLACE, as);
  return await runPayload(payload as Payload, acme, running);
};
const answered = (entry: object): object => ({
  request: { method: 'POST', url: 'https://api.acme.example/v1/parcels', headers: [] },
  response: { status: 200, headers: [], content: { mimeType: 'application/json', text: '{}' } },
  ...entry,
});
const responds = (status: number, body: unknown): object => ({
  response: { status, headers: [], content: { mimeType: 'application/json', text: JSON.stringify(body) } },
});

const post = (url: string, body: unknown) => ({
  request: {
    method: 'POST',
    url,
    headers: [],
    postData: { mimeType: 'application/json', text: JSON.stringify(body) },
  },
  response: { status: 200, headers: [], content: {} },
});
const kindsOf = (entry: object) => recognise(entry, PLACE, undefined).map(({ kind, carrier }) => [kind, carrier]);

describe('a consignment', () => {
  test('shows every request that would be sent, the login among them', async () => {
    const [seen] = await run(consignmentNamed('three-boxes-de'));
    expect(seen).toMatchObject({ action: 'create', outcome: 'built', events: [] });
    expect(seen?.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', 'https://api.acme.example/v1/login', { key: 'example-key' }],
      ['POST', 'https://api.acme.example/v1/parcels', { reference: 'PKG-1', kilos: 2.4 }],
      ['POST', 'https://api.acme.example/v1/parcels', { reference: 'PKG-2', kilos: 2.4 }],
      ['POST', 'https://api.acme.example/v1/parcels', { reference: 'PKG-3', kilos: 2.4 }],
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

describe('an order', () => {
  test('that breaks the structure is refused as the API would', async () => {
    const [seen] = await run({ consignmentDetails: {}, shipTo: {}, carrier: { code: 'acme' } });
    expect(seen).toMatchObject({ action: 'order', outcome: 'reject', code: 'http_400' });
  });
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
  test('finds its step, is judged and mapped', async () => {
    const [seen] = await run(answered(responds(200, { number: 'A1', label: 'https://files.example/1.pdf' })));
    expect(seen).toMatchObject({
      action: 'create',
      outcome: 'succeed',
      result: { itemsTrackDetails: [{ trackingNumber: 'A1', label: 'https://files.example/1.pdf' }] },
    });
  });

  test('is refused by the rule of the profile', async () => {
    const [seen] = await run(answered(responds(400, { error: 'NO_STREET' })));
    expect(seen).toMatchObject({ action: 'create', outcome: 'reject', code: 'NO_STREET', messages: ['NO_STREET'] });
  });

  test('of a track shows its statuses', async () => {
    const request = { method: 'GET', url: 'https://api.acme.example/v1/parcels/A1/events?x=1', headers: [] };
    const [seen] = await run(answered({ request, ...responds(200, { events: [{ code: 'DONE', at: '2026-05-01' }] }) }));
    expect(seen).toMatchObject({ action: 'track', outcome: 'succeed', events: [{ status: 'Order Delivered' }] });
  });

  test('without a tracking number leaves nobody knowing', async () => {
    const [seen] = await run(answered(responds(200, {})));
    expect(seen).toMatchObject({ outcome: 'unknown_outcome', code: 'answer_inconsistent' });
  });

  test('to a request that the profile does not make cannot be used', async () => {
    const request = { method: 'GET', url: 'https://api.acme.example/v1/rates', headers: [] };
    await expect(run(answered({ request }))).rejects.toThrow(
      'GET https://api.acme.example/v1/rates is no request of acme',
    );
  });

  test('that is a call to us is what it says', () => {
    expect(kindsOf(post('https://waybill.example/v2/consignments', {}))).toEqual([['order', undefined]]);
    expect(kindsOf(post('https://waybill.example/v2/carriers/acme/statuses', {}))).toEqual([['push', 'acme']]);
    expect(kindsOf(post('https://waybill.example/v2/carriers/acme/webhook/1', {}))).toEqual([['webhook', 'acme']]);
  });
});

test('what is nothing we know has to be named', () => {
  expect(() => recognise({ hello: 1 }, PLACE, undefined)).toThrow(
    'it is no order, consignment, status update or exchange',
  );
  expect(recognise({ hello: 1 }, PLACE, { kind: 'answer', target: { operation: 'create' } })).toMatchObject([
    { kind: 'answer', target: { operation: 'create' } },
  ]);
});
