/** For the driver's phone: today's route, what is reported of it, and images. Nothing of other drivers. */
import { Type } from 'typebox';
import { sha256 } from '../../engine/digest.ts';
import { encodeBarcode } from '../../engine/labels/barcode.ts';
import { once, textAt } from '../../engine/value.ts';
import { newToken } from '../contract/links.ts';
import { type AddRoutes, bearerOf, notFound, ok, Refusal, routesOf, wrongAt } from '../http.ts';
import { routeAlone } from '../planning/board.ts';
import type { RouteDeps } from '../ports.ts';
import { readResources } from '../resources/records.ts';
import { DAY, ID, type Resources } from '../resources/shapes.ts';
import { dayAfter, dayAt } from '../resources/shifts.ts';
import { isTimely } from './events.ts';
import { IMAGE_TYPES, PROOF_MAX_BYTES, serveProof, takeProof } from './proofs.ts';
import { recordEvents, type Result } from './record-events.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const EVENTS_MAX = 200;

const driverOf = async ({ database, nowMs }: RouteDeps, authorization: string | undefined): Promise<string> => {
  const found = await database.first<{ driver: string }>`
    select driver from fleet.driver_tokens join fleet.resources on kind = 'drivers' and code = driver
    where token_hash = ${sha256(bearerOf(authorization))} and expires_at > ${new Date(nowMs())}
      and coalesce(data -> 'active', 'true') = 'true'`;
  if (found === undefined) throw new Refusal(401, 'unauthorized', 'The link is not valid any more: ask for a new one');
  return found.driver;
};

/** A route that is open on the day, else the last one of it. */
const findRoute = async ({ database }: RouteDeps, driver: string, day: string): Promise<number | undefined> =>
  (
    await database.first<{ id: number }>`
      select id from fleet.routes where driver = ${driver} and day = ${day}
      order by (state in ('planned', 'started')) desc, id desc limit 1`
  )?.id;

const timeZoneOf = ({ drivers, depots }: Resources, driver: string): string =>
  depots.get(drivers.get(driver)?.depot ?? '')?.timeZone ?? 'UTC';

const shown = async (deps: RouteDeps, driver: string, routeId: number | undefined) => {
  const found = routeId === undefined ? undefined : await routeAlone(deps, routeId);
  return found?.view.driver === driver ? found.view : undefined;
};

export const addDriverRoutes: AddRoutes = (scope, deps) => {
  const { database } = deps;
  const route = routesOf(scope, deps);
  scope.addContentTypeParser(
    [...IMAGE_TYPES],
    { parseAs: 'buffer', bodyLimit: PROOF_MAX_BYTES },
    async (_: unknown, body: Buffer | string) => body,
  );
  route('POST /resources/drivers/:code/token', {
    who: 'administer',
    summary: 'Issues a link to the driver’s page; the one before ends',
    body: Type.Optional(Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 })) })),
    handle: async ({ path: { code = '' }, body }) => {
      if (!(await readResources(database)).drivers.has(code)) throw notFound(`driver ${code}`);
      const token = newToken('drv');
      const expiresAt = new Date(deps.nowMs() + (body?.days ?? DAYS) * DAY_MS);
      await database.run`
        insert into fleet.driver_tokens (driver, token_hash, expires_at) values (${code}, ${sha256(token)}, ${expiresAt})
        on conflict (driver) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`;
      // Behind the #, which no server and no log sees.
      const url = `${deps.publicUrl}/driver#${token}`;
      return ok({ token, url, qr: qrSvg(url), expiresAt });
    },
  });
  route('DELETE /resources/drivers/:code/token', {
    who: 'administer',
    summary: 'Ends the link of a driver',
    handle: async ({ path: { code = '' } }) => {
      await database.run`delete from fleet.driver_tokens where driver = ${code}`;
      return ok({ code });
    },
  });
  const who = async (authorization: string | undefined): Promise<string> => await driverOf(deps, authorization);
  route('GET /driver/route', {
    who,
    query: Type.Object({ day: Type.Optional(DAY) }),
    handle: async ({ actor: driver, query }) => {
      const resources = await readResources(database);
      const { drivers, reasons } = resources;
      const today = dayAt(deps.nowMs(), timeZoneOf(resources, driver));
      const { day = today } = query;
      if (![-1, 0, 1].some((days) => day === dayAfter(today, days)))
        throw wrongAt('day', 'not_allowed', 'must be today, or the day before or after');
      const routeId = await findRoute(deps, driver, day);
      return ok({
        driver: { code: driver, name: drivers.get(driver)?.name ?? driver },
        now: new Date(deps.nowMs()).toISOString(),
        reasons: [...reasons].map(([code, { description }]) => ({ code, description })),
        route: await shown(deps, driver, routeId),
      });
    },
  });
  route('POST /driver/events', {
    who,
    body: Type.Array(Type.Unknown(), { maxItems: EVENTS_MAX }),
    handle: async ({ actor: driver, body }) => {
      const timeZone = timeZoneOf(await readResources(database), driver);
      const current = await findRoute(deps, driver, dayAt(deps.nowMs(), timeZone));
      const results = new Map<unknown, Result>();
      for (const [routeId, events] of await byRoute(deps, driver, { current, timeZone }, body)) {
        const recorded = await recordEvents(deps, routeId, { actor: `driver:${driver}`, driver }, events);
        for (const [at, event] of events.entries()) if (recorded[at] !== undefined) results.set(event, recorded[at]);
      }
      return ok({
        results: body.map((event) => results.get(event) ?? NO_ROUTE(event)),
        route: await shown(deps, driver, current),
      });
    },
  });
  route('PUT /driver/proofs/:id', {
    who,
    query: Type.Object({
      stopId: ID,
      kind: Type.Enum(['photo', 'signature']),
    }),
    bodyLimit: PROOF_MAX_BYTES,
    handle: async ({ actor: driver, path: { id = '' }, query: { stopId, kind }, body }) => {
      const key = await takeProof(database, {
        id: id.toLowerCase(),
        driver,
        stopId: Number(stopId),
        kind,
        bytes: body,
      });
      return ok({ id, url: `${deps.publicUrl}/fleet/v1/proofs/${key}` });
    },
  });
  route('GET /proofs/:key', { handle: async ({ path: { key = '' } }) => await serveProof(database, key) });
};

