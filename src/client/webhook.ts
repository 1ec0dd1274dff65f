/** For a shipper's webhook endpoint: is the request ours, and what does it tell? */
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { WebhookEvent } from '../engine/webhooks/event.ts';

export type { WebhookEvent };

/** Sent by `test` of a webhook; it tells of nothing. */
export interface TestEvent {
  readonly eventId: string;
  readonly timestamp: string;
  readonly sequence: 0;
  readonly event: 'webhook.test';
}

export type Received =
  | { readonly ok: true; readonly event: WebhookEvent | TestEvent }
  /** Not signed with one of the secrets, or longer ago than five minutes: answer 401 and do nothing. */
  | { readonly ok: false; readonly why: string };

type Headers =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | string[] | undefined>>;
const SIGNED = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/**
 * Checks the signature over the body as it came (text or bytes, never parsed and written again) and reads it. While a
 * secret is rotated give both. Then answer 200 within 30 seconds; `eventId` is the same when it comes twice.
 */
export const readWebhook = (
  secrets: string | readonly string[],
  headers: Headers,
  body: string | Uint8Array,
): Received => {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = Object.fromEntries(SIGNED.map((name) => [name, headerOf(headers, name) ?? '']));
  let why = 'there is no secret to check it with';
  for (const secret of [secrets].flat()) {
    try {
      return { ok: true, event: new Webhook(secret).verify(text, signed) as WebhookEvent | TestEvent };
    } catch (thrown) {
      if (!(thrown instanceof WebhookVerificationError) && !(thrown instanceof SyntaxError)) throw thrown;
      why = thrown.message;
    }
  }
  return { ok: false, why };
};

const headerOf = (headers: Headers, name: string): string | undefined => {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | string[] | undefined>>)[name];
  return Array.isArray(value) ? value[0] : value;
};
