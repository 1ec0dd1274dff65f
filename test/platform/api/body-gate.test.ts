import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { largeTurns } from '../../../src/engine/large.ts';
import { apiWorld, order, type Reply } from './world.ts';

const MIB = 1024 * 1024;
const ADMITTED = { kind: 'admitted', reply: { status: 200, headers: {} } } as const;
const OTHER = `
carrier: other
name: Other Parcels
environments: { production: { url: 'https://other.example.com' } }
operations: { create: { post: /orders, body: { json: consignment }, result: response.body } }
statuses: { webhook: { auth: none, allow: [127.0.0.0/8], events: request.body }, table: { DELIVERED: Order Delivered } }
`;

type Api = ReturnType<typeof apiWorld>;

const headTo = (path: string, size: number | 'chunked', token = 'none'): string =>
  `POST ${path} HTTP/1.1\r\nHost: example\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\n${
    size === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`
  }\r\n\r\n`;
const webhookOf = (code: string): string => `/v2/carriers/${code}/webhook/1`;

/** Over sockets, for what is not to be read, or does not end. */
const socketsTo = (api: Api) => {
  const open: Socket[] = [];
  let port: number;
  let begunCount = 0;
  beforeAll(async () => {
    port = Number(new URL(await api.app().listen({ port: 0, host: '127.0.0.1' })).port);
    api.app().server.on('request', () => (begunCount += 1));
  });
  const count = () => new Promise((resolve) => api.app().server.getConnections((_error, found) => resolve(found)));
  const end = async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await until('the connections are gone', async () => (await count()) === 0);
  };
  afterEach(end);
  const write = (bytes: string, localAddress = '127.0.0.1'): Socket => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(bytes));
    socket.on('error', () => undefined);
    open.push(socket);
    return socket;
  };
  /** Yields the status of the answer. */
  const asked = async (bytes: string, from?: string): Promise<number> =>
    await new Promise((resolve) => {
      write(bytes, from).once('data', (chunk) => resolve(Number(chunk.toString().split(' ')[1])));
    });
  /** Sends the head of a push and nothing of its body. */
  const begun = async (path: string, size: number, from?: string): Promise<number> =>
    await asked(headTo(path, size), from);
  /** Begins pushes, and waits until they have come: what asks for room meanwhile might take it from the last. */
  const fill = async (count: number, size: number | 'chunked', from: (at: number) => string | undefined) => {
    const before = begunCount;
    for (let at = 0; at < count; at += 1) write(headTo(webhookOf('acme'), size), from(at));
    await until('all have come', () => begunCount === before + count);
  };
  return { write, asked, begun, fill, end };
};
/** One address alone would not get all the room. */
const neighbour = (at: number): string => `127.0.0.${1 + (at % 4)}`;

const pushTo =
  (api: Api) =>
  async (remoteAddress = '127.0.0.1', code = 'acme'): Promise<Reply> =>
    await api.call({ method: 'POST', url: `/v2/carriers/${code}/webhook/1`, remoteAddress, payload: 'a=1' });

describe('a carrier’s webhook', () => {
  const api = apiWorld({}, { limits: { perMinute: 1_000, wrongProofsPerMinute: 3 }, profiles: { other: OTHER } });
  const push = pushTo(api);
  const { begun } = socketsTo(api);

  it.each(['nobody', 'solo'])('that is not there says so before it reads a body: %s', async (code) => {
    const came = api.state.received.length;
    expect(await begun(webhookOf(code), 50_000)).toBe(404);
    expect((await push('127.0.0.1', code)).body.message).toBe(`There is no webhook here for carrier ${code}`);
    expect(api.state.received).toHaveLength(came);
  });

  it('that much came to which proves nothing hears no more of that address for a while', async () => {
    api.state.receives = { kind: 'refused', status: 401 };
    for (let tried = 0; tried < 3; tried += 1) expect((await push()).status).toBe(401);
    const came = api.state.received.length;
    expect(await push()).toMatchObject({ status: 429, headers: { 'retry-after': '20' } });
    expect(await begun(webhookOf('acme'), 50_000)).toBe(429);
    expect(api.state.received).toHaveLength(came);
    for (const [address, code] of [
      ['127.0.0.1', 'other'],
      ['192.0.2.1', 'acme'],
    ])
      expect((await push(address, code)).status).toBe(401);
    api.clock.advance(20_000);
    expect((await push()).status).toBe(401);
  });

  it('goes on hearing an address from which the carrier proved itself, as its accounts share it', async () => {
    api.state.receives = ADMITTED;
    expect((await push('192.0.2.2')).status).toBe(200);
    api.state.receives = { kind: 'refused', status: 401 };
    for (let tried = 0; tried < 10; tried += 1) expect((await push('192.0.2.2')).status).toBe(401);
    api.clock.advance(7 * 86_400_000);
    for (let tried = 0; tried < 3; tried += 1) expect((await push('192.0.2.2')).status).toBe(401);
    expect((await push('192.0.2.2')).status).toBe(429);
  });

  it('takes a handshake for no proof', async () => {
    api.state.receives = { kind: 'handshake', reply: { status: 200, headers: {} } };
    expect((await push('192.0.2.3')).status).toBe(200);
    api.state.receives = { kind: 'refused', status: 403 };
    for (let tried = 0; tried < 3; tried += 1) expect((await push('192.0.2.3')).status).toBe(403);
    expect((await push('192.0.2.3')).status).toBe(429);
  });
});

describe('bodies for carriers’ webhooks', () => {
  const api = apiWorld();
  const push = pushTo(api);
  const { begun, fill, end } = socketsTo(api);

  it('of one address have a quarter of 64 MiB until they prove something, and half afterwards', async () => {
    const address = '127.0.0.9';
    for (const [receiving, atOnce] of [
      [{ kind: 'refused', status: 401 }, 8],
      [ADMITTED, 16],
    ] as const) {
      api.state.receives = receiving;
      const usual = (await push(address)).status;
      await fill(atOnce, 2 * MIB, () => address);
      await until('there is no room for it', async () => (await push(address)).status === 503);
      expect(await begun(webhookOf('acme'), 1_000, address)).toBe(503);
      expect((await push('127.0.0.10')).status).toBe(usual);
      await end();
      await until('there is room again', async () => (await push(address)).status === usual);
    }
  });

  it.each([2 * MIB, 'chunked'] as const)('have 64 MiB until they prove something: %s', async (size) => {
    api.state.receives = ADMITTED;
    expect((await push('192.0.2.1')).status).toBe(200);
    api.state.receives = { kind: 'refused', status: 401 };
    await fill(32, size, neighbour);
    await until('there is no room', async () => (await push('127.0.0.5')).status === 503);
    const refused = await push('127.0.0.5');
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    expect(refused.body.status).toBe('SERVICE_UNAVAILABLE');
    expect(await begun(webhookOf('acme'), 1_000, '127.0.0.5')).toBe(503);
    expect((await push('192.0.2.1')).status).toBe(401);
    expect((await api.call({ url: '/healthz' })).status).toBe(200);
    await end();
    await until('there is room again', async () => (await push('127.0.0.5')).status === 401);
  });

  it('give their room back when they do not end in time', async () => {
    api.state.receives = { kind: 'refused', status: 401 };
    await fill(32, 2 * MIB, () => undefined);
    await until('there is no room', async () => (await push()).status === 503);
    // The checks of Node for it come every two seconds.
    Object.assign(api.app().server, { headersTimeout: 100, requestTimeout: 100 });
    await until('there is room again', async () => (await push()).status === 401);
  });
});

describe('large requests', () => {
  const api = apiWorld({}, { limits: { largeMbPerMinute: 24 } });
  const { write, asked, end } = socketsTo(api);
  const send = async (token: string, body: string) =>
    await api.as(token).post('/v2/consignments', body, { 'content-type': 'application/json' });
  const large = JSON.stringify({ consignmentDetails: { notes: Array.from({ length: 50 }, () => 'x'.repeat(10_000)) } });

  it('of a token are limited by their bytes in a minute, whoever else sends', async () => {
    const [{ token }, other] = [await api.shop.opened(), await api.newShipper()];
    // 3 MB of a minute's 24 at once.
    for (let sent = 0; sent < 5; sent += 1) expect((await send(token, large)).status).toBe(400);
    const refused = await send(token, large);
    expect(refused).toMatchObject({ status: 429, body: { status: 'TOO_MANY_REQUESTS' } });
    expect(refused.body.message).toContain('Too many bytes of large requests');
    expect((await send(token, '{}')).status).toBe(400);
    expect((await send(other.token, large)).status).toBe(400);
    api.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    expect((await send(token, large)).status).toBe(400);
  });

  it('that come in chunks count as what they are', async () => {
    const { token } = await api.newShipper();
    const chunked = `${headTo('/v2/consignments', 'chunked', token)}${(40_000).toString(16)}\r\n${' '.repeat(40_000)}\r\n0\r\n\r\n`;
    for (let sent = 0; sent < 20; sent += 1) expect(await asked(chunked)).toBe(400);
  });

  it('whose sender hangs up while they wait for their turn are not carried out', async () => {
    const shop = await api.newShipper();
    const hungUp = JSON.stringify(order({}, 'REF-HUNG-UP')).padEnd(40_000);
    const turn = largeTurns.take();
    let readCount = 0;
    api.app().server.on('request', (request) => request.once('end', () => (readCount += 1)));
    write(`${headTo('/v2/consignments', hungUp.length, shop.token)}${hungUp}`);
    await until('it waits', () => readCount === 1);
    await end();
    const last = shop.post('/v2/consignments', JSON.stringify(order()).padEnd(40_000), {
      'content-type': 'application/json',
    });
    turn.leave();
    expect((await last).status).toBe(200);
    const { data } = (await shop.get('/v2/consignments')).body;
    expect(data).toMatchObject([{ referenceNumber: 'REF-1' }]);
  });

  it('are told in one sentence that they hold too many values, and are not parsed', async () => {
    const { token } = await api.newShipper();
    const { status, body } = await send(token, `[${'1,'.repeat(60_000)}1]`);
    expect([status, body.errors]).toEqual([400, [{ details: ['The request has more than 50000 values'] }]]);
  });
});

describe('large requests that are here at once', () => {
  const api = apiWorld();
  const { write, begun, end } = socketsTo(api);

  it.each([
    ['in one piece', 1_500_000, '', 5],
    ['in chunks', 'chunked', `${(40_000).toString(16)}\r\n${' '.repeat(40_000)}\r\n`, 4],
  ] as const)('are limited to 8 MiB of a token: %s', async (_how, size, start, within) => {
    const [{ token }, other] = [await api.newShipper(), await api.newShipper()];
    const large = JSON.stringify({ notes: Array.from({ length: 50 }, () => 'x'.repeat(10_000)) });
    const isTaken = async (by: string) =>
      (await api.as(by).post('/v2/consignments', large, { 'content-type': 'application/json' })).status === 400;
    const answered: number[] = [];
    for (let sent = 0; sent < 12; sent += 1)
      write(`${headTo('/v2/consignments', size, token)}${start}`).once('data', (chunk) =>
        answered.push(Number(chunk.toString().split(' ')[1])),
      );
    await until('all but those within are refused', () => answered.length === 12 - within);
    expect(new Set(answered)).toEqual(new Set([429]));
    expect((await api.as(token).post('/v2/consignments', {})).status).toBe(400);
    expect(await isTaken(other.token)).toBe(true);
    await end();
    await until('there is room again', async () => await isTaken(token));
  });

  it('without a token, or to where nothing is, are answered late, and not read', async () => {
    for (const [path, status] of [
      ['/v2/consignments', 401],
      ['/v2/nothing', 404],
    ] as const) {
      const beganMs = performance.now();
      expect(await begun(path, 300_000)).toBe(status);
      expect(performance.now() - beganMs).toBeGreaterThan(990);
    }
  });
});

describe('bodies that wait for the records', () => {
  const waiting: (() => void)[] = [];
  const api = apiWorld({
    receiveWebhook: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return ADMITTED;
    },
  });
  const { write, end } = socketsTo(api);
  const body = 'x'.repeat(2 * MIB);
  const came = async (count: number) => {
    await until(`${count} are here`, () => waiting.length === count);
  };
  const letGo = async (count: number) => {
    await end();
    let gone = 0;
    await until(`${count} are let go`, () => {
      for (const proceed of waiting.splice(0)) gone += Number(proceed() === undefined);
      return gone === count;
    });
  };

  it('take as much as they are, however they came', async () => {
    for (let sent = 0; sent < 100; sent += 1) write(`${headTo(webhookOf('acme'), 'chunked')}1\r\nx\r\n0\r\n\r\n`);
    await came(100);
    await letGo(100);
  });

  it('take nothing when they are done with, though nobody waits for the answer any more', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      for (let sent = 0; sent < 20; sent += 1)
        write(`${headTo(webhookOf('acme'), 1)}x${headTo(webhookOf('acme'), body.length)}${body}`, neighbour(sent));
      // Of the large ones, one is worked on at a time.
      await came(21);
      await letGo(40);
    }
  });
});