const NO_ROUTE = (event: unknown): Result => {
  const { answer } = wrongAt('stopId', 'not_one_of', 'is no stop of a route of yours, and there is none today');
  const { findings } = answer.body as { findings: Result['findings'] };
  return { id: textAt(event, 'id'), result: 'refused', ...(findings && { findings }) };
};

const stopOf = (event: unknown): number => Number((event as { stopId?: unknown } | null)?.stopId) || 0;

/** By the day and whether it is a start: the route of that day, or, but for a start, the one that was under way. */
const routeFinder = ({ database }: RouteDeps, driver: string) =>
  once(async (sought: `${string} ${boolean}`): Promise<number | undefined> => {
    const [day = '', text] = sought.split(' ');
    const isStart = text === 'true';
    const found = await database.first<{ id: number }>`
      select id from fleet.routes
      where driver = ${driver} and day <= ${day} and day >= ${isStart ? day : dayAfter(day, -1)}
      order by (state = 'started' and not ${isStart}) desc, day desc, (state in ('planned', 'started')) desc, id desc limit 1`;
    return found?.id;
  });

/** What comes late is about the route that it names a stop of, or that was its driver's then. What is to be refused, about today's. */
const byRoute = async (
  deps: RouteDeps,
  driver: string,
  { current, timeZone }: { readonly current: number | undefined; readonly timeZone: string },
  events: readonly unknown[],
) => {
  const rows = await deps.database.all<{ id: number; routeId: number }>`
    select s.id, s.route_id from fleet.stops s join fleet.routes r on r.id = s.route_id
    where r.driver = ${driver} and s.id = any(${events.map(stopOf).filter(Number.isSafeInteger)}::bigint[])`;
  const routes = new Map(rows.map(({ id, routeId }) => [id, routeId]));
  const routeAt = routeFinder(deps, driver);
  const named = new Map<number | undefined, unknown[]>();
  for (const event of events) {
    const atMs = Date.parse(textAt(event, 'at'));
    const isWhole = stopOf(event) === 0 && isTimely(atMs, deps.nowMs());
    const routeId =
      routes.get(stopOf(event)) ??
      (isWhole ? await routeAt(`${dayAt(atMs, timeZone)} ${textAt(event, 'type') === 'route_started'}`) : current);
    named.set(routeId, [...(named.get(routeId) ?? []), event]);
  }
  return [...named].flatMap(([routeId, own]) => (routeId === undefined ? [] : [[routeId, own] as const]));
};

/** One path of squares. */
const qrSvg = (text: string): string => {
  const code = encodeBarcode('qr', text);
  if (code.kind !== 'matrix') throw new Error('a QR code is a matrix');
  const { dark, modules } = code;
  const squares = dark.flatMap((isDark, at) =>
    isDark ? [`M${(at % modules) + 4} ${Math.floor(at / modules) + 4}h1v1h-1z`] : [],
  );
  const side = modules + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><rect width="${side}" height="${side}" fill="#fff"/><path d="${squares.join('')}"/></svg>`;
};
