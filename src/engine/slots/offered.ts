/** Slots by configuration: which there are for a destination. */
import { Temporal } from 'temporal-polyfill';
import type { Carrier } from '../profile/carrier.ts';
import { WEEKDAYS } from '../profile/language/slots.ts';
import { isInZone } from '../rates/zones.ts';
import { instantOf } from '../time-zone.ts';

type Plan = Pick<Carrier, 'slots' | 'time'>;

export interface Destination {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly postcode: string;
}

export interface Slot {
  readonly zone: string;
  readonly window: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** `HH:MM`, local to `timeZone`. */
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly capacity: number;
}

export interface SlotQuestion {
  /** Names of zones. */
  readonly zones: readonly string[];
  /** The shipper's word for the service; undefined: any. */
  readonly service?: string | undefined;
  /** `YYYY-MM-DD`: the first and the last day. */
  readonly fromDay?: string | undefined;
  readonly toDay?: string | undefined;
}

const isOneOf = (names: readonly string[] | undefined, name: string | undefined): boolean =>
  names === undefined || name === undefined || names.some((one) => one.toLowerCase() === name.toLowerCase());

/** The zones of the slots in which a destination lies. */
export const zonesAt = ({ slots }: Plan, { country, postcode }: Destination): readonly string[] =>
  Object.entries(slots?.zones ?? {}).flatMap(([name, zone]) => (isInZone(zone, country, postcode) ? [name] : []));

/** All that can be reserved now, by day and time; none where the profile has no `slots`. */
export const slotsFor = (
  { slots, time }: Plan,
  { zones, service, fromDay = '', toDay = '9999-12-31' }: SlotQuestion,
  nowMs: number,
): readonly Slot[] => {
  if (slots === undefined) return [];
  const { zone: timeZone } = time;
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate();
  const found: Slot[] = [];
  for (let date = now; ; date = date.add({ days: 1 })) {
    const day = date.toString();
    if (day > toDay || (instantOf(Date.parse(`${day}T00:00:00Z`), timeZone) ?? 0) > nowMs + slots.aheadMs) break;
    const weekday = WEEKDAYS[date.dayOfWeek - 1] ?? 'MON';
    if (day < fromDay || slots.closed.includes(day)) continue;
    for (const [window, { from, to, capacity, weekdays, zones: own, services }] of Object.entries(slots.windows)) {
      if (!weekdays.includes(weekday) || !isOneOf(services, service)) continue;
      // Clocks that jump over its beginning or end leave no such window on that day.
      const [startsAtMs, endsAtMs] = [from, to].map((at) => instantOf(Date.parse(`${day}T${at}:00Z`), timeZone));
      if (startsAtMs === undefined || endsAtMs === undefined) continue;
      if (startsAtMs < nowMs + slots.noticeMs || startsAtMs > nowMs + slots.aheadMs) continue;
      for (const zone of zones)
        if (isOneOf(own, zone)) found.push({ zone, window, day, from, to, timeZone, startsAtMs, endsAtMs, capacity });
    }
  }
  return found.toSorted((one, other) => one.startsAtMs - other.startsAtMs || one.endsAtMs - other.endsAtMs);
};

/** Whether a slot that was reserved is one for this destination and service still. */
export const isSlotFor = (
  plan: Plan,
  { zone, window }: Pick<Slot, 'zone' | 'window'>,
  destination: Destination,
  service: string,
): boolean => zonesAt(plan, destination).includes(zone) && isOneOf(plan.slots?.windows[window]?.services, service);
