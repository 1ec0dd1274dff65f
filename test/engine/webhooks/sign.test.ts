import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newWebhookSecret, signatureHeaders } from '../../../src/engine/webhooks/sign.ts';

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
