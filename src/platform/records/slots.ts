/** Reserved delivery slots. Whether a place is taken follows from the reservation and its consignment: nothing is counted twice. */
import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { SLOT_TOKEN } from '../../engine/slots/of-order.ts';
import type { Slot as AskedSlot } from '../../engine/ask/shapes.ts';
import type { Destination, Slot } from '../../engine/slots/offered.ts';
import { createPoolBatcher } from './batch.ts';
import { transaction } from './pool.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { dateOf, execute, fromNow, queryAll, type Queryable, queryFirst, rowsOf, sql } from './sql.ts';

export interface WantedSlot extends Owner {
  readonly carrierCode: string;
  readonly slot: Slot;
  readonly holdMs: number;
  /** It is the carrier that is asked for it next. */
  readonly booked?: CarrierSlot | undefined;
  /** How many the shipper may hold, of times after `nowMs`, that no order uses; undefined: any number. */
  readonly most?: { readonly held: number; readonly nowMs: number } | undefined;
}

/** A slot that its carrier keeps itself. */
export interface CarrierSlot {
  /** With its reservation, once there is one. */
  readonly slot: AskedSlot;
  readonly destination: Destination;
  /** The shipper's word for it. */
  readonly service?: string | undefined;
}

export interface Reservation extends Pick<Slot, 'zone' | 'window' | 'day' | 'startsAtMs' | 'endsAtMs' | 'timeZone'> {
  readonly token: string;
  readonly carrierCode: string;
  /** Of a slot by configuration there is none; `asked`: nobody knows whether the carrier holds it. */
  readonly atCarrier: 'asked' | 'reserved' | 'confirmed' | 'gone' | undefined;
  readonly booked: CarrierSlot | undefined;
  /** `used`: by a consignment that is not cancelled. */
  readonly state: 'reserved' | 'confirmed' | 'used' | 'expired' | 'released';
  readonly expiresAtMs: number;
  /** Of the consignment that used it last. */
  readonly referenceNumber: string | undefined;
}

/** For how long an order that did not come about may come again. */
const HOLD_AGAIN_MS = 15 * 60_000;
/** For how long one that its carrier has confirmed waits for the order that it was confirmed for. */
const CONFIRMED_MS = 2 * 60_000;

/** Of a reservation `r`: the consignment that it is for, if that may still be delivered. */
const USED = sql`exists (select from consignments c where c.id = r.consignment_id
  and c.released_at is null and c.acceptance in ('pending', 'accepted')
  and (not r.is_changed or position(r.token in c.order_text) > 0 or exists (select from dispatches d
    where d.consignment_id = c.id and d.state in ('pending', 'sending', 'waiting', 'held')
      and position(r.token in d.order_text) > 0)))`;

/** Its order was refused, or never reached the carrier, and may come again. */
const IS_FREED = sql`exists (select from consignments c where c.id = r.consignment_id
  and (c.acceptance = 'rejected' or c.released_at is not null))`;

/** Nobody's so far, or that of an order that may come again. */
const IS_OPEN = sql`r.state <> 'released' and r.at_carrier is distinct from 'asked' and (r.consignment_id is null or ${IS_FREED})`;

/** Whether a consignment may use it now. */
export const IS_USABLE = sql`${IS_OPEN} and (r.state = 'confirmed' and r.consignment_id is null or r.expires_at > now())`;

/** As `IS_USABLE`, with what a create takes that found it usable before it expired: nobody else is given its place so long. */
const TAKES_A_PLACE = sql`(${USED} or ${IS_OPEN}
  and (r.state = 'confirmed' and r.consignment_id is null or r.expires_at > now() - interval '1 minute'))`;

const placesOf = (wanted: readonly WantedSlot[]) =>
  rowsOf(
    'wanted',
    wanted.map(({ slot, ...one }, at) => ({ ...one, ...slot, at })),
    'at int, carrier_code text, environment text, zone text, slot_window text, day date, capacity int',
    { slot_window: ({ window }) => window },
  );

const SAME_PLACE = sql`r.carrier_code = wanted.carrier_code and r.environment = wanted.environment
  and r.day = wanted.day and r.slot_window = wanted.slot_window and r.zone = wanted.zone and r.state <> 'released'`;

/** How many of each are free, in their order. */
export const freePlaces = async (client: Queryable, slots: readonly WantedSlot[]): Promise<readonly number[]> => {
  const rows = await queryAll<{ free: number }>(client)`
    select greatest(0, capacity - (select count(*) from slot_reservations r where ${SAME_PLACE} and ${TAKES_A_PLACE}))::int as free
    from ${placesOf(slots)} order by at`;
  return rows.map(({ free }) => free);
};

