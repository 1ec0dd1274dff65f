import { ExpressionFailure } from '../failure.ts';
import { readIntegerPicture, type IntegerPicture } from './integer-picture.ts';

/** A component of a date picture such as `[M01]`, after XPath's `format-dateTime`. */
export interface Marker {
  readonly component: string;
  readonly names: 'upper' | 'lower' | 'title' | undefined;
  readonly number: IntegerPicture | undefined;
  /** The second presentation modifier: o for ordinal, t for traditional. */
  readonly modifier: string;
  readonly maxWidth: number | undefined;
  readonly hasWidth: boolean;
  /** Years keep only so many last digits; -1 keeps all. */
  readonly yearDigits: number;
}

export type DatePart = { readonly literal: string } | { readonly marker: Marker };

export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);
/** Monday is 1. */
export const dayNames = ['', ...'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')];

const standardPresentation: Readonly<Record<string, string>> = {
  Y: '1',
  M: '1',
  D: '1',
  d: '1',
  F: 'n',
  W: '1',
  w: '1',
  X: '1',
  x: '1',
  H: '1',
  h: '1',
  P: 'n',
  m: '01',
  s: '01',
  f: '1',
  Z: '01:01',
  z: '01:01',
  C: 'n',
  E: 'n',
};

const readWidth = (text: string | undefined): number | undefined =>
  text === undefined || text === '*' ? undefined : Number.parseInt(text, 10);

const namesOf = (presentation: string): Marker['names'] => {
  if (presentation.startsWith('n')) return 'lower';
  if (!presentation.startsWith('N')) return undefined;
  return presentation[1] === 'n' ? 'title' : 'upper';
};

const readPresentation = (component: string, text: string): { first: string; modifier: string } => {
  if (text.length === 0) {
    const standard = Object.hasOwn(standardPresentation, component) ? standardPresentation[component] : undefined;
    if (standard === undefined) throw new ExpressionFailure('D3132', { value: component });
    return { first: standard, modifier: '' };
  }
  const last = text.at(-1) ?? '';
  const hasModifier = text.length > 1 && 'atco'.includes(last);
  return { first: hasModifier ? text.slice(0, -1) : text, modifier: hasModifier ? last : '' };
};

const readMarker = (text: string, previous: DatePart | undefined): Marker => {
  const component = text.charAt(0);
  const comma = text.lastIndexOf(',');
  const width = comma === -1 ? undefined : text.slice(comma + 1);
  const dash = width?.indexOf('-') ?? -1;
  const minWidth = readWidth(dash === -1 ? width : width?.slice(0, dash));
  const maxWidth = dash === -1 ? undefined : readWidth(width?.slice(dash + 1));
  const { first, modifier } = readPresentation(component, text.slice(1, comma === -1 ? undefined : comma));
  const names = namesOf(first);
  const isZone = component === 'Z' || component === 'z';
  const isNumber = names === undefined && component !== '' && 'YMDdFWwXxHhmsf'.includes(component);
  let number: IntegerPicture | undefined;
  let yearDigits = -1;
  if (isNumber) {
    number = readIntegerPicture(modifier === '' ? first : `${first};${modifier}`);
    if (minWidth !== undefined && number.mandatoryDigits < minWidth) number.mandatoryDigits = minWidth;
    if (component === 'Y' && maxWidth !== undefined) {
      yearDigits = maxWidth;
      number.mandatoryDigits = maxWidth;
    } else if (component === 'Y') {
      const digits = number.mandatoryDigits + number.optionalDigits;
      yearDigits = digits >= 2 ? digits : -1;
    }
    // Two numbers side by side: the first is read to its exact width.
    if (previous !== undefined && 'marker' in previous && previous.marker.number !== undefined) {
      previous.marker.number.width = previous.marker.number.mandatoryDigits;
    }
  } else if (isZone) {
    number = readIntegerPicture(first);
  }
  return { component, names, number, modifier, maxWidth, hasWidth: comma !== -1, yearDigits };
};

/** Reads a date picture. Errors: `D3131`, `D3132`, `D3135`. */
export const readDatePicture = (picture: string): DatePart[] => {
  const parts: DatePart[] = [];
  let literalFrom = 0;
  const addLiteral = (end: number): void => {
    if (end > literalFrom) parts.push({ literal: picture.slice(literalFrom, end).replaceAll(']]', ']') });
  };
  let at = picture.indexOf('[');
  while (at !== -1) {
    addLiteral(at);
    if (picture[at + 1] === '[') {
      parts.push({ literal: '[' });
      literalFrom = at + 2;
    } else {
      const end = picture.indexOf(']', at);
      if (end === -1) throw new ExpressionFailure('D3135', { value: picture });
      const text = picture.slice(at + 1, end).replace(/\s+/g, '');
      parts.push({ marker: readMarker(text, parts.at(-1)) });
      literalFrom = end + 1;
    }
    at = picture.indexOf('[', literalFrom);
  }
  addLiteral(picture.length);
  return parts;
};
