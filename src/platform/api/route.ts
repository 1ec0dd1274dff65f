/** One route: what it takes and answers, who may ask, and what it does. Checks, guards and OpenAPI follow from it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Role } from '../records/tokens.ts';
import { requireCarrier, requireOperator, requireShipper, type ShipperBearer, shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, send } from './http-answer.ts';
import type { TAGS } from './openapi.ts';
import { UNTRACED } from './trace.ts';
import { checkAllButBody } from './request-check.ts';

type ErrorNumber = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What the routes of a file have in common. */
export interface Area {
  /** Anybody may ask of `nobody`; of `link`, whoever knows the path, and a shipper's token is taken, too. */
  readonly auth: 'nobody' | 'link' | 'shipper' | 'carrier' | 'admin';
  readonly tag: keyof typeof TAGS;
}

/** Of routes for operators, which of them may ask: `role`, or a higher one. */
type Access<Auth> = Auth extends 'admin' ? { readonly role: Role } : { readonly role?: never };

export interface RouteText {
  /** Its `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Errors of its own; those that any such route may have are added. */
  readonly errors?: readonly ErrorNumber[];
}

interface Spec<Path extends TSchema, Query extends TSchema, Body extends TSchema> extends RouteText {
  readonly path?: Path;
  readonly query?: Query;
  readonly body?: Body;
  /** Headers that mean something to it, beside those of all routes. */
  readonly headers?: readonly (keyof typeof REQUEST_HEADERS)[];
  /** The schema of the body serves the documentation; the handler's own reading finds more, and all at once. */
  readonly readsBody?: boolean;
  /** Of the good answer: its shape, and a sentence about it. */
  readonly reply: readonly [shape: object, description: string];
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
  readonly reply: FastifyReply;
  /** Whose token it is, where `auth` is `shipper`. */
  readonly shipper: ShipperBearer;
  /** Who asks, as the audit log names it: `admin`, `operator:<name>` or `shipper:<code>`. */
  readonly actor: string;
}

/** Adds routes to a scope. */
export type AddRoutes = (scope: FastifyInstance, deps: ApiDeps) => void;

const GUARDS = { shipper: requireShipper, carrier: requireCarrier, admin: requireOperator };

/** What adds a route to the scope, by its method and path: `GET /v2/webhooks/:id`. */
export const routesOf =
  <Of extends Area>(scope: FastifyInstance, deps: ApiDeps, area: Of) =>
  <Path extends TSchema, Query extends TSchema, Body extends TSchema>(
    on: `${Method} ${string}`,
    spec: Spec<Path, Query, Body> & Access<Of['auth']>,
  ): void => {
    const [method = '', url = ''] = on.split(' ');
    const { auth } = area;
    scope.route({
      method,
      url,
      ...(auth === 'nobody' || auth === 'link' ? {} : { onRequest: GUARDS[auth](deps, spec.role ?? 'administer') }),
      ...(spec.readsBody === true ? { validatorCompiler: checkAllButBody } : {}),
      ...(spec.answerWithinMs === undefined ? {} : { config: { answerWithinMs: spec.answerWithinMs } }),
      schema: schemaOf(area, spec, method !== 'GET', scope.hasContentTypeParser('application/json')),
      handler: async (request, reply) => {
        const { params: path, query, body } = request;
        const given = { path, query, body } as Pick<Input<Path, Query, Body>, 'path' | 'query' | 'body'>;
        const answer = await spec.handle({
          ...given,
          request,
          reply,
          get shipper() {
            return shipperOf(request);
          },
          actor: request.actor ?? 'nobody',
        });
        return send(reply, answer, deps.nowMs());
      },
    });
  };

