import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import {
  classifyDelivery,
  decideNext,
  newWebhookSecret,
  sendTestEvent,
  signatureHeaders,
  signingKey,
} from '../../../src/engine/webhooks/delivery.ts';
import type { WireOutcome } from '../../../src/engine/transport/wire.ts';
import { closeServers, openTransport, startHttp, startTcp } from '../transport/servers.ts';

const answer = (status: number): WireOutcome => ({ kind: 'answer', status, headers: {}, body: Buffer.alloc(0) });
const tooLarge = { kind: 'ambiguous', code: 'too_large', message: '' } as const;
const cut = (status: number): WireOutcome => ({ ...tooLarge, partial: { status } });

describe('an attempt', () => {
  test.each<[number[], string, string]>([
    [[200, 201, 202, 204, 299], 'delivered', 'delivered'],
    [[301, 302, 303, 307, 308], 'refused', 'redirected'],
    [[100, 400, 401, 404, 429, 500, 503], 'refused', 'http_error'],
    [[410], 'gone', 'gone'],
  ])('that is answered by one of %j is %s: %s, also where the answer was cut', (statuses, means, outcome) => {
    for (const status of statuses) {
      expect(classifyDelivery(answer(status))).toMatchObject({ means, outcome, status });
      expect(classifyDelivery(cut(status))).toMatchObject({ means, outcome, status });
    }
  });

  test('that never arrived has failed, with the reason as its outcome and no long message', () => {
    const message = 'x'.repeat(1_000);
    expect(classifyDelivery({ kind: 'not_sent', code: 'name_not_found', message })).toEqual({
      means: 'refused',
      outcome: 'name_not_found',
      status: undefined,
      message: message.slice(0, 300),
    });
  });

  test.each<WireOutcome>([
    { kind: 'ambiguous', code: 'aborted', message: '' },
    { kind: 'not_sent', code: 'transport_closed', message: '' },
  ])('that this process ended itself says nothing of the receiver: $code', (outcome) => {
    expect(classifyDelivery(outcome).means).toBe('interrupted');
  });
});

describe('what follows an attempt', () => {
  const policy = { retries: 4, retryMs: 1_800_000, pauseAfterMs: 86_400_000 };
  const waiting = { state: 'waiting', dueAtMs: 7, counted: false, pause: undefined };
  const retried = { state: 'waiting', dueAtMs: 1_800_007, counted: true, pause: undefined };
  const failed = { state: 'failed', pause: undefined };

  test.each([
    ['a first failure is another, 30 minutes later', 'refused', 1, policy, retried],
    ['a second failure too', 'refused', 2, policy, retried],
    ['a third failure too', 'refused', 3, policy, retried],
    ['a fourth failure too', 'refused', 4, policy, retried],
    ['a fifth is the end', 'refused', 5, policy, failed],
    ['a first without retries is the end', 'refused', 1, { ...policy, retries: 0 }, failed],
    ['410 is a pause, and the attempt does not count', 'gone', 5, policy, { ...waiting, pause: 'gone' }],
    ['an interruption is the same attempt again at once', 'interrupted', 5, policy, waiting],
    ['a success is nothing', 'delivered', 1, policy, { state: 'delivered' }],
  ] as const)('%s', (_, means, tries, own, next) => {
    expect(decideNext(means, { tries, failingSinceMs: undefined }, 7, own)).toEqual(next);
  });

  test.each([
    [1, 60_007],
    [2, 86_400_007],
    [3, undefined],
  ])('is by the schedule of the subscription, where it has one: after %i tries', (tries, dueAtMs) => {
    const claim = { tries, failingSinceMs: undefined, retryAfterSeconds: [60, 86_400] };
    expect(decideNext('refused', claim, 7, policy)).toEqual(dueAtMs === undefined ? failed : { ...retried, dueAtMs });
  });

  test.each([
    [86_400_999, undefined],
    [86_401_000, 'failing'],
  ])('is a pause when a subscription has failed for long enough: at %i ms %s', (nowMs, pause) => {
    expect(decideNext('refused', { tries: 5, failingSinceMs: 1_000 }, nowMs, policy)).toEqual({
      state: 'failed',
      pause,
    });
  });
});

