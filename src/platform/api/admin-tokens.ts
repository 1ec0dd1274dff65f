/** Tokens of shippers and carriers: issued, listed, rotated, revoked. */
import { Type } from 'typebox';
import { findShipper } from '../records/shippers.ts';
import {
  type IssuedToken,
  issueToken,
  listTokens,
  replaceToken,
  revokeToken,
  type TokenEntry,
  type TokenOwner,
} from '../records/tokens.ts';
import { conflict, notFound, ok, unprocessable, wrong } from './http-answer.ts';
import {
  carrierCode,
  Environment,
  limitOf,
  number,
  pageOf,
  readCursor,
  shipperCode,
  time,
  timeOf,
  writeCursor,
} from './query-fields.ts';
import { pageReply, route, type Routes } from './route.ts';

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

const issuedView = ({ id, token, expiresAt: ends }: IssuedToken) => ({ id, token, expiresAt: ends?.toISOString() });

const entryView = ({ createdAt, expiresAt: ends, revokedAt, ...rest }: TokenEntry) => ({
  ...rest,
  createdAt: createdAt.toISOString(),
  expiresAt: ends?.toISOString(),
  revokedAt: revokedAt?.toISOString(),
});

const admin = { auth: 'admin', tag: 'Admin' } as const;
const Issued = Type.Object(issued);

export const adminTokenRoutes: Routes = ({ pool, nowMs, carriers }) => {
  const now = (): Date => new Date(nowMs());
  const isPast = (ends: Date | undefined): boolean => ends !== undefined && !(ends > now());
  const past = unprocessable('The token would be expired already', ['expiresAt must lie ahead']);
  const issueFor = async (owner: TokenOwner, ends: Date | undefined) => {
    if (isPast(ends)) return past;
    return ok(issuedView(await issueToken(pool, owner, { actor: 'admin', now: now(), expiresAt: ends })));
  };
  return [
    route({
      on: 'POST /admin/shippers/:code/tokens',
      ...admin,
      id: 'issueShipperToken',
      summary: 'A further token of a shipper, for one environment (production)',
      path: ShipperPath,
      body: NewToken,
      reply: [Issued, 'The token is shown once.'],
      errors: [404, 422],
      handle: async ({ path: { code }, body: { environment = 'production', expiresAt } }) => {
        const shipper = await findShipper(pool, code);
        if (shipper === undefined) return notFound(`There is no shipper ${code}`);
        return await issueFor({ kind: 'shipper', shipperId: shipper.id, code, environment }, timeOf(expiresAt));
      },
    }),
    route({
      on: 'POST /admin/carriers/:carrierCode/tokens',
      ...admin,
      id: 'issueCarrierToken',
      summary: 'A token for a carrier’s status pushes; without an environment, for both',
      path: CarrierPath,
      body: NewToken,
      reply: [Issued, 'The token is shown once.'],
      errors: [404, 422],
      handle: async ({ path: { carrierCode: code }, body: { environment, expiresAt } }) =>
        carriers.find(code) === undefined
          ? notFound(`There is no carrier ${code}`)
          : await issueFor({ kind: 'carrier', code, environment }, timeOf(expiresAt)),
    }),
    route({
      on: 'GET /admin/tokens',
      ...admin,
      id: 'listTokens',
      summary: 'Tokens without their secrets, the newest first; of one shipper or carrier, or all',
      query: ListQuery,
      reply: pageReply(Entry, 'cursor'),
      handle: async ({ query: { shipper, carrier, cursor, limit: given } }) => {
        const after = cursor === undefined ? undefined : positionOf(cursor);
        if (cursor !== undefined && after === undefined) return wrong('cursor is none that was given out here');
        if (shipper !== undefined && carrier !== undefined) return wrong('shipper or carrier, not both');
        const limit = limitOf(given);
        const kind = shipper !== undefined ? 'shipper' : carrier !== undefined ? 'carrier' : undefined;
        const rows = await listTokens(pool, { kind, code: shipper ?? carrier, after, limit: limit + 1 }, now());
        const { page, last } = pageOf(rows, limit);
        const nextCursor = last === undefined ? undefined : writeCursor([last.createdAt.toISOString(), last.id]);
        return ok({ data: page.map(entryView), nextCursor });
      },
    }),
    route({
      on: 'POST /admin/tokens/:id/rotate',
      ...admin,
      id: 'rotateToken',
      summary: 'A new token in the place of this one, which stays valid for a while',
      path: TokenPath,
      body: Rotation,
      reply: [Type.Object({ ...issued, replaces: Entry }), 'The token is shown once.'],
      errors: [404, 409, 422],
      handle: async ({ path: { id }, body }) => {
        const { overlapHours = OVERLAP_HOURS, expiresAt } = body ?? {};
        const ends = timeOf(expiresAt);
        if (isPast(ends)) return past;
        const by = { actor: 'admin', now: now(), overlapMs: overlapHours * HOUR_MS, expiresAt: ends };
        const replaced = await replaceToken(pool, id, by);
        switch (replaced.kind) {
          case 'unknown':
            return notFound(`There is no token ${id}`);
          case 'ended': {
            const { state, replacedBy } = replaced.old;
            const why = replacedBy === undefined ? `is ${state}` : `was replaced by ${replacedBy} before`;
            return conflict(`The token ${id} ${why}`);
          }
          case 'replaced':
            return ok({ ...issuedView(replaced.issued), replaces: entryView(replaced.old) });
        }
      },
    }),
    route({
      on: 'DELETE /admin/tokens/:id',
      ...admin,
      id: 'revokeToken',
      summary: 'From now on the token is nobody’s',
      path: TokenPath,
      reply: [Entry, 'As it is now.'],
      errors: [404],
      handle: async ({ path: { id } }) => {
        const revoked = await revokeToken(pool, id, { actor: 'admin', now: now() });
        return revoked === undefined ? notFound(`There is no token ${id}`) : ok(entryView(revoked));
      },
    }),
  ];
};

const positionOf = (cursor: string): { readonly createdAt: Date; readonly id: string } | undefined => {
  const [at = '', id = ''] = readCursor(cursor, 2) ?? [];
  const createdAt = new Date(at);
  return Number.isNaN(createdAt.getTime()) ? undefined : { createdAt, id };
};
