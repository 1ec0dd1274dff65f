import { setTimeout as sleep } from 'node:timers/promises';
import type http from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimDeliveries } from '../../../src/platform/records/deliveries.ts';
import { createConclude } from '../../../src/platform/records/delivery-ends.ts';
import { findDelivery } from '../../../src/platform/records/delivery-log.ts';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import {
  createHeaders,
  createKeys,
  createSubscription,
  findSubscription,
  pauseSubscription,
  resumeSubscription,
  rotateSecret,
} from '../../../src/platform/records/subscriptions.ts';
import { createTransport, type Transport } from '../../../src/engine/transport/transport.ts';
import { deliver, type Delivering } from '../../../src/engine/webhooks/delivery.ts';
import type { NewSubscription } from '../../../src/engine/webhooks/subscription.ts';
import { freshDatabase } from '../../support/database.ts';
import { ageLeases } from '../../support/leases.ts';
import { closeServers, startHttp, startTcp } from '../../engine/transport/servers.ts';
import { newConsignment, notices, notify, ownerOfEachTest, pauseAll, sealer } from './world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
const MINUTES = 60_000;

let transport: Transport;
let nowMs: number;

beforeEach(async () => {
  // What other tests left is not to be claimed here.
  await pauseAll(database.pool);
  transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
  // The verifier reads the real clock.
  nowMs = Date.now();
});

afterEach(async () => {
  transport.close();
  await closeServers();
});

const delivering = (own: Partial<Delivering> = {}): Delivering => ({
  policy: { retries: 4, retryMs: 30 * MINUTES, pauseAfterMs: 24 * 60 * MINUTES },
  send: transport.send,
  nowMs: () => nowMs,
  ...own,
});

const claimDue = async (free = 100) => {
  const query = { free, capacity: { bySubscription: new Map(), others: 12 }, after: '', nowMs };
  return (
    await claimDeliveries({ pool: database.pool, keysOf: createKeys(sealer), headersOf: createHeaders(sealer) }, query)
  ).claims;
};

/** Makes an attempt of all that are due, as a process would; yields what became of each, in the order of claims. */
const attemptDue = async (own: Partial<Delivering> = {}, signal?: AbortSignal, free?: number) => {
  const conclude = createConclude(database.pool, () => nowMs);
  const attempts = (await claimDue(free)).map(async (claim) => {
    const ended = await deliver(claim, delivering(own), signal);
    return (await conclude(ended)) ? ended.next.state : 'lease_lost';
  });
  return await Promise.all(attempts);
};

/** What became of the only one that is due. */
const attempt = async (own: Partial<Delivering> = {}, signal?: AbortSignal) => {
  const [state = 'nothing', ...others] = await attemptDue(own, signal);
  expect(others).toEqual([]);
  return state;
};

interface Received {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with these statuses in turn, the last one for ever. */
const startReceiver = async (...statuses: number[]) => {
  const received: Received[] = [];
  const server = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.statusCode = statuses[Math.min(received.length, statuses.length) - 1] ?? 200;
      response.setHeader('location', '/elsewhere');
      response.end('thank you');
    });
  });
  return { url: `${server.url}/hook`, received, server };
};

/** A subscription of `url` and one delivery for it. */
const oneDelivery = async (url: string, own: Partial<NewSubscription> = {}) => {
  const wanted = { url, orderTypes: ['FORWARD'], ...own } as const;
  const subscription = await createSubscription(database.pool, sealer, owner, wanted);
  const consignmentId = await newConsignment(database.pool, owner, { reference: 'order-ł-1' });
  const [id] = await notify(database.pool, consignmentId);
  return {
    subscription,
    consignmentId,
    deliveryId: id!,
    look: async () => (await findDelivery(database.pool, owner, id!))!,
    subscribed: async () => (await findSubscription(database.pool, owner, subscription.id))!,
  };
};
/** One delivery to a receiver that answers with these statuses. */
const deliveryTo = async (...statuses: number[]) => {
  const { url, received } = await startReceiver(...statuses);
  return { ...(await oneDelivery(url)), received };
};

/** What the first try of a delivery to `url` came to. */
const firstTry = async (url: string, own: Partial<Delivering> = {}) => {
  const { look } = await oneDelivery(url);
  const state = await attempt(own);
  return { state, ...(await look()).lastTry };
};
const headersOf = ({ headers }: Received) => headers as Record<string, string>;

