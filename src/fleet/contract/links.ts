/** Accounts of those who send us consignments: the token that they bring, and where and how their statuses are pushed. */
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { sha256 } from '../../engine/digest.ts';
import { type AddRoutes, conflict, ok, Refusal, routesOf } from '../http.ts';
import type { Database, FleetDeps } from '../ports.ts';
import { closed } from '../resources/shapes.ts';

export interface Link {
  readonly id: number;
  readonly name: string;
}

export const newToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`;

/** Throws a 401 for a token that is none. */
export const linkOf = async (database: Database, token: string): Promise<Link> => {
  const link = await database.first<Link>`select id, name from fleet.links where token_hash = ${sha256(token)}`;
  if (link === undefined) throw new Refusal(401, 'unauthorized', 'The token is not valid');
  return link;
};

/** What of a link is sealed, and about what, in SQL and here. */
export const SEALED_LINK = { table: 'fleet.links', column: 'status_token', about: `'fleet/link/' || name` } as const;
const aboutLink = (name: string): string => `fleet/link/${name}`;

/** Of a link, where and how its statuses are pushed. */
export interface Target {
  readonly name: string;
  readonly statusUrl: string;
  /** Sealed. */
  readonly statusToken: Buffer;
}

export const statusTokenOf = ({ open }: Pick<FleetDeps, 'open'>, { name, statusToken }: Target): string =>
  open(statusToken, aboutLink(name));

const NewLink = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    /** The carrier as the platform knows us. */
    carrierCode: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    statusToken: Type.String({ minLength: 8, maxLength: 500 }),
    statusUrl: Type.Optional(Type.String({ format: 'http-url', maxLength: 2_000 })),
  },
  closed,
);

export const addLinkRoutes: AddRoutes = (scope, deps) => {
  const { database, publicUrl, seal } = deps;
  const route = routesOf(scope, deps);
  route('GET /links', {
    who: 'administer',
    summary: 'Lists the links of shippers, and what could not be pushed to them yet',
    handle: async () =>
      ok({
        items: await database.all`
          select l.id::text as id, name, status_url, l.created_at, count(o.id) filter (where o.sent_at is null) as unsent,
            max(o.problem) filter (where o.sent_at is null) as problem
          from fleet.links l left join fleet.outbox o on o.link_id = l.id group by l.id order by l.id`,
      }),
  });
  route('POST /links', {
    who: 'administer',
    summary: 'Links a shipper; the answer has the token of its account',
    body: NewLink,
    handle: async ({ body: { name, carrierCode = 'own_fleet', statusToken, statusUrl } }) => {
      const token = newToken('flt');
      const url = statusUrl ?? `${publicUrl}/v2/carriers/${carrierCode}/statuses`;
      const made = await database.first<{ id: string }>`
        insert into fleet.links (name, token_hash, status_url, status_token)
        values (${name}, ${sha256(token)}, ${url}, ${seal(statusToken, aboutLink(name))})
        on conflict (name) do nothing returning id::text as id`;
      if (made === undefined) throw conflict(`There is a link ${name} already`);
      return ok({ ...made, token });
    },
  });
  route('PUT /links/:name', {
    who: 'administer',
    summary: 'Changes where and with which token statuses are pushed',
    body: Type.Pick(NewLink, ['statusToken', 'statusUrl']),
    handle: async ({ path: { name = '' }, body: { statusToken, statusUrl } }) => {
      const changed = await database.run`
        update fleet.links set status_token = ${seal(statusToken, aboutLink(name))},
          status_url = coalesce(${statusUrl ?? null}, status_url) where name = ${name}`;
      if (changed === 0) throw new Refusal(404, 'not_found', `There is no link ${name}`);
      return ok({ name });
    },
  });
};
