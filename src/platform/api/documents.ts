/** The shapes that OpenAPI names once and routes refer to. */
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { CancelRequest } from '../../engine/consignment/cancel.ts';
import { createSchema, updateSchema } from '../../engine/consignment/profile-schema.ts';
import {
  BadRequestReply,
  CancelRefusedReply,
  CancelReply,
  ConflictReply,
  ErrorReply,
  SuccessReply,
  UnprocessableReply,
} from '../../engine/consignment/reply-schema.ts';
import { WebhookEvent } from '../../engine/webhooks/event.ts';
import { ListReply, ReadReply } from './consignment-shapes.ts';

const SHAPES: Readonly<Record<string, TSchema>> = {
  CreateParcel: createSchema('OP'),
  CreateBulky: createSchema('OB'),
  CreateOwnFleetParcel: createSchema('FP'),
  CreateOwnFleetBulky: createSchema('FB'),
  Update: updateSchema('OP'),
  CancelRequest,
  SuccessReply,
  CancelReply,
  CancelRefusedReply,
  ReadReply,
  ListReply,
  BadRequestReply,
  ConflictReply,
  UnprocessableReply,
  ErrorReply,
  WebhookEvent,
};

export const nameShapes = (app: FastifyInstance): void => {
  for (const [name, shape] of Object.entries(SHAPES)) app.addSchema({ ...plain(shape), $id: name });
};

// Without what TypeBox keeps out of sight in its schemas.
const plain = (schema: TSchema): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;

export const named = (name: keyof typeof SHAPES): { readonly $ref: string } => ({ $ref: `${name}#` });

type ErrorNumber = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503;
const ERRORS: Readonly<Record<ErrorNumber, readonly [string, string]>> = {
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

/** The answers of a route: its good ones, and the errors of its own; `describeRefusals` adds what any may have. */
export const answers = (
  good: Readonly<Record<number, object>>,
  ...errors: readonly ErrorNumber[]
): Record<string, unknown> => ({
  ...good,
  ...Object.fromEntries(errors.map((status) => [status, described(ERRORS[status])])),
});

/**
 * Says of every route how a request may be refused before its handler sees it, which follows from the route: no
 * parameter or body that can be read, no token, a server that cannot take it now. What a route says itself stays.
 */
export const describeRefusals = (app: FastifyInstance): void => {
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const { schema = {} } = route;
    const mayHaveBody = [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD');
    const isRead = mayHaveBody || schema.params !== undefined || schema.querystring !== undefined;
    const isGuarded = (schema.security ?? []).length > 0;
    const errors: readonly (readonly [boolean, ...ErrorNumber[]])[] = [
      [isRead, 400],
      [isGuarded, 401, 429],
      [mayHaveBody, 413],
      [mayHaveBody && this.hasContentTypeParser('application/json'), 415],
      [true, 500, 503],
    ];
    const refusals = errors.flatMap(([may, ...numbers]) => (may ? numbers : []));
    route.schema = { ...schema, response: { ...answers({}, ...refusals), ...(schema.response as object) } };
  });
};

const described = ([name, description]: readonly [string, string]) => ({
  description,
  content: { 'application/json': { schema: named(name) } },
});

export const json = (schema: object, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

export const SHIPPER = [{ shipper: [] }];
export const CARRIER = [{ carrier: [] }];
export const ADMIN = [{ admin: [] }];