const message = { webhookId: 'evt_1', body: '{"name":"Łódź 🚚"}' };
const [secret, older] = [newWebhookSecret(), newWebhookSecret()];

describe('the signature', () => {
  const headers = signatureHeaders(message, [secret, older].map(signingKey), Date.now());

  test('is verified with either of two secrets, beyond ASCII too', () => {
    for (const one of [secret, older]) {
      expect(new Webhook(one).verify(Buffer.from(message.body), headers)).toEqual({ name: 'Łódź 🚚' });
    }
    expect(headers).toMatchObject({
      'webhook-id': 'evt_1',
      'webhook-signature': expect.stringMatching(/^v1,\S+ v1,\S+$/),
    });
  });

  test.each([
    ['a changed body', secret, `${message.body} `, headers],
    ['another id', secret, message.body, { ...headers, 'webhook-id': 'evt_2' }],
    ['another secret', newWebhookSecret(), message.body, headers],
  ])('does not fit %s', (_, by, body, own) => {
    expect(() => new Webhook(by).verify(body, own)).toThrow('No matching signature');
  });

  test('has the time of the attempt, in seconds', () => {
    const { 'webhook-timestamp': timestamp } = signatureHeaders(
      message,
      [signingKey(secret)],
      Date.UTC(2026, 0, 5) + 999,
    );
    expect(timestamp).toBe(String(Date.UTC(2026, 0, 5) / 1_000));
  });
});

test('secrets are of the scheme, of 24 bytes or more, and never the same', () => {
  const secrets = Array.from({ length: 50 }, newWebhookSecret);
  expect(new Set(secrets).size).toBe(50);
  for (const one of secrets) {
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(one.slice('whsec_'.length), 'base64').byteLength).toBeGreaterThanOrEqual(24);
  }
});

afterEach(closeServers);

test('a test event is signed like any other, and its sender learns what became of it', async () => {
  const verified: unknown[] = [];
  const server = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      verified.push(new Webhook(secret).verify(Buffer.concat(chunks), request.headers as Record<string, string>));
      response.writeHead(verified.length === 1 ? 200 : 503).end();
    });
  });
  const receiver = { url: server.url, keys: () => [signingKey(secret)] };
  const sender = { send: openTransport().send, nowMs: Date.now };
  const first = await sendTestEvent(receiver, sender);
  expect(first).toMatchObject({ means: 'delivered', status: 200 });
  expect(verified).toEqual([expect.objectContaining({ eventId: first.eventId, event: 'webhook.test' })]);
  expect(await sendTestEvent(receiver, sender)).toMatchObject({ means: 'refused', status: 503 });
});

test('a connection that was kept, and is closed as we write to it, is no failure of the receiver', async () => {
  const server = await startTcp((socket) => {
    if (socket.bytesWritten > 0) socket.destroy();
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  const receiver = { url: server.url, keys: () => [signingKey(secret)] };
  const sender = { send: openTransport().send, nowMs: Date.now };
  for (const _ of [1, 2])
    expect(await sendTestEvent(receiver, sender)).toMatchObject({ means: 'delivered', status: 200 });
  expect(server.connections()).toBe(2);
});

test('a receiver that cuts a new connection has failed', async () => {
  const server = await startTcp((socket) => socket.destroy());
  const receiver = { url: server.url, keys: () => [signingKey(secret)] };
  const sent = await sendTestEvent(receiver, { send: openTransport().send, nowMs: Date.now });
  expect(sent).toMatchObject({ means: 'refused', outcome: 'connection_reset' });
  expect(server.connections()).toBe(1);
});
