/**
 * A delivery attempt: claim → sign → send → classify → decide → conclude. At least once: what was cut short is sent
 * again.
 */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Failure } from '../failure.ts';
import type { Transport } from '../transport/transport.ts';
import type { WireOutcome } from '../transport/wire.ts';

/** A delivery that is ours alone until its lease ends. */
export interface DeliveryClaim extends Message, Receiver {
  readonly deliveryId: number;
  readonly subscriptionId: string;
  readonly lease: string;
  /** Numbers the try in the log. */
  readonly attempt: number;
  /** Tries that count, this one included. */
  readonly tries: number;
  /** Since when no try of the subscription succeeded, milliseconds since 1970. */
  readonly failingSinceMs: number | undefined;
}

export type ClaimedDelivery =
  | { readonly kind: 'claimed'; readonly claim: DeliveryClaim }
  /** Not due, done, or another's; of a paused subscription; or of one that has enough under way. */
  | { readonly kind: 'not_ours' | 'paused' | 'busy' };

/** One try, for the log that the subscription's owner reads. */
export interface DeliveryTry {
  readonly atMs: number;
  readonly durationMs: number;
  readonly status: number | undefined;
  readonly outcome: string;
  readonly message: string | undefined;
}

/** What delivering asks of the records. */
export interface Deliveries {
  claim(deliveryId: number): Promise<ClaimedDelivery>;
  /** Records the try and what follows, under the claim's lease; false when that is gone. */
  conclude(claim: DeliveryClaim, tried: DeliveryTry, next: NextState): Promise<boolean>;
}

export interface Delivering extends Sending {
  readonly deliveries: Deliveries;
  readonly policy: DeliveryPolicy;
}

export type Delivered = Exclude<ClaimedDelivery['kind'], 'claimed'> | NextState['state'] | 'lease_lost';

/** Makes one try of a delivery, if the records say that one is due. `signal` ends it early, and it does not count. */
export const deliver = async (deliveryId: number, delivering: Delivering, signal?: AbortSignal): Promise<Delivered> => {
  const { deliveries, policy, nowMs } = delivering;
  const claimed = await deliveries.claim(deliveryId);
  if (claimed.kind !== 'claimed') return claimed.kind;
  const { claim } = claimed;
  const atMs = nowMs();
  const verdict = await sendSigned(claim, claim, delivering, signal);
  const endMs = nowMs();
  const next = decideNext(verdict, { tries: claim.tries, failingSinceMs: claim.failingSinceMs, nowMs: endMs }, policy);
  const { status, outcome, message } = verdict;
  const tried: DeliveryTry = { atMs, durationMs: Math.max(0, Math.round(endMs - atMs)), status, outcome, message };
  return (await deliveries.conclude(claim, tried, next)) ? next.state : 'lease_lost';
};

// Sending -------------------------------------------------------------------------------------------------------------

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

export interface Sending {
  readonly send: Transport['send'];
  readonly nowMs: () => number;
  /** The receiver's time to answer; 30 s by the shipper API, "Limits". */
  readonly timeoutMs?: number | undefined;
}

export interface Receiver {
  readonly url: string;
  /** Newest first. Throws a `Failure` when they cannot be opened. */
  readonly secrets: () => readonly string[];
}

const TIMEOUT_MS = 30_000;
/** Only the status matters; nobody reads the rest. */
const MAX_ANSWER_BYTES = 65_536;

/** Signs a message and posts it, once. */
const sendSigned = async (
  message: Message,
  { url, secrets }: Receiver,
  { send, nowMs, timeoutMs }: Sending,
  signal?: AbortSignal,
): Promise<Verdict> => {
  let signature: Record<string, string>;
  try {
    signature = signatureHeaders(message, secrets(), nowMs());
  } catch (thrown) {
    if (thrown instanceof Failure) return refused(thrown.code, thrown.message);
    throw thrown;
  }
  const outcome = await send(
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...signature },
      body: Buffer.from(message.body),
    },
    { timeoutMs: timeoutMs ?? TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, signal },
  );
  return classifyTry(outcome);
};

/** Sends an event that tells of nothing, so that a shipper can try the receiver and its check of signatures. */
export const sendTestEvent = async (
  receiver: Receiver,
  sending: Sending,
  signal?: AbortSignal,
): Promise<Verdict & { readonly eventId: string }> => {
  const eventId = `evt_test_${randomBytes(12).toString('base64url')}`;
  const body = JSON.stringify({
    eventId,
    timestamp: new Date(sending.nowMs()).toISOString(),
    sequence: 0,
    event: 'webhook.test',
  });
  return { ...(await sendSigned({ webhookId: eventId, body }, receiver, sending, signal)), eventId };
};

// Deciding ------------------------------------------------------------------------------------------------------------

export interface DeliveryPolicy {
  /** After the first try: WEBHOOK_RETRIES. */
  readonly retries: number;
  /** Between one try and the next: WEBHOOK_RETRY_MS. */
  readonly retryMs: number;
  /** A subscription none of whose tries succeeded for that long is paused when another delivery fails for good. */
  readonly pauseAfterMs: number;
}

/** What came of one try. `interrupted`: we ended it, so it says nothing about the receiver. */
export interface Verdict {
  readonly means: 'delivered' | 'refused' | 'gone' | 'interrupted';
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
      /** Whether the try counts among those that may be made. */
      readonly counted: boolean;
      readonly pause: PauseReason | undefined;
    };

const LONGEST_MESSAGE = 300;

/** The status alone decides, also where the rest of the answer was too long, cut or late. */
export const classifyTry = (outcome: WireOutcome): Verdict => {
  if (outcome.kind === 'answer') return classifyStatus(outcome.status);
  if (outcome.code === 'aborted' || outcome.code === 'transport_closed') {
    return { means: 'interrupted', outcome: 'interrupted', status: undefined, message: 'we were shutting down' };
  }
  if (outcome.kind === 'ambiguous' && outcome.partial !== undefined) return classifyStatus(outcome.partial.status);
  return refused(outcome.code, outcome.message);
};

/** A try that failed before anything could be sent. */
export const refused = (outcome: string, message: string): Verdict => ({
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

export interface Situation {
  /** Tries that count, the one judged included. */
  readonly tries: number;
  /** Since when no try of the subscription succeeded; undefined: the last one did. */
  readonly failingSinceMs: number | undefined;
  readonly nowMs: number;
}

/** First try and `retries` more, `retryMs` apart; then failed, for redelivery by hand. */
export const decideNext = (
  verdict: Verdict,
  { tries, failingSinceMs, nowMs }: Situation,
  policy: DeliveryPolicy,
): NextState => {
  switch (verdict.means) {
    case 'delivered':
      return { state: 'delivered' };
    case 'interrupted':
      return { state: 'waiting', dueAtMs: nowMs, counted: false, pause: undefined };
    case 'gone':
      return { state: 'waiting', dueAtMs: nowMs, counted: false, pause: 'gone' };
    case 'refused':
      break;
  }
  if (tries <= policy.retries)
    return { state: 'waiting', dueAtMs: nowMs + policy.retryMs, counted: true, pause: undefined };
  const keepsFailing = failingSinceMs !== undefined && nowMs - failingSinceMs >= policy.pauseAfterMs;
  return { state: 'failed', pause: keepsFailing ? 'failing' : undefined };
};
