/** What running an operation needs: implemented by the records, the transport and the case runner. */
import type { AskedRoot } from '../ask/operations.ts';
import type { Accepted } from '../consignment/answer.ts';
import type { Consignment } from '../consignment/consignment.ts';
import type { Problem } from '../failure.ts';
import type { Draw } from '../mapping/mapping.ts';
import type { Carrier, EnvironmentName, Limits, Operation, OperationName, OutcomeWord } from '../profile/carrier.ts';
import type { Secret } from '../transport/masking.ts';
import type { WireLimits, WireOutcome, WireRequest } from '../transport/wire.ts';

export interface Account {
  /** Names the account in token keys and sequences. */
  readonly id: number;
  /** Grows with every change of the account: tokens and refused logins of the old one are nothing to the new. */
  readonly version: number;
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
  /** In the place of `url` of the environment: a host of its own, or a stub. */
  readonly baseUrl?: string | undefined;
  /** Of these, what came from variables: secret, whatever the profile declares. */
  readonly fromVariables?: readonly Secret[];
}

/** The recorded inputs of an operation: the roots that do not come from answers. */
export interface Inputs extends Partial<Readonly<Record<AskedRoot, unknown>>> {
  readonly consignment?: unknown;
  readonly service?: unknown;
  readonly shipment?: unknown;
  readonly remark?: string | undefined;
  readonly item?: unknown;
  readonly items?: readonly unknown[] | undefined;
  readonly index?: number | undefined;
  readonly webhook?: { readonly url: string } | undefined;
  /** Of a cancel: the carrier that is to have the order then. */
  readonly moveTo?: MoveTo | undefined;
  /** Of a create: who is to have the order next where it is certainly not done. Of their consignments, what differs from this one. */
  readonly next?: readonly Successor[] | undefined;
  /** With it: for how long a carrier that is away is waited for, at most. */
  readonly patienceMs?: number | null | undefined;
  /** A `Chosen`: what a policy chose, once this is the consignment's. Null: nothing any more, a carrier was named. */
  readonly choice?: unknown;
  /** Of a change of a pickup: as it is booked now. */
  readonly booked?: unknown;
}

/** A create at another carrier than the one that has the order now. */
export interface MoveTo {
  readonly carrierCode: string;
  readonly accountId: number;
  readonly profileHash: string;
  readonly inputs: Inputs;
}

/** `taken`: which one it is of those that its policy considered. */
export interface Successor extends MoveTo {
  readonly taken: number;
}

/** One operation to run, or to go on with. */
export interface Run {
  /** Random, fixed for the dispatch: idempotency keys and `$uuid` derive from it. */
  readonly seed: string;
  readonly carrier: Carrier;
  readonly operation: Operation;
  readonly environment: EnvironmentName;
  readonly account: Account;
  readonly inputs: Inputs;
  /** Milliseconds since 1970 at the operation's first try: `now`. */
  readonly nowMs: number;
  /** Since when it has waited for a carrier that is away, milliseconds since 1970; undefined: it does not. */
  readonly awaySinceMs?: number | undefined;
  /** Of a lookup: the key of the call that it asks about, and the answers of the steps before that. */
  readonly idempotencyKey?: string | undefined;
  readonly steps?: Readonly<Record<string, unknown>> | undefined;
}

/** Names one HTTP call of a run. Steps that take another back are `<id>~undo`. */
export interface CallKey {
  readonly step: string;
  readonly element: number;
}

/** Before step and element, the key of what is drawn for a call each time that it is made anew after it had failed. */
export const ROUND = 'round/';

