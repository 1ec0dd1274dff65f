/** Spans of requests, where traces are on: what follows from a request is part of the trace that its shipper began. */
import type { FastifyInstance } from 'fastify';
import type { Span } from '../../engine/trace.ts';
import type { ApiDeps } from './deps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/** The tag of what is asked all the time, and is nobody's request. */
export const UNTRACED = 'Operations';

export const traceRequests = (app: FastifyInstance, { traces }: Pick<ApiDeps, 'traces'>): void => {
  if (traces === undefined) return;
  // After the guards: what a stranger asks for is no trace, and decides about none.
  app.addHook('preParsing', async (request, reply) => {
    const { method, id, headers, routeOptions, actor, bearer } = request;
    const { url: route, schema } = routeOptions;
    if (schema?.tags?.[0] === UNTRACED) return;
    const { traceparent } = headers;
    request.span = traces.begin(
      `${method} ${route}`,
      'server',
      typeof traceparent === 'string' && (actor ?? bearer) !== undefined ? traceparent : undefined,
      { 'http.request.method': method, 'http.route': route, 'waybill.request': id },
    );
    reply.header('X-Trace-Id', request.span.traceId);
  });
  app.addHook('onResponse', async ({ span, actor }, { statusCode }) => {
    span?.end(
      { 'http.response.status_code': statusCode, 'waybill.actor': actor },
      statusCode >= 500 ? String(statusCode) : undefined,
    );
  });
};
