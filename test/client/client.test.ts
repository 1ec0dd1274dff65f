import { once } from 'node:events';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { connect, type Order, valueOf, type Waybill, WaybillError } from '../../src/client/client.ts';
import { type Received, readWebhook } from '../../src/client/webhook.ts';
import { flowWorld, plain } from '../flow/world.ts';
import { until } from '../support/until.ts';

const order = (reference: string, packages = 1): Order => orderFor(plain, reference, packages) as unknown as Order;
const LABEL = '^XA^FDexample label^FS^XZ';

describe('the client, with a server', () => {
  const flow = flowWorld();
  let waybill: Waybill;
  beforeAll(() => {
    waybill = connect({ url: `${flow.server.url}/`, token: flow.shop });
  });

  it('creates, reads, updates and cancels', async () => {
    const created = valueOf(await waybill.create(order('C-1')));
    expect(created.trackingDetails[0]?.trackingNumber).toBe('T-C-1-PKG-1');
    expect(valueOf(await waybill.get('C-1'))).toMatchObject({ acceptance: 'accepted', status: 'Order Created' });
    const change = { consignmentDetails: { referenceNumber: 'C-1', deliveryInstructions: 'Example' } };
    expect(await waybill.update(change)).toMatchObject({ ok: true, value: { referenceNumber: 'C-1' } });
    expect(flow.carrier.seen.at(-1)?.body).toMatchObject({ typeOfAction: 'UPDATE', deliveryInstructions: 'Example' });
    const cancelled = await waybill.cancel([{ referenceNumber: 'C-1', remark: 'Example' }]);
    expect(cancelled).toMatchObject({ ok: true, value: { successCount: 1, failedCount: 0 } });
  });

  it('tells refusals apart by their number, each with the body of the specification', async () => {
    await waybill.create(order('C-2'));
    const again = await waybill.create(order('C-2'));
    expect(!again.ok && again.status === 409 && again.body.data?.trackingDetails).toHaveLength(1);
    const broken = await waybill.create({ ...order('C-3'), shipTo: {} as Order['shipTo'] });
    expect(!broken.ok && broken.status === 400 && broken.body.errors[0]?.referenceNumber).toBe('C-3');
    expect(!broken.ok && broken.messages).toContain('shipTo.contact is required');
    const unruly = await waybill.create({ ...order('C-3'), carrier: { code: 'nobody' } });
    expect(!unruly.ok && unruly.status === 422 && unruly.body.data.referenceNumber).toBe('C-3');
    const unknown = await waybill.cancel([{ referenceNumber: 'C-2' }, { referenceNumber: 'NONE' }]);
    expect(!unknown.ok && unknown.status === 400 && 'data' in unknown.body && unknown.body.successCount).toBe(1);
    expect(await waybill.get('NONE')).toMatchObject({ ok: false, status: 404, body: { status: 'NOT_FOUND' } });
    expect(await connect({ url: flow.server.url, token: 'wrong' }).get('C-2')).toMatchObject({
      ok: false,
      status: 401,
    });
    expect(await waybill.retry('C-2')).toMatchObject({ ok: false, status: 409 });
    expect(await waybill.retryLabel('x'.repeat(32))).toMatchObject({ ok: false, status: 404 });
    expect(() => valueOf(again)).toThrow(WaybillError);
    expect(() => valueOf(again)).toThrow(/409: .*C-2 is in use/);
  });

  it('does once what is asked twice under one Idempotency-Key', async () => {
    const options = { idempotencyKey: 'example-key-1' };
    const first = await waybill.create(order('C-4'), options);
    const second = await waybill.create(order('C-4'), options);
    expect([first, second].map((one) => one.ok && one.isReplay)).toEqual([false, true]);
    expect(valueOf(second)).toEqual(valueOf(first));
  });

  it('does not wait for the carrier where it is told not to', async () => {
    expect(valueOf(await waybill.create(order('C-5'), { respondAsync: true })).referenceNumber).toBe('C-5');
  });

  it('asks what there is to know before an order', async () => {
    const carriers: string[] = [];
    for await (const { code } of waybill.allCarriers({ limit: 1 })) carriers.push(code);
    expect(carriers).toContain('plain');
    const address = { line1: '1 Example St', city: 'Berlin', pincode: 'D-10115', country: 'DE' };
    expect(valueOf(await waybill.validateAddress({ address })).suggestion?.pincode).toBe('10115');
    const [shipFrom, shipTo] = [
      { address: { country: 'DE', pincode: '10115' } },
      { address: { country: 'DE', pincode: '20095' } },
    ];
    const question = { consignmentDetails: { packageDetails: [{ weight: 1 }] }, shipFrom, shipTo, carriers: ['plain'] };
    expect(valueOf(await waybill.rates(question))).toMatchObject({
      offers: [],
      unavailable: [{ code: 'not_offered' }],
    });
    expect(valueOf(await waybill.turnaround(question)).unavailable[0]?.code).toBe('not_offered');
    const { slots } = waybill;
    expect(valueOf(await slots.find({ carrier: { code: 'plain' }, shipTo }))).toEqual([]);
    for (const answer of [slots.reserve('x'), slots.confirm('x'), slots.release('x')])
      expect(await answer).toMatchObject({ ok: false, status: 404 });
    const locations = await waybill.locations({ carrier: { code: 'plain' }, near: { country: 'DE' } });
    expect(locations).toMatchObject({ ok: false, status: 404 });
  });

  it('lists by filter, and all of them page by page', async () => {
    for (const reference of ['L-1', 'L-2', 'L-3']) await waybill.create(order(reference));
    const page = valueOf(await waybill.list({ referencePrefix: 'L-', limit: 2 }));
    expect(page.data.map(({ referenceNumber }) => referenceNumber)).toEqual(['L-3', 'L-2']);
    const all: string[] = [];
    for await (const { referenceNumber } of waybill.listAll({ referencePrefix: 'L-', limit: 1 }))
      all.push(referenceNumber);
    expect(all).toEqual(['L-3', 'L-2', 'L-1']);
    const failing = waybill.listAll({ cursor: 'none of ours' });
    await expect(failing.next()).rejects.toThrow(/400: cursor is none that we gave/);
  });

  it('downloads a label by its link, and sends its token to no other server', async () => {
    await waybill.create(order('C-6'));
    await flow.push({
      value: 'T-C-6-PKG-1',
      carrierStatusCode: 'SHIPMENT_CREATED',
      statusReceivedAt: '2026-05-01 08:00:00',
      label: { content: Buffer.from(LABEL).toString('base64') },
    });
    const link = async () => valueOf(await waybill.get('C-6')).labels[0]?.url;
    await until('it is there', async () => (await link()) !== undefined);
    const { bytes, contentType } = valueOf(await waybill.label((await link()) ?? ''));
    expect(Buffer.from(bytes).toString()).toBe(LABEL);
    expect(contentType).toContain('zpl');
    const elsewhere = (await link())?.replace(flow.server.url, 'http://other.example') ?? '';
    expect(await waybill.label(elsewhere)).toMatchObject({ ok: true });
  });

  it('manages facilities', async () => {
    const { contact, address } = order('X').shipFrom;
    for (const code of ['NORTH/1', 'SOUTH']) await waybill.facilities.save(code, { contact, address, name: code });
    expect(valueOf(await waybill.facilities.get('NORTH/1'))).toMatchObject({ code: 'NORTH/1', name: 'NORTH/1' });
    expect(valueOf(await waybill.facilities.list({ limit: 1 })).data).toHaveLength(1);
    const codes: string[] = [];
    for await (const { code } of waybill.facilities.listAll({ limit: 1 })) codes.push(code);
    expect(codes).toEqual(['NORTH/1', 'SOUTH']);
    expect(valueOf(await waybill.facilities.delete('SOUTH'))).toEqual({ code: 'SOUTH', deleted: true });
    expect(await waybill.facilities.get('SOUTH')).toMatchObject({ ok: false, status: 404 });
  });

  it('asks for pickups, and for plans of them', async () => {
    const { contact, address } = order('X').shipFrom;
    const shipFrom = {
      contact,
      address,
      pickupStartDateTime: '2030-05-06 14:00:00',
      pickupEndDateTime: '2030-05-06 15:00:00',
    };
    const asked = { referenceNumber: 'PU/1', carrier: { code: 'plain' }, shipFrom, totalQuantity: 1, totalWeight: 1 };
    expect(await waybill.pickups.book(asked)).toMatchObject({ ok: false, status: 422 });
    const unknown = { ok: false, status: 404 };
    expect(await waybill.pickups.get('PU/1')).toMatchObject(unknown);
    expect(await waybill.pickups.change('PU/1', { totalQuantity: 2 })).toMatchObject(unknown);
    expect(await waybill.pickups.cancel('PU/1')).toMatchObject(unknown);
    expect(await waybill.pickups.retry('PU/1')).toMatchObject(unknown);
    expect(valueOf(await waybill.pickups.list({ carrier: 'plain' })).data).toEqual([]);
    const plan = { carrier: { code: 'plain' }, originFacilityCode: 'NOWHERE', weekdays: ['MON' as const] };
    const saved = await waybill.pickupPlans.save('daily', {
      ...plan,
      pickupStartTime: '14:00',
      pickupEndTime: '15:00',
    });
    expect(saved).toMatchObject({ ok: false, status: 422 });
    expect(await waybill.pickupPlans.get('daily')).toMatchObject({ ok: false, status: 404 });
    expect(await waybill.pickupPlans.end('daily')).toMatchObject({ ok: false, status: 404 });
    expect(valueOf(await waybill.pickupPlans.list()).data).toEqual([]);
  });

  it('makes, reads and lists manifests, and downloads our list', async () => {
    const { contact, address } = order('X').shipFrom;
    await waybill.facilities.save('EAST', { contact, address });
    const sent = order('M-1');
    valueOf(await waybill.create({ ...sent, shipFrom: { contact, address, originFacilityCode: 'EAST' } }));
    const wanted = { carrier: sent.carrier as { code: string }, facilityCode: 'EAST' };
    const { number, documents } = valueOf(await waybill.manifests.create(wanted));
    expect(valueOf(await waybill.manifests.get(number)).packages).toMatchObject([{ referenceNumber: 'M-1' }]);
    expect(valueOf(await waybill.manifests.list({ facilityCode: 'EAST' })).data).toMatchObject([{ number }]);
    const { bytes, contentType } = valueOf(await waybill.manifests.document(documents[0]?.url ?? ''));
    expect([contentType, Buffer.from(bytes).toString('latin1', 0, 5)]).toEqual(['application/pdf', '%PDF-']);
    expect(await waybill.manifests.create(wanted)).toMatchObject({ ok: false, status: 422 });
  });

  it('leads a webhook through its life, and reads what it is sent', async () => {
    const received: Received[] = [];
    const secrets: string[] = [];
    const hook = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const read = readWebhook(secrets, request.headers, Buffer.concat(chunks));
        received.push(read);
        response.writeHead(read.ok ? 200 : 401).end();
      });
    }).listen(0, '127.0.0.1');
    await once(hook, 'listening');
    const { port } = hook.address() as { port: number };
    const { webhooks } = waybill;
    const made = valueOf(await webhooks.create({ url: `http://127.0.0.1:${port}/`, orderTypes: ['FORWARD'] }));
    expect(valueOf(await webhooks.test(made.id))).toMatchObject({ delivered: false, status: 401 });
    secrets.push(made.secret);
    expect(valueOf(await webhooks.test(made.id))).toMatchObject({ delivered: true });
    expect(received.at(-1)).toMatchObject({ ok: true, event: { event: 'webhook.test' } });
    secrets[0] = valueOf(await webhooks.rotate(made.id)).secret;
    await waybill.create(order('W-1', 2));
    const log = async () => valueOf(await webhooks.deliveries({ webhookId: made.id }));
    await until('all is delivered', async () => {
      const { data } = await log();
      return data.length === 1 && data.every(({ state }) => state === 'delivered');
    });
    expect(received.at(-1)).toMatchObject({
      ok: true,
      event: {
        event: 'consignment.tracking',
        referenceNumber: 'W-1',
        trackingDetails: [{ packageId: expect.any(String) }, { packageId: expect.any(String) }],
      },
    });
    expect(valueOf(await webhooks.pause(made.id))).toMatchObject({ state: 'paused', pauseReason: 'requested' });
    const events: string[] = [];
    let last = 0;
    for await (const { id, event } of webhooks.allDeliveries({ webhookId: made.id, limit: 1 })) {
      events.push(event);
      last = id;
    }
    expect(events).toEqual(['consignment.tracking']);
    expect(valueOf(await webhooks.delivery(last)).tries).toHaveLength(1);
    expect(valueOf(await webhooks.redeliver(last))).toEqual({ id: last, state: 'paused' });
    const begun = valueOf(await webhooks.redeliverMatching({ webhookId: made.id, state: 'delivered' }));
    expect(valueOf(await webhooks.redelivery(begun.id)).matching).toBe(begun.matching);
    expect(valueOf(await webhooks.resume(made.id)).state).toBe('active');
    await until('it came again', () => received.length >= 4);
    expect(valueOf(await webhooks.list()).data.map(({ id }) => id)).toContain(made.id);
    expect(valueOf(await webhooks.get(made.id)).url).toBe(made.url);
    expect(valueOf(await webhooks.delete(made.id))).toEqual({ id: made.id, deleted: true });
    hook.close();
    hook.closeAllConnections();
  });
});