const schemaOf = (
  { auth, tag }: Area,
  {
    id,
    summary,
    description,
    path,
    query,
    body,
    headers = [],
    reply,
    errors = [],
    answers,
    role,
  }: Spec<TSchema, TSchema, TSchema> & { readonly role?: Role },
  mayHaveBody: boolean,
  isJson: boolean,
) => {
  // How a request may be refused before its handler sees it.
  const before: readonly (readonly [boolean, ...ErrorNumber[]])[] = [
    [auth !== 'nobody', 401, 429],
    [auth !== 'nobody' && auth !== 'link', 403],
    [mayHaveBody, 413],
    [mayHaveBody && isJson, 415],
    [true, 400, 500, 503],
  ];
  const refusals = [...errors, ...before.flatMap(([may, ...numbers]) => (may ? numbers : []))];
  const isTraced = tag !== UNTRACED;
  const isLimited = auth === 'shipper' || auth === 'carrier';
  const answered = {
    ...Object.fromEntries(refusals.map((status) => [status, json(named(ERRORS[status][0]), ERRORS[status][1])])),
    200: 'content' in reply[0] ? { ...reply[0], description: reply[1] } : json(...reply),
    ...answers,
  };
  return {
    tags: [tag],
    security:
      auth === 'nobody' ? [] : auth === 'link' ? [{}, { shipper: [] }] : [{ [auth]: role === undefined ? [] : [role] }],
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(path === undefined ? {} : { params: path }),
    ...querystringOf(auth, query),
    ...(body === undefined ? {} : { body }),
    headers: headersOf(REQUEST_HEADERS, [...headers, 'X-Request-Id', ...(isTraced ? (['traceparent'] as const) : [])]),
    response: Object.fromEntries(
      Object.entries(answered).map(([status, answer]) => [
        status,
        {
          ...answer,
          headers: headersOf(REPLY_HEADERS, [
            ...replyHeadersOf(status, isLimited),
            ...(isTraced ? (['X-Trace-Id'] as const) : []),
          ]).properties,
        },
      ]),
    ),
  };
};

/** A filter that is not known would be answered as if all fitted it. Carriers, and whoever passes links on, add what they like. */
const querystringOf = (auth: Area['auth'], query: TSchema | undefined) => {
  if (auth === 'shipper' || auth === 'admin')
    return { querystring: { ...(query ?? Type.Object({})), additionalProperties: false } };
  return query === undefined ? {} : { querystring: query };
};

const REQUEST_HEADERS = {
  'Idempotency-Key': Type.String({
    description: '1 to 255 visible ASCII characters: repeats of the request get the answer of the first time.',
    maxLength: 255,
    examples: ['8b1f4c0e-example'],
  }),
  Prefer: Type.String({ description: '`respond-async`: the answer does not wait for the carrier.' }),
  traceparent: Type.String({
    description:
      'Of W3C Trace Context: where this platform sends traces, what follows is part of yours, up to the webhook.',
  }),
  'X-Request-Id': Type.String({
    description:
      'Your own name of the request: up to 128 letters, digits and `_.:@+-`. The answer and our log carry it.',
  }),
};
const REPLY_HEADERS = {
  'X-Trace-Id': Type.String({ description: 'Of the trace of the request, where this platform sends traces.' }),
  'X-Request-Id': Type.String({ description: 'Names the request in our log: yours, or one of ours.' }),
  'RateLimit-Limit': Type.String({ description: 'Requests that may come at once with this token.' }),
  'RateLimit-Remaining': Type.String({ description: 'How many of them are left.' }),
  'RateLimit-Reset': Type.String({ description: 'Seconds until all of them may come again.' }),
  'Retry-After': Type.String({ description: 'Seconds after which to try again.' }),
  'WWW-Authenticate': Type.String({ description: '`Bearer`, and whether a token was given.' }),
};

const replyHeadersOf = (status: string, isLimited: boolean): readonly (keyof typeof REPLY_HEADERS)[] => [
  'X-Request-Id',
  ...(isLimited && status !== '401' ? (['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const) : []),
  ...(status === '429' || status === '503' ? (['Retry-After'] as const) : []),
  ...(status === '401' ? (['WWW-Authenticate'] as const) : []),
];

const headersOf = <Name extends string>(all: Readonly<Record<Name, TSchema>>, names: readonly Name[]) =>
  Type.Partial(Type.Object(Object.fromEntries(names.map((name) => [name, all[name]]))));

export const json = (schema: object, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/** A shape of `openapi.ts` by its name. */
export const named = (name: string): { readonly $ref: string } => ({ $ref: `${name}#` });

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
