import type { Problem } from '../failure.ts';
import type { Roots } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import type { Mask } from '../transport/masking.ts';
import type { ReadAnswer } from './answer.ts';
import type { AuthMaterial } from './auth/auth-material.ts';
import type { Classification } from './classify.ts';
import type { Exchange, KeptAnswer, Ports, Run } from './ports.ts';
import type { CallScope } from './scope.ts';

/** What one call of a run has at hand. */
export interface CallRequest {
  readonly run: Run;
  readonly ports: Ports;
  readonly mask: Mask;
  readonly operation: string;
  readonly isRead: boolean;
  /** The carrier promises nothing of a repeat: not to be sent over a connection that may just be closing. */
  readonly once: boolean;
  readonly step: Step;
  readonly call: CallScope;
  /** The open roots of the call: no secret among them. */
  readonly open: Roots;
  readonly attempt: number;
  /** The fence: the last thing before a byte leaves. */
  readonly beforeSend: () => Promise<void>;
}

export type CallOutcome =
  | {
      readonly kind: 'answered';
      readonly verdict: Classification;
      readonly kept: KeptAnswer;
      readonly read: ReadAnswer;
      readonly retryAfterMs: number | undefined;
      readonly proof: AuthMaterial;
      readonly exchange: Exchange;
    }
  /** No byte of the request left; `forGood`: nor will any, until profile or account change. */
  | { readonly kind: 'not_sent'; readonly forGood: boolean; readonly problem: Problem; readonly exchange: Exchange }
  /** Nobody knows what became of the request. */
  | { readonly kind: 'ambiguous'; readonly problem: Problem; readonly exchange: Exchange }
  /** It did not come to a request: the mapping refused, or something is wrong with profile, account or login. */
  | {
      readonly kind: 'unbuilt';
      readonly as: 'reject' | 'config_error' | 'retry';
      readonly problem: Problem;
      /** What the carrier asked for when its login was not to be had. */
      readonly retryAfterMs?: number | undefined;
    }
  /** The carrier's limits hold it back for now. */
  | { readonly kind: 'held_back'; readonly waitMs: number; readonly problem: Problem };
