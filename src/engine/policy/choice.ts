import type { LabelFormat } from '../consignment/consignment.ts';
import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import type { Offer } from '../rates/offer.ts';
import type { Quoted } from '../rates/quote.ts';
import type { Issue } from '../validate.ts';
import type { PolicyEntry } from './policy.ts';

/** A carrier that an order may go to. */
export interface Candidate {
  readonly carrier: Carrier;
  readonly hasAccount: boolean;
  /** It fails at the moment: its circuit breaker is open. */
  readonly openBreaker: boolean;
  /** What else stands against the order with this service, beside what the profile says of itself. */
  readonly issues?: (service: ServiceRow) => readonly Issue[] | Promise<readonly Issue[]>;
}

export interface ChoiceContext {
  readonly nowMs: number;
  /** What the shipper wishes: the name of a service, or a type of service; undefined or `AUTO`: any. */
  readonly serviceType?: string | undefined;
  /** What the shipper wishes; undefined: any. */
  readonly labelFormat?: LabelFormat | undefined;
  /** Asks a carrier that has the operation `rates`, about one service or all. Without it, nobody is asked. */
  readonly quote?: ((carrier: Carrier, service: ServiceRow | undefined) => Promise<Quoted>) | undefined;
  /** How many consignments the carrier got since then, counted no further than `upTo`. Without it, all guaranteed minimums count as reached. */
  readonly volume?: (carrierCode: string, sinceMs: number, upTo: number) => number | Promise<number>;
}

/** What a policy made of a carrier, or of one of its services. JSON. */
export interface Considered {
  readonly carrier: string;
  readonly service?: string;
  /** 1 is taken; the others follow in their order. */
  readonly rank?: number;
  /** From 0 to 100, of the rank `best`. */
  readonly score?: number;
  readonly offer?: Offer;
  /** From shipping to delivery. */
  readonly days?: number;
  /** Why it is ranked without a price. */
  readonly unpriced?: Excluded;
  readonly excluded?: Excluded;
}

export interface Excluded {
  readonly code: string;
  readonly reason: string;
}

/** JSON. */
export interface Choice {
  readonly policy: string;
  /** The rule that decided; undefined: none was for the order. */
  readonly rule?: string;
  /** Ranked ones first, by their rank; then those that it may not go with. */
  readonly considered: readonly Considered[];
}

/** What may still be taken. */
export interface Eligible {
  readonly entry: PolicyEntry;
  /** In the order of the policy. */
  readonly at: number;
  readonly carrier: Carrier;
  readonly service: ServiceRow;
  readonly offer?: Offer | undefined;
  readonly unpriced?: Excluded | undefined;
}
