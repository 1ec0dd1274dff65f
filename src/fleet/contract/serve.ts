/** What those who send us consignments call: over HTTP, or in this process where they run in it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Transport } from '../../engine/transport/transport.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { type Answer, bearerOf, type CarrierRequest, asRefused, notFound, refusing, send, wrongAt } from '../http.ts';
import type { FleetDeps } from '../ports.ts';
import { serveSlots } from '../slots/serve.ts';
import { takeConsignment } from './endpoint.ts';
import { serveLabel } from './label.ts';
import { type Link, linkOf } from './links.ts';

const LABELS = '/labels/';

/** Undefined: the URL alone says who may ask. */
const senderOf = async (
  { database }: FleetDeps,
  method: string,
  path: string,
  authorization: string | undefined,
): Promise<Link | undefined> =>
  method === 'GET' && path.startsWith(LABELS) ? undefined : await linkOf(database, bearerOf(authorization));

const serve = async (deps: FleetDeps, link: Link | undefined, request: CarrierRequest): Promise<Answer> => {
  const { method, path, body } = request;
  if (link === undefined) return await serveLabel(deps, path.slice(LABELS.length));
  const isOrder = method === 'POST' && path === '/consignments';
  const answer = isOrder ? await takeConsignment(deps, link, body) : await serveSlots(deps, link, request);
  if (answer === undefined) throw notFound(`${method} ${path.slice(0, 100)}`);
  return answer;
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
export const sendHere = (deps: FleetDeps, origin: string): Transport['send'] => {
  const answerOf = async ({ method, url, headers: given, body }: WireRequest): Promise<Answer> => {
    const { pathname: path, searchParams: query } = new URL(url);
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
    const link = await senderOf(deps, method, path, headers['authorization']);
    return await serve(deps, link, { method, path, query, headers, body: parsed(body) });
  };
  return async (request) => {
    try {
      const { status, body, headers = {} } = await answerOf(request).catch(asRefused);
      const isBytes = Buffer.isBuffer(body);
      return {
        kind: 'answer',
        status,
        headers: isBytes ? headers : { 'content-type': 'application/json', ...headers },
        body: isBytes ? body : Buffer.from(JSON.stringify(body)),
      };
    } catch (thrown) {
      const { pathname } = new URL(request.url);
      deps.log.error({ url: `${origin}${pathname}`, error: String(thrown) }, 'the own fleet failed at a request');
      // What was done of it is undone; that it was is not certain of a lost connection.
      return { kind: 'ambiguous', code: 'connection_failed', message: 'the own fleet failed at the request' };
    }
  };
};

const located = ({ url }: FastifyRequest) => {
  const { pathname, searchParams } = new URL(url, 'http://here');
  return { path: pathname.slice('/fleet/v1/carrier'.length), query: searchParams };
};

/** The same by HTTP, for who runs elsewhere. */
export const addCarrierRoutes = (scope: FastifyInstance, deps: FleetDeps): void => {
  const links = new WeakMap<FastifyRequest, Link>();
  scope.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/fleet/v1/carrier/*',
    schema: { hide: true },
    // Before the body is read.
    onRequest: refusing(async (request) => {
      const link = await senderOf(deps, request.method, located(request).path, request.headers.authorization);
      if (link !== undefined) links.set(request, link);
    }),
    handler: refusing(async (request, reply) => {
      const { method, body } = request;
      const headers = request.headers as Readonly<Record<string, string>>;
      const answer = await serve(deps, links.get(request), { method, ...located(request), headers, body });
      return send(reply, answer);
    }),
  });
};
