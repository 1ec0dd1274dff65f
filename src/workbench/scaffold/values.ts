/** A value of a sample as a consignment has it, and the ways back: expressions that may yield what the carrier wrote. */
import { codeOfCountry } from '../../engine/mapping/functions/country.ts';
import { compiledEngine } from '../../engine/mapping/engine.ts';
import { compileExpression } from '../../engine/mapping/expression.ts';
import type { Roots } from '../../engine/mapping/mapping.ts';
import { sourceText } from '../../engine/mapping/source-text.ts';
import { once } from '../../engine/value.ts';
import { wordsIn } from './shape.ts';
import { type Meaning, type MeaningType, UNITS } from './vocabulary.ts';

const CONTEXT = {
  tables: {},
  time: { zone: 'UTC', formats: [] },
  nowMs: 0,
  drawn: (): never => {
    throw new Error('nothing is drawn for a sample');
  },
};

/** What an expression yields; undefined where it fails, or yields no text or number. */
export const yieldOf = (expression: string, roots: Roots): string | number | undefined => {
  try {
    const value = compileExpression(sourceText('sample', expression), compiledEngine).evaluate(roots, CONTEXT);
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
};

const COMPANY =
  /\b(?:gmbh|inc|ltd|limited|llc|llp|b\.?v|n\.?v|pty|ag|kg|s\.?a|s\.?r\.?l|s\.?l|co|corp|company|fze|plc|ab|oy|aps|shop|store|goods|warehouse|fashion|trading|e\.?v)\b\.?/i;
const DAY = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d))?)?|^(\d\d)([./])(\d\d)\8(\d{4})/;
const isDay = (text: string): boolean => DAY.test(text) && (text.length > 8 || /^20\d{6}$/.test(text));

/** By English name, too. */
const countryOf = once((text: string): string | undefined => {
  const code = yieldOf(`$country(${JSON.stringify(text)}, "alpha2")`, {});
  return typeof code === 'string' ? code : codeOfCountry(text);
});

