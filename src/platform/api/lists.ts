/** Lists: filters, pages and answers are the same for all of them. */
import type { FastifyInstance } from 'fastify';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { ok, wrong } from './http-answer.ts';
import * as f from './query-fields.ts';
import { type Area, routesOf, type RouteText } from './route.ts';

interface ListSpec<Filter extends TProperties, Row> extends RouteText {
  /** What may be asked for; all of it must fit. */
  readonly filter?: Filter;
  readonly entry: object;
  /** How many entries a page has where nobody says, and at most. */
  readonly size?: readonly [usual: number, most: number];
  /** Where an entry lies in the order of the list: the parts of a cursor, and what each looks like. */
  readonly place: readonly [of: (row: Row) => readonly (string | number)[], ...parts: RegExp[]];
  /** The id after or before which a page begins may be given as such, too. */
  readonly byId?: 'after' | 'before';
  /** The first `limit` of those that fit and come after this place. */
  readonly read: (asked: Asked<Filter>) => Promise<readonly Row[]>;
  readonly show: (row: Row) => unknown;
}

interface Asked<Filter extends TProperties> {
  readonly query: Static<TObject<Filter>>;
  readonly after: readonly string[] | undefined;
  readonly limit: number;
  /** Whose token it is, where `auth` is `shipper`. */
  readonly shipper: ShipperBearer;
}

/** Parts of cursors. */
export const NUMBER = /^\d{1,18}$/;
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const ANY = /^/;

/** Adds a list to the scope, by its path: `GET /v2/facilities`. */
export const listsOf = (scope: FastifyInstance, deps: ApiDeps, area: Area) => {
  const route = routesOf(scope, deps, area);
  return <Filter extends TProperties, Row>(on: `GET ${string}`, spec: ListSpec<Filter, Row>): void => {
    const { filter, entry, size: [usual, most] = [100, 500], place, byId, read, show, ...texts } = spec;
    const [placeOf, ...parts] = place;
    const next = byId === 'after' ? 'nextAfter' : 'nextBefore';
    route(on, {
      ...texts,
      ...(area.auth === 'admin' ? ({ role: 'read' } as const) : {}),
      query: Type.Object({
        ...filter,
        ...(byId && { [byId]: Type.Optional(f.number()) }),
        cursor: Type.Optional(
          Type.String({ maxLength: 1_000, description: '`nextCursor` of the page before, with the same filters.' }),
        ),
        limit: Type.Optional(f.number(3, `Entries of a page: ${usual} by default, ${most} at most.`)),
      }),
      reply: [
        Type.Object({
          data: Type.Array(entry),
          nextCursor: Type.Optional(Type.String({ description: 'Missing on the last page.' })),
          ...(byId && { [next]: Type.Optional(Type.Integer({ description: `\`${byId}\` of the next page.` })) }),
        }),
        'A page.',
      ],
      handle: async (input) => {
        const { cursor, limit, ...query } = input.query as Record<string, string | undefined>;
        const id = byId && query[byId];
        if (id !== undefined && cursor !== undefined) return wrong(`cursor or ${byId}, not both`);
        const given = cursor === undefined ? undefined : f.readCursor(cursor, parts.length);
        if (cursor !== undefined && given?.every((part, at) => parts[at]?.test(part)) !== true)
          return wrong('cursor is none that we gave');
        const after = id === undefined ? given : [id];
        const count = Math.min(f.numberOf(limit) ?? usual, most);
        const rows = await read({
          query: query as Static<TObject<Filter>>,
          after,
          limit: count + 1,
          get shipper() {
            return input.shipper;
          },
        });
        const last = rows.length > count ? rows[count - 1] : undefined;
        const end = last && placeOf(last);
        return ok({
          data: rows.slice(0, count).map(show),
          ...(end && { nextCursor: f.writeCursor(end.map(String)), ...(byId && { [next]: end[0] }) }),
        });
      },
    });
  };
};
