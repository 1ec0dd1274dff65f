import { ExpressionFailure } from '../failure.ts';
import { BoundedRegex } from '../regex.ts';
import type { Run } from '../run.ts';
import { dateField } from './date-fields.ts';
import { dayNames, monthNames, readDatePicture, type DatePart, type Marker } from './date-picture.ts';
import { integerReader } from './integer-picture.ts';

interface Reader {
  readonly component: string;
  readonly pattern: string;
  readonly parse: ((text: string) => number | undefined) | undefined;
}

type Fields = Record<string, number | undefined>;

const zoneReader = (marker: Marker): Reader => {
  const mark = marker.number?.every?.character;
  const prefix = marker.component === 'z' ? 'GMT' : '';
  const parse = (text: string): number => {
    const offset = text.slice(prefix.length);
    if (mark !== undefined) {
      const at = offset.indexOf(mark);
      return Number.parseInt(offset.slice(0, at), 10) * 60 + Number.parseInt(offset.slice(at + 1), 10);
    }
    if (offset.length <= 3) return Number.parseInt(offset, 10) * 60;
    return Number.parseInt(offset.slice(0, 3), 10) * 60 + Number.parseInt(offset.slice(3), 10);
  };
  const minutes = mark === undefined ? '' : `${mark}[0-9]+`;
  return { component: marker.component, pattern: `${prefix}[-+][0-9]+${minutes}`, parse };
};

const namedValues = (marker: Marker): Map<string, number> => {
  const cut = (name: string): string => (marker.maxWidth ? name.slice(0, marker.maxWidth) : name);
  switch (marker.component) {
    case 'M':
    case 'x':
      return new Map(monthNames.map((name, index) => [cut(name), index + 1]));
    case 'F':
      return new Map(dayNames.map((name, index) => [cut(name), index] as const).slice(1));
    case 'P':
      return new Map([
        ['am', 0],
        ['AM', 0],
        ['pm', 1],
        ['PM', 1],
      ]);
    default:
      throw new ExpressionFailure('D3133', { value: marker.component });
  }
};

const readerOf = (part: DatePart): Reader => {
  if ('literal' in part) {
    return { component: '', pattern: part.literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), parse: undefined };
  }
  const { marker } = part;
  const { component } = marker;
  if (component === 'Z' || component === 'z') return zoneReader(marker);
  if (component === 'f') {
    return { component, pattern: '[0-9]+', parse: (text) => Number.parseFloat(`0.${text.slice(0, 3)}`) * 1000 };
  }
  if (marker.number !== undefined) return { component, ...integerReader(marker.number) };
  const values = namedValues(marker);
  return { component, pattern: '[a-zA-Z]+', parse: (text) => values.get(text) };
};

const given = (fields: Fields, component: string): boolean => Boolean(fields[component]);

const onlyFrom = (fields: Fields, allowed: string, all: string): boolean =>
  all.split('').every((component) => allowed.includes(component) || !given(fields, component)) &&
  allowed.split('').some((component) => given(fields, component));

const allDate = 'YXMxWwdD';
const allTime = 'PHhmsf';

type Form = 'calendar' | 'ordinal' | 'monthWeek' | 'yearWeek';

const dateForm = (fields: Fields): Form => {
  const calendar = onlyFrom(fields, 'YMD', allDate);
  if (!calendar && onlyFrom(fields, 'Yd', allDate)) return 'ordinal';
  if (onlyFrom(fields, 'Xxw', allDate)) return 'monthWeek';
  return onlyFrom(fields, 'XW', allDate) ? 'yearWeek' : 'calendar';
};

/** The run of components, from large to small, that a form is made of. */
const componentsOf: Readonly<Record<Form, string>> = {
  calendar: 'YMD',
  ordinal: 'YD',
  monthWeek: 'XxwF',
  yearWeek: 'XWF',
};

/** Fills in what the picture leaves out: from now what is larger, with the least value what is smaller. */
const complete = (fields: Fields, components: string, now: Date): void => {
  let started = false;
  let ended = false;
  for (const component of components) {
    if (fields[component] !== undefined) {
      started = true;
      if (ended) throw new ExpressionFailure('D3136');
    } else if (started) {
      fields[component] = 'MDd'.includes(component) ? 1 : 0;
      ended = true;
    } else {
      fields[component] = component === 'P' ? Number.NaN : dateField(now, component);
    }
  }
};

const toInstant = (fields: Fields, now: Date): number => {
  const form = dateForm(fields);
  const halfDays = !onlyFrom(fields, 'Hmsf', allTime) && onlyFrom(fields, 'Phmsf', allTime);
  complete(fields, componentsOf[form] + (halfDays ? 'Phmsf' : 'Hmsf'), now);
  if (form === 'monthWeek' || form === 'yearWeek') throw new ExpressionFailure('D3136');
  const year = fields['Y'] ?? Number.NaN;
  let month = Math.max(1, fields['M'] ?? 1) - 1;
  let day = fields['D'] ?? Number.NaN;
  if (form === 'ordinal') {
    const date = new Date(Date.UTC(year, 0) + ((fields['d'] ?? Number.NaN) - 1) * 86_400_000);
    month = date.getUTCMonth();
    day = date.getUTCDate();
  }
  let hour = fields['H'] ?? Number.NaN;
  if (halfDays) {
    const half = fields['h'] ?? Number.NaN;
    hour = (half === 12 ? 0 : half) + (fields['P'] === 1 ? 12 : 0);
  }
  const time = Date.UTC(year, month, day, hour, fields['m'], fields['s'], fields['f']);
  return time - (fields['Z'] || fields['z'] || 0) * 60_000;
};

const parseByPicture = (run: Run, text: string, picture: string): number | undefined => {
  run.work(picture.length * 20);
  const readers = readDatePicture(picture).map(readerOf);
  const pattern = `^${readers.map((reader) => `(${reader.pattern})`).join('')}$`;
  const found = new BoundedRegex(new RegExp(pattern, 'i')).exec(run, text, 0);
  if (found === undefined) return undefined;
  const fields: Fields = {};
  let any = false;
  readers.forEach((reader, index) => {
    if (reader.parse === undefined) return;
    fields[reader.component] = reader.parse(found.groups[index] ?? '');
    any = true;
  });
  return any ? toInstant(fields, new Date(run.timestamp)) : undefined;
};

const isoTime = /^\d{4}(?:-[01]\d)?(?:-[0-3]\d)?(?:T[0-2]\d:[0-5]\d:[0-5]\d)?(?:\.\d+)?(?:[+-][0-2]\d:?[0-5]\d|Z)?$/;

/** `$toMillis`: an instant from ISO 8601 or by a date picture. Errors: `D3110`, `D3133`, `D3136`. */
export const parseMillis = (run: Run, text: string | undefined, picture: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (picture !== undefined) return parseByPicture(run, text, picture);
  if (!isoTime.test(text)) throw new ExpressionFailure('D3110', { value: text });
  return Date.parse(text);
};
