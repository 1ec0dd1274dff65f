import type { Place } from '../../engine/failure.ts';

/** One value: the expression that yields it, the fields that it is made of, and what the shipper wrote for those. */
export interface ExplainedValue {
  /** As `body.receiver.name`, `url`, `headers.X-Key`. */
  readonly path: string;
  readonly value: unknown;
  readonly place: Place;
  readonly reads: readonly string[];
  readonly shipper: readonly string[];
}

/** A rule of `outcomes`, asked in this order. */
export interface ExplainedRule {
  readonly place: Place;
  readonly do: string;
  readonly matched: boolean;
  /** Why it did or did not. */
  readonly why: string;
}

export interface ExplainedExchange {
  readonly operation: string;
  readonly step: string;
  readonly method: string;
  readonly url: string;
  readonly status: number | undefined;
  readonly outcome: string;
  readonly message: string | undefined;
  readonly values: readonly ExplainedValue[];
  /** Down to the one that matched; where none did, a built-in one decided. */
  readonly rules: readonly ExplainedRule[];
}

export interface Explanation {
  readonly carrier: string;
  /** The case that is explained, or the recorded dispatch. */
  readonly case?: string;
  readonly dispatch?: { readonly id: number; readonly operation: string; readonly profileHash: string };
  /** What keeps the explanation of a dispatch from being the whole truth. */
  readonly notes?: readonly string[];
  readonly exchanges: readonly ExplainedExchange[];
  /** What the profile made of the answers: results and events. */
  readonly results: readonly ExplainedValue[];
}