/** A raw answer as it is kept: enough to be decoded again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type CallState = 'sending' | 'succeeded' | 'failed' | 'retry' | 'unknown';

/** The latest attempt of a call. */
export interface CallRecord extends CallKey {
  readonly attempt: number;
  readonly state: CallState;
  /** For `unknown`: since when it may have been done. Milliseconds since 1970. */
  readonly firstSentAtMs: number;
  readonly answer?: KeptAnswer | undefined;
  /** What `lookup` yielded; `answer` is then what it was answered. */
  readonly found?: unknown;
  /** How it failed, for `failed`, `retry` and `unknown`. */
  readonly failed?:
    | {
        /** `unknown_outcome` of what is not needed has `failed`: it is not made again. */
        readonly as: 'reject' | HeldWhy;
        readonly problem: Problem;
        /** Attempts that do not count, as the carrier was away. */
        readonly away?: number;
        /** Of `unknown`: when the last attempt that may have been carried out was over. Milliseconds since 1970. */
        readonly endedAtMs?: number;
        /** Of a step that is not needed: what came after it went on without it. */
        readonly isBorne?: boolean;
      }
    | undefined;
}

/** A request and its answer as people may see them: masked. */
export interface Exchange extends CallKey {
  readonly operation: string;
  readonly attempt: number;
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: Buffer | undefined;
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>> | undefined;
  readonly responseBody: Buffer | undefined;
  /** The outcome's word, and why. */
  readonly outcome: string;
  readonly message: string | undefined;
}

/** A dispatch as the records have it. */
export interface RecordedDispatch {
  readonly id: number;
  readonly operation: OperationName;
  readonly state: string;
  /** Why it is held, refused or waits. */
  readonly failure?: { readonly why: string; readonly problem: Pick<Problem, 'messages'> } | undefined;
  readonly carrierCode: string;
  readonly profileHash: string;
  readonly environment: EnvironmentName;
  readonly accountId: number | undefined;
  readonly seed: string;
  readonly inputs: Inputs;
  readonly startedAtMs: number;
  readonly draws: ReadonlyMap<string, string>;
  /** In the order of their recording; masked. */
  readonly exchanges: readonly Exchange[];
}

/** Thrown by an attempt log when another worker has taken the dispatch over: stop, write nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** What is known and written of the calls of one run. A fence, a flush and a draw commit before they resolve, under its lease. */
export interface AttemptLog {
  readonly calls: readonly CallRecord[];
  readonly draws: ReadonlyMap<string, string>;
  /** Before a byte leaves: this attempt is `sending`, and the lease holds for at least `forMs` from now. */
  fence(key: CallKey, attempt: number, firstSentAtMs: number, forMs: number): Promise<void>;
  /**
   * Notes the outcome of an attempt, with its exchange (none when the call was found by `lookup`). It is written by the
   * next flush, or with the run's own end.
   */
  commit(record: CallRecord, exchange: Exchange | undefined): Promise<void>;
  /** Writes what is noted: before anything else is asked of the carrier. */
  flush(): Promise<void>;
  /** Takes the next value of a sequence and records it under `key` for this run. */
  drawSequence(key: string, name: string, options: SequenceOptions): Promise<string>;
}

export type SequenceOptions = Draw['options'];

/** A token with what its login saved. */
export interface Token {
  readonly token: string;
  readonly saved: Readonly<Record<string, unknown>>;
}

/** A call without success, by a word of the profile language. `held_back`: the limits of the carrier, no attempt. */
export interface FailedCall {
  readonly word: Exclude<OutcomeWord, 'succeed'> | 'held_back';
  /** Not masked before the call has ended: `attemptCall` and `authenticateAlone` mask it. */
  readonly problem: Problem;
  /** What the carrier asked for in `Retry-After`; of `held_back`, until it is likely to be admitted. */
  readonly waitMs?: number | undefined;
  /** The carrier cannot be reached, or asks for time: it is tried for as long as `retry.until` says. */
  readonly isAway?: boolean | undefined;
  /** The carrier itself answered so. */
  readonly isAnswered?: boolean;
  /** Tokens that were used, to be dropped when they were refused. */
  readonly tokens?: readonly UsedToken[];
  /** Absent: it did not come to a request. */
  readonly exchange?: Exchange | undefined;
}

