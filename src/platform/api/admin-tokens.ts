/** Tokens of shippers and carriers: issued, listed, rotated, revoked. */
import { Type } from 'typebox';
import { findShipper } from '../records/shippers.ts';
import { transaction } from '../records/pool.ts';
import { type Bearer, issueToken, listTokens, replaceToken, revokeToken } from '../records/tokens.ts';
import { conflict, notFound, ok, unprocessable, wrong } from './http-answer.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, pageReply, routesOf } from './route.ts';

const OVERLAP_HOURS = 24;
const OVERLAP_HOURS_MAX = 720;
const HOUR_MS = 3_600_000;

const closed = { additionalProperties: false } as const;
const NewToken = Type.Object(
  {
    environment: Type.Optional(f.Environment),
    expiresAt: Type.Optional(f.time('From then on the token is nobody’s; without it, never.')),
  },
  closed,
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
    expiresAt: Type.Optional(f.time('Of the new token; without it, it lives as long as the old one was to live.')),
  },
  closed,
);
const ListQuery = Type.Object({
  shipper: Type.Optional(f.shipperCode()),
  carrier: Type.Optional(f.carrierCode()),
  limit: f.limit,
  cursor: Type.Optional(Type.String({ maxLength: 200, description: '`nextCursor` of the page before.' })),
});
const ShipperPath = Type.Object({ code: f.shipperCode() });
const CarrierPath = Type.Object({ carrierCode: f.carrierCode() });
const TokenPath = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9]{1,20}$', 'x-must': 'be the id of a token' }),
});

const issued = {
  id: Type.String({ description: 'The third part of the token.' }),
  token: Type.String({ description: 'Shown once.' }),
  expiresAt: Type.Optional(Type.String()),
};
const Issued = Type.Object(issued);
const Entry = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['shipper', 'carrier']),
  code: Type.String({ description: 'Of the shipper or carrier.' }),
  environment: Type.Optional(f.Environment),
  state: Type.Enum(['valid', 'expired', 'revoked']),
  createdAt: Type.String(),
  ...f.optionalTexts('expiresAt', 'revokedAt', 'replacedBy'),
});

export const addTokenRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'admin', tag: 'Admin' });
  const { pool, nowMs, carriers } = deps;
  const by = () => ({ actor: 'admin', now: new Date(nowMs()) });
  const isPast = (ends: Date | undefined): boolean => ends !== undefined && !(ends.getTime() > nowMs());
  const past = unprocessable('The token would be expired already', ['expiresAt must lie ahead']);
  const issueFor = async (owner: Bearer, expiresAt: Date | undefined) =>
    isPast(expiresAt)
      ? past
      : await transaction(pool, async (client) =>
          ok(f.viewOf(Issued, await issueToken(client, owner, { ...by(), expiresAt }))),
        );
  route('POST /admin/shippers/:code/tokens', {
    id: 'issueShipperToken',
    summary: 'A further token of a shipper, for one environment (production)',
    path: ShipperPath,
    body: NewToken,
    reply: [Issued, 'The token is shown once.'],
    errors: [404, 422],
    handle: async ({ path: { code }, body: { environment = 'production', expiresAt } }) => {
      const shipper = await findShipper(pool, code);
      if (shipper === undefined) return notFound(`There is no shipper ${code}`);
      return await issueFor({ kind: 'shipper', shipperId: shipper.id, code, environment }, f.timeOf(expiresAt));
    },
  });
  route('POST /admin/carriers/:carrierCode/tokens', {
    id: 'issueCarrierToken',
    summary: 'A token for a carrier’s status pushes; without an environment, for both',
    path: CarrierPath,
    body: NewToken,
    reply: [Issued, 'The token is shown once.'],
    errors: [404, 422],
    handle: async ({ path: { carrierCode: code }, body: { environment, expiresAt } }) =>
      carriers.find(code) === undefined
        ? notFound(`There is no carrier ${code}`)
        : await issueFor({ kind: 'carrier', code, environment }, f.timeOf(expiresAt)),
  });
  route('GET /admin/tokens', {
    id: 'listTokens',
    summary: 'Tokens without their secrets, the newest first; of one shipper or carrier, or all',
    query: ListQuery,
    reply: pageReply(Entry, 'cursor'),
    handle: async ({ query: { shipper, carrier, cursor, limit } }) => {
      const after = cursor === undefined ? undefined : positionOf(cursor);
      if (cursor !== undefined && after === undefined) return wrong('cursor is none that was given out here');
      if (shipper !== undefined && carrier !== undefined) return wrong('shipper or carrier, not both');
      const kind = shipper !== undefined ? 'shipper' : carrier !== undefined ? 'carrier' : undefined;
      const { page, last } = await f.readPage(
        f.limitOf(limit),
        async (limit) => await listTokens(pool, { kind, code: shipper ?? carrier, after, limit }, by().now),
      );
      return ok({
        data: page.map((token) => f.viewOf(Entry, token)),
        nextCursor: last && f.writeCursor([last.createdAt.toISOString(), last.id]),
      });
    },
  });
  route('POST /admin/tokens/:id/rotate', {
    id: 'rotateToken',
    summary: 'A new token in the place of this one, which stays valid for a while',
    path: TokenPath,
    body: Rotation,
    reply: [Type.Object({ ...issued, replaces: Entry }), 'The token is shown once.'],
    errors: [404, 409, 422],
    handle: async ({ path: { id }, body }) => {
      const { overlapHours = OVERLAP_HOURS, expiresAt } = body ?? {};
      const ends = f.timeOf(expiresAt);
      if (isPast(ends)) return past;
      const replaced = await replaceToken(pool, id, { ...by(), overlapMs: overlapHours * HOUR_MS, expiresAt: ends });
      switch (replaced.kind) {
        case 'unknown':
          return notFound(`There is no token ${id}`);
        case 'ended': {
          const { state, replacedBy } = replaced.old;
          const why = replacedBy === undefined ? `is ${state}` : `was replaced by ${replacedBy} before`;
          return conflict(`The token ${id} ${why}`);
        }
        case 'replaced':
          return ok({ ...f.viewOf(Issued, replaced.issued), replaces: f.viewOf(Entry, replaced.old) });
      }
    },
  });
  route('DELETE /admin/tokens/:id', {
    id: 'revokeToken',
    summary: 'From now on the token is nobody’s',
    path: TokenPath,
    reply: [Entry, 'As it is now.'],
    errors: [404],
    handle: async ({ path: { id } }) => {
      const revoked = await revokeToken(pool, id, by());
      return revoked === undefined ? notFound(`There is no token ${id}`) : ok(f.viewOf(Entry, revoked));
    },
  });
};

const positionOf = (cursor: string): { readonly createdAt: Date; readonly id: string } | undefined => {
  const [at = '', id = ''] = f.readCursor(cursor, 2) ?? [];
  const createdAt = new Date(at);
  return Number.isNaN(createdAt.getTime()) ? undefined : { createdAt, id };
};
