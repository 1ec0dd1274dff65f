/** Tokens of shippers, carriers and operators: issued, listed, rotated, revoked. */
import type { PoolClient } from 'pg';
import { Type } from 'typebox';
import { findShipper } from '../records/shippers.ts';
import { transaction } from '../records/pool.ts';
import {
  type Bearer,
  issueToken,
  listTokens,
  replaceToken,
  revokeToken,
  ROLES,
  type TokenEntry,
} from '../records/tokens.ts';
import { conflict, notFound, ok, Refused, unprocessable, wrong } from './http-answer.ts';
import { ANY, listsOf, TIME } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const OVERLAP_HOURS = 24;
const OVERLAP_HOURS_MAX = 720;
const HOUR_MS = 3_600_000;

const closed = { additionalProperties: false } as const;
const expiresAt = Type.Optional(f.time('From then on the token is nobody’s; without it, never.'));
const NewToken = Type.Object({ environment: Type.Optional(f.Environment), expiresAt }, closed);
const RoleField = Type.Enum([...ROLES], {
  description:
    'read: sees everything but secrets. operate: also acts on consignments, dispatches, labels, pushes, webhooks and limits, and reloads ' +
    'profiles. administer: also manages shippers, accounts, tokens and operators.',
});
const NewOperatorToken = Type.Object({ role: RoleField, expiresAt }, closed);
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
const KINDS = ['shipper', 'carrier', 'operator'] as const;
const filter = {
  shipper: Type.Optional(f.shipperCode()),
  carrier: Type.Optional(f.carrierCode()),
  operator: Type.Optional(f.operatorName()),
  kind: Type.Optional(Type.Enum([...KINDS])),
};
const AREA = { auth: 'admin', tag: 'Admin' } as const;
const ShipperPath = Type.Object({ code: f.shipperCode() });
const CarrierPath = Type.Object({ carrierCode: f.carrierCode() });
const OperatorPath = Type.Object({ name: f.operatorName() });
const TokenPath = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9]{1,20}$', 'x-must': 'be the id of a token' }),
});

const issued = {
  id: Type.String({ description: 'The third part of the token.' }),
  token: Type.String({ description: 'Shown once.' }),
  expiresAt: Type.Optional(f.instant()),
};
const Issued = Type.Object(issued);
const Entry = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...KINDS]),
  code: Type.String({ description: 'Of the shipper or carrier; the name of the operator.' }),
  environment: Type.Optional(f.Environment),
  role: Type.Optional(RoleField),
  state: Type.Enum(['valid', 'expired', 'revoked']),
  createdAt: f.instant(),
  expiresAt: Type.Optional(f.instant()),
  revokedAt: Type.Optional(f.instant()),
  replacedBy: Type.Optional(Type.String()),
});