describe('a delivery', () => {
  test('posts the signed body, and a 2xx ends it', async () => {
    const { subscription, look, received } = await deliveryTo(204);
    expect(await attempt()).toBe('delivered');
    const [request] = received;
    const body = new Webhook(subscription.secret).verify(request!.body, headersOf(request!));
    const view = await look();
    expect(body).toMatchObject({ eventId: view.eventId, event: 'consignment.tracking', referenceNumber: 'order-ł-1' });
    expect(request!.headers).toMatchObject({ 'webhook-id': view.eventId, 'content-type': 'application/json' });
    expect(view).toMatchObject({ state: 'delivered', dueAtMs: undefined, attempts: 1, finishedAtMs: nowMs });
    expect(view.tries).toMatchObject([{ attempt: 1, status: 204, outcome: 'delivered', message: undefined }]);
  });

  test('is not made twice, however many look for it', async () => {
    const { received } = await deliveryTo(200);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => attempt()));
    expect(outcomes.filter((outcome) => outcome === 'delivered')).toHaveLength(1);
    expect(await attempt()).toBe('nothing');
    expect(received).toHaveLength(1);
  });

  test('is tried five times, 30 minutes apart, under one webhook-id, then failed', async () => {
    const { look, received } = await deliveryTo(500);
    const startMs = nowMs;
    const triedAt: number[] = [];
    for (let minute = 0; minute <= 180; minute += 1) {
      nowMs = startMs + minute * MINUTES;
      const before = received.length;
      await attempt();
      if (received.length > before) triedAt.push(minute);
    }
    expect(triedAt).toEqual([0, 30, 60, 90, 120]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const stamps = received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(stamps.map((stamp) => stamp - stamps[0]!)).toEqual([0, 1_800, 3_600, 5_400, 7_200]);
    const tries = Array.from({ length: 5 }, () => ({ status: 500, outcome: 'http_error' }));
    expect(await look()).toMatchObject({ state: 'failed', attempts: 5, tries });
  });

  test('does not follow a redirect', async () => {
    const receiver = await startReceiver(307);
    expect(await firstTry(receiver.url)).toMatchObject({ state: 'waiting', status: 307, outcome: 'redirected' });
    expect(receiver.received).toHaveLength(1);
  });

  test('to a receiver that never answers ends at the limit', async () => {
    const server = await startTcp();
    const from = performance.now();
    const tried = await firstTry(server.url, { timeoutMs: 300 });
    expect(performance.now() - from).toBeLessThan(3_000);
    expect(tried).toMatchObject({ state: 'waiting', status: undefined, outcome: 'timeout' });
  });

  test.each<[string, http.RequestListener]>([
    ['to a receiver that answers late, but in time,', (_, response) => void setTimeout(() => response.end(), 400)],
    ['that is answered 200 and then without end', (_, response) => void response.write('x'.repeat(1_000_000))],
  ])('%s is delivered', async (_, answer) => {
    const server = await startHttp(answer);
    expect(await firstTry(server.url, { timeoutMs: 5_000 })).toMatchObject({ state: 'delivered' });
  });

  test('to a receiver that is not there is tried again', async () => {
    const { url, server } = await startReceiver(200);
    await server.close();
    expect(await firstTry(url)).toMatchObject({ state: 'waiting', outcome: 'connection_refused' });
  });

  test('to a receiver that speaks no HTTP is tried again', async () => {
    const { url } = await startTcp((socket) => socket.end('hello?\r\n'));
    expect(await firstTry(url)).toMatchObject({ state: 'waiting', outcome: 'answer_malformed' });
  });

  test('to a private address is refused where those are not allowed, by the transport itself', async () => {
    const receiver = await startReceiver(200);
    const guarded = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: false });
    const tried = await firstTry(receiver.url, { send: guarded.send });
    guarded.close();
    expect(tried).toMatchObject({ state: 'waiting', outcome: 'plain_http_forbidden' });
    expect(receiver.received).toHaveLength(0);
  });

  test('whose key this process lacks is left to one that has it, and no try of its own', async () => {
    const { look, subscription } = await deliveryTo(200);
    const other = createSealer(Buffer.alloc(32, 8).toString('base64'));
    const sealed = other.seal(Buffer.from(subscription.secret), `subscription/${subscription.id}`);
    const [ours] = await database.values<Buffer>('select secret from subscriptions where id = $1', subscription.id);
    await database.rows('update subscriptions set secret = $2 where id = $1', subscription.id, sealed);
    expect(await attempt()).toBe('waiting');
    expect((await look()).lastTry).toMatchObject({ outcome: 'secret_key_missing' });
    expect(
      await database.values('select attempts - uncounted from deliveries where subscription_id = $1', subscription.id),
    ).toEqual([0]);
    await database.rows('update subscriptions set secret = $2 where id = $1', subscription.id, ours);
  });

  test('whose secret cannot be opened says so in the log, without it', async () => {
    const { look, subscription } = await deliveryTo(200);
    await database.rows(`update subscriptions set secret = '\\x00' where id = $1`, subscription.id);
    expect(await attempt()).toBe('waiting');
    expect((await look()).lastTry).toMatchObject({ outcome: 'secret_unreadable' });
    expect(JSON.stringify(await look())).not.toContain(subscription.secret);
  });
});

