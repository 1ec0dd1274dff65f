import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiDeps } from './deps.ts';
import { send, unavailable } from './http-answer.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route that needs longer than others. */
    readonly answerWithinMs?: number;
  }
}

const RETRY_AFTER_S = 5;

/**
 * A hook by which whoever asks has an answer in time, whatever keeps us; what was begun goes on. Fastify's own
 * `handlerTimeout` ends with the body of the request.
 */
export const answerInTime =
  ({ answerWithinMs, nowMs }: Pick<ApiDeps, 'answerWithinMs' | 'nowMs'>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const timer = setTimeout(() => {
      const message = 'This takes too long; it may yet be done. Ask again with the same key';
      if (!reply.sent) send(reply, unavailable(nowMs(), message, RETRY_AFTER_S));
    }, request.routeOptions.config.answerWithinMs ?? answerWithinMs);
    reply.raw.once('close', () => clearTimeout(timer));
  };