const placeName = ({ carrierCode, environment, slot: { zone, window, day } }: WantedSlot): string =>
  JSON.stringify([carrierCode, environment, zone, window, day]);
const holderName = ({ shipperId, environment }: Owner): string => JSON.stringify([shipperId, environment]);

/** How many that no order uses their shippers hold, by shipper. */
const heldPlaces = async (client: Queryable, wanted: readonly WantedSlot[]): Promise<ReadonlyMap<string, number>> => {
  const nowMs = Math.min(...wanted.map(({ most }) => most?.nowMs ?? 0));
  const rows = await queryAll<Owner & { held: number }>(client)`
    select shipper_id, environment, count(*)::int as held from slot_reservations r
    where ends_at > ${new Date(nowMs)} and shipper_id = any (${wanted.map(({ shipperId }) => shipperId)}::bigint[])
      and (${IS_USABLE} or r.at_carrier = 'asked' and r.expires_at > now()) group by shipper_id, environment`;
  return new Map(rows.map(({ held, ...owner }) => [holderName(owner), held]));
};

/**
 * Reserves a place, unless there is none left, or its shipper holds as many as may be. All that ask at once are served in one transaction, in the order in
 * which they came, while nobody else reserves of the same places.
 */
export const reserveSlot = createPoolBatcher<WantedSlot, Reservation | 'sold_out' | 'too_many'>(
  async (pool, wanted) =>
    await transaction(pool, async (client) => {
      const names = wanted.flatMap((one) => [placeName(one), holderName(one)]);
      await execute(client)`
        select pg_advisory_xact_lock(hashtextextended(name, 20)) from (
          select distinct name from unnest(${names}::text[]) as name order by name) place`;
      // A statement of its own: after the wait for the lock, the one above still sees the reservations of before.
      const free = await freePlaces(client, wanted);
      const held = await heldPlaces(client, wanted);
      const given = new Map<string, number>();
      const count = (name: string): void => void given.set(name, (given.get(name) ?? 0) + 1);
      const reserved = wanted.map((one, at) => {
        const [place, holder] = [placeName(one), holderName(one)];
        if ((given.get(place) ?? 0) >= (free[at] ?? 0)) return 'sold_out';
        if ((held.get(holder) ?? 0) + (given.get(holder) ?? 0) >= (one.most?.held ?? Infinity)) return 'too_many';
        count(place);
        count(holder);
        return { ...one, token: `${SLOT_TOKEN}${randomBytes(18).toString('base64url')}` };
      });
      const rows = await insert(
        client,
        reserved.filter((one) => typeof one === 'object'),
      );
      const byToken = new Map(rows.map((row) => [row.token, row]));
      return reserved.map((one) => (typeof one === 'object' ? (byToken.get(one.token) ?? 'sold_out') : one));
    }),
  { max: 256 },
);

const insert = async (
  client: PoolClient,
  reserved: readonly (WantedSlot & { readonly token: string })[],
): Promise<readonly Reservation[]> =>
  reserved.length === 0
    ? []
    : await queryAll<Reservation>(client)`
  insert into slot_reservations as r (token, shipper_id, environment, carrier_code, zone, slot_window, day,
    starts_at, ends_at, time_zone, expires_at, at_carrier, booked)
  select token, shipper_id, environment, carrier_code, zone, slot_window, day, starts_at, ends_at, time_zone,
    now() + hold_ms * interval '1 millisecond', case when booked is not null then 'asked' end, booked
  from ${rowsOf(
    'reserved',
    reserved.map(({ slot, ...one }) => ({ ...one, ...slot })),
    `token text, shipper_id bigint, environment text, carrier_code text, zone text, slot_window text, day date,
     starts_at timestamptz, ends_at timestamptz, time_zone text, hold_ms bigint, booked json`,
    { slot_window: ({ window }) => window },
  )} returning ${COLUMNS}`;

const COLUMNS = sql`r.token, carrier_code, zone, slot_window as "window", day::text, starts_at as starts_at_ms,
  ends_at as ends_at_ms, time_zone, expires_at as expires_at_ms,
  case when ${USED} then 'used' when r.state = 'released' or r.consignment_id is not null and not ${IS_FREED} then 'released'
    when ${IS_USABLE} then r.state else 'expired' end as state,
  (select reference_number from consignments c where c.id = r.consignment_id) as reference_number,
  at_carrier, booked::json as booked`;

