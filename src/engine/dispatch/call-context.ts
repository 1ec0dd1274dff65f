/** What a call of a run has at hand, and how it ends. */
import type { Backoff } from '../duration.ts';
import type { Problem } from '../failure.ts';
import type { Idempotency, Step } from '../profile/carrier.ts';
import type { Mask } from '../transport/masking.ts';
import type { Answer } from './answer.ts';
import type { Ports, Run } from './ports.ts';
import type { CallScope } from './scope.ts';

export interface CallContext {
  readonly run: Run;
  readonly ports: Ports;
  readonly mask: Mask;
  /** Of the operation: what the carrier promises of a repeat. */
  readonly idempotency: Idempotency;
  readonly operation: string;
  readonly isRead: boolean;
  /** Asks the carrier whether it did what nobody knows of; undefined where that cannot be asked. */
  readonly lookUp: LookUp | undefined;
}

interface LookUp {
  readonly ask: (call: CallScope) => Promise<LookedUp>;
  /** How long to wait before asking: what was made may take a while to be found. */
  readonly backoff: Backoff;
}

export type LookedUp =
  | { readonly kind: 'found'; readonly result: unknown }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unclear'; readonly problem: Problem };

export type CallEnd =
  | { readonly kind: 'succeeded'; readonly answer: Answer | undefined; readonly found: unknown }
  /** Not done, for good. */
  | { readonly kind: 'failed'; readonly as: 'reject' | 'fail' | 'config_error'; readonly problem: Problem }
  /** To be gone on with later; `doubtful`: it may have been done already. */
  | { readonly kind: 'waiting'; readonly dueAtMs: number; readonly doubtful: boolean; readonly problem: Problem }
  /** Nobody knows, and there is no way to find out. */
  | { readonly kind: 'unknown'; readonly problem: Problem };

/** What the carrier promises of this step's repeat. */
export const promiseOf = (context: CallContext, step: Step): Idempotency => step.idempotency ?? context.idempotency;

/** Whether it still promises that, of what may have been done since then. */
export const isSafeToRetry = (context: CallContext, step: Step, sinceMs: number): boolean => {
  const idempotency = promiseOf(context, step);
  return (
    idempotency.by !== 'none' &&
    (idempotency.forMs === undefined || context.ports.nowMs() < sinceMs + idempotency.forMs)
  );
};
