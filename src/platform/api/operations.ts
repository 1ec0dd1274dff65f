/** For whoever runs it: alive, ready, metrics, and the description of the API. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Type } from 'typebox';
import { requireOperator } from './bearer.ts';
import { ok } from './http-answer.ts';
import { health, metricsOf, readinessOf } from './probes.ts';
import { type ApiDocument, PAGE_POLICY, renderGuide, renderReference } from './reference-page.ts';
import { type AddRoutes, content, json, routesOf } from './route.ts';

const ReadinessReply = Type.Object({
  ready: Type.Boolean(),
  parts: Type.Record(Type.String(), Type.Object({ ready: Type.Boolean(), message: Type.Optional(Type.String()) })),
});

export const addOperationRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'nobody', tag: 'Operations' });
  route('GET /healthz', {
    id: 'health',
    summary: 'Does the process answer?',
    reply: [Type.Object({ status: Type.Literal('OK') }), 'It does.'],
    handle: health,
  });
  route('GET /readyz', {
    id: 'readiness',
    summary: 'Can it take requests?',
    reply: [ReadinessReply, 'It can.'],
    answers: { 503: json(ReadinessReply, 'It cannot; the parts say why.') },
    handle: async () => await readinessOf(deps),
  });
  route('GET /metrics', {
    id: 'metrics',
    summary: 'Numbers in the text format of Prometheus',
    description: 'With the token of an operator also those of each carrier and each shipper.',
    reply: [content(['text/plain'], { type: 'string' }), 'Metrics.'],
    errors: [401],
    handle: async ({ request }) => {
      const isOperator = request.headers.authorization !== undefined;
      if (isOperator) await requireOperator(deps, 'read')(request);
      return await metricsOf(deps, isOperator);
    },
  });
  route('GET /openapi.json', {
    id: 'openapi',
    summary: 'This description',
    reply: [Type.Record(Type.String(), Type.Unknown()), 'OpenAPI 3.1.'],
    handle: () => ok(scope.swagger()),
  });
  let page: string | undefined;
  route('GET /docs', {
    id: 'reference',
    summary: 'A guide with examples, and this description, as a page for people',
    reply: [content(['text/html'], { type: 'string' }), 'The page.'],
    handle: () => {
      page ??= renderReference(scope.swagger() as unknown as ApiDocument, readGuide('guide', deps.publicUrl));
      return ok(page, PAGE);
    },
  });
  let carrierPage: string | undefined;
  route('GET /docs/carriers', {
    id: 'carrierGuide',
    summary: 'What a carrier builds by the contract, and how it certifies that, as a page for people',
    reply: [content(['text/html'], { type: 'string' }), 'The page.'],
    handle: () => {
      carrierPage ??= renderGuide('For carriers', readGuide('certify', deps.publicUrl));
      return ok(carrierPage, PAGE);
    },
  });
};

const PAGE = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY };
const DOCS = path.resolve(import.meta.dirname, '../../../docs');
/** With the address of this server in its examples. */
const readGuide = (name: 'guide' | 'certify', publicUrl: string): string =>
  readFileSync(path.join(DOCS, `${name}.md`), 'utf8').replaceAll(
    'http://localhost:8080',
    publicUrl.replace(/\/+$/, ''),
  );