const named = (owner: Owner, token: string) => sql`${ownedBy(owner)} and r.token = ${token}`;

/** The shipper's own; another's is as if it were not there. */
export const findReservation = async (
  client: Queryable,
  owner: Owner,
  token: string,
): Promise<Reservation | undefined> =>
  await queryFirst<Reservation>(client)`select ${COLUMNS} from slot_reservations r where ${named(owner, token)}`;

export const isUsable = async (client: Queryable, token: string): Promise<boolean> =>
  (await execute(client)`select 1 from slot_reservations r where token = ${token} and ${IS_USABLE}`) === 1;

/** From now on it does not expire. Leaves alone what may not be used any more; yields how it is. */
export const confirmReservation = async (pool: Pool, owner: Owner, token: string): Promise<Reservation | undefined> => {
  await execute(pool)`
    update slot_reservations r set state = 'confirmed', consignment_id = null where ${named(owner, token)} and ${IS_USABLE}`;
  return await findReservation(pool, owner, token);
};

/** Gives its place back, unless a consignment uses it; yields how it is. */
export const releaseReservation = async (pool: Pool, owner: Owner, token: string): Promise<Reservation | undefined> => {
  await execute(pool)`update slot_reservations r set state = 'released' where ${named(owner, token)} and not ${USED}`;
  return await findReservation(pool, owner, token);
};

const HELD_AGAIN = sql`expires_at = greatest(r.expires_at, ${fromNow(HOLD_AGAIN_MS)})`;
/** What using one changes of it. */
export const USE = sql`state = 'confirmed', ${HELD_AGAIN}`;

/** Another may have the names of a consignment: its slot is free, or, where it never reached the carrier, held for it to come again. */
export const freeReservation = async (client: PoolClient, consignmentId: number, isUnsent: boolean): Promise<void> => {
  await execute(client)`
    update slot_reservations r set ${isUnsent ? HELD_AGAIN : sql`state = 'released'`}
    where consignment_id = ${consignmentId}`;
};

/** Nothing of what was to be done with it is. */
export class SlotTaken extends Error {
  override readonly name = 'SlotTaken';
}

/** An update names another reservation, or none; false: that may not be used any more. */
export const changeReservation = async (
  client: PoolClient,
  { token, consignmentId }: { readonly token: string | undefined; readonly consignmentId: number },
): Promise<boolean> => {
  await execute(client)`update slot_reservations set is_changed = true where consignment_id = ${consignmentId}`;
  if (token === undefined) return true;
  const used = await execute(client)`
    update slot_reservations r set consignment_id = ${consignmentId}, is_changed = true, ${USE}
    where r.token = ${token} and (${IS_USABLE} or r.consignment_id = ${consignmentId})`;
  return used === 1;
};

/** What came of asking the carrier for it; `reserved` with what the carrier gave. */
export const noteAtCarrier = async (
  client: Queryable,
  token: string,
  atCarrier: 'reserved' | 'confirmed' | 'gone',
  { booked, expiresAtMs }: { readonly booked?: CarrierSlot; readonly expiresAtMs?: number | undefined } = {},
): Promise<void> => {
  await execute(client)`
    update slot_reservations set at_carrier = ${atCarrier}, booked = coalesce(${JSON.stringify(booked)}, booked),
      state = case when ${atCarrier === 'gone'} then 'released' else state end,
      expires_at = greatest(coalesce(${dateOf(expiresAtMs)}, expires_at),
        case when ${atCarrier === 'confirmed'} then ${fromNow(CONFIRMED_MS)} end)
    where token = ${token}`;
};

export interface Unwanted extends Owner {
  readonly token: string;
  readonly carrierCode: string;
  readonly booked: CarrierSlot;
}

/** Reservations that carriers hold for nobody; others leave them alone for a while. */
export const takeUnwanted = async (pool: Pool, limit: number, forMs: number): Promise<readonly Unwanted[]> =>
  await queryAll<Unwanted>(pool)`
    update slot_reservations set release_after = ${fromNow(forMs)}
    where token in (select token from slot_reservations r
      where at_carrier in ('reserved', 'confirmed') and ends_at > now() and not ${TAKES_A_PLACE}
        and (release_after is null or release_after < now())
      order by token limit ${limit} for update skip locked)
    returning token, shipper_id, environment, carrier_code, booked::json as booked`;

/** Of days long gone. */
export const forgetReservations = async (pool: Pool, endedBefore: Date): Promise<void> => {
  await execute(pool)`delete from slot_reservations where ends_at < ${endedBefore}`;
};
