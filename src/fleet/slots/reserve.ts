/** Reserves places. What comes while a day's last reservations are written is the next batch: one lock and one look for all. */
import { randomBytes } from 'node:crypto';
import { conflict, type Refusal } from '../http.ts';
import { lockDay } from '../planning/read-day.ts';
import type { Database, FleetDeps } from '../ports.ts';
import { openRooms, type Slot } from './places.ts';

export interface Reservation {
  readonly id: string;
  readonly expiresAt: Date;
}

interface Request {
  readonly linkId: number;
  readonly slot: Slot;
  readonly key: string | undefined;
}

interface Waiting extends Request {
  readonly resolve: (reservation: Reservation) => void;
  readonly reject: (why: unknown) => void;
}

const HOLD_MS = 15 * 60_000;
const BATCH_MAX = 500;
/** By depot and day, in each process; processes take turns by the day's lock. */
const lines = new WeakMap<Database, Map<string, Waiting[]>>();

/** Rejects with a 409 where there is no place left. A repeat under the same key yields the same place. */
export const reserve = async (deps: FleetDeps, request: Request): Promise<Reservation> => {
  const { promise, resolve, reject } = Promise.withResolvers<Reservation>();
  const ofDatabase = lines.get(deps.database) ?? new Map<string, Waiting[]>();
  lines.set(deps.database, ofDatabase);
  const name = `${request.slot.depot} ${request.slot.day}`;
  const line = ofDatabase.get(name);
  if (line !== undefined) line.push({ ...request, resolve, reject });
  else {
    const begun: Waiting[] = [{ ...request, resolve, reject }];
    ofDatabase.set(name, begun);
    void serveLine(deps, begun, () => void ofDatabase.delete(name));
  }
  return await promise;
};

const serveLine = async (deps: FleetDeps, line: Waiting[], ended: () => void): Promise<void> => {
  while (line.length > 0) {
    const batch = line.splice(0, BATCH_MAX);
    try {
      const ends = await deps.database.transaction(async (database) => await reserveAll(deps, database, batch));
      for (const [at, { resolve, reject }] of batch.entries()) {
        const end = ends[at];
        if (end !== undefined && 'id' in end) resolve(end);
        else reject(end);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  // At once: whatever comes from now on begins another.
  ended();
};

const reserveAll = async (
  deps: FleetDeps,
  database: Database,
  requests: readonly Request[],
): Promise<readonly (Reservation | Refusal)[]> => {
  const [first] = requests;
  if (first === undefined) return [];
  const { depot, day } = first.slot;
  await lockDay(database, depot, day);
  const keys = requests.flatMap(({ key }) => key ?? []);
  const known = await database.all<Reservation & { readonly linkId: number; readonly key: string }>`
    select id, expires_at, link_id, idempotency_key as key from fleet.reservations where idempotency_key = any(${keys}::text[])`;
  const byKey = new Map(known.map(({ linkId, key, ...reservation }) => [`${linkId} ${key}`, reservation]));
  const wishes = requests.map((request) => ({ ...request, id: randomBytes(24).toString('base64url') }));
  const rooms = await openRooms(deps, database, first.slot, wishes);
  const nowMs = deps.nowMs();
  const made: object[] = [];
  const ends: (Reservation | Refusal)[] = [];
  for (const { id, linkId, slot, key } of wishes) {
    const named = `${linkId} ${key}`;
    const before = key === undefined ? undefined : byKey.get(named);
    if (before !== undefined) ends.push(before);
    else if (slot.fromMs <= nowMs) ends.push(conflict('The slot has begun', 'slot_closed'));
    else if (!rooms.take({ id, slot })) ends.push(conflict('There is no place left in the slot', 'slot_sold_out'));
    else {
      const reservation: Reservation = { id, expiresAt: new Date(nowMs + HOLD_MS) };
      byKey.set(named, reservation);
      ends.push(reservation);
      const { fromMs, toMs, zone } = slot;
      made.push({
        id,
        link: linkId,
        zone,
        starts: new Date(fromMs),
        ends: new Date(toMs),
        key,
        expires: reservation.expiresAt,
      });
    }
  }
  await database.run`
    insert into fleet.reservations (id, link_id, depot, zone, day, starts_at, ends_at, idempotency_key, expires_at)
    select id, link, ${depot}, zone, ${day}::date, starts, ends, key, expires from jsonb_to_recordset(${JSON.stringify(made)}::jsonb)
      as given (id text, link bigint, zone text, starts timestamptz, ends timestamptz, key text, expires timestamptz)`;
  return ends;
};
