import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SimulatedCarrier } from '../../simulator/carrier.ts';
import { carrier } from '../../simulator/plain.ts';
import { start } from '../../simulator/server.ts';
import { basic, call, type Called, type Loose, openReceiver, order, simulating } from './call.ts';

const plain = simulating('plain', { authorization: 'Bearer simulated-plain-token' }, {});
const REFERENCE = 'REF-1001';
const { itemList: items } = order('plain', 'three-packages');
const send = async (change: object = {}): Promise<Called> =>
  await plain.ask('POST', '', order('plain', 'one-package', change));
const control = async (path: string, body: unknown): Promise<Called> =>
  await call('POST', `${plain.simulator.url}/_control/${path}`, { body });

describe('the simulator', () => {
  it('finds its carriers by their files and says where each listens', () => {
    const { url, carriers } = plain.simulator;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(carriers).toMatchObject({
      plain: `${url}/plain/consignments`,
      dhl_express: `${url}/dhl_express/mydhlapi`,
      seko: `${url}/seko`,
    });
  });

  it('serves only the carriers asked for, and names the known ones otherwise', async () => {
    await plain.restart({ carriers: ['seko'] });
    expect(Object.keys(plain.simulator.carriers)).toEqual(['seko']);
    expect((await call('POST', `${plain.simulator.url}/plain/consignments`)).status).toBe(404);
    await expect(start({ carriers: ['nobody'] })).rejects.toThrow(/"nobody"; there are .*plain/);
  });

  it('hosts a carrier that is given as an object, whatever it speaks', async () => {
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
    await plain.restart({ carriers: [soap] });
    const { carriers, url } = plain.simulator;
    const { text } = await call('POST', carriers['soapy']!, { body: '<order/>', headers: { soapaction: '"store"' } });
    expect(text).toBe(`<ok action="store" size="8" at="${url}/soapy"/>`);
  });

  it('takes other credentials than its own', async () => {
    await plain.restart({ carriers: [carrier], credentials: { plain: { token: 'another-token' } } });
    expect(plain.simulator.credentials['plain']).toEqual({ token: 'another-token' });
    expect((await send()).status).toBe(401);
  });

  it('logs requests whole, and no more than the newest thousand', async () => {
    await send();
    const [request] = plain.simulator.requests;
    expect(request).toMatchObject({ carrier: 'plain', method: 'POST', path: '/consignments', status: 200 });
    expect(JSON.parse(request!.body)).toEqual(order('plain'));
    expect((await call('GET', `${plain.simulator.url}/_control/requests`)).body).toHaveLength(1);
    for (let sent = 1; sent < 1005; sent += 1) await fetch(`${plain.simulator.url}/seko/x${sent}`);
    expect(plain.simulator.requests).toHaveLength(1000);
    expect(plain.simulator.requests[0]?.path).toBe('/x5');
  });

  it('refuses a body of more than 5 MB', async () => {
    expect((await plain.ask('POST', '', 'x'.repeat(5_000_001))).status).toBe(413);
  });

  it('closes though a request hangs', async () => {
    plain.simulator.behave('plain', { do: 'hang' });
    const hanging = send().catch((error: unknown) => error);
    await expect.poll(() => plain.simulator.requests.length).toBe(1);
    await plain.simulator.close();
    expect(await hanging).toBeInstanceOf(Error);
  });
});

const isKnown = (): boolean => plain.simulator.shipments('plain').length > 0;
const behave = (behaviour: Parameters<typeof plain.simulator.behave>[1]): void =>
  plain.simulator.behave('plain', behaviour);

