import type { Place } from '../failure.ts';
import type { Value } from '../profile/language/field.ts';
import type { policy, policyRule, PolicyEntry } from '../profile/language/policy.ts';

type Keys = Value<typeof policy>;

/** A compiled policy: which carriers an order may go to, and which of them comes first. */
export interface Policy extends Pick<Keys, 'currency' | 'exchange' | 'timeZone' | 'tables' | 'fallback'> {
  readonly name: string;
  /** Hash of its text. */
  readonly hash: string;
  readonly place: Place;
  /** The first that is for the order decides. */
  readonly rules: readonly PolicyRule[];
}

export interface PolicyRule extends Omit<Value<typeof policyRule>, 'name'> {
  readonly name: string;
  readonly place: Place;
}

export type { PolicyEntry };
export type Rank = PolicyRule['rank'];

/** What a score is made of where a rule does not say it. */
export const PRICE_ALONE = { price: 1, days: 0, emissions: 0, quality: 0 } as const;
