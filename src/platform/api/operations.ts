/** For whoever runs it: alive, ready, metrics, and the description of the API. */
import { Type } from 'typebox';
import { ok, UNAVAILABLE } from './http-answer.ts';
import { type ApiDocument, PAGE_POLICY, renderReference } from './reference-page.ts';
import { content, json, route, type Routes } from './route.ts';

const ReadinessReply = Type.Object({
  ready: Type.Boolean(),
  parts: Type.Record(Type.String(), Type.Object({ ready: Type.Boolean(), message: Type.Optional(Type.String()) })),
});

const common = { auth: 'nobody', tag: 'Operations' } as const;

export const operationRoutes: Routes = ({ readiness, metrics }) => {
  let page: string | undefined;
  return [
    route({
      on: 'GET /healthz',
      ...common,
      id: 'health',
      summary: 'Does the process answer?',
      reply: [Type.Object({ status: Type.Literal('OK') }), 'It does.'],
      handle: () => ok({ status: 'OK' }),
    }),
    route({
      on: 'GET /readyz',
      ...common,
      id: 'readiness',
      summary: 'Can it take requests?',
      reply: [ReadinessReply, 'It can.'],
      answers: { 503: json(ReadinessReply, 'It cannot; the parts say why.') },
      handle: async () => {
        const state = await readiness();
        return state.ready ? ok(state) : { ...ok(state), status: UNAVAILABLE };
      },
    }),
    route({
      on: 'GET /metrics',
      ...common,
      id: 'metrics',
      summary: 'Numbers in the text format of Prometheus',
      reply: [content('text/plain')({ type: 'string' }), 'Metrics.'],
      handle: async () => ok(await metrics(), { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
    }),
    route({
      on: 'GET /openapi.json',
      ...common,
      id: 'openapi',
      summary: 'This description',
      reply: [Type.Record(Type.String(), Type.Unknown()), 'OpenAPI 3.1.'],
      handle: ({ request }) => ok(request.server.swagger()),
    }),
    route({
      on: 'GET /docs',
      ...common,
      id: 'reference',
      summary: 'This description, as a page for people',
      reply: [content('text/html')({ type: 'string' }), 'The page.'],
      handle: ({ request }) => {
        page ??= renderReference(request.server.swagger() as unknown as ApiDocument);
        return ok(page, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY });
      },
    }),
  ];
};
