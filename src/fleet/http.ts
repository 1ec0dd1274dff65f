/** Routes of the own fleet: who may ask, what is read, and answers as values. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Issue } from '../engine/validate.ts';
import { issueAt, validator } from '../engine/validate.ts';
import type { OperatorOf, RouteDeps } from './ports.ts';

export interface Answer {
  readonly status: number;
  /** Bytes are sent as they are. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a shipper's platform sends us, over HTTP or in this process. */
export interface CarrierRequest {
  readonly method: string;
  /** From `/consignments` on. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** Thrown where a request cannot be served. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(status: number, code: string, message: string, findings: readonly Finding[] = []) {
    super(message);
    this.answer = { status, body: { status, code, message, findings } };
  }
}

export interface Finding {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** Throws again whatever is none. */
export const asRefused = (thrown: unknown): Answer => {
  if (thrown instanceof Refusal) return thrown.answer;
  throw thrown;
};

export const findingsOf = (issues: readonly Issue[]): readonly Finding[] =>
  issues.map(({ path, code, message }) => ({ field: path, code, message }));

export const badRequest = (issues: readonly Issue[]): Refusal =>
  new Refusal(400, 'bad_request', issues.map(({ message }) => message).join('; '), findingsOf(issues));
export const notFound = (what: string): Refusal => new Refusal(404, 'not_found', `There is no ${what}`);
export const conflict = (message: string, code = 'conflict'): Refusal => new Refusal(409, code, message);
export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
});

/** The value, or a 400 that names what is wrong with it. */
export const reading = <Schema extends TSchema>(schema: Schema, name: string) => {
  const validate = validator(schema, name);
  return (value: unknown): Static<Schema> => {
    const read = validate(value);
    if (!read.ok) throw badRequest(read.issues);
    return read.value;
  };
};

const BEARER = /^Bearer +(\S{1,500}) *$/i;
export const bearerOf = (authorization: string | undefined): string => {
  const token = BEARER.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new Refusal(401, 'unauthorized', 'A token is required: Authorization: Bearer <token>');
  return token;
};

interface Input<Query extends TSchema, Body extends TSchema> {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  readonly request: FastifyRequest;
  /** The operator, or whom `who` has yielded. */
  readonly actor: string;
}

type Role = Parameters<OperatorOf>[1];

/** Operators of a role, by what the API's description says; or whom it yields of the Authorization header. Without it, anybody may ask. */
type Who =
  | { readonly who: Role; readonly summary: string }
  | { readonly who?: (authorization: string | undefined) => Promise<string>; readonly summary?: never };

interface Spec<Query extends TSchema, Body extends TSchema> {
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyLimit?: number;
  readonly handle: (input: Input<Query, Body>) => Promise<Answer> | Answer;
}

const NOTHING = Type.Object({});
const json = (schema: object, description: string) => ({ description, content: { 'application/json': { schema } } });
const ANSWERS = {
  200: json({}, 'What docs/fleet.md says of it.'),
  '4xx': json(
    Type.Object({
      status: Type.Integer(),
      code: Type.String(),
      message: Type.String(),
      findings: Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() })),
    }),
    'Why not; each finding is named.',
  ),
};

/** For the API's description. */
const described = (on: string, role: Role, { summary, query, body }: DescribedParts) => ({
  tags: ['Admin'],
  security: [{ admin: [role] }],
  operationId: `fleet ${on.replace(/^[A-Z]+/, (method) => method.toLowerCase())}`.replaceAll(
    /\W+(\w)/g,
    (_, letter: string) => letter.toUpperCase(),
  ),
  summary,
  params: Type.Object(Object.fromEntries([...on.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Type.String()]))),
  ...(query && { querystring: query }),
  ...(body && { body }),
  response: ANSWERS,
});
interface DescribedParts {
  readonly summary: string;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
}

const actors = new WeakMap<FastifyRequest, string>();

export type AddRoutes = (scope: FastifyInstance, deps: RouteDeps) => void;

export const routesOf =
  (scope: FastifyInstance, { operatorOf }: RouteDeps) =>
  <Query extends TSchema = typeof NOTHING, Body extends TSchema = TSchema>(
    on: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`,
    { who, summary, query, body, bodyLimit, handle }: Spec<Query, Body> & Who,
  ): void => {
    const [method = '', url = ''] = on.split(' ');
    const readQuery = reading((query ?? NOTHING) as Query, 'the query');
    const readBody = body === undefined ? (value: unknown) => value as Static<Body> : reading(body, 'the body');
    scope.route({
      method,
      url: `/fleet/v1${url}`,
      schema: summary === undefined ? { hide: true } : described(on, who, { summary, query, body }),
      // The schemas describe it; `reading` checks.
      validatorCompiler: () => (value) => ({ value }),
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      // Before the body is read.
      ...(who === undefined
        ? {}
        : {
            onRequest: refusing(async (request) => {
              const actor = typeof who === 'string' ? operatorOf(request, who) : who(request.headers.authorization);
              actors.set(request, await actor);
            }),
          }),
      handler: refusing(async (request, reply) => {
        const input = {
          path: request.params as Readonly<Record<string, string>>,
          query: readQuery(request.query),
          body: readBody(request.body ?? {}),
          request,
          actor: actors.get(request) ?? 'nobody',
        };
        return send(reply, await handle(input));
      }),
    });
  };

/** Answers with what is refused on the way. */
export const refusing =
  <Result>(serve: (request: FastifyRequest, reply: FastifyReply) => Promise<Result>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<Result | FastifyReply> => {
    try {
      return await serve(request, reply);
    } catch (thrown) {
      return send(reply, asRefused(thrown));
    }
  };

export const send = (reply: FastifyReply, { status, body, headers = {} }: Answer): FastifyReply =>
  reply.code(status).headers(headers).send(body);

/** One thing that is wrong, at its field. */
export const wrongAt = (field: string, code: Parameters<typeof issueAt>[1], says: string): Refusal =>
  badRequest([issueAt(field, code, says)]);

const ID = /^[1-9]\d{0,14}$/;
/** Of the records; whatever else is written there names nothing. */
export const idOf = (text: string | undefined, what: string): number => {
  if (text === undefined || !ID.test(text)) throw notFound(what);
  return Number(text);
};