describe('a rotated secret', () => {
  test('signs beside the one before for 24 hours', async () => {
    const { subscription, received } = await deliveryTo(500, 500, 200);
    const rotated = await rotateSecret(database.pool, sealer, owner, subscription.id, nowMs);
    const dayMs = 24 * 60 * MINUTES;
    for (const atMs of [nowMs, nowMs + dayMs - 1, nowMs + 2 * dayMs]) {
      nowMs = atMs;
      await attempt();
    }
    const counts = received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    expect(counts).toEqual([2, 2, 1]);
    const [first] = received;
    for (const secret of [subscription.secret, rotated!.secret]) {
      expect(() => new Webhook(secret).verify(first!.body, headersOf(first!))).not.toThrow();
    }
    expect(rotated!.secret).not.toBe(subscription.secret);
  });
});

describe('a crash while sending', () => {
  test('is followed by the same message after the lease, and costs no try', async () => {
    const { look, received } = await deliveryTo(500);
    // Claimed by a process that is gone before anything else is written.
    expect(await claimDue()).toHaveLength(1);
    expect(await attempt()).toBe('nothing');
    nowMs += 2 * MINUTES;
    expect(await attempt()).toBe('nothing');
    await ageLeases(database.pool, 'deliveries', 2 * MINUTES);
    for (let tries = 0; tries < 5; tries += 1) {
      await attempt();
      nowMs += 30 * MINUTES;
    }
    expect(received).toHaveLength(5);
    const tries = ['lost', ...Array.from({ length: 5 }, () => 'http_error')].map((outcome) => ({ outcome }));
    expect(await look()).toMatchObject({ state: 'failed', tries });
  });

  test('that was only slowness does not undo what was decided since', async () => {
    const { look, received } = await deliveryTo(200);
    let passed: unknown;
    const slow: Transport['send'] = async (request, limits) => {
      await ageLeases(database.pool, 'deliveries', 2 * MINUTES);
      passed = await attempt();
      return await transport.send({ ...request, url: `${request.url}/late` }, limits);
    };
    expect(await attempt({ send: slow })).toBe('lease_lost');
    expect(passed).toBe('delivered');
    const { eventId, state } = await look();
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    expect(state).toBe('delivered');
  });

  test('by a shutdown in good order is sent again at once, and costs no try', async () => {
    const server = await startTcp();
    const { look } = await oneDelivery(server.url);
    const stop = new AbortController();
    const delivery = attempt({}, stop.signal);
    await sleep(100);
    stop.abort();
    expect(await delivery).toBe('waiting');
    expect(await look()).toMatchObject({ state: 'waiting', dueAtMs: nowMs });
    expect(await claimDue()).toMatchObject([{ attempt: 2, tries: 1 }]);
  });
});

