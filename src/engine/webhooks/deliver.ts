/** The work of a delivery job: claim → send → conclude. At least once: what was cut short is sent again. */
import { decideNext, type DeliveryPolicy, type NextState } from './decide.ts';
import { type Receiver, type Sending, sendSigned } from './send.ts';
import type { Message } from './sign.ts';

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
