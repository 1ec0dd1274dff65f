import { describe, expect, test, afterEach } from 'vitest';
import {
  decideNext,
  type DeliveryPolicy,
  classifyTry,
  refused,
  newWebhookSecret,
  signatureHeaders,
  sendTestEvent,
} from '../../../src/engine/webhooks/delivery.ts';
import { Webhook } from 'standardwebhooks';
import { createTransport } from '../../../src/engine/transport/transport.ts';
import { closeServers, startHttp } from '../transport/servers.ts';

const answer = (status: number) =>
  classifyTry({
    kind: 'answer',
    status,
    headers: {},
    body: Buffer.alloc(0),
  });

const cut = (status: number) =>
  classifyTry({ kind: 'ambiguous', code: 'too_large', message: 'too large', partial: { status } });

describe('a try', () => {
  test.each([200, 201, 202, 204, 299])('that is answered %i has delivered', (status) => {
    expect(answer(status)).toEqual({ means: 'delivered', outcome: 'delivered', status, message: undefined });
  });

  test.each([301, 302, 303, 307, 308])('that is answered %i has failed: nobody follows', (status) => {
    expect(answer(status)).toMatchObject({ means: 'refused', outcome: 'redirected', status });
  });

  test.each([100, 400, 401, 404, 429, 500, 503])('that is answered %i has failed', (status) => {
    expect(answer(status)).toMatchObject({ means: 'refused', outcome: 'http_error', status });
  });

  test('that is answered 410 says that nobody is there any more', () => {
    expect(answer(410)).toMatchObject({ means: 'gone', status: 410 });
  });

  test('that never arrived has failed, with the reason as its outcome', () => {
    expect(classifyTry({ kind: 'not_sent', code: 'name_not_found', message: 'no such name' })).toEqual({
      means: 'refused',
      outcome: 'name_not_found',
      status: undefined,
      message: 'no such name',
    });
  });

  test('whose answer could not be read whole is judged by its status', () => {
    expect(cut(200)).toMatchObject({ means: 'delivered', status: 200 });
    expect(cut(500)).toMatchObject({ means: 'refused', outcome: 'http_error' });
  });

  test('that we ended ourselves says nothing of the receiver', () => {
    expect(classifyTry({ kind: 'ambiguous', code: 'aborted', message: '' }).means).toBe('interrupted');
    expect(classifyTry({ kind: 'not_sent', code: 'transport_closed', message: '' }).means).toBe('interrupted');
  });

  test('keeps no long message', () => {
    expect(refused('timeout', 'x'.repeat(1_000)).message).toHaveLength(300);
  });
});

describe('what follows', () => {
  const policy: DeliveryPolicy = { retries: 4, retryMs: 1_800_000, pauseAfterMs: 86_400_000 };
  const bad = answer(500);
  const fifthAt = (nowMs: number) => decideNext(bad, { tries: 5, failingSinceMs: 1_000, nowMs }, policy);

  test('after each of the first four failures is another try, 30 minutes later', () => {
    for (const tries of [1, 2, 3, 4]) {
      expect(decideNext(bad, { tries, failingSinceMs: 0, nowMs: 5_000 }, policy)).toEqual({
        state: 'waiting',
        dueAtMs: 1_805_000,
        counted: true,
        pause: undefined,
      });
    }
  });

  test('after the fifth is the end', () => {
    expect(decideNext(bad, { tries: 5, failingSinceMs: undefined, nowMs: 5_000 }, policy)).toEqual({
      state: 'failed',
      pause: undefined,
    });
  });

  test('without retries the first failure is the end', () => {
    const next = decideNext(bad, { tries: 1, failingSinceMs: undefined, nowMs: 0 }, { ...policy, retries: 0 });
    expect(next.state).toBe('failed');
  });

  test('when a subscription has failed for long enough is a pause', () => {
    expect(fifthAt(86_400_999)).toEqual({ state: 'failed', pause: undefined });
    expect(fifthAt(86_401_000)).toEqual({ state: 'failed', pause: 'failing' });
  });

  test('of 410 is a pause, and the delivery waits without losing a try', () => {
    expect(decideNext(answer(410), { tries: 5, failingSinceMs: undefined, nowMs: 7 }, policy)).toEqual({
      state: 'waiting',
      dueAtMs: 7,
      counted: false,
      pause: 'gone',
    });
  });

  test('of our own interruption is the same try again at once', () => {
    const interrupted = classifyTry({ kind: 'ambiguous', code: 'aborted', message: '' });
    expect(decideNext(interrupted, { tries: 5, failingSinceMs: 0, nowMs: 7 }, policy)).toEqual({
      state: 'waiting',
      dueAtMs: 7,
      counted: false,
      pause: undefined,
    });
  });
});

const message = { webhookId: 'evt_1', body: '{"name":"Łódź 🚚"}' };

test('a receiver verifies what was signed, beyond ASCII too', () => {
  const secret = newWebhookSecret();
  const headers = signatureHeaders(message, [secret], Date.now());
  expect(new Webhook(secret).verify(Buffer.from(message.body), headers)).toEqual({ name: 'Łódź 🚚' });
  expect(headers['webhook-id']).toBe('evt_1');
});

test('a receiver refuses a changed body, another id and another secret', () => {
  const secret = newWebhookSecret();
  const headers = signatureHeaders(message, [secret], Date.now());
  expect(() => new Webhook(secret).verify(`${message.body} `, headers)).toThrow('No matching signature');
  expect(() => new Webhook(secret).verify(message.body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
  expect(() => new Webhook(newWebhookSecret()).verify(message.body, headers)).toThrow('No matching signature');
});

test('with two secrets a receiver that knows either is content', () => {
  const [newer, older] = [newWebhookSecret(), newWebhookSecret()];
  const headers = signatureHeaders(message, [newer, older], Date.now());
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  for (const secret of [newer, older]) expect(() => new Webhook(secret).verify(message.body, headers)).not.toThrow();
});

test('the timestamp is that of the try, in seconds', () => {
  const headers = signatureHeaders(message, [newWebhookSecret()], Date.UTC(2026, 0, 5) + 999);
  expect(headers['webhook-timestamp']).toBe(String(Date.UTC(2026, 0, 5) / 1_000));
});

test('secrets are of the scheme, of 24 bytes or more, and never the same', () => {
  const secrets = Array.from({ length: 50 }, newWebhookSecret);
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64').byteLength).toBeGreaterThanOrEqual(24);
  }
});

const transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
afterEach(closeServers);

test('a test event is signed like any other, and its sender learns what became of it', async () => {
  const secret = newWebhookSecret();
  const verified: unknown[] = [];
  const server = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      verified.push(new Webhook(secret).verify(Buffer.concat(chunks), request.headers as Record<string, string>));
      response.writeHead(verified.length === 1 ? 200 : 503).end();
    });
  });
  const receiver = { url: server.url, secrets: () => [secret] };
  const sending = { send: transport.send, nowMs: Date.now };
  const first = await sendTestEvent(receiver, sending);
  expect(first).toMatchObject({ means: 'delivered', status: 200 });
  expect(verified).toEqual([expect.objectContaining({ eventId: first.eventId, event: 'webhook.test' })]);
  expect(await sendTestEvent(receiver, sending)).toMatchObject({ means: 'refused', status: 503 });
});
