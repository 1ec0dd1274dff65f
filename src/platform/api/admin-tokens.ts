import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { findShipper } from '../records/shippers.ts';
import {
  type IssuedToken,
  issueToken,
  listTokens,
  replaceToken,
  revokeToken,
  type TokenEntry,
  type TokenOwner,
} from '../records/token-life.ts';
import { carrierCode, Environment, shipperCode } from './admin-fields.ts';
import { requireAdmin } from './bearer.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { ApiDeps } from './deps.ts';
import { ADMIN, answers, json } from './documents.ts';
import { badRequest, conflict, notFound, ok, send, unprocessable } from './http-answer.ts';
import { number, numberOf } from './numbers.ts';
import { time, timeOf } from './times.ts';

const OVERLAP_HOURS = 24;
const OVERLAP_HOURS_MAX = 720;
const HOUR_MS = 3_600_000;

const expiresAt = () => Type.Optional(time('From then on the token is nobody’s; without it, never.'));
const NewToken = Type.Object(
  { environment: Type.Optional(Environment), expiresAt: expiresAt() },
  { additionalProperties: false },
);
const Rotation = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_HOURS_MAX,
        description: `Both are valid so long (${OVERLAP_HOURS}).`,
      }),
    ),
    expiresAt: Type.Optional(time('Of the new token; without it, it lives as long as the old one was to live.')),
  },
  { additionalProperties: false },
);
const ListQuery = Type.Object({
  shipper: Type.Optional(shipperCode()),
  carrier: Type.Optional(carrierCode()),
  limit: Type.Optional(number(3)),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: '`nextCursor` of the page before.' })),
});
const ShipperPath = Type.Object({ code: shipperCode() });
const CarrierPath = Type.Object({ carrierCode: carrierCode() });
const TokenPath = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9]{1,20}$', 'x-must': 'be the id of a token' }),
});

const issued = {
  id: Type.String({ description: 'The third part of the token.' }),
  token: Type.String({ description: 'Shown once.' }),
  expiresAt: Type.Optional(Type.String()),
};
const entry = {
  id: Type.String(),
  kind: Type.Enum(['shipper', 'carrier']),
  code: Type.String({ description: 'Of the shipper or carrier.' }),
  environment: Type.Optional(Environment),
  state: Type.Enum(['valid', 'expired', 'revoked']),
  createdAt: Type.String(),
  expiresAt: Type.Optional(Type.String()),
  revokedAt: Type.Optional(Type.String()),
  replacedBy: Type.Optional(Type.String()),
};
const Entry = Type.Object(entry);
const LIMIT = 100;
const LIMIT_MAX = 500;

const issuedView = ({ id, token, expiresAt: ends }: IssuedToken) => ({ id, token, expiresAt: ends?.toISOString() });

const entryView = ({ createdAt, expiresAt: ends, revokedAt, ...rest }: TokenEntry) => ({
  ...rest,
  createdAt: createdAt.toISOString(),
  expiresAt: ends?.toISOString(),
  revokedAt: revokedAt?.toISOString(),
});

