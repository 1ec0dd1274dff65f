/** What a call came to: a value, the API's refusal in the words of its body, or no answer that could be read. */
import type {
  BadRequestReply,
  CancelRefusedReply,
  ConflictReply,
  ErrorReply,
  UnprocessableReply,
} from '../engine/consignment/reply.ts';

interface Good<Value> {
  readonly ok: true;
  readonly status: 200;
  readonly value: Value;
  /** The answer is that of the first request under the same Idempotency-Key. */
  readonly isReplay: boolean;
  readonly requestId: string | undefined;
}

/** `messages`: every finding, as the body names them. */
interface Refused<Status extends number, Body> {
  readonly ok: false;
  readonly status: Status;
  readonly body: Body;
  readonly messages: readonly string[];
  readonly requestId: string | undefined;
  /** What Retry-After asked for. */
  readonly retryAfterMs: number | undefined;
}

/** Nobody knows what became of the request: repeat it under its Idempotency-Key, or read how things stand. */
interface Unanswered {
  readonly ok: false;
  /** `timeout`: not in time, or aborted; `unreachable`: no connection, or a lost one; `unreadable`: not this API’s. */
  readonly status: 'timeout' | 'unreachable' | 'unreadable';
  readonly messages: readonly string[];
  readonly cause: unknown;
}

type ErrorStatus = 401 | 403 | 404 | 408 | 413 | 414 | 415 | 429 | 431 | 500 | 502 | 503;
export const ERROR_STATUSES: ReadonlySet<number> = new Set<ErrorStatus>([
  401, 403, 404, 408, 413, 414, 415, 429, 431, 500, 502, 503,
]);

export type Refusal<Body400 = BadRequestReply> =
  | Refused<400, Body400>
  | Refused<409, ConflictReply>
  | Refused<422, UnprocessableReply>
  | Refused<ErrorStatus, ErrorReply>
  | Unanswered;

export type Answer<Value, Body400 = BadRequestReply> = Good<Value> | Refusal<Body400>;

/** A cancel that names unknown references is 400 too, and tells what became of the rest. */
export type CancelBody400 = BadRequestReply | CancelRefusedReply;

/** For who would rather catch than look: thrown by `valueOf` and by lists that are iterated. */
export class WaybillError extends Error {
  override readonly name = 'WaybillError';
  readonly refusal: Refusal<CancelBody400>;

  constructor(refusal: Refusal<CancelBody400>) {
    super(`${refusal.status}: ${refusal.messages.join('; ')}`, 'cause' in refusal ? { cause: refusal.cause } : {});
    this.refusal = refusal;
  }
}

/** The value of an answer that has one; throws a `WaybillError` for any other. */
export const valueOf = <Value>(answer: Answer<Value, CancelBody400>): Value => {
  if (answer.ok) return answer.value;
  throw new WaybillError(answer);
};
