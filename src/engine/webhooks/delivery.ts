/** A delivery attempt: sign → send → classify → decide. At least once: what was cut short is sent again. */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Transport } from '../transport/transport.ts';
import type { WireOutcome } from '../transport/wire.ts';

interface Message {
  /** The same for every attempt, so that the receiver recognises a repeat. */
  readonly webhookId: string;
  /** The text whose UTF-8 bytes are sent. */
  readonly body: string;
  /** `traceparent`, for the receiver to go on with. */
  readonly trace?: string | undefined;
}

export interface Receiver {
  readonly url: string;
  /** What signs now, newest first. Throws a `Failure` when the secrets cannot be opened. */
  readonly keys: () => readonly KeyObject[];
  /** The shipper's own, beside those of the message. Throws as `keys` does. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
}

/** A delivery that belongs to this worker alone until its lease ends. */
export interface DeliveryClaim extends Message, Receiver {
  readonly deliveryId: number;
  readonly subscriptionId: string;
  readonly lease: string;
  /** Numbers the attempt in the log. */
  readonly attempt: number;
  /** Attempts that count, this one included. */
  readonly tries: number;
  /** Since when no attempt of the subscription succeeded, milliseconds since 1970; undefined: the last one did. */
  readonly failingSinceMs: number | undefined;
  /** Seconds between a failed attempt and the next, where the subscription has a schedule of its own. */
  readonly retryAfterSeconds?: readonly number[] | undefined;
}

/** One attempt, for the log that the subscription's owner reads. */
export interface DeliveryAttempt extends Omit<Verdict, 'means'> {
  readonly atMs: number;
  readonly durationMs: number;
}

interface WebhookSender {
  readonly send: Transport['send'];
  readonly nowMs: () => number;
  /** The receiver's time to answer. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
}

export interface Delivering extends WebhookSender {
  readonly policy: DeliveryPolicy;
}

/** What is to be recorded of an attempt, under the claim's lease. */
export interface EndedDelivery {
  readonly claim: DeliveryClaim;
  readonly attempt: DeliveryAttempt;
  readonly next: NextState;
}

/** Makes one attempt. `signal` ends it early; it does not count then. */
export const deliver = async (
  claim: DeliveryClaim,
  delivering: Delivering,
  signal?: AbortSignal,
): Promise<EndedDelivery> => {
  const atMs = delivering.nowMs();
  const { means, ...logged } = await sendSigned(claim, claim, delivering, signal);
  const endMs = delivering.nowMs();
  const attempt = { atMs, durationMs: Math.max(0, Math.round(endMs - atMs)), ...logged };
  return { claim, attempt, next: decideNext(means, claim, endMs, delivering.policy) };
};

// Sending -------------------------------------------------------------------------------------------------------------

const SECRET_BYTES = 32;
const SECRET_PREFIX = 'whsec_';

/** `whsec_` and base64 of 256 random bits, as the Standard Webhooks scheme has it. */
export const newWebhookSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'));

/** The headers of the Standard Webhooks scheme. One signature a key, so that a secret can be replaced without a gap. */
export const signatureHeaders = (
  { webhookId, body }: Message,
  keys: readonly KeyObject[],
  atMs: number,
): Record<string, string> => {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signed = `${webhookId}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': webhookId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
};

const TIMEOUT_MS = 30_000;
/** Only the status matters; nobody reads the rest. */
const MAX_ANSWER_BYTES = 65_536;

/** Signs a message and posts it: again, by a new connection, where the one that was kept was being closed. */
export const sendSigned = async (
  message: Message,
  { url, keys, headers: own }: Receiver,
  { send, nowMs, timeoutMs = TIMEOUT_MS }: WebhookSender,
  signal?: AbortSignal,
): Promise<Verdict> => {
  let signature: Record<string, string>;
  try {
    signature = { ...own?.(), ...signatureHeaders(message, keys(), nowMs()) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const verdict = refused(thrown.code, thrown.message);
    return thrown.code === 'secret_key_missing' ? { ...verdict, means: 'left' } : verdict;
  }
  const headers = {
    'content-type': 'application/json',
    ...(message.trace && { traceparent: message.trace }),
    ...signature,
  };
  const request = { method: 'POST', url, headers, body: Buffer.from(message.body), isPlain: true } as const;
  const beganMs = performance.now();
  const outcome = await send(request, { timeoutMs, maxBytes: MAX_ANSWER_BYTES, signal });
  const isCut = outcome.kind === 'ambiguous' && outcome.code === 'connection_reset' && outcome.isKept === true;
  const leftMs = Math.ceil(timeoutMs - (performance.now() - beganMs));
  if (!isCut || leftMs <= 0) return classifyDelivery(outcome);
  // To close a connection that is not in use says nothing of the receiver.
  const again = { ...request, freshConnection: true };
  return classifyDelivery(await send(again, { timeoutMs: leftMs, maxBytes: MAX_ANSWER_BYTES, signal }));
};

/** Sends an event without content, so that a shipper can try the receiver and its check of signatures. */
export const sendTestEvent = async (
  receiver: Receiver,
  sender: WebhookSender,
): Promise<Verdict & { readonly eventId: string }> => {
  const eventId = `evt_test_${randomBytes(12).toString('base64url')}`;
  const timestamp = new Date(sender.nowMs()).toISOString();
  const body = JSON.stringify({ eventId, timestamp, sequence: 0, event: 'webhook.test' });
  return { ...(await sendSigned({ webhookId: eventId, body }, receiver, sender)), eventId };
};

// Deciding ------------------------------------------------------------------------------------------------------------

export interface DeliveryPolicy {
  /** After the first attempt: WEBHOOK_RETRIES. */
  readonly retries: number;
  /** Between one attempt and the next: WEBHOOK_RETRY_MS. */
  readonly retryMs: number;
  /** A subscription without a success for that long is paused when another delivery fails for good. */
  readonly pauseAfterMs: number;
}

interface Verdict {
  /** `interrupted`, `left` to a process that has the key: it says nothing about the receiver. */
  readonly means: 'delivered' | 'refused' | 'gone' | 'interrupted' | 'left';
  /** Stable word for the log: `delivered`, `http_error`, `redirected`, `gone`, or why the transport failed. */
  readonly outcome: string;
  readonly status: number | undefined;
  readonly message: string | undefined;
}

export type PauseReason = 'requested' | 'gone' | 'failing';

export type NextState =
  | { readonly state: 'delivered' }
  | { readonly state: 'failed'; readonly pause: PauseReason | undefined }
  | {
      readonly state: 'waiting';
      readonly dueAtMs: number;
      /** Whether the attempt counts among those that may be made. */
      readonly counted: boolean;
      readonly pause: PauseReason | undefined;
    };

const LONGEST_MESSAGE = 300;
/** Until another process may take up what this one has no key for. */
const LEFT_FOR_MS = 10_000;

/** The status alone decides, also where the rest of the answer was too long, cut or late. */
export const classifyDelivery = (outcome: WireOutcome): Verdict => {
  if (outcome.kind === 'answer') return classifyStatus(outcome.status);
  if (outcome.code === 'aborted' || outcome.code === 'transport_closed') {
    return { means: 'interrupted', outcome: 'interrupted', status: undefined, message: 'we were shutting down' };
  }
  if (outcome.kind === 'ambiguous' && outcome.partial !== undefined) return classifyStatus(outcome.partial.status);
  return refused(outcome.code, outcome.message);
};

/** An attempt without an answer. */
const refused = (outcome: string, message: string): Verdict => ({
  means: 'refused',
  outcome,
  status: undefined,
  message: message.slice(0, LONGEST_MESSAGE),
});

const classifyStatus = (status: number): Verdict => {
  if (status >= 200 && status < 300) return { means: 'delivered', outcome: 'delivered', status, message: undefined };
  if (status === 410) return { means: 'gone', outcome: 'gone', status, message: 'answered 410 Gone' };
  return status >= 300 && status < 400
    ? { means: 'refused', outcome: 'redirected', status, message: `answered ${status}; redirects are not followed` }
    : { means: 'refused', outcome: 'http_error', status, message: `answered ${status}` };
};

/** A subscription is paused when none of its attempts has succeeded for so long. */
export const PAUSE_AFTER_MS = 5 * 86_400_000;

/** First attempt and `retries` more, `retryMs` apart, or as the subscription says; then failed, for redelivery by hand. */
export const decideNext = (
  means: Verdict['means'],
  { tries, failingSinceMs, retryAfterSeconds }: Pick<DeliveryClaim, 'tries' | 'failingSinceMs' | 'retryAfterSeconds'>,
  nowMs: number,
  { retries, retryMs, pauseAfterMs }: DeliveryPolicy,
): NextState => {
  if (means === 'delivered') return { state: 'delivered' };
  if (means !== 'refused') {
    const dueAtMs = means === 'left' ? nowMs + LEFT_FOR_MS : nowMs;
    return { state: 'waiting', dueAtMs, counted: false, pause: means === 'gone' ? 'gone' : undefined };
  }
  const waits = retryAfterSeconds?.map((seconds) => seconds * 1_000) ?? Array.from({ length: retries }, () => retryMs);
  const waitMs = waits[tries - 1];
  if (waitMs !== undefined) return { state: 'waiting', dueAtMs: nowMs + waitMs, counted: true, pause: undefined };
  const keepsFailing = failingSinceMs !== undefined && nowMs - failingSinceMs >= pauseAfterMs;
  return { state: 'failed', pause: keepsFailing ? 'failing' : undefined };
};