const PLAUSIBLE: Readonly<Record<MeaningType, (text: string) => boolean>> = {
  text: (text) => !isDay(text) && !text.includes('@'),
  reference: (text) =>
    !isDay(text) && /\d/.test(text) && text.length > 2 && !/\s\S+\s/.test(text) && !/^https?:/.test(text),
  words: (text) => /\p{L}/u.test(text) && !isDay(text) && !/^https?:/.test(text),
  person: (text) => /\p{L}/u.test(text) && !COMPANY.test(text) && !text.includes('@'),
  company: (text) => /\p{L}/u.test(text),
  street: (text) => text !== '' && !text.includes('@') && !isDay(text),
  postcode: (text) => /^[A-Z\d][A-Z\d -]{1,9}$/i.test(text) && /\d/.test(text),
  country: (text) => countryOf(text) !== undefined,
  state: (text) => /^\p{L}[\p{L} .-]*$/u.test(text),
  phone: (text) => /^[+(\d][\d\s()./-]{5,}$/.test(text),
  email: (text) => text.includes('@'),
  currency: (text) => /^[A-Z]{3}$/.test(text),
  day: isDay,
  number: (text) => text !== '' && Number.isFinite(Number(text)),
  price: (text) => Number(text) > 0,
  weight: (text) => Number(text) > 0,
  length: (text) => Number(text) > 0,
  service: (text) => text !== '' && !/\s\S+\s\S+\s/.test(text) && !/^https?:/.test(text),
};

export interface Shown {
  readonly text: string;
  /** Of its end: for telephone numbers and states. */
  readonly country: string | undefined;
  readonly unit: string;
}

/** As a consignment holds it; undefined: it cannot be a value of that meaning. */
export const canonical = (
  { type, phrases }: Meaning,
  { text, country, unit }: Shown,
  own: readonly string[],
): string | number | undefined => {
  if (text.trim() === '' || !PLAUSIBLE[type](text)) return undefined;
  switch (type) {
    case 'company':
      // What is only called a name is one of a company if it looks like it.
      return own.includes('name') &&
        !phrases.some((one) => one.length > 1 && one.every((word) => own.includes(word))) &&
        !COMPANY.test(text)
        ? undefined
        : text;
    case 'country':
      return countryOf(text);
    case 'phone':
      return String(yieldOf(`$phone(${JSON.stringify(text)}, ${JSON.stringify(country ?? 'DE')}, "e164")`, {}) ?? text);
    case 'number':
      return Number(text);
    case 'weight':
    case 'length':
      return unit === ourUnit(unit) ? Number(text) : convert(text, unit, ourUnit(unit));
    case 'day': {
      const [, year, month, day, hour = '10', minute = '00', second = '00', first = '', mark, other = '', late] =
        DAY.exec(text) ?? [];
      if (year !== undefined) return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
      const isAmerican = mark === '/' && Number(first) <= 12 && Number(other) > 12;
      return `${late}-${isAmerican ? first : other}-${isAmerican ? other : first} 10:00:00`;
    }
    default:
      return text;
  }
};

const convert = (text: string, from: string, to: string): number | undefined =>
  yieldOf(`$convert(${Number(text)}, "${from}", "${to}")`, {}) as number | undefined;
/** The unit of a consignment that is nearest. */
export const ourUnit = (unit: string): string => ({ G: 'KG', OZ: 'LB', MM: 'CM', M: 'CM', FT: 'IN' })[unit] ?? unit;

export const unitIn = (kind: 'weight' | 'length', text: string): string | undefined =>
  wordsIn(text)
    .map((word) => UNITS[kind].get(word))
    .findLast((unit) => unit !== undefined);

const DAYS = [
  'yyyy-MM-dd',
  "yyyy-MM-dd'T'HH:mm:ss",
  "yyyy-MM-dd'T'HH:mm:ss'Z'",
  "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
  'yyyyMMdd',
  'yyyy-MM-dd HH:mm',
  'dd.MM.yyyy',
  'dd/MM/yyyy',
  'MM/dd/yyyy',
  'dd-MM-yyyy',
  "yyyy-MM-dd'T'HH:mm",
  "yyyy-MM-dd'T00:00:00Z'",
  "yyyy-MM-dd'T00:00:00.000Z'",
  "yyyy-MM-dd'T'HH:mm:ss 'GMT+00:00'",
];

/** Expressions over the field, the likeliest first. `at`: what stands before names of the consignment. */
export const waysBack = (
  { type, field, unit, end }: Meaning,
  at: string,
  unitTo: string,
  digits: number,
): readonly string[] => {
  const x = type === 'service' ? '$service.code' : `${at}${field}`;
  const country = `${at}${end ?? 'destination'}Country`;
  const name = `$first(${at}${end}ContactPerson, ${at}${end}Name)`;
  switch (type) {
    case 'person':
      return [name, x, `$person(${name}).first`, `$person(${name}).last`];
    case 'company':
      return [x, `$first(${x}, ${at}${end}Name)`];
    case 'street':
      return [x, `$street(${x}).name`, `$street(${x}).number`, `$join([$street(${x}).number, $street(${x}).addition])`];
    case 'postcode':
      return [x, `$replace(${x}, " ", "")`];
    case 'country':
      return [x, `$country(${x}, "alpha3")`, `$country(${x}, "numeric")`, `$country(${x}, "name")`];
    case 'state':
      return [`$region(${x}, ${country})`, x];
    case 'phone':
      return [
        x,
        `$phone(${x}, ${country}, "digits")`,
        `$phone(${x}, ${country}, "national")`,
        `$replace(${x}, "+", "")`,
      ];
    case 'day':
      return DAYS.map((format) => `$formatTime($time(${x}, "yyyy-MM-dd HH:mm:ss"), ${JSON.stringify(format)})`).concat(
        x,
      );
    case 'weight':
    case 'length':
      return [`$convert(${x}, ${at}${unit}, "${unitTo}", ${digits})`];
    case 'price':
      return [`$number(${x})`, x];
    default:
      return [x];
  }
};
