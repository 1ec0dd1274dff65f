/** Answers as values. HTTP's numbers appear here and nowhere else. */
import type { FastifyReply } from 'fastify';
import type { Issue } from '../../engine/validate.ts';
import {
  badRequestReply,
  conflictReply,
  errorReply,
  type ErrorStatus,
  STATUS_WORDS,
  unprocessableReply,
} from '../../engine/consignment/reply.ts';
import type { ConsignmentEntry } from '../../engine/consignment/reply-schema.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Something was done: repeats of the request under its Idempotency-Key get this answer. */
  readonly isLasting?: boolean;
}

export const OK = 200;
export const BAD_REQUEST = 400;
const UNPROCESSABLE = 422;
const FAILED = 500;
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

export const send = (reply: FastifyReply, { status, body, headers = {} }: HttpAnswer): FastifyReply =>
  reply.code(status).headers(headers).send(body);

export const ok = (body: unknown, headers?: Readonly<Record<string, string>>): HttpAnswer => ({
  status: OK,
  body,
  ...(headers === undefined ? {} : { headers }),
});

type Issues = readonly Pick<Issue, 'message'>[];

export const badRequest = (nowMs: number, issues: Issues, referenceNumber?: string): HttpAnswer => ({
  status: BAD_REQUEST,
  body: badRequestReply(referenceNumber, issues, nowMs),
});

export const conflict = (
  nowMs: number,
  message: string,
  errors: readonly string[] = [message],
  data?: ConsignmentEntry,
): HttpAnswer => ({ status: 409, body: conflictReply(message, errors, data, nowMs) });

export const unprocessable = (
  nowMs: number,
  message: string,
  errors: readonly string[],
  order: Parameters<typeof unprocessableReply>[2] = { orderNumber: undefined, referenceNumber: undefined },
): HttpAnswer => ({ status: UNPROCESSABLE, body: unprocessableReply(message, errors, order, nowMs) });

/** No token, or none that we know. */
export const unauthorized = (nowMs: number, given: boolean): HttpAnswer => ({
  status: 401,
  body: errorReply(401, given ? 'The token is not valid' : 'A token is required: Authorization: Bearer <token>', nowMs),
  headers: { 'WWW-Authenticate': `Bearer realm="waybill"${given ? ', error="invalid_token"' : ''}` },
});

export const forbidden = (nowMs: number, message: string): HttpAnswer => ({
  status: 403,
  body: errorReply(403, message, nowMs),
});

export const notFound = (nowMs: number, message: string): HttpAnswer => ({
  status: 404,
  body: errorReply(404, message, nowMs),
});

/** Not now: come back in some seconds. */
export const unavailable = (nowMs: number, message: string, retryAfterS: number): HttpAnswer => ({
  status: UNAVAILABLE,
  body: errorReply(UNAVAILABLE, message, nowMs),
  headers: { 'Retry-After': String(retryAfterS) },
});

/** Too often: come back when there is room again. */
export const tooManyRequests = (nowMs: number, message: string, retryAfterMs: number): HttpAnswer => {
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return {
    status: 429,
    body: errorReply(429, `${message}; try again in ${retryAfterS} s`, nowMs),
    headers: { 'Retry-After': String(retryAfterS) },
  };
};

export const failed = (nowMs: number): HttpAnswer => ({
  status: FAILED,
  body: errorReply(FAILED, 'Something went wrong here; it is in our log', nowMs),
});

export const badGateway = (nowMs: number, message: string): HttpAnswer => ({
  status: 502,
  body: errorReply(502, message, nowMs),
});

const isErrorStatus = (status: number): status is ErrorStatus => Object.hasOwn(STATUS_WORDS, status);

export const lasting = (answer: HttpAnswer): HttpAnswer => ({ ...answer, isLasting: true });

/** A request that the HTTP layer itself refuses, by the number it gives. */
export const refusal = (nowMs: number, status: number, message: string): HttpAnswer => {
  if (status === BAD_REQUEST || !isErrorStatus(status)) return badRequest(nowMs, [{ message }]);
  return { status, body: errorReply(status, message, nowMs) };
};
