import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SimulatedCarrier } from '../../simulator/carrier.ts';
import { carrier } from '../../simulator/plain.ts';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { call, type Called, type Loose } from './call.ts';
import { dhlOrder, now, plainItems, plainOrder, sekoOrder } from './orders.ts';

let simulator: Simulator;
const headers = { authorization: 'Bearer simulated-plain-token' };
const send = async (change: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Called> =>
  await call('POST', simulator.carriers['plain']!, {
    json: plainOrder(change),
    headers,
    ...(signal ? { signal } : {}),
  });
const control = async (path: string, json: unknown): Promise<Called> =>
  await call('POST', `${simulator.url}/_control/${path}`, { json });

beforeEach(async () => {
  simulator = await start({ now: () => now });
});
afterEach(async () => {
  await simulator.close();
});

describe('the simulator', () => {
  it('finds its carriers by their files and says where each listens', () => {
    expect(Object.keys(simulator.carriers)).toEqual(expect.arrayContaining(['dhl_express', 'plain', 'seko']));
    expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(simulator.carriers).toMatchObject({
      plain: `${simulator.url}/plain/consignments`,
      dhl_express: `${simulator.url}/dhl_express/mydhlapi`,
      seko: `${simulator.url}/seko`,
    });
  });

  it('serves only the carriers asked for, and names the known ones otherwise', async () => {
    await simulator.close();
    simulator = await start({ carriers: ['seko'] });
    expect(Object.keys(simulator.carriers)).toEqual(['seko']);
    expect((await call('POST', `${simulator.url}/plain/consignments`)).status).toBe(404);
    await expect(start({ carriers: ['nobody'] })).rejects.toThrow(/"nobody"; there are .*plain/);
  });

  it('hosts a carrier that is given as an object, whatever it speaks', async () => {
    await simulator.close();
    const soap: SimulatedCarrier = {
      ...carrier,
      code: 'soapy',
      basePath: '/services/Ship',
      handle: ({ body, headers: given }, world) => ({
        status: 200,
        headers: { 'content-type': 'text/xml' },
        body: Buffer.from(`<ok action=${String(given['soapaction'])} size="${body.length}" at="${world.url}"/>`),
      }),
    };
    simulator = await start({ carriers: [soap] });
    const response = await fetch(simulator.carriers['soapy']!, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', soapaction: '"store"' },
      body: '<order/>',
    });
    expect(await response.text()).toBe(`<ok action="store" size="8" at="${simulator.url}/soapy"/>`);
  });

  it('takes other credentials than its own', async () => {
    await simulator.close();
    simulator = await start({ carriers: [carrier], credentials: { plain: { token: 'another-token' } } });
    expect(simulator.credentials['plain']).toEqual({ token: 'another-token' });
    expect((await send()).status).toBe(401);
  });

  it('logs the newest requests, whole', async () => {
    await send();
    const [request] = simulator.requests;
    expect(request).toMatchObject({ carrier: 'plain', method: 'POST', path: '/consignments', status: 200 });
    expect(JSON.parse(request!.body)).toEqual(plainOrder());
    expect((await call('GET', `${simulator.url}/_control/requests`)).body).toHaveLength(1);
  });

  it('keeps no more than a thousand requests', async () => {
    for (let sent = 0; sent < 1005; sent += 1) await fetch(`${simulator.url}/seko/x${sent}`, { method: 'GET' });
    expect(simulator.requests).toHaveLength(1000);
    expect(simulator.requests[0]?.path).toBe('/x5');
  });

  it('refuses a body of more than 5 MB', async () => {
    const response = await fetch(simulator.carriers['plain']!, { method: 'POST', body: 'x'.repeat(5_000_001) });
    expect(response.status).toBe(413);
  });

  it('closes though a request hangs', async () => {
    simulator.behave('plain', { do: 'hang' });
    const hanging = send().catch((error: unknown) => error);
    await expect.poll(() => simulator.requests.length).toBe(1);
    await simulator.close();
    expect(await hanging).toBeInstanceOf(Error);
  });
});

