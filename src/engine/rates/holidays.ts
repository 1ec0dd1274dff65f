import { createRequire } from 'node:module';
import type Holidays from 'date-holidays';
import { once } from '../value.ts';

/** Loaded when somebody first asks: the calendars of 200 countries take 20 MB and 0.1 s. */
const library = once((name: 'date-holidays') => createRequire(import.meta.url)(name) as typeof Holidays);

const DAY_MS = 86_400_000;
const years = new Map<string, ReadonlySet<string>>();
const YEARS_MAX = 2_000;

const regions = new Map<string, string | undefined>();
const REGIONS_MAX = 5_000;

/** The code of a region of a country by its code, `DE-BY` or `BY`, or its name; undefined: there is none. */
const regionOf = (country: string, written: string): string | undefined => {
  const key = `${country}/${written}`;
  if (regions.has(key)) return regions.get(key);
  if (regions.size >= REGIONS_MAX) regions.clear();
  const found = findRegion(country, written.trim().toLowerCase());
  regions.set(key, found);
  return found;
};

const findRegion = (country: string, wanted: string): string | undefined => {
  const Calendars = library('date-holidays');
  const names = [undefined, 'en'].flatMap((language) =>
    Object.entries(new Calendars().getStates(country, language) ?? {}),
  );
  return names.find(([code, name]) =>
    [code, `${country}-${code}`, name].some((one) => one.toLowerCase() === wanted),
  )?.[0];
};

/** Public holidays of a country, and of the region where it knows it, in a year: `YYYY-MM-DD`. None of a country it does not know. */
export const holidaysOf = (country: string, region: string | undefined, year: number): ReadonlySet<string> => {
  const Calendars = library('date-holidays');
  // However it is written: a calendar takes up to 0.2 s.
  const code = region === undefined ? undefined : regionOf(country, region);
  const key = `${country}/${code ?? ''}/${year}`;
  const known = years.get(key);
  if (known !== undefined) return known;
  const calendar = code === undefined ? new Calendars(country) : new Calendars(country, code);
  const days = calendar
    .getHolidays(year)
    .filter(({ type }) => type === 'public')
    .flatMap(({ date, start, end }) => {
      const first = Date.parse(date.slice(0, 10));
      const count = Math.max(1, Math.round((end.getTime() - start.getTime()) / DAY_MS));
      return Array.from({ length: count }, (_, at) => new Date(first + at * DAY_MS).toISOString().slice(0, 10));
    });
  if (years.size >= YEARS_MAX) years.clear();
  const found = new Set(days);
  years.set(key, found);
  return found;
};
