import { ExpressionFailure } from '../failure.ts';
import type { Run } from '../run.ts';
import { dateField } from './date-fields.ts';
import { dayNames, monthNames, readDatePicture, type Marker } from './date-picture.ts';
import { readIntegerPicture, writeInteger } from './integer-picture.ts';

interface Offset {
  readonly hours: number;
  readonly minutes: number;
}

const inCase = (text: string, names: Marker['names']): string => {
  if (names === 'upper') return text.toUpperCase();
  return names === 'lower' ? text.toLowerCase() : text;
};

const nameOf = (marker: Marker, value: number): string => {
  const { component } = marker;
  if (component !== 'M' && component !== 'x' && component !== 'F') {
    throw new ExpressionFailure('D3133', { value: component });
  }
  const name = inCase((component === 'F' ? dayNames[value] : monthNames[value - 1]) ?? '', marker.names);
  return marker.maxWidth === undefined ? name : name.slice(0, marker.maxWidth);
};

const writeZone = (run: Run, marker: Marker, offset: Offset): string => {
  const { number } = marker;
  if (number === undefined) throw new ExpressionFailure('D3133', { value: marker.component });
  const combined = offset.hours * 100 + offset.minutes;
  const digits = number.mandatoryDigits;
  let text: string;
  if (number.every !== undefined) {
    text = writeInteger(run, combined, number);
  } else if (digits === 1 || digits === 2) {
    text = writeInteger(run, offset.hours, number);
    if (offset.minutes !== 0) text += `:${writeInteger(run, offset.minutes, readIntegerPicture('00'))}`;
  } else if (digits === 3 || digits === 4) {
    text = writeInteger(run, combined, number);
  } else {
    throw new ExpressionFailure('D3134', { value: digits });
  }
  if (combined === 0 && marker.modifier === 't') return 'Z';
  return (marker.component === 'z' ? 'GMT' : '') + (combined >= 0 ? '+' : '') + text;
};

const writeMarker = (run: Run, marker: Marker, date: Date, offset: Offset): string => {
  const { component } = marker;
  switch (component) {
    case 'Z':
    case 'z':
      return writeZone(run, marker, offset);
    case 'P':
      return inCase(date.getUTCHours() >= 12 ? 'pm' : 'am', marker.names === 'upper' ? 'upper' : undefined);
    case 'C':
    case 'E':
      return 'ISO';
    default: {
      const value = dateField(date, component);
      // A letter that means nothing but carries a presentation comes out as it does in JSONata.
      if (value === undefined) return 'undefined';
      if (marker.names !== undefined && component !== 'f') return nameOf(marker, value);
      if (marker.number === undefined) throw new ExpressionFailure('D3133', { value: component });
      const shown = component === 'Y' && marker.yearDigits !== -1 ? value % 10 ** marker.yearDigits : value;
      return writeInteger(run, shown, marker.number);
    }
  }
};

const isoPicture = readDatePicture('[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]');

const isIso = (millis: number, zone: string | undefined): boolean =>
  zone === undefined && millis >= 0 && millis < 253_402_300_800_000 && Number.isInteger(millis);

/** `$fromMillis`: an instant by a date picture (ISO 8601 without one), in a zone like `+0100` (UTC without one). */
export const formatMillis = (
  run: Run,
  millis: number | undefined,
  picture: string | undefined,
  zone: string | undefined,
): string | undefined => {
  if (millis === undefined) return undefined;
  if (picture === undefined && isIso(millis, zone)) return new Date(millis).toISOString();
  const numeric = zone === undefined ? 0 : Number.parseInt(zone, 10);
  const offset = { hours: Math.floor(numeric / 100), minutes: numeric % 100 };
  run.work((picture?.length ?? 0) * 10);
  const date = new Date(millis + (60 * offset.hours + offset.minutes) * 60 * 1000);
  let text = '';
  for (const part of picture === undefined ? isoPicture : readDatePicture(picture)) {
    text += 'literal' in part ? part.literal : writeMarker(run, part.marker, date, offset);
  }
  run.chargeText(text.length);
  return text;
};