describe('misbehaviour', () => {
  it('is slow, and does the work', async () => {
    behave({ do: 'slow', ms: 80 });
    const started = performance.now();
    expect((await send()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(70);
  });

  it.each([400, 429, 500, 503])('answers %i in the carrier’s form, without doing the work', async (status) => {
    behave({ do: 'status', status, message: 'no such luck', retryAfterSeconds: 7 });
    const answer = await send();
    expect(answer).toMatchObject({ status, body: { status, referenceId: REFERENCE, errors: ['no such luck'] } });
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(isKnown()).toBe(false);
    expect((await send()).status).toBe(200);
  });

  it('can fail after the work is done', async () => {
    behave({ do: 'status', acted: true });
    expect((await send()).status).toBe(500);
    expect(isKnown()).toBe(true);
  });

  it('hangs until the caller gives up', async () => {
    behave({ do: 'hang', acted: true });
    const { headers } = plain;
    const asked = { body: order('plain'), headers, signal: AbortSignal.timeout(150) };
    await expect(call('POST', plain.simulator.carriers['plain']!, asked)).rejects.toThrow(/timeout|abort/i);
    expect(isKnown()).toBe(true);
    expect(plain.simulator.requests[0]).toMatchObject({ status: null, problem: 'hang' });
  });

  it('resets the connection', async () => {
    behave({ do: 'reset' });
    await expect(send()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(isKnown()).toBe(false);
  });

  it('answers JSON that is none', async () => {
    behave({ do: 'malformed' });
    const { status, headers, text, body } = await send();
    expect([status, body]).toEqual([200, undefined]);
    expect(headers.get('content-type')).toContain('application/json');
    expect(text).toContain(REFERENCE);
  });

  it('answers an HTML page', async () => {
    behave({ do: 'html' });
    const { status, headers } = await send();
    expect([status, headers.get('content-type'), isKnown()]).toEqual([502, 'text/html', false]);
  });

  it('cuts the body short', async () => {
    behave({ do: 'truncated' });
    await expect(send()).rejects.toThrow(/terminated|closed|aborted/i);
    expect(isKnown()).toBe(true);
  });

  it('lasts for the next n requests that fit', async () => {
    behave({ do: 'status', status: 503, times: 2, method: 'POST', path: '/consign' });
    expect((await plain.ask('GET', '')).status).toBe(405);
    const statuses = [(await send()).status, (await send()).status, (await send()).status];
    expect(statuses).toEqual([503, 503, 200]);
  });

  it('can be asked for by HTTP, of one carrier, and called off', async () => {
    await control('behave', { carrier: 'seko', do: 'status' });
    const asked = await control('behave', { carrier: 'plain', do: 'status', status: 500, times: 5 });
    expect(asked.body.waiting).toEqual([{ do: 'status', status: 500, times: 5, left: 5 }]);
    expect((await send()).status).toBe(500);
    await control('clear', { carrier: 'plain' });
    expect((await send()).status).toBe(200);
  });
});

describe('statuses pushed to the platform', () => {
  let platform: Awaited<ReturnType<typeof openReceiver>>;
  const received = (): Loose[] =>
    platform.received.map(({ body, ...rest }) => ({ ...rest, body: JSON.parse(String(body)) }));
  const codes = (): readonly string[] => received().map(({ body }) => body.carrierStatusCode);

  beforeEach(async () => {
    platform = await openReceiver();
    plain.simulator.pushTo({ url: platform.url, secrets: { plain: 'platform-token', seko: 'sekouser:sekopass' } });
  });
  afterEach(async () => {
    await platform[Symbol.asyncDispose]();
  });

  it('carry the contract’s whole body, one request an event, with the carrier’s token', async () => {
    const abroad = { destinationTimezone: 'America/New_York', destinationCity: 'New York' };
    const created = await send({ itemList: items.slice(0, 2), ...abroad });
    const moved = await control('advance', { carrier: 'plain', reference: REFERENCE, status: 'OUT_FOR_DELIVERY' });
    expect(moved.body.events.map((event: Loose) => event.pushes)).toEqual([[{ status: 200 }], [{ status: 200 }]]);
    expect(received()).toHaveLength(2);
    expect(received()[0]?.path).toBe('/v2/carriers/plain/statuses');
    expect(received()[0]?.headers.authorization).toBe('Bearer platform-token');
    expect(received()[0]?.body).toEqual({
      orderNo: 'ORD-1001',
      type: 'Tracking',
      value: created.body.itemsTrackDetails[0].trackingNumber,
      consignmentNumber: 'CON-1001',
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
    await send({ vas: [{ vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['1'] }] });
    await plain.simulator.advance('plain', { reference: REFERENCE, status: 'DELIVERED' });
    const installed = { itemReferenceNumber: 'PKG-1', vasCode: 'INSTALLATION', targetIds: ['1'] };
    expect(received()[0]?.body).toMatchObject({
      extraInfo: { receivedBy: 'Max Sample', pod: [{ type: 'PHOTO' }] },
      installationItems: [{ ...installed, statusTime: '2026-05-01 10:00:00' }],
    });
  });

  it.each([
    ['delivered', 'OUT_FOR_DELIVERY DELIVERED'],
    ['second_try', 'OUT_FOR_DELIVERY DELIVERY_FAILED OUT_FOR_DELIVERY DELIVERED'],
    ['returned', 'OUT_FOR_DELIVERY DELIVERY_FAILED RETURNED_TO_ORIGIN'],
  ])('go the whole way: %s', async (journey, end) => {
    await send();
    await control('play', { carrier: 'plain', reference: REFERENCE, journey, intervalMs: 0 });
    const start = ['SHIPMENT_CREATED', 'PICKED_UP', 'IN_TRANSIT', 'AT_HUB', 'AT_FACILITY'];
    expect(codes()).toEqual([...start, ...end.split(' ')]);
    const instants = plain.simulator.shipments('plain')[0]!.parcels[0]!.events.map((event) => event.at.getTime());
    expect([...new Set(instants)].sort((one, other) => one - other)).toEqual(instants);
  });

  it('may be of one package, at a given time, repeated, with a code and fields of one’s own', async () => {
    await send({ itemList: items });
    await control('advance', {
      carrier: 'plain',
      reference: REFERENCE,
      package: 'PKG-2',
      at: '2026-04-30T22:30:00Z',
      repeat: 2,
      status: { code: 'PICKUP_DONE', description: 'taken', subCode: 'VAN' },
      extra: { extraInfo: { comments: 'late' } },
    });
    expect(received()).toHaveLength(2);
    expect(received()[1]?.body).toEqual(received()[0]?.body);
    expect(received()[0]?.body).toMatchObject({
      carrierStatusCode: 'PICKUP_DONE',
      carrierSubStatusCode: 'VAN',
      statusReceivedAt: '2026-05-01 00:30:00',
      extraInfo: { comments: 'late' },
    });
  });

  it('go out in the carrier’s own webhook form where it has one', async () => {
    const asked = { body: order('seko'), headers: { access_key: 'simulated-access-key' } };
    const created = await call('POST', `${plain.simulator.carriers['seko']}/labels/printshipment`, asked);
    const [{ Connote: connote, Items: parts }] = created.body.Consignments;
    await plain.simulator.advance('seko', { trackingNumber: parts[0].TrackingNo, status: 'DELIVERED' });
    const Events = [{ OmniCode: 'OP-72', EventDT: '2026-05-01T08:00:01', Part: '1' }];
    expect(received()[0]).toMatchObject({
      path: '/v2/carriers/seko/webhook',
      headers: { username: 'sekouser', password: 'sekopass' },
      body: [{ ConsignmentNo: connote, Picked: '', Events }],
    });
    expect(received()[0]?.body[0]).not.toHaveProperty('Reference1');
  });

  it('do not go out for a carrier that is only polled', async () => {
    const asked = { body: order('dhl_express'), headers: basic('simulated-key', 'simulated-secret') };
    await call('POST', `${plain.simulator.carriers['dhl_express']}/shipments`, asked);
    const [event] = await plain.simulator.advance('dhl_express', { reference: REFERENCE, status: 'PICKED_UP' });
    expect(event).toMatchObject({ code: 'PU', pushes: [] });
  });

  it('that fail are told and logged', async () => {
    plain.simulator.pushTo({ url: 'http://127.0.0.1:1', secrets: { plain: 'platform-token' } });
    await send();
    const [event] = await plain.simulator.advance('plain', { reference: REFERENCE, status: 'PICKED_UP' });
    expect(event?.pushes[0]).toHaveProperty('error');
    expect(plain.simulator.pushes[0]?.result).toHaveProperty('error');
  });

  it('go out by themselves with autoplay', async () => {
    const pushTo = { url: platform.url, secrets: { plain: 'platform-token' } };
    await plain.restart({ carriers: [carrier], autoplay: { intervalMs: 5 }, pushTo });
    await send();
    await expect.poll(() => codes().at(-1), { timeout: 5000 }).toBe('DELIVERED');
    expect(received()).toHaveLength(7);
  });

  it('end when the shipment is cancelled', async () => {
    await send();
    const playing = plain.simulator.play('plain', { reference: REFERENCE, intervalMs: 300 });
    expect((await send({ typeOfAction: 'CANCEL' })).status).toBe(200);
    expect([await playing, received()]).toEqual([[], []]);
  });

  it('can be pointed at the platform later, by HTTP', async () => {
    await control('push-to', { url: `${platform.url}/`, secrets: { plain: 'later-token' } });
    await send();
    await plain.simulator.advance('plain', { reference: REFERENCE, status: 'PICKED_UP' });
    expect(received()[0]?.headers.authorization).toBe('Bearer later-token');
  });
});

it.each([
  ['behave', { carrier: 'plain', do: 'dance' }, 400, /"do" must be one of/],
  ['behave', { carrier: 'plain', do: 'slow', ms: -1 }, 400, /"ms" must be an integer/],
  ['behave', { carrier: 'plain', do: 'slow', often: 1 }, 400, /unknown key "often"/],
  ['behave', { carrier: 'nobody', do: 'slow' }, 404, /no carrier "nobody"/],
  ['advance', { carrier: 'plain', reference: 'REF-9', status: 'PICKED_UP' }, 404, /no such parcel/],
  ['advance', { carrier: 'plain', reference: REFERENCE, status: 'LOST_IN_SPACE' }, 400, /"status" must be a stage/],
  ['advance', { carrier: 'plain', reference: REFERENCE, status: 'PICKED_UP', at: 'noon' }, 400, /"at" must be/],
])('%s that makes no sense is refused: %j', async (path, asked, status, reason) => {
  const answer = await control(path, asked);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatch(reason);
});
