/**
 * Vitest's setup file: every answer of an API in the test's own process is checked against that API's own OpenAPI
 * document, whoever asked for it and however. One that is not as described fails the test during which it was sent.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEach } from 'vitest';
import type { Checked } from './openapi-answers.ts';

const problems: string[] = [];

/** What was found since the last look; for the test of this check. */
export const takeProblems = (): string[] => problems.splice(0);

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  // Loaded with the first API, so that files which start none pay nothing.
  fastify.addHook('onReady', async () => {
    if (fastify.swagger !== undefined) await import('./openapi-answers.ts');
  });
  let check: Promise<(answer: Checked) => string | undefined> | undefined;
  fastify.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (fastify.swagger === undefined) return;
    check ??= import('./openapi-answers.ts').then(({ checkerOf }) => checkerOf(JSON.stringify(fastify.swagger())));
    const problem = (await check)({
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      contentType: String(reply.getHeader('content-type') ?? ''),
      body: typeof payload === 'string' ? payload : undefined,
    });
    if (problem !== undefined) problems.push(problem);
  });
});

afterEach(() => {
  const found = takeProblems();
  if (found.length > 0) throw new Error(`answers that are not as /openapi.json describes them:\n${found.join('\n')}`);
});
