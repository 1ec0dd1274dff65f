/** Pure: what follows from one try to fetch a label (profile-language.md §2.7, `labels.retry`). */
import type { DocumentFormat } from '../codecs/label-document.ts';
import { backoffMs } from '../duration.ts';
import type { LabelRetry } from '../profile/carrier.ts';

/** What one try brought. `not_yet`: asking again may help; `failed`: it would not. */
export type LabelOutcome =
  | { readonly kind: 'stored'; readonly bytes: Buffer; readonly format: DocumentFormat }
  | { readonly kind: 'not_yet'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export type LabelNext =
  | { readonly state: 'stored'; readonly bytes: Buffer; readonly format: DocumentFormat }
  | { readonly state: 'pending'; readonly dueAtMs: number; readonly untilAtMs: number; readonly message: string }
  | { readonly state: 'failed'; readonly message: string };

export interface LabelSituation {
  /** This one included. */
  readonly tries: number;
  /** When we give up, milliseconds since 1970; undefined: this is the first try. */
  readonly untilAtMs: number | undefined;
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** A placeholder is asked again, less and less often, and once more at the very end. */
export const decideLabel = (outcome: LabelOutcome, situation: LabelSituation, retry: LabelRetry): LabelNext => {
  if (outcome.kind === 'stored') return { state: 'stored', bytes: outcome.bytes, format: outcome.format };
  const { message } = outcome;
  if (outcome.kind === 'failed') return { state: 'failed', message };
  const { nowMs } = situation;
  const untilAtMs = situation.untilAtMs ?? nowMs + retry.untilMs;
  if (nowMs >= untilAtMs) return { state: 'failed', message: `still no label when we gave up: ${message}` };
  const waitMs = backoffMs(retry, situation.tries, situation.random);
  return { state: 'pending', dueAtMs: Math.min(nowMs + waitMs, untilAtMs), untilAtMs, message };
};
