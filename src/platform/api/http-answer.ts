/** Answers as values. HTTP's numbers appear here and nowhere else. */
import type { FastifyReply } from 'fastify';
import {
  badRequestReply,
  conflictReply,
  errorReply,
  type ErrorStatus,
  STATUS_WORDS,
  successReply,
  unprocessableReply,
  type ConsignmentEntry,
} from '../../engine/consignment/reply.ts';
import type { Issue } from '../../engine/validate.ts';

export interface HttpAnswer {
  readonly status: number;
  /** The body, which names the time when it is sent. */
  readonly bodyAt: (nowMs: number) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Something was done: repeats of the request under its Idempotency-Key get this answer. */
  readonly isLasting?: boolean;
}

export const UNAVAILABLE = 503;
/** Answers to who may not, or not now: many of them are a sign. */
export const REFUSED: ReadonlySet<number> = new Set([401, 403, 429, UNAVAILABLE]);

/** Thrown where there is no one to hand an answer to: in hooks. The error handler sends it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly answer: HttpAnswer;

  constructor(answer: HttpAnswer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

export const send = (reply: FastifyReply, answer: HttpAnswer, nowMs: number): FastifyReply =>
  reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.bodyAt(nowMs));

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer => ({
  status: 200,
  bodyAt: () => body,
  headers,
});

/** 200 with what is known of consignments. */
export const success = (entry: ConsignmentEntry): HttpAnswer => ({
  status: 200,
  bodyAt: (nowMs) => successReply([entry], nowMs),
});

export const badRequest = (issues: readonly Pick<Issue, 'message'>[], referenceNumber?: string): HttpAnswer => ({
  status: 400,
  bodyAt: (nowMs) => badRequestReply(referenceNumber, issues, nowMs),
});

/** 400 with one thing that is wrong. */
export const wrong = (message: string): HttpAnswer => badRequest([{ message }]);

export const conflict = (
  message: string,
  data?: ConsignmentEntry,
  errors: readonly string[] = [message],
): HttpAnswer => ({ status: 409, bodyAt: (nowMs) => conflictReply(message, errors, data, nowMs) });

export const unprocessable = (
  message: string,
  errors: readonly string[],
  order: Parameters<typeof unprocessableReply>[2] = { orderNumber: undefined, referenceNumber: undefined },
): HttpAnswer => ({ status: 422, bodyAt: (nowMs) => unprocessableReply(message, errors, order, nowMs) });

const plain =
  (status: ErrorStatus) =>
  (message: string): HttpAnswer => ({ status, bodyAt: (nowMs) => errorReply(status, message, nowMs) });

export const forbidden = plain(403);
export const notFound = plain(404);
export const badGateway = plain(502);
export const failed = (): HttpAnswer => plain(500)('Something went wrong here; it is in our log');

/** No token, or none that we know. */
export const unauthorized = (given: boolean): HttpAnswer => ({
  ...plain(401)(given ? 'The token is not valid' : 'A token is required: Authorization: Bearer <token>'),
  headers: { 'WWW-Authenticate': `Bearer realm="waybill"${given ? ', error="invalid_token"' : ''}` },
});

/** Not now: come back in some seconds. */
export const unavailable = (message: string, retryAfterS: number): HttpAnswer => ({
  ...plain(UNAVAILABLE)(message),
  headers: { 'Retry-After': String(retryAfterS) },
});

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

/** Not yet: come back after this time. */
export const notYet = (message: string, retryAfterMs: number): HttpAnswer =>
  unavailable(message, seconds(retryAfterMs));

/** Too often: come back when there is room again. */
export const tooManyRequests = (message: string, retryAfterMs: number): HttpAnswer => ({
  ...plain(429)(`${message}; try again in ${seconds(retryAfterMs)} s`),
  headers: { 'Retry-After': String(seconds(retryAfterMs)) },
});

const isErrorStatus = (status: number): status is ErrorStatus => Object.hasOwn(STATUS_WORDS, status);

/** A request that the HTTP layer itself refuses, by the number it gives. */
export const refusal = (status: number, message: string): HttpAnswer =>
  status === 400 || !isErrorStatus(status) ? wrong(message) : plain(status)(message);

export const lasting = (answer: HttpAnswer): HttpAnswer => ({ ...answer, isLasting: true });
