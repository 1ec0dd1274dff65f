import { describe, expect, it } from 'vitest';
import { readWebhook } from '../../src/client/webhook.ts';
import { newWebhookSecret, signatureHeaders, signingKey } from '../../src/engine/webhooks/delivery.ts';

const secret = newWebhookSecret();
const body = JSON.stringify({ eventId: 'evt_1', event: 'consignment.status' });
const signed = (secrets = [secret], atMs = Date.now()) =>
  signatureHeaders({ webhookId: 'evt_1', body }, secrets.map(signingKey), atMs);

describe('a webhook request', () => {
  it('is read when it is signed with the secret, whichever way its headers are held', () => {
    const expected = { ok: true, event: { eventId: 'evt_1', event: 'consignment.status' } };
    expect(readWebhook(secret, signed(), body)).toEqual(expected);
    expect(readWebhook(secret, new Headers(signed()), new TextEncoder().encode(body))).toEqual(expected);
  });

  it('is read during a rotation by whoever knows either secret', () => {
    const next = newWebhookSecret();
    expect(readWebhook(next, signed([next, secret]), body).ok).toBe(true);
    expect(readWebhook(secret, signed([next, secret]), body).ok).toBe(true);
    expect(readWebhook([secret, next], signed([next]), body).ok).toBe(true);
  });

  it.each([
    ['another secret', newWebhookSecret(), signed(), body],
    ['another body', secret, signed(), `${body} `],
    ['no signature', secret, {}, body],
    ['a signature of long ago', secret, signed([secret], Date.now() - 600_000), body],
    ['no secret', [], signed(), body],
  ])('with %s is refused', (_, known, headers, came) => {
    expect(readWebhook(known, headers, came)).toEqual({ ok: false, why: expect.any(String) as unknown });
  });
});
