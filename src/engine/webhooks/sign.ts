import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

const SECRET_BYTES = 32;

/** `whsec_` and base64 of 256 random bits, as the Standard Webhooks scheme has it. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

export interface Message {
  /** The same for every try, so that the receiver knows a repeat. */
  readonly webhookId: string;
  /** The text whose UTF-8 bytes are sent. */
  readonly body: string;
}

/**
 * The headers of the Standard Webhooks scheme, for a message sent at `atMs`. One signature a secret, so that while a
 * secret is being replaced the receiver may know either.
 */
export const signatureHeaders = (
  { webhookId, body }: Message,
  secrets: readonly string[],
  atMs: number,
): Record<string, string> => ({
  'webhook-id': webhookId,
  'webhook-timestamp': String(Math.floor(atMs / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(webhookId, new Date(atMs), body)).join(' '),
});
