/** Slots for those who send us consignments: offered by free capacity, reserved, confirmed and given back. */
import { Type } from 'typebox';
import type { Link } from '../contract/links.ts';
import { type Answer, type CarrierRequest, conflict, notFound, ok, reading, wrongAt } from '../http.ts';
import type { FleetDeps } from '../ports.ts';
import { zoneAt } from '../resources/place.ts';
import { readResources } from '../resources/records.ts';
import { dayAfter, dayAt, localAt, momentAt } from '../resources/shifts.ts';
import { DAY, type Resources } from '../resources/shapes.ts';
import { openRooms, type Slot } from './places.ts';
import { reserve } from './reserve.ts';

const DAYS_MAX = 14;

const readQuestion = reading(
  Type.Object({
    country: Type.String({ format: 'country' }),
    postcode: Type.String({ minLength: 1, maxLength: 40 }),
    from: DAY,
    to: DAY,
    timezone: Type.Optional(Type.String({ format: 'time-zone' })),
  }),
  'the question',
);
const readWish = reading(Type.Object({ slot: Type.String({ minLength: 1, maxLength: 500 }) }), 'the reservation');
const readOrder = reading(Type.Object({ referenceId: Type.Optional(Type.String({ maxLength: 200 })) }), 'the order');

/** Whatever is longer than an index takes would fail others that are reserved with it. */
const KEY_MAX = 255;
const PATH = /^\/reservations\/([\w-]{32})(\/confirm)?$/;

/** Undefined: it is no request about slots. */
export const serveSlots = async (deps: FleetDeps, link: Link, request: CarrierRequest): Promise<Answer | undefined> => {
  const { method, path, query, headers, body } = request;
  if (method === 'GET' && path === '/slots') return await offer(deps, readQuestion(Object.fromEntries(query)));
  if (method === 'POST' && path === '/reservations') {
    const slot = readSlot(readWish(body).slot, await readResources(deps.database));
    if (slot === undefined) throw wrongAt('slot', 'not_one_of', 'is no slot that was offered');
    const key = headers['idempotency-key'];
    if (key !== undefined && key.length > KEY_MAX)
      throw wrongAt('Idempotency-Key', 'too_long', `must be no longer than ${KEY_MAX} characters`);
    const { id, expiresAt } = await reserve(deps, { linkId: link.id, slot, key });
    return ok({ reservation: id, expiresAt: expiresAt.toISOString() });
  }
  const [, id, isConfirm] = PATH.exec(path) ?? [];
  if (id === undefined) return undefined;
  if (method === 'POST' && isConfirm !== undefined)
    return await confirm(deps, link, id, readOrder(body ?? {}).referenceId);
  if (method === 'DELETE' && isConfirm === undefined) return await release(deps, link, id);
  return undefined;
};

const slotId = ({ depot, zone, day, fromMs, toMs }: Slot): string =>
  Buffer.from(JSON.stringify([depot, zone, day, fromMs, toMs])).toString('base64url');

/** As the depot is open on the day; undefined: it is none that was ever offered. */
const readSlot = (id: string, resources: Resources): Slot | undefined => {
  try {
    const [depot, zone, day, fromMs, toMs] = JSON.parse(Buffer.from(id, 'base64url').toString()) as [
      string,
      string,
      string,
      number,
      number,
    ];
    return slotsOn(resources, depot, zone, day).find((slot) => slot.fromMs === fromMs && slot.toMs === toMs);
  } catch {
    return undefined;
  }
};

const slotsOn = ({ depots, zones }: Resources, depot: string, zone: string, day: string): readonly Slot[] => {
  const site = depots.get(depot);
  if (site === undefined || zones.get(zone)?.depot !== depot || Number.isNaN(Date.parse(day))) return [];
  return (site.slots ?? []).map(({ from, to }) => ({
    depot,
    zone,
    day,
    fromMs: momentAt(day, from, site.timeZone),
    toMs: momentAt(day, to, site.timeZone),
  }));
};

const offer = async (
  deps: FleetDeps,
  { country, postcode, from, to, timezone }: ReturnType<typeof readQuestion>,
): Promise<Answer> => {
  const resources = await readResources(deps.database);
  const zone = zoneAt(resources, { country, postcode });
  const depot = zone === undefined ? undefined : resources.zones.get(zone)?.depot;
  const site = depot === undefined ? undefined : resources.depots.get(depot);
  if (zone === undefined || depot === undefined || site === undefined) return ok({ slots: [] });
  const nowMs = deps.nowMs();
  const first = dayAt(nowMs, site.timeZone);
  const slots: { id: string; from: string; to: string }[] = [];
  let day = from > first ? from : first;
  for (let count = 0; count < DAYS_MAX && day <= to; count += 1, day = dayAfter(day, 1)) {
    const open = slotsOn(resources, depot, zone, day).filter(({ fromMs }) => fromMs > nowMs);
    if (open.length === 0) continue;
    const wishes = open.map((slot) => ({ id: slotId(slot), slot }));
    const rooms = await openRooms(deps, deps.database, { depot, day }, wishes);
    for (const { id, slot } of wishes.filter(rooms.isFree))
      slots.push({
        id,
        from: localAt(slot.fromMs, timezone ?? site.timeZone),
        to: localAt(slot.toMs, timezone ?? site.timeZone),
      });
  }
  return ok({ slots });
};

const confirm = async (
  { database, nowMs }: FleetDeps,
  link: Link,
  id: string,
  referenceId: string | undefined,
): Promise<Answer> => {
  const confirmed = await database.run`
    update fleet.reservations set state = 'confirmed', reference_id = coalesce(${referenceId ?? null}, reference_id)
    where id = ${id} and link_id = ${link.id} and (state = 'confirmed' or (state = 'held' and expires_at > ${new Date(nowMs())}))`;
  if (confirmed > 0) return ok({ reservation: id });
  const found = await database.first`select id from fleet.reservations where id = ${id} and link_id = ${link.id}`;
  if (found === undefined) throw notFound('such reservation');
  throw conflict('The reservation was given back, or has expired', 'slot_expired');
};

const release = async ({ database }: FleetDeps, link: Link, id: string): Promise<Answer> => {
  const released =
    await database.run`update fleet.reservations set state = 'released' where id = ${id} and link_id = ${link.id}`;
  if (released === 0) throw notFound('such reservation');
  return ok({ reservation: id });
};
