/** What those who send us consignments call: over HTTP, or in this process where they run in it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Transport } from '../../engine/transport/transport.ts';
import { type Answer, bearerOf, type CarrierRequest, notFound, Refusal, wrongAt } from '../http.ts';
import type { FleetDeps } from '../ports.ts';
import { serveSlots } from '../slots/serve.ts';
import { takeConsignment } from './endpoint.ts';
import { serveLabel } from './label.ts';
import { linkOf } from './links.ts';

const serve = async (deps: FleetDeps, request: CarrierRequest): Promise<Answer> => {
  const { method, path, headers, body } = request;
  try {
    if (method === 'GET' && path.startsWith('/labels/')) return await serveLabel(deps, path.slice('/labels/'.length));
    const link = await linkOf(deps.database, bearerOf(headers['authorization']));
    if (method === 'POST' && path === '/consignments') return await takeConsignment(deps, link, body);
    const answer = await serveSlots(deps, link, request);
    if (answer !== undefined) return answer;
    throw notFound(`${method} ${path.slice(0, 100)}`);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.answer;
    throw thrown;
  }
};

const parsed = (body: Uint8Array | undefined): unknown => {
  if (body === undefined || body.byteLength === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    throw wrongAt('', 'malformed', 'the body is not JSON');
  }
};

/** A transport that ends here, of all URLs below `origin`. */
export const sendHere =
  (deps: FleetDeps, origin: string): Transport['send'] =>
  async ({ method, url, headers, body }) => {
    const { pathname, searchParams } = new URL(url);
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    try {
      const request = { method, path: pathname, query: searchParams, headers: lower, body: parsed(body) };
      const { status, body: answered, headers: more = {} } = await serve(deps, request);
      const isBytes = Buffer.isBuffer(answered);
      return {
        kind: 'answer',
        status,
        headers: isBytes ? more : { 'content-type': 'application/json', ...more },
        body: isBytes ? answered : Buffer.from(JSON.stringify(answered)),
      };
    } catch (thrown) {
      if (thrown instanceof Refusal) {
        const { status, body: answered } = thrown.answer;
        return { kind: 'answer', status, headers: {}, body: Buffer.from(JSON.stringify(answered)) };
      }
      deps.log.error({ url: `${origin}${pathname}`, error: String(thrown) }, 'the own fleet failed at a request');
      // What was done of it is undone; that it was is not certain of a lost connection.
      return { kind: 'ambiguous', code: 'connection_failed', message: 'the own fleet failed at the request' };
    }
  };

/** The same by HTTP, for who runs elsewhere. */
export const addCarrierRoutes = (scope: FastifyInstance, deps: FleetDeps): void => {
  scope.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/fleet/v1/carrier/*',
    schema: { hide: true },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { pathname, searchParams } = new URL(request.url, 'http://here');
      const {
        status,
        body,
        headers = {},
      } = await serve(deps, {
        method: request.method,
        path: pathname.slice('/fleet/v1/carrier'.length),
        query: searchParams,
        headers: request.headers as Readonly<Record<string, string>>,
        body: request.body,
      });
      return reply.code(status).headers(headers).send(body);
    },
  });
};