export const addTokenRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool, nowMs, carriers } = deps;
  const by = (actor: string) => ({ actor, now: new Date(nowMs()) });
  const isPast = (ends: Date | undefined): boolean => ends !== undefined && !(ends.getTime() > nowMs());
  const past = unprocessable('The token would be expired already', ['expiresAt must lie ahead'], {}, 'token_expired');
  const issueFor = async (owner: Bearer, expiry: string | undefined, actor: string) => {
    const expiresAt = f.timeOf(expiry);
    if (isPast(expiresAt)) return past;
    const issue = async (client: PoolClient) => await issueToken(client, owner, { ...by(actor), expiresAt });
    return ok(f.viewOf(Issued, await transaction(pool, issue)));
  };
  route('POST /admin/shippers/:code/tokens', {
    id: 'issueShipperToken',
    role: 'administer',
    summary: 'A further token of a shipper, for one environment (production)',
    path: ShipperPath,
    body: NewToken,
    reply: [Issued, 'The token is shown once.'],
    errors: [404, 422],
    handle: async ({ path: { code }, body: { environment = 'production', expiresAt }, actor }) => {
      const shipper = await findShipper(pool, code);
      if (shipper === undefined) return notFound(`There is no shipper ${code}`, 'unknown_shipper');
      return await issueFor({ kind: 'shipper', shipperId: shipper.id, code, environment }, expiresAt, actor);
    },
  });
  route('POST /admin/carriers/:carrierCode/tokens', {
    id: 'issueCarrierToken',
    role: 'administer',
    summary: 'A token for a carrier’s status pushes; without an environment, for both',
    path: CarrierPath,
    body: NewToken,
    reply: [Issued, 'The token is shown once.'],
    errors: [404, 422],
    handle: async ({ path: { carrierCode: code }, body: { environment, expiresAt }, actor }) =>
      carriers.find(code) === undefined
        ? notFound(`There is no carrier ${code}`, 'unknown_carrier')
        : await issueFor({ kind: 'carrier', code, environment }, expiresAt, actor),
  });
  route('POST /admin/operators/:name/tokens', {
    id: 'issueOperatorToken',
    role: 'administer',
    summary:
      'A token of a person or program that operates this, by the name under which the audit log has what it does',
    path: OperatorPath,
    body: NewOperatorToken,
    reply: [Issued, 'The token is shown once.'],
    errors: [422],
    handle: async ({ path: { name: code }, body: { role, expiresAt }, actor }) =>
      await issueFor({ kind: 'operator', code, role }, expiresAt, actor),
  });
  list('GET /admin/tokens', {
    id: 'listTokens',
    summary: 'Tokens without their secrets, the newest first; of one shipper, carrier or operator, of one kind, or all',
    filter,
    entry: Entry,
    place: [({ createdAt, id }: TokenEntry) => [createdAt.toISOString(), id], TIME, ANY],
    read: async ({ query, after: [createdAt, id = ''] = [], limit }) => {
      const given = ([...KINDS, 'kind'] as const).filter((one) => query[one] !== undefined);
      if (given.length > 1) throw new Refused(wrong(`${given.join(' and ')} do not go together; give one of them`));
      const kind = query.kind ?? KINDS.find((one) => query[one] !== undefined);
      const after = createdAt === undefined ? undefined : { createdAt: new Date(createdAt), id };
      return await listTokens(pool, { kind, code: kind && query[kind], after, limit }, new Date(nowMs()));
    },
    show: (token) => f.viewOf(Entry, token),
  });
  route('POST /admin/tokens/:id/rotate', {
    id: 'rotateToken',
    role: 'administer',
    summary: 'A new token in the place of this one, which stays valid for a while',
    path: TokenPath,
    body: Rotation,
    reply: [Type.Object({ ...issued, replaces: Entry }), 'The token is shown once.'],
    errors: [404, 409, 422],
    handle: async ({ path: { id }, body, actor }) => {
      const { overlapHours = OVERLAP_HOURS, expiresAt } = body ?? {};
      const ends = f.timeOf(expiresAt);
      if (isPast(ends)) return past;
      const replaced = await replaceToken(pool, id, {
        ...by(actor),
        overlapMs: overlapHours * HOUR_MS,
        expiresAt: ends,
      });
      switch (replaced.kind) {
        case 'unknown':
          return notFound(`There is no token ${id}`, 'unknown_token');
        case 'ended': {
          const { state, replacedBy } = replaced.old;
          const why = replacedBy === undefined ? `is ${state}` : `was replaced by ${replacedBy} before`;
          return conflict(`The token ${id} ${why}`, 'token_ended');
        }
        case 'replaced':
          return ok({ ...f.viewOf(Issued, replaced.issued), replaces: f.viewOf(Entry, replaced.old) });
      }
    },
  });
  route('DELETE /admin/tokens/:id', {
    id: 'revokeToken',
    role: 'administer',
    summary: 'From now on the token is nobody’s',
    path: TokenPath,
    reply: [Entry, 'As it is now.'],
    errors: [404],
    handle: async ({ path: { id }, actor }) => {
      const revoked = await revokeToken(pool, id, by(actor));
      return revoked === undefined
        ? notFound(`There is no token ${id}`, 'unknown_token')
        : ok(f.viewOf(Entry, revoked));
    },
  });
};
