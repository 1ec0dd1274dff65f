/** Answers as values. HTTP's numbers appear here and nowhere else. */
import type { FastifyReply } from 'fastify';
import {
  type BadRequestReply,
  type CancelEntry,
  type CancelRefusedReply,
  type CancelReply,
  type ConsignmentEntry,
  type SuccessReply,
  timestampText,
} from '../../engine/consignment/reply.ts';
import { type CodeOf, type ErrorStatus, STATUS_WORDS, wordCode } from '../../engine/error-codes.ts';
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

/** A body that begins with the time at which it is sent. */
export const stamped = <Body extends { timestamp: string }>(
  body: Omit<Body, 'timestamp'>,
  status = 200,
): HttpAnswer => ({ status, bodyAt: (nowMs) => ({ timestamp: timestampText(nowMs), ...body }) });

/** Without a number for the whole, that of the first package stands for it. */
const withMaster = (entry: ConsignmentEntry): ConsignmentEntry => {
  const masterTrackingNumber = entry.masterTrackingNumber ?? entry.trackingDetails[0]?.trackingNumber;
  return masterTrackingNumber === undefined ? entry : { ...entry, masterTrackingNumber };
};

/** 200 with what is known of a consignment. */
export const success = (entry: ConsignmentEntry): HttpAnswer =>
  stamped<SuccessReply>({ status: 'OK', data: [withMaster(entry)] });

/** 400: what is wrong with the structure of one request. */
export const badRequest = (
  issues: readonly Found[],
  referenceNumber?: string,
  code: CodeOf<400> = 'bad_request',
): HttpAnswer => {
  const details = issues.map(({ message }) => message);
  const errors = [referenceNumber === undefined ? { details } : { referenceNumber, details }];
  return stamped<BadRequestReply>({ status: 'BAD_REQUEST', code, errors, findings: findingsOf(issues) }, 400);
};

/** What is wrong with a request, and where it has one, with which field. */
type Found = Pick<Issue, 'message'> & { readonly path?: string; readonly code?: string };
const findingsOf = (issues: readonly Found[]) =>
  issues.map(({ path = '', code = 'invalid', message }) => ({ code, ...(path !== '' && { field: path }), message }));

/** 400 with one thing that is wrong. */
export const wrong = (message: string, code?: CodeOf<400>): HttpAnswer => badRequest([{ message }], undefined, code);

/** 200 of a cancel, also where entries failed; 400 where it names references that the shipper does not have. */
export const cancelAnswer = (data: CancelEntry[], unknownReferences: readonly string[]): HttpAnswer => {
  const successCount = data.filter(({ status }) => status === 'Success').length;
  const counted = { successCount, failedCount: data.length - successCount + unknownReferences.length, data };
  if (unknownReferences.length === 0) return stamped<CancelReply>(counted);
  const errors = unknownReferences.map((referenceNumber) => ({
    referenceNumber,
    details: [`referenceNumber ${referenceNumber} is not known`],
  }));
  const findings = findingsOf(errors.flatMap(({ details }) => details.map((message) => ({ message }))));
  const code = 'unknown_reference' satisfies CodeOf<400>;
  return stamped<CancelRefusedReply>({ status: 'BAD_REQUEST', code, errors, findings, ...counted }, 400);
};

/** What of the message is said one by one, and what there is. */
interface Details {
  readonly errors?: readonly string[] | undefined;
  readonly findings?: readonly Found[] | undefined;
  readonly data?: unknown;
}

/** Without a code of its own, it has the word of its status for one. */
const error = <Status extends ErrorStatus>(
  status: Status,
  message: string,
  code: CodeOf<Status> = wordCode(status),
  { errors = [message], findings, data }: Details = {},
): HttpAnswer =>
  stamped(
    {
      status: STATUS_WORDS[status],
      code,
      message,
      errors,
      ...(findings && { findings: findingsOf(findings) }),
      ...(data === undefined ? {} : { data }),
    },
    status,
  );

/** 409: it cannot be done as things stand; `data` is what there is. */
export const conflict = (
  message: string,
  code?: CodeOf<409>,
  data?: ConsignmentEntry,
  errors?: readonly string[],
): HttpAnswer => error(409, message, code, { errors, data: data && withMaster(data) });

/** 422: rules that are broken, or a carrier's refusal in its own words. */
export const unprocessable = (
  message: string,
  found: readonly (string | Found)[],
  order: { readonly orderNumber?: string | undefined; readonly referenceNumber?: string | undefined } = {},
  code?: CodeOf<422>,
): HttpAnswer => {
  const { orderNumber, referenceNumber } = order;
  const findings = found.map((one) => (typeof one === 'string' ? { message: one } : one));
  const errors = findings.map(({ message }) => message);
  return error(422, message, code, { errors, findings, data: { orderNumber, referenceNumber, trackingDetails: [] } });
};

/** 422 of what is not an order. */
export const invalid = (message: string, errors: readonly string[], code?: CodeOf<422>): HttpAnswer =>
  error(422, message, code, { errors });
export const forbidden = (message: string, code?: CodeOf<403>): HttpAnswer => error(403, message, code);
export const notFound = (message: string, code?: CodeOf<404>): HttpAnswer => error(404, message, code);
/** The path has other methods. */
export const notAllowed = (method: string, path: string, allowed: readonly string[]): HttpAnswer => ({
  ...error(405, `${path} has no ${method}, only ${allowed.join(', ')}`),
  headers: { Allow: allowed.join(', ') },
});
export const badGateway = (message: string, code?: CodeOf<502>): HttpAnswer => error(502, message, code);
export const failed = (): HttpAnswer => error(500, 'Something went wrong here; it is in our log');

/** No token, or none that we know. */
export const unauthorized = (given: boolean): HttpAnswer => ({
  ...(given
    ? error(401, 'The token is not valid', 'token_invalid')
    : error(401, 'A token is required: Authorization: Bearer <token>', 'token_missing')),
  headers: { 'WWW-Authenticate': `Bearer realm="waybill"${given ? ', error="invalid_token"' : ''}` },
});

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

/** Not now: come back after this time. */
export const unavailable = (message: string, retryAfterMs: number, code?: CodeOf<503>): HttpAnswer => ({
  ...error(UNAVAILABLE, message, code),
  headers: { 'Retry-After': String(secondsOf(retryAfterMs)) },
});

/** Too often: come back when there is room again. */
export const tooManyRequests = (message: string, retryAfterMs: number, code?: CodeOf<429>): HttpAnswer => ({
  ...error(429, `${message}; try again in ${secondsOf(retryAfterMs)} s`, code),
  headers: { 'Retry-After': String(secondsOf(retryAfterMs)) },
});

const isErrorStatus = (status: number): status is ErrorStatus => Object.hasOwn(STATUS_WORDS, status);

/** A request that the HTTP layer itself refuses, by the number it gives. */
export const refusal = (status: number, message: string): HttpAnswer =>
  status === 400 || !isErrorStatus(status) ? wrong(message, 'unreadable_request') : error(status, message);

export const lasting = (answer: HttpAnswer): HttpAnswer => ({ ...answer, isLasting: true });
