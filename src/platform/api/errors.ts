/** What was thrown → the answer: one place for all routes. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { LARGE_BYTES } from '../../engine/large.ts';
import { messageOf } from '../../engine/failure.ts';
import { WaitedTooLong } from '../records/batch.ts';
import { isConnectionError } from '../records/pool.ts';
import { cutShort, tooMuch } from './admission.ts';
import type { ApiDeps } from './deps.ts';
import { announcedBytes } from './body-gate.ts';
import { failed, type HttpAnswer, refusal, Refused, send, unavailable } from './http-answer.ts';

/** On every answer, also on those that no route gives: nothing of it is a page, is kept, or is guessed to be another type. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000',
  'Cache-Control': 'no-store',
};

const SENTENCES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The request is too large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length is not the length of the request',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The request is not JSON',
  FST_ERR_BAD_URL: 'The URL cannot be read',
  FST_ERR_MAX_PARAM_LENGTH: 'The URL is too long',
};

const RETRY_AFTER_MS = 5_000;

/** The answer that tells of it, and nothing more than may be told. */
export const answerTo = (thrown: unknown): HttpAnswer => {
  if (thrown instanceof Refused) return thrown.answer;
  if (thrown instanceof WaitedTooLong) return tooMuch();
  if (isConnectionError(thrown))
    return unavailable('The records cannot be reached now; try again', RETRY_AFTER_MS, 'records_unreachable');
  const { code = '', statusCode = 0 } = (thrown ?? {}) as Partial<FastifyError>;
  if (statusCode >= 400 && statusCode < 500) return refusal(statusCode, SENTENCES[code] ?? messageOf(thrown));
  return failed();
};

export const addErrorAnswers = (app: FastifyInstance, { nowMs, log }: Pick<ApiDeps, 'nowMs' | 'log'>): void => {
  app.setErrorHandler(async (thrown, request, reply) => {
    let answer = answerTo(thrown);
    if (answer.status >= 500 && !(thrown instanceof Refused || thrown instanceof WaitedTooLong)) {
      const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      log.error(
        {
          requestId: request.id,
          trace: request.span?.traceId,
          from: request.ip,
          method: request.method,
          route: request.routeOptions.url,
          error,
        },
        'request failed',
      );
      answer = await cutShort(request, answer);
    }
    const pauseMs = thrown instanceof Refused ? pauseOf(request) : 0;
    if (pauseMs > 0) await sleep(pauseMs);
    return reply.sent ? reply : send(reply, answer, nowMs());
  });
};

/** The largest body takes 7 s of the 8 s within which every request is answered (`answerInTime`), else its 429 were a 503. */
const REFUSED_BYTES_PER_MS = 300;

/**
 * A large body that is refused unread is read all the same by the HTTP layer once the answer is sent, and its sender may
 * come back at once: so the answer waits as long as the body would take on a slow line.
 */
const pauseOf = (request: FastifyRequest): number => {
  const bytes = request.raw.readableEnded ? 0 : announcedBytes(request);
  return bytes > LARGE_BYTES ? bytes / REFUSED_BYTES_PER_MS : 0;
};

const BROKEN: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** Bytes that are not HTTP get an answer of the same shape. */
export const answerBrokenHttp =
  ({ nowMs }: Pick<ApiDeps, 'nowMs'>) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const { status, bodyAt } = refusal(BROKEN[error.code ?? ''] ?? 400, 'The request cannot be read');
    const body = JSON.stringify(bodyAt(nowMs()));
    const headers = Object.entries({
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
      ...SECURITY_HEADERS,
    }).map(([name, value]) => `${name}: ${value}`);
    if (socket.writable) socket.write(`${[`HTTP/1.1 ${status} Refused`, ...headers].join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };
