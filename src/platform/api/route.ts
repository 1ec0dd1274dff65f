/** One route: what it takes and answers, who may ask, and what it does. Checks, guards and OpenAPI follow from it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { requireAdmin, requireCarrier, requireShipper, type ShipperBearer, shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, send } from './http-answer.ts';
import { leaveToHandler } from './request-check.ts';

type ErrorNumber = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What the routes of a file have in common. */
interface Area {
  /** Anybody may ask of `nobody`; of `link`, whoever knows the path, and a shipper's token is taken, too. */
  readonly auth: 'nobody' | 'link' | 'shipper' | 'carrier' | 'admin';
  readonly tag: 'Consignments' | 'Facilities' | 'Labels' | 'Webhooks' | 'Carriers' | 'Admin' | 'Operations';
}

interface Spec<Path extends TSchema, Query extends TSchema, Body extends TSchema> {
  /** Its `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly path?: Path;
  readonly query?: Query;
  readonly body?: Body;
  /** The schema of the body serves the documentation; the handler's own reading finds more, and all at once. */
  readonly readsBody?: boolean;
  /** Of the good answer: its shape, and a sentence about it. */
  readonly reply: readonly [shape: object, description: string];
  /** Errors of its own; those that any such route may have are added. */
  readonly errors?: readonly ErrorNumber[];
  /** Answers whose shapes are its own. */
  readonly answers?: Readonly<Record<number, object>>;
  /** Where it may take longer than others. */
  readonly answerWithinMs?: number;
  readonly handle: (input: Input<Path, Query, Body>) => Promise<HttpAnswer> | HttpAnswer;
}

interface Input<Path extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly path: Static<Path>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  readonly request: FastifyRequest;
  /** Whose token it is, where `auth` is `shipper`. */
  readonly shipper: ShipperBearer;
}

/** Adds routes to a scope. */
export type AddRoutes = (scope: FastifyInstance, deps: ApiDeps) => void;

const GUARDS = { shipper: requireShipper, carrier: requireCarrier, admin: requireAdmin };

/** What adds a route to the scope, by its method and path: `GET /v2/webhooks/:id`. */
export const routesOf =
  (scope: FastifyInstance, deps: ApiDeps, area: Area) =>
  <Path extends TSchema, Query extends TSchema, Body extends TSchema>(
    on: `${Method} ${string}`,
    spec: Spec<Path, Query, Body>,
  ): void => {
    const [method = '', url = ''] = on.split(' ');
    const { auth } = area;
    scope.route({
      method,
      url,
      ...(auth === 'nobody' || auth === 'link' ? {} : { onRequest: GUARDS[auth](deps) }),
      ...(spec.readsBody === true ? { validatorCompiler: leaveToHandler } : {}),
      ...(spec.answerWithinMs === undefined ? {} : { config: { answerWithinMs: spec.answerWithinMs } }),
      schema: schemaOf(area, spec, method !== 'GET', scope.hasContentTypeParser('application/json')),
      handler: async (request, reply) => {
        const { params: path, query, body } = request;
        const given = { path, query, body } as Pick<Input<Path, Query, Body>, 'path' | 'query' | 'body'>;
        const answer = await spec.handle({
          ...given,
          request,
          get shipper() {
            return shipperOf(request);
          },
        });
        return send(reply, answer, deps.nowMs());
      },
    });
  };

const schemaOf = (
  { auth, tag }: Area,
  { id, summary, description, path, query, body, reply, errors = [], answers }: Spec<TSchema, TSchema, TSchema>,
  mayHaveBody: boolean,
  isJson: boolean,
) => {
  // How a request may be refused before its handler sees it.
  const before: readonly (readonly [boolean, ...ErrorNumber[]])[] = [
    [mayHaveBody || path !== undefined || query !== undefined, 400],
    [auth !== 'nobody', 401, 429],
    [auth === 'shipper' || auth === 'carrier', 403],
    [mayHaveBody, 413],
    [mayHaveBody && isJson, 415],
    [true, 500, 503],
  ];
  const refusals = [...errors, ...before.flatMap(([may, ...numbers]) => (may ? numbers : []))];
  return {
    tags: [tag],
    security: auth === 'nobody' ? [] : auth === 'link' ? [{}, { shipper: [] }] : [{ [auth]: [] }],
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(path === undefined ? {} : { params: path }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    response: {
      ...Object.fromEntries(refusals.map((status) => [status, json(named(ERRORS[status][0]), ERRORS[status][1])])),
      200: 'content' in reply[0] ? { ...reply[0], description: reply[1] } : json(...reply),
      ...answers,
    },
  };
};

export const json = (schema: object, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/** A shape of `openapi.ts` by its name. */
export const named = (name: string): { readonly $ref: string } => ({ $ref: `${name}#` });

/** The reply of a list: a page, and the query's parameter that asks for the next. */
export const pageReply = (Entry: object, next: 'after' | 'before' | 'cursor') => {
  const name = `next${next[0]?.toUpperCase()}${next.slice(1)}`;
  const Next = Type.Optional(next === 'cursor' ? Type.String() : Type.Integer());
  return [
    Type.Object({ data: Type.Array(Entry), [name]: Next }),
    `\`${name}\` is \`${next}\` of the next page.`,
  ] as const;
};

/** A body in another format than JSON. */
export const content = (types: readonly string[], schema: object) => ({
  content: Object.fromEntries(types.map((type) => [type, { schema }])),
});

const ERRORS: Readonly<Record<ErrorNumber, readonly [shape: string, description: string]>> = {
  400: ['BadRequestReply', 'The structure is not right; every finding is named.'],
  401: ['ErrorReply', 'No token, or none that is valid.'],
  403: ['ErrorReply', 'The token is not for this.'],
  404: ['ErrorReply', 'There is none, or it is another’s.'],
  409: ['ConflictReply', 'It cannot be done as things stand; `data` is what there is.'],
  413: ['ErrorReply', 'The request is too large.'],
  415: ['ErrorReply', 'Content-Type must be application/json.'],
  422: ['UnprocessableReply', 'Rules are broken, or the carrier refused; every finding is named.'],
  429: ['ErrorReply', 'Too many requests, or too many wrong tokens; see Retry-After.'],
  500: ['ErrorReply', 'Something went wrong here.'],
  502: ['ErrorReply', 'The carrier did not give what was asked of it.'],
  503: ['ErrorReply', 'Not now; see Retry-After.'],
};