describe('a paused subscription', () => {
  test('sends nothing, loses nothing, and on resume all goes out', async () => {
    const { subscription, consignmentId, look, received } = await deliveryTo(200);
    await pauseSubscription(database.pool, owner, subscription.id, nowMs);
    await notify(database.pool, consignmentId);
    expect(await attemptDue()).toEqual([]);
    expect(await look()).toMatchObject({ state: 'pending', attempts: 0, tries: [] });
    await resumeSubscription(database.pool, owner, subscription.id);
    expect(await attemptDue()).toEqual(['delivered', 'delivered']);
    expect(received).toHaveLength(2);
  });

  test('is what 410 makes of one, with the reason, and the delivery goes out on resume', async () => {
    const { subscription, subscribed, look } = await deliveryTo(410, 200);
    expect(await attempt()).toBe('waiting');
    expect(await subscribed()).toMatchObject({ state: 'paused', pauseReason: 'gone', pausedAtMs: nowMs });
    expect(await attempt()).toBe('nothing');
    const resumed = await resumeSubscription(database.pool, owner, subscription.id);
    expect(resumed).toMatchObject({ state: 'active', pauseReason: undefined });
    expect(await attempt()).toBe('delivered');
    expect((await look()).tries.map(({ outcome }) => outcome)).toEqual(['gone', 'delivered']);
  });

  test('is what a day of nothing but failures makes of one; a success in between starts the day anew', async () => {
    const { subscribed, consignmentId } = await deliveryTo(500, 500, 200, 500);
    const policy = { retries: 0, retryMs: 1, pauseAfterMs: 24 * 60 * MINUTES };
    await notify(database.pool, consignmentId, notices(5));
    const hoursLater = async (hours: number) => {
      nowMs += hours * 60 * MINUTES;
      return (await attemptDue({ policy }, undefined, 1))[0];
    };
    await hoursLater(0);
    expect((await subscribed()).failingSinceMs).toBe(nowMs);
    await hoursLater(23);
    expect(await hoursLater(1)).toBe('delivered');
    expect((await subscribed()).failingSinceMs).toBeUndefined();
    await hoursLater(1);
    await hoursLater(23);
    expect((await subscribed()).state).toBe('active');
    await hoursLater(1);
    expect(await subscribed()).toMatchObject({ state: 'paused', pauseReason: 'failing' });
  });
});

describe('several processes that only look now and then', () => {
  test('lose no delivery and make none twice, through failures, a pause and a process that dies', async () => {
    let requests = 0;
    const arrived: unknown[] = [];
    const flaky = await startHttp((request, response) => {
      requests += 1;
      const isGood = requests % 3 === 0;
      if (isGood) arrived.push(request.headers['webhook-id']);
      response.writeHead(isGood ? 200 : 503).end();
    });
    const { consignmentId, subscription } = await oneDelivery(flaky.url);
    await notify(database.pool, consignmentId, notices(39));
    const policy = { retries: 1_000, retryMs: 1_000, pauseAfterMs: 24 * 60 * MINUTES };
    const unfinished = `select id from deliveries where subscription_id = $1 and state <> 'delivered'`;
    for (let round = 0; (await database.values(unfinished, subscription.id)).length > 0; round += 1) {
      if (round > 2_000) throw new Error('they do not end');
      nowMs += 1_000;
      if (round === 2) expect((await claimDue()).length).toBeGreaterThan(0);
      if (round === 3) await pauseSubscription(database.pool, owner, subscription.id, nowMs);
      if (round === 6) await resumeSubscription(database.pool, owner, subscription.id);
      if (round === 8) await ageLeases(database.pool, 'deliveries', 2 * MINUTES);
      const ended = await Promise.all([attemptDue({ policy }, undefined, 10), attemptDue({ policy }, undefined, 10)]);
      if (round === 4) expect(ended).toEqual([[], []]);
    }
    expect(arrived).toHaveLength(40);
    expect(new Set(arrived).size).toBe(40);
  });
});

test('a subscription is delivered to with headers and by a schedule of its own, and verified by the svix package', async () => {
  const { url, received } = await startReceiver(500, 200);
  const own = { headers: { Authorization: 'Bearer of-the-shop' }, retryAfterSeconds: [86_400] };
  const { subscription, look } = await oneDelivery(url, own);
  expect(await attempt()).toBe('waiting');
  expect((await look()).dueAtMs).toBe(nowMs + 86_400_000);
  nowMs += 86_400_000;
  expect(await attempt()).toBe('delivered');
  for (const { headers } of received) expect(headers.authorization).toBe('Bearer of-the-shop');
  // The first, as the package reads the real clock.
  const [{ headers, body }] = received as [Received];
  const signed = headers as Record<string, string>;
  new Svix(subscription.secret).verify(body, signed);
  expect(() => new Svix(subscription.secret).verify(`${body} `, signed)).toThrow();
});
