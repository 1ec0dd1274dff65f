import type { Consignment } from '../consignment/consignment.ts';
import type { Place } from '../failure.ts';
import type { Value } from '../profile/language/field.ts';
import type { transit } from '../profile/language/rates.ts';
import { instantOf, offsetAt } from '../time-zone.ts';
import { holidaysOf } from './holidays.ts';
import type { Offer } from './offer.ts';
import { findZone, type ZoneTable } from './zone-table.ts';

type Keys = Value<typeof transit>;
export type TransitService = Keys['services'][string];

/** Compiled transit times of a carrier. */
export interface Transit extends Pick<Keys, 'timeZone' | 'holidays'> {
  readonly name: string;
  readonly place: Place;
  /** From Monday on: until when what is handed over leaves on the same day. */
  readonly cutOffs: readonly (string | undefined)[];
  /** From Monday on. */
  readonly delivery: readonly boolean[];
  readonly closed: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
  readonly zones: ZoneTable;
  readonly services: ReadonlyMap<string, TransitService>;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** No carrier rests longer. */
const DAYS_MAX = 400;

const textOf = (localMs: number): string => new Date(localMs).toISOString().slice(0, 19).replace('T', ' ');
const DAY_TEXTS_MAX = 4_000;
/** Days are asked for again and again; a date takes a microsecond to write. */
const dayTexts = new Map<number, string>();
const dayOf = (localMs: number): string => {
  const day = Math.floor(localMs / DAY_MS);
  const known = dayTexts.get(day);
  if (known !== undefined) return known;
  if (dayTexts.size >= DAY_TEXTS_MAX) dayTexts.clear();
  const text = textOf(day * DAY_MS).slice(0, 10);
  dayTexts.set(day, text);
  return text;
};
/** Monday is 0. */
const weekdayOf = (localMs: number): number => (Math.floor(localMs / DAY_MS) + 3) % 7;

const inZone = (localMs: number, from: string, to: string): number => {
  if (from === to) return localMs;
  return localAt(instantOf(localMs, from) ?? localMs - offsetAt(localMs, from) * MINUTE_MS, to);
};

const localAt = (instantMs: number, zone: string): number => instantMs + offsetAt(instantMs, zone) * MINUTE_MS;

/** When an offer is brought, as far as that is known. */
export type Times = Pick<Offer, 'deliveryFrom' | 'deliveryTo' | 'transitDays' | 'cutOff'>;

/** Whether the carrier works on a day, `YYYY-MM-DD`, whatever weekday it is. */
export const worksOn = (
  times: Pick<Transit, 'open' | 'closed' | 'holidays'>,
  day: string,
  { country, region }: { readonly country: string; readonly region: string | undefined },
): boolean => {
  if (times.open.has(day)) return true;
  if (times.closed.has(day)) return false;
  return !times.holidays || !holidaysOf(country, region, Number(day.slice(0, 4))).has(day);
};

/**
 * The offer with the days that transit times say, where it has none of its own: it leaves on the first day that the
 * carrier works and whose cut-off is not over, and is delivered so many days of delivery later. `nowMs` is the time of
 * the request: what ships today is not handed over before.
 */
export const withTransit = <Timed extends Times & Pick<Offer, 'service'>>(
  offer: Timed,
  times: Transit,
  consignment: Consignment,
  nowMs: number,
): Timed => {
  const service = times.services.get(offer.service.toLowerCase());
  if (service === undefined || offer.deliveryTo !== undefined) return offer;
  const { originCountry, originPostalCode, destinationCountry, destinationPostalCode } = consignment;
  const zone = findZone(
    times.zones,
    { country: originCountry, postcode: originPostalCode },
    { country: destinationCountry, postcode: destinationPostalCode },
  );
  const days = service.days[zone ?? '*'] ?? service.days['*'];
  if (days === undefined) return offer;
  const works = (localMs: number, country: string, region: string | undefined): boolean =>
    worksOn(times, dayOf(localMs), { country, region });
  const originZone = consignment.originTimezone ?? times.timeZone ?? 'UTC';
  const cutZone = times.timeZone ?? originZone;
  const shipped = inZone(Date.parse(`${consignment.shippingDateTime.replace(' ', 'T')}Z`), originZone, cutZone);
  // An order without a pickup time ships at midnight of its day, which is over for one that is placed on that day.
  const isToday = dayOf(localAt(nowMs, originZone)) === consignment.shippingDateTime.slice(0, 10);
  const ready = isToday ? Math.max(shipped, localAt(nowMs, cutZone)) : shipped;
  const firstDay = Math.floor(ready / DAY_MS) * DAY_MS;
  const leaving = findDay(firstDay, (day) => {
    const cutOff = times.cutOffs[weekdayOf(day)];
    return (
      cutOff !== undefined && ready <= atTime(day, cutOff) && works(day, originCountry, consignment.originStateProvince)
    );
  });
  if (leaving === undefined) return offer;
  const delivers = (day: number): boolean =>
    times.delivery[weekdayOf(day)] === true && works(day, destinationCountry, consignment.destinationStateProvince);
  const after = (count: number): number | undefined => {
    let left = count;
    return findDay(leaving, (day) => {
      if (!delivers(day)) return false;
      if (day > leaving) left -= 1;
      return left <= 0;
    });
  };
  const [first, last] = [after(days.from), after(days.to)];
  if (first === undefined || last === undefined) return offer;
  const cutOff = inZone(atTime(leaving, times.cutOffs[weekdayOf(leaving)] ?? '00:00'), cutZone, originZone);
  return {
    ...offer,
    deliveryFrom: `${dayOf(first)} ${service.from ?? '00:00'}:00`,
    deliveryTo: `${dayOf(last)} ${service.by === undefined ? '23:59:59' : `${service.by}:00`}`,
    transitDays: days.to,
    cutOff: textOf(cutOff),
  };
};

const atTime = (day: number, clock: string): number =>
  day + (Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))) * MINUTE_MS;

const findDay = (first: number, isIt: (day: number) => boolean): number | undefined => {
  for (let day = first; day <= first + DAYS_MAX * DAY_MS; day += DAY_MS) if (isIt(day)) return day;
  return undefined;
};