/** A server that answers each request by its turn. */
const scripted = (...replies: readonly (Response | Error | 'silence')[]) => {
  const asked: { headers: Headers }[] = [];
  const fetchScripted: typeof fetch = async (_url, init) => {
    const reply = replies[asked.length];
    asked.push({ headers: new Headers(init?.headers) });
    if (reply === 'silence')
      return await new Promise((_, reject) => {
        const abort = () => reject(init?.signal?.reason as Error);
        if (init?.signal?.aborted === true) abort();
        else init?.signal?.addEventListener('abort', abort);
      });
    if (reply === undefined || reply instanceof Error) throw reply ?? new Error('an unexpected request');
    return reply.clone();
  };
  return { asked, waybill: connect({ url: 'https://waybill.example', token: 't', fetch: fetchScripted }) };
};
const reply = (status: number, body: unknown, headers = {}) => new Response(JSON.stringify(body), { status, headers });
const refusal = (status: number, retryAfter = '0') =>
  reply(status, { message: 'not now', errors: [] }, { 'retry-after': retryAfter });
const good = reply(200, { data: [{ referenceNumber: 'R' }] });

describe('the client, when the server', () => {
  it.each([429, 503])('answers %i, asks again when it says, under the same key', async (status) => {
    const { asked, waybill } = scripted(refusal(status), refusal(status), good);
    expect(await waybill.create(order('R'))).toMatchObject({ ok: true });
    expect(new Set(asked.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(asked).toHaveLength(3);
  });

  it('goes on refusing, says so after three repeats, and what Retry-After said', async () => {
    const { asked, waybill } = scripted(...Array.from({ length: 9 }, () => refusal(429)));
    expect(await waybill.get('R')).toMatchObject({ ok: false, status: 429, retryAfterMs: 0, messages: ['not now'] });
    expect(asked).toHaveLength(4);
  });

  it('asks for a longer wait than there is time, does not wait', async () => {
    const { asked, waybill } = scripted(refusal(503, '3600'));
    expect(await waybill.get('R')).toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(asked).toHaveLength(1);
  });

  it('could not be asked twice without harm, repeats only what was not begun', async () => {
    const webhook = { url: 'https://shop.example', orderTypes: ['FORWARD'] } as const;
    const begun = scripted(refusal(503));
    expect(await begun.waybill.webhooks.create({ ...webhook, orderTypes: ['FORWARD'] })).toMatchObject({ status: 503 });
    const refused = scripted(refusal(429), reply(200, { id: 'w' }));
    expect(await refused.waybill.webhooks.create({ ...webhook, orderTypes: ['FORWARD'] })).toMatchObject({ ok: true });
  });

  it('is silent, gives up in time, or when it is told to', async () => {
    const { waybill } = scripted('silence', 'silence');
    expect(await waybill.get('R', { timeoutMs: 10 })).toMatchObject({ ok: false, status: 'timeout' });
    expect(await waybill.get('R', { signal: AbortSignal.abort() })).toMatchObject({ ok: false, status: 'timeout' });
  });

  it('cannot be reached, or is another, throws nothing', async () => {
    const { waybill } = scripted(
      new Error('refused'),
      reply(418, {}),
      new Response('<html>'),
      reply(200, { data: [] }),
    );
    const seen = [];
    for (let tries = 0; tries < 4; tries += 1) seen.push((await waybill.get('R')).status);
    expect(seen).toEqual(['unreachable', 'unreadable', 'unreadable', 'unreadable']);
  });
});