export interface UsedToken {
  readonly key: string;
  readonly token: string;
}

export type LoginOutcome =
  | {
      readonly kind: 'token';
      readonly token: Token;
      readonly expiresAtMs: number | undefined;
      /** A rotated refresh token, in the place of the account's. */
      readonly refreshToken?: string | undefined;
    }
  /** The carrier does not accept the credentials: not to be tried again until the account or the profile changes. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** Nothing is known of the credentials: `config_error`, `retry` or `held_back`. */
  | ({ readonly kind: 'failed' } & Pick<FailedCall, 'word' | 'problem' | 'waitMs' | 'isAway'>);

/** Which token is wanted. */
export interface WantedToken {
  readonly key: string;
  /** Where a rotated refresh token is kept: longer than the token, as long as the account has the same first one. */
  readonly refreshKey?: string | undefined;
  /** Version of the profile: a refusal under another one says nothing. */
  readonly profileHash: string;
}

/** Tokens are per account, environment and auth name, shared by all processes, fetched one at a time. */
export interface TokenStore {
  /** The token in force, or what `login` comes to; only one login per key is under way anywhere. */
  get(wanted: WantedToken, login: (refreshToken: string | undefined) => Promise<LoginOutcome>): Promise<LoginOutcome>;
  /** Forgets `token` if it is still the one in force. */
  drop(key: string, token: string): Promise<void>;
}

/** The limits that a profile declares, asked before each call. */
export interface CarrierLimits {
  /** Later, where a place is free before long, or other processes have to be asked for their part first. */
  enter(carrier: string, account: number, limits: Limits): Admission | Promise<Admission>;
}
export type Admission =
  /** `healthy`: whether the carrier answered as one that is well does; undefined: it was not asked. */
  | { readonly admitted: true; leave(healthy: boolean | undefined): void }
  /** `isAway`: the carrier has failed too often. */
  | { readonly admitted: false; readonly waitMs: number; readonly why: string; readonly isAway?: boolean };

export interface Ports {
  readonly attemptLog: AttemptLog;
  readonly tokens: TokenStore;
  readonly carrierLimits: CarrierLimits;
  /** For exchanges that belong to no call of the attempt log: logins, lookups, reads. */
  readonly noteExchange: (exchange: Exchange) => Promise<void>;
  /** Over the carrier's own transport: an operator may have opened private networks to it. */
  readonly send: (request: WireRequest, limits: WireLimits, carrier: string) => Promise<WireOutcome>;
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Draws a customs document as PDF; without it there are none. */
  readonly drawCustoms?: (
    kind: 'commercial-invoice' | 'cn22' | 'cn23',
    declared: {
      readonly consignment: Consignment;
      readonly trackingNumbers: readonly (string | undefined)[];
      readonly nowMs: number;
    },
  ) => Promise<Buffer>;
}

export type HeldWhy = 'fail' | 'config_error' | 'unknown_outcome' | 'undo_failed' | 'partial';

/** How a run ended, or why it has not. */
export type RunOutcome =
  | {
      readonly kind: 'done';
      readonly result: unknown;
      readonly answers: Readonly<Record<string, unknown>>;
      readonly oldCancelled?: true;
    }
  | {
      readonly kind: 'waiting';
      readonly dueAtMs: number;
      readonly problem: Problem;
      /** As the run's, for when it goes on. */
      readonly awaySinceMs?: number | undefined;
    }
  | { readonly kind: 'rejected'; readonly problem: Problem }
  | {
      readonly kind: 'held';
      readonly why: HeldWhy;
      readonly problem: Problem;
      /** Of `partial`: what exists. */
      readonly accepted?: Accepted;
      /** Of a recreate: the shipment of before is cancelled at the carrier, whatever became of the new one. */
      readonly oldCancelled?: true;
    };
