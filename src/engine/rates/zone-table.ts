import type { Place } from '../failure.ts';
import { endsIn, isInZone, type Zone } from './zones.ts';

/** A place that a zone names: at most one country and one range of postcodes at either end. */
export interface ZoneRow {
  readonly zone: string;
  readonly to: Zone;
  readonly from: Zone;
  readonly place: Place;
}

/** By country of destination, `''` for those not named: rows, the most exact first. */
export type ZoneTable = ReadonlyMap<string, readonly ZoneRow[]>;

/** Where something is. */
export interface Location {
  readonly country: string;
  readonly postcode: string;
}

const countryOf = ({ countries }: Zone): string => countries?.[0] ?? '';

/** A place of a postcode says more than a country, and one of more characters more than one of less. */
const exactness = (zone: Zone): number => {
  const { countries, postcodes: [range] = [] } = zone;
  const { from } = range === undefined ? { from: '' } : endsIn(countryOf(zone), range);
  return Number(countries !== undefined) + (range === undefined ? 0 : 4 * from.length + 2 * Number(!range.isPrefix));
};
const byExactness = (one: ZoneRow, other: ZoneRow): number =>
  exactness(other.to) - exactness(one.to) || exactness(other.from) - exactness(one.from);

const apart = (zone: Zone): readonly Zone[] =>
  (zone.countries ?? [undefined]).flatMap((country) =>
    (zone.postcodes ?? [undefined]).map((range) => ({
      ...(country === undefined ? {} : { countries: [country] }),
      ...(range === undefined ? {} : { postcodes: [range] }),
    })),
  );

/** The rows of a part of a zone. */
export const zoneRows = (zone: string, part: Zone & { readonly from?: Zone | undefined }, place: Place): ZoneRow[] =>
  apart(part).flatMap((to) => apart(part.from ?? {}).map((from) => ({ zone, to, from, place })));

export const zoneTable = (rows: readonly ZoneRow[]): ZoneTable => {
  const groups = Map.groupBy(rows, ({ to }) => countryOf(to));
  const anywhere = groups.get('') ?? [];
  return new Map(
    [...groups, ['', []] as const].map(([country, own]) => [
      country,
      (country === '' ? [...anywhere] : [...own, ...anywhere]).toSorted(byExactness),
    ]),
  );
};

/** The zone of what goes from one place to another; undefined: none has it. */
export const findZone = (table: ZoneTable, from: Location, to: Location): string | undefined =>
  (table.get(to.country) ?? table.get(''))?.find(
    (row) => isInZone(row.to, to.country, to.postcode) && isInZone(row.from, from.country, from.postcode),
  )?.zone;

/** Rows of different zones that name a place equally exactly, so that nothing says which it is in. */
export const overlapsOf = (rows: readonly ZoneRow[]): readonly (readonly [ZoneRow, ZoneRow])[] => {
  const alike = Map.groupBy(
    rows,
    ({ to, from }) => `${countryOf(to)} ${exactness(to)} ${countryOf(from)} ${exactness(from)}`,
  );
  return [...alike.values()].flatMap((group) => {
    const sorted = group.toSorted((one, other) => (startOf(one.to) < startOf(other.to) ? -1 : 1));
    return sorted.flatMap((one, at) => {
      for (let next = at + 1; next < sorted.length; next += 1) {
        const other = sorted[next];
        // Those after it begin later still.
        if (other === undefined || !meets(one.to, other.to)) break;
        if (other.zone !== one.zone && meets(one.from, other.from)) return [[one, other] as const];
      }
      return [];
    });
  });
};

const rangeOf = (zone: Zone) => zone.postcodes?.[0] && endsIn(countryOf(zone), zone.postcodes[0]);
const startOf = (zone: Zone): string => rangeOf(zone)?.from ?? '';
const meets = (a: Zone, b: Zone): boolean => {
  const [one, other] = [rangeOf(a), rangeOf(b)];
  return one === undefined || other === undefined || (one.from <= other.to && other.from <= one.to);
};
