/** What is left when the system is quiet: logs of all sides, and the records. */
import type { CarrierEntry } from '../mock/carriers.ts';
import type { ReceiverEntry } from '../mock/receivers.ts';
import type { ClientAnswer } from '../world/load.ts';

export interface DispatchRow {
  readonly reference: string;
  readonly carrier: string;
  readonly operation: string;
  readonly state: string;
  /** JSON. */
  readonly failure: string | null;
  readonly attempt: number;
}

/** A request as our own side wrote it down: also one that never came to a carrier. */
export interface ExchangeRow {
  readonly reference: string;
  readonly carrier: string;
  readonly operation: string;
  readonly step: string;
  readonly element: number;
  readonly attempt: number;
  readonly outcome: string;
}

export interface DeliveryRow {
  readonly notice: string;
  readonly event: string;
  /** Of the status push that the notice tells of. */
  readonly eventId: string | null;
  /** null: nobody subscribed. */
  readonly state: string | null;
  /** Tries that count. */
  readonly tries: number;
  readonly receiver: string | null;
}

export interface Records {
  readonly consignments: readonly {
    readonly reference: string;
    readonly carrier: string;
    readonly acceptance: string;
    readonly status: string;
  }[];
  readonly dispatches: readonly DispatchRow[];
  /** In the order in which they were written. */
  readonly exchanges: readonly ExchangeRow[];
  readonly events: readonly { readonly id: string | null; readonly match: string; readonly reference: string | null }[];
  readonly deliveries: readonly DeliveryRow[];
}

export interface Evidence {
  readonly answers: readonly ClientAnswer[];
  readonly carriers: readonly CarrierEntry[];
  readonly receivers: readonly ReceiverEntry[];
  readonly records: Records;
  /** By receiver. */
  readonly webhookSecrets: Readonly<Record<string, string>>;
  /** Secrets by name. */
  readonly planted: ReadonlyMap<string, string>;
  /** Longer than anybody may be kept waiting. */
  readonly answerWithinMs: number;
  /** Tries that a delivery gets before it fails. */
  readonly deliveryTries: number;
}
