import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ApiDeps } from './deps.ts';
import { answers, json } from './documents.ts';
import { OK, send, UNAVAILABLE } from './http-answer.ts';
import { type ApiDocument, PAGE_POLICY, renderReference } from './reference-page.ts';

const ReadinessReply = Type.Object({
  ready: Type.Boolean(),
  parts: Type.Record(Type.String(), Type.Object({ ready: Type.Boolean(), message: Type.Optional(Type.String()) })),
});

/** For whoever runs it: alive, ready, numbers, and the description of all of this. */
export const operationRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const common = { tags: ['Operations'], security: [] };

    app.route({
      method: 'GET',
      url: '/healthz',
      schema: {
        ...common,
        operationId: 'health',
        summary: 'Does the process answer?',
        response: answers({ 200: json(Type.Object({ status: Type.Literal('OK') }), 'It does.') }),
      },
      handler: async () => ({ status: 'OK' }),
    });

    app.route({
      method: 'GET',
      url: '/readyz',
      schema: {
        ...common,
        operationId: 'readiness',
        summary: 'Can it take requests?',
        response: {
          ...answers({ 200: json(ReadinessReply, 'It can.') }),
          503: json(ReadinessReply, 'It cannot; the parts say why.'),
        },
      },
      handler: async (_request, reply) => {
        const readiness = await deps.readiness();
        return send(reply, { status: readiness.ready ? OK : UNAVAILABLE, body: readiness });
      },
    });

    app.route({
      method: 'GET',
      url: '/metrics',
      schema: {
        ...common,
        operationId: 'metrics',
        summary: 'Numbers in the text format of Prometheus',
        response: answers({
          200: { description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
        }),
      },
      handler: async (_request, reply) =>
        await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metrics()),
    });

    app.route({
      method: 'GET',
      url: '/openapi.json',
      schema: {
        ...common,
        operationId: 'openapi',
        summary: 'This description',
        response: answers({ 200: json(Type.Record(Type.String(), Type.Unknown()), 'OpenAPI 3.1.') }),
      },
      handler: async () => app.swagger(),
    });

    let page: string | undefined;
    app.route({
      method: 'GET',
      url: '/docs',
      schema: {
        ...common,
        operationId: 'reference',
        summary: 'This description, as a page for people',
        response: answers({
          200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
        }),
      },
      handler: async (_request, reply) => {
        page ??= renderReference(app.swagger() as unknown as ApiDocument);
        return await reply.type('text/html; charset=utf-8').header('Content-Security-Policy', PAGE_POLICY).send(page);
      },
    });
  };
