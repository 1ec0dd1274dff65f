/** Pure: what came of a try, and what follows from it (design.md, "Never lost" 6). */
import type { WireOutcome } from '../transport/wire.ts';

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
export const judgeTry = (outcome: WireOutcome): Verdict => {
  if (outcome.kind === 'answer') return judgeStatus(outcome.status);
  if (outcome.code === 'aborted' || outcome.code === 'transport_closed') {
    return { means: 'interrupted', outcome: 'interrupted', status: undefined, message: 'we were shutting down' };
  }
  if (outcome.kind === 'ambiguous' && outcome.partial !== undefined) return judgeStatus(outcome.partial.status);
  return refused(outcome.code, outcome.message);
};

/** A try that failed before anything could be sent. */
export const refused = (outcome: string, message: string): Verdict => ({
  means: 'refused',
  outcome,
  status: undefined,
  message: message.slice(0, LONGEST_MESSAGE),
});

const judgeStatus = (status: number): Verdict => {
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