/** Tokens of shippers and carriers: issued, listed, rotated, revoked. */
export const adminTokenRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, nowMs } = deps;
    app.addHook('onRequest', requireAdmin(deps));
    const common = { tags: ['Admin'], security: ADMIN };
    const now = (): Date => new Date(nowMs());
    const isPast = (ends: Date | undefined): boolean => ends !== undefined && !(ends > now());
    const refusePast = (reply: FastifyReply) =>
      send(reply, unprocessable(nowMs(), 'The token would be expired already', ['expiresAt must lie ahead']));

    const issueFor = async (reply: FastifyReply, owner: TokenOwner, ends: Date | undefined) => {
      if (isPast(ends)) return refusePast(reply);
      const token = await issueToken(pool, owner, { actor: 'admin', now: now(), expiresAt: ends });
      return send(reply, ok(issuedView(token)));
    };

    app.route<{ Body: Static<typeof NewToken>; Params: Static<typeof ShipperPath> }>({
      method: 'POST',
      url: '/admin/shippers/:code/tokens',
      schema: {
        ...common,
        operationId: 'issueShipperToken',
        summary: 'A further token of a shipper, for one environment (production)',
        params: ShipperPath,
        body: NewToken,
        response: answers({ 200: json(Type.Object(issued), 'The token is shown once.') }, 404, 422),
      },
      handler: async (request, reply) => {
        const { code } = request.params;
        const shipper = await findShipper(pool, code);
        if (shipper === undefined) return send(reply, notFound(nowMs(), `There is no shipper ${code}`));
        const { environment = 'production', expiresAt: ends } = request.body;
        return await issueFor(reply, { kind: 'shipper', shipperId: shipper.id, code, environment }, timeOf(ends));
      },
    });

    app.route<{ Body: Static<typeof NewToken>; Params: Static<typeof CarrierPath> }>({
      method: 'POST',
      url: '/admin/carriers/:carrierCode/tokens',
      schema: {
        ...common,
        operationId: 'issueCarrierToken',
        summary: 'A token for a carrier’s status pushes; without an environment, for both',
        params: CarrierPath,
        body: NewToken,
        response: answers({ 200: json(Type.Object(issued), 'The token is shown once.') }, 404, 422),
      },
      handler: async (request, reply) => {
        const { carrierCode: code } = request.params;
        if (deps.carriers.find(code) === undefined)
          return send(reply, notFound(nowMs(), `There is no carrier ${code}`));
        const { environment, expiresAt: ends } = request.body;
        return await issueFor(reply, { kind: 'carrier', code, environment }, timeOf(ends));
      },
    });

    app.route<{ Querystring: Static<typeof ListQuery> }>({
      method: 'GET',
      url: '/admin/tokens',
      schema: {
        ...common,
        operationId: 'listTokens',
        summary: 'Tokens without their secrets, the newest first; of one shipper or carrier, or all',
        querystring: ListQuery,
        response: answers({
          200: json(
            Type.Object({ data: Type.Array(Entry), nextCursor: Type.Optional(Type.String()) }),
            '`nextCursor` is `cursor` of the next page.',
          ),
        }),
      },
      handler: async (request, reply) => {
        const { shipper, carrier, cursor } = request.query;
        const after = cursor === undefined ? undefined : positionOf(cursor);
        if (cursor !== undefined && after === undefined)
          return send(reply, badRequest(nowMs(), [{ message: 'cursor is none that was given out here' }]));
        if (shipper !== undefined && carrier !== undefined)
          return send(reply, badRequest(nowMs(), [{ message: 'shipper or carrier, not both' }]));
        const limit = Math.min(numberOf(request.query.limit) ?? LIMIT, LIMIT_MAX);
        const kind = shipper !== undefined ? 'shipper' : carrier !== undefined ? 'carrier' : undefined;
        const rows = await listTokens(pool, { kind, code: shipper ?? carrier, after, limit: limit + 1 }, now());
        const page = rows.slice(0, limit);
        const last = rows.length > limit ? page.at(-1) : undefined;
        const nextCursor = last === undefined ? undefined : writeCursor([last.createdAt.toISOString(), last.id]);
        return send(reply, ok({ data: page.map(entryView), nextCursor }));
      },
    });

    app.route<{ Body: Static<typeof Rotation>; Params: Static<typeof TokenPath> }>({
      method: 'POST',
      url: '/admin/tokens/:id/rotate',
      schema: {
        ...common,
        operationId: 'rotateToken',
        summary: 'A new token in the place of this one, which stays valid for a while',
        params: TokenPath,
        body: Rotation,
        response: answers(
          { 200: json(Type.Object({ ...issued, replaces: Entry }), 'The token is shown once.') },
          404,
          409,
          422,
        ),
      },
      handler: async (request, reply) => {
        const { id } = request.params;
        const { overlapHours = OVERLAP_HOURS, expiresAt: given } = request.body ?? {};
        const ends = timeOf(given);
        if (isPast(ends)) return refusePast(reply);
        const by = { actor: 'admin', now: now(), overlapMs: overlapHours * HOUR_MS, expiresAt: ends };
        const replaced = await replaceToken(pool, id, by);
        switch (replaced.kind) {
          case 'unknown':
            return send(reply, notFound(nowMs(), `There is no token ${id}`));
          case 'ended': {
            const { state, replacedBy } = replaced.old;
            const why = replacedBy === undefined ? `is ${state}` : `was replaced by ${replacedBy} before`;
            return send(reply, conflict(nowMs(), `The token ${id} ${why}`));
          }
          case 'replaced':
            return send(reply, ok({ ...issuedView(replaced.issued), replaces: entryView(replaced.old) }));
        }
      },
    });

    app.route<{ Params: Static<typeof TokenPath> }>({
      method: 'DELETE',
      url: '/admin/tokens/:id',
      schema: {
        ...common,
        operationId: 'revokeToken',
        summary: 'From now on the token is nobody’s',
        params: TokenPath,
        response: answers({ 200: json(Entry, 'As it is now.') }, 404),
      },
      handler: async (request, reply) => {
        const { id } = request.params;
        const revoked = await revokeToken(pool, id, { actor: 'admin', now: now() });
        return send(
          reply,
          revoked === undefined ? notFound(nowMs(), `There is no token ${id}`) : ok(entryView(revoked)),
        );
      },
    });
  };

const positionOf = (cursor: string): { readonly createdAt: Date; readonly id: string } | undefined => {
  const [at = '', id = ''] = readCursor(cursor, 2) ?? [];
  const createdAt = new Date(at);
  return Number.isNaN(createdAt.getTime()) ? undefined : { createdAt, id };
};