const isKnown = (): boolean => simulator.shipments('plain').length > 0;

describe('misbehaviour', () => {
  it('is slow, and does the work', async () => {
    simulator.behave('plain', { do: 'slow', ms: 80 });
    const started = performance.now();
    expect((await send()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(70);
  });

  it.each([400, 429, 500, 503])('answers %i in the carrier’s form, without doing the work', async (status) => {
    simulator.behave('plain', { do: 'status', status, message: 'no such luck', retryAfterSeconds: 7 });
    const answer = await send();
    expect(answer).toMatchObject({ status, body: { status, referenceId: 'REF-1', errors: ['no such luck'] } });
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(isKnown()).toBe(false);
    expect((await send()).status).toBe(200);
  });

  it('can fail after the work is done', async () => {
    simulator.behave('plain', { do: 'status', acted: true });
    expect((await send()).status).toBe(500);
    expect(isKnown()).toBe(true);
  });

  it('hangs until the caller gives up', async () => {
    simulator.behave('plain', { do: 'hang', acted: true });
    await expect(send({}, AbortSignal.timeout(150))).rejects.toThrow(/timeout|abort/i);
    expect(isKnown()).toBe(true);
    expect(simulator.requests[0]).toMatchObject({ status: null, problem: 'hang' });
  });

  it('resets the connection', async () => {
    simulator.behave('plain', { do: 'reset' });
    const error: Loose = await send().catch((cause: unknown) => cause);
    expect(error.cause.code).toBe('ECONNRESET');
    expect(isKnown()).toBe(false);
  });

  it('answers JSON that is none', async () => {
    simulator.behave('plain', { do: 'malformed' });
    const answer = await send();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.text).toContain('REF-1');
    expect(answer.body).toBeUndefined();
  });

  it('answers an HTML page', async () => {
    simulator.behave('plain', { do: 'html' });
    const answer = await send();
    expect(answer.status).toBe(502);
    expect(answer.headers.get('content-type')).toBe('text/html');
    expect(isKnown()).toBe(false);
  });

  it('cuts the body short', async () => {
    simulator.behave('plain', { do: 'truncated' });
    await expect(send()).rejects.toThrow(/terminated|closed|aborted/i);
    expect(isKnown()).toBe(true);
  });

  it('lasts for the next n requests that fit', async () => {
    simulator.behave('plain', { do: 'status', status: 503, times: 2, method: 'POST', path: '/consign' });
    expect((await call('GET', simulator.carriers['plain']!)).status).toBe(405);
    const statuses = [(await send()).status, (await send()).status, (await send()).status];
    expect(statuses).toEqual([503, 503, 200]);
  });

  it('can be asked for by HTTP, and called off', async () => {
    const asked = await control('behave', { carrier: 'plain', do: 'status', status: 500, times: 5 });
    expect(asked.body.waiting).toEqual([{ do: 'status', status: 500, times: 5, left: 5 }]);
    expect((await send()).status).toBe(500);
    await control('clear', {});
    expect((await send()).status).toBe(200);
  });

  it.each([
    [{ carrier: 'plain', do: 'dance' }, 400, /"do" must be one of/],
    [{ carrier: 'plain', do: 'slow', ms: -1 }, 400, /"ms" must be an integer/],
    [{ carrier: 'plain', do: 'slow', often: 1 }, 400, /unknown key "often"/],
    [{ carrier: 'nobody', do: 'slow' }, 404, /no carrier "nobody"/],
  ])('that makes no sense is refused: %j', async (asked, status, reason) => {
    const answer = await control('behave', asked);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(reason);
  });

  it('belongs to one carrier', async () => {
    simulator.behave('seko', { do: 'status' });
    expect((await send()).status).toBe(200);
  });
});

describe('statuses pushed to the platform', () => {
  let platform: Server;
  let received: { path: string; headers: Loose; body: Loose }[];
  let platformUrl: string;

  beforeEach(async () => {
    received = [];
    platform = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
    platformUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
    simulator.pushTo({ url: platformUrl, secrets: { plain: 'platform-token', seko: 'sekouser:sekopass' } });
  });
  afterEach(() => {
    platform.closeAllConnections();
    platform.close();
  });

  it('carry the contract’s whole body, one request an event, with the carrier’s token', async () => {
    const created = await send({ numberOfShipments: 2, itemList: plainItems(2) });
    const moved = await control('advance', { carrier: 'plain', reference: 'REF-1', status: 'OUT_FOR_DELIVERY' });
    expect(moved.body.events.map((event: Loose) => event.pushes)).toEqual([[{ status: 200 }], [{ status: 200 }]]);
    expect(received).toHaveLength(2);
    expect(received[0]?.path).toBe('/v2/carriers/plain/statuses');
    expect(received[0]?.headers.authorization).toBe('Bearer platform-token');
    expect(received[0]?.body).toEqual({
      orderNo: 'ORD-1',
      type: 'Tracking',
      value: created.body.itemsTrackDetails[0].trackingNumber,
      consignmentNumber: 'CON-1',
      carrierCode: 'plain',
      carrierStatus: 'OUT_FOR_DELIVERY',
      carrierStatusCode: 'OUT_FOR_DELIVERY',
      carrierStatusDescription: 'Loaded for delivery',
      carrierSubStatus: '',
      carrierSubStatusCode: '',
      carrierSubStatusDescription: '',
      statusReceivedAt: '2026-05-01 04:00:00',
      eventTimezone: 'America/New_York',
      locationCode: '',
      locationName: 'New York',
      latitude: '',
      longitude: '',
      lastUpdatedAt: '2026-05-01 04:00:00',
      statusIdentifierValue: 'FORWARD',
      extraInfo: { expectedDeliveryDate: '2026-05-02' },
      driverName: 'Dana Example',
      vehicleNumber: 'EX-100',
      info: { scanner: 'SIM-1' },
      installationItems: [],
    });
  });

  it('tell who received it, the proof, and the installation', async () => {
    const vas = [{ vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['1'] }];
    await send({ vas });
    await simulator.advance('plain', { reference: 'REF-1', status: 'DELIVERED' });
    expect(received[0]?.body.extraInfo).toMatchObject({ receivedBy: 'Max Sample', pod: [{ type: 'PHOTO' }] });
    expect(received[0]?.body.installationItems).toMatchObject([
      { itemReferenceNumber: 'PKG-1', vasCode: 'INSTALLATION', targetIds: ['1'], statusTime: '2026-05-01 04:00:00' },
    ]);
  });

  it.each([
    ['delivered', 'OUT_FOR_DELIVERY DELIVERED'],
    ['second_try', 'OUT_FOR_DELIVERY DELIVERY_FAILED OUT_FOR_DELIVERY DELIVERED'],
    ['returned', 'OUT_FOR_DELIVERY DELIVERY_FAILED RETURNED_TO_ORIGIN'],
  ] as const)('go the whole way: %s', async (journey, end) => {
    await send();
    await control('play', { carrier: 'plain', reference: 'REF-1', journey, intervalMs: 0 });
    const start = ['SHIPMENT_CREATED', 'PICKED_UP', 'IN_TRANSIT', 'AT_HUB', 'AT_FACILITY'];
    expect(received.map(({ body }) => body.carrierStatusCode)).toEqual([...start, ...end.split(' ')]);
    const instants = simulator.shipments('plain')[0]!.parcels[0]!.events.map((event) => event.at.getTime());
    expect([...new Set(instants)].sort((one, other) => one - other)).toEqual(instants);
  });

  it('may be of one package, at a given time, repeated, with a code and fields of one’s own', async () => {
    await send({ itemList: plainItems(2) });
    await control('advance', {
      carrier: 'plain',
      reference: 'REF-1',
      package: 'PKG-2',
      at: '2026-04-30T22:30:00Z',
      repeat: 2,
      status: { code: 'PICKUP_DONE', description: 'taken', subCode: 'VAN' },
      extra: { extraInfo: { comments: 'late' } },
    });
    expect(received).toHaveLength(2);
    expect(received[1]?.body).toEqual(received[0]?.body);
    expect(received[0]?.body).toMatchObject({
      carrierStatusCode: 'PICKUP_DONE',
      carrierSubStatusCode: 'VAN',
      statusReceivedAt: '2026-04-30 18:30:00',
      extraInfo: { comments: 'late' },
    });
  });

  it('go out in the carrier’s own webhook form where it has one', async () => {
    const created = await call('POST', `${simulator.carriers['seko']!}/labels/printshipment`, {
      json: sekoOrder(2),
      headers: { access_key: 'simulated-access-key' },
    });
    const trackingNumber = created.body.Consignments[0].Items[1].TrackingNo;
    await simulator.advance('seko', { trackingNumber, status: 'DELIVERED' });
    expect(received[0]).toMatchObject({
      path: '/v2/carriers/seko/webhook',
      headers: { username: 'sekouser', password: 'sekopass' },
      body: [
        {
          ConsignmentNo: created.body.Consignments[0].Connote,
          Picked: '',
          Events: [{ OmniCode: 'OP-72', EventDT: '2026-05-01T08:00:01', Part: '2' }],
        },
      ],
    });
    expect(received[0]?.body[0]).not.toHaveProperty('Reference1');
  });

  it('do not go out for a carrier that is only polled', async () => {
    await call('POST', `${simulator.carriers['dhl_express']!}/shipments`, {
      json: dhlOrder(1),
      headers: { authorization: `Basic ${Buffer.from('simulated-key:simulated-secret').toString('base64')}` },
    });
    const [event] = await simulator.advance('dhl_express', { reference: 'REF-1', status: 'PICKED_UP' });
    expect(event).toMatchObject({ code: 'PU', pushes: [] });
  });

  it('that fail are told and logged', async () => {
    simulator.pushTo({ url: 'http://127.0.0.1:1', secrets: { plain: 'platform-token' } });
    await send();
    const [event] = await simulator.advance('plain', { reference: 'REF-1', status: 'PICKED_UP' });
    expect(event?.pushes[0]).toHaveProperty('error');
    expect(simulator.pushes[0]?.result).toHaveProperty('error');
  });

  it('go out by themselves with autoplay', async () => {
    await simulator.close();
    simulator = await start({
      carriers: [carrier],
      autoplay: { intervalMs: 5 },
      pushTo: { url: platformUrl, secrets: { plain: 'platform-token' } },
    });
    await send();
    await expect.poll(() => received.at(-1)?.body.carrierStatusCode, { timeout: 5000 }).toBe('DELIVERED');
    expect(received).toHaveLength(7);
  });

  it('end when the shipment is cancelled', async () => {
    await send();
    const playing = simulator.play('plain', { reference: 'REF-1', intervalMs: 300 });
    expect((await send({ typeOfAction: 'CANCEL' })).status).toBe(200);
    expect(await playing).toEqual([]);
    expect(received).toEqual([]);
  });

  it('can be pointed at the platform later, by HTTP', async () => {
    await control('push-to', { url: `${platformUrl}/`, secrets: { plain: 'later-token' } });
    await send();
    await simulator.advance('plain', { reference: 'REF-1', status: 'PICKED_UP' });
    expect(received[0]?.headers.authorization).toBe('Bearer later-token');
  });

  it.each([
    [{ carrier: 'plain', reference: 'REF-9', status: 'PICKED_UP' }, 404, /no such parcel/],
    [{ carrier: 'plain', reference: 'REF-1', status: 'LOST_IN_SPACE' }, 400, /"status" must be a stage/],
    [{ carrier: 'plain', reference: 'REF-1', status: 'PICKED_UP', at: 'noon' }, 400, /"at" must be/],
  ])('are refused when they make no sense: %j', async (step, status, reason) => {
    const answer = await control('advance', step);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(reason);
  });
});
