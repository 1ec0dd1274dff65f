import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { iso31661 } from 'iso-3166';
import type { Static, TSchema } from 'typebox';
import type { FindingCode } from './error-codes.ts';
import { isTimeZone } from './time-zone.ts';
import { isMap } from './value.ts';

/** One thing that is wrong with a value. */
export interface Issue {
  /** Dotted, `packageDetails[0].weight`; empty for the value itself. */
  readonly path: string;
  /** A sentence without its full stop that names the field: `packageDetails[0].weight must be a number`. */
  readonly message: string;
  readonly code: FindingCode;
}

/** `says` follows the path in the message. */
export const issueAt = (path: string, code: FindingCode, says: string): Issue => ({
  path,
  message: `${path} ${says}`,
  code,
});

export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** More findings than these are counted, not listed. */
const ISSUES_MAX = 100;
/** Of a larger value only the first fault is reported: collecting all could cost more memory than the value itself. */
const NODES_MAX = 20_000;

export const COUNTRIES = new Set<string>(iso31661.map(({ alpha2 }) => alpha2));

/** A country of ISO 3166-1 alpha-2, in capitals. `UK`, `EU` and `ZZ` are none. */
export const isCountry = (text: string): boolean => COUNTRIES.has(text);

/** `YYYY-MM-DD`, and a day that the calendar has. */
export const isDate = (text: string): boolean =>
  // The parser takes the 30th of February for a day in March.
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).getUTCDate() === Number(text.slice(8));

/** `YYYY-MM-DD HH:MM:SS`, a local time without a zone. */
const isLocalDateTime = (text: string): boolean =>
  /^\S{10} (?:[01]\d|2[0-3])(?::[0-5]\d){2}$/.test(text) && isDate(text.slice(0, 10));

/** A time in UTC, or a day for its midnight. */
const isUtc = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^\S{10}(?:T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,3})?Z)?$/.test(text);

// Intl knows withdrawn currencies as well; a carrier is the better judge of those.
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** A currency of ISO 4217, in capitals. */
export const isCurrency = (text: string): boolean => CURRENCIES.has(text);

const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** What a schema may name in `format`. `description` ends the sentence "<field> must be …". */
export const FORMATS: Readonly<
  Record<string, { readonly test: (text: string) => boolean; readonly description: string }>
> = {
  date: { test: isDate, description: 'a date written YYYY-MM-DD' },
  'local-date-time': { test: isLocalDateTime, description: 'a date and time written YYYY-MM-DD HH:MM:SS' },
  'date-time': { test: (text) => text.length > 10 && isUtc(text), description: 'a time written YYYY-MM-DDTHH:MM:SSZ' },
  utc: { test: isUtc, description: 'a time written YYYY-MM-DDTHH:MM:SSZ, or a day written YYYY-MM-DD' },
  'time-zone': { test: isTimeZone, description: 'the name of an IANA time zone, such as Asia/Kolkata' },
  country: { test: isCountry, description: 'a country code of ISO 3166-1 alpha-2, such as DE' },
  currency: { test: isCurrency, description: 'a currency code of ISO 4217, such as EUR' },
  'http-url': { test: isHttpUrl, description: 'a URL that begins with http:// or https://' },
};

const KEYWORDS = ['x-level', 'x-levels', 'x-must', 'x-from', 'x-made-of', 'x-values'];
const formats = Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, format.test]));

const ajvWith = (allErrors: boolean): Ajv2020 => {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    formats,
    logger: false,
  });
  for (const keyword of KEYWORDS) ajv.addKeyword({ keyword });
  // Text, or the bytes of a binary answer: JSON Schema has no word for the second.
  ajv.addKeyword({
    keyword: 'x-content',
    validate: (_: unknown, data: unknown) =>
      (typeof data === 'string' && data !== '') || (data instanceof Uint8Array && data.byteLength > 0),
  });
  return ajv;
};
const everyFault = ajvWith(true);
const firstFault = ajvWith(false);

/**
 * Compiles a schema, at its first use, to a check that never changes the value and never throws. `name` is what
 * messages call the value itself.
 */
export const validator = <S extends TSchema>(
  schema: S,
  name = 'the value',
): ((value: unknown) => Validated<Static<S>>) => {
  let quick: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  return (value) => {
    quick ??= firstFault.compile(schema);
    if (quick(value)) return { ok: true, value: value as Static<S> };
    if (isLarge(value)) return { ok: false, issues: issuesOf(quick.errors, name) };
    thorough ??= everyFault.compile(schema);
    thorough(value);
    return { ok: false, issues: issuesOf(thorough.errors, name) };
  };
};

const isLarge = (value: unknown): boolean => {
  const open: unknown[] = [value];
  for (let seen = 0; open.length > 0; seen += 1) {
    if (seen + open.length > NODES_MAX) return true;
    const node = open.pop();
    if (typeof node !== 'object' || node === null || ArrayBuffer.isView(node)) continue;
    for (const child of Object.values(node)) open.push(child);
  }
  return false;
};

const issuesOf = (errors: ValidateFunction['errors'], name: string): Issue[] => {
  // What the branches of a oneOf say is said by the oneOf itself.
  const found = (errors ?? []).filter((error) => !error.schemaPath.includes('/oneOf/'));
  const issues = found.slice(0, ISSUES_MAX).map((error) => issueOf(error, name));
  const rest = found.length - issues.length;
  return rest === 0 ? issues : [...issues, { path: '', message: `and ${rest} more findings`, code: 'invalid' }];
};

const issueOf = (error: ErrorObject, name: string): Issue => {
  const params = error.params as Readonly<Record<string, unknown>>;
  const child = params['missingProperty'] ?? params['additionalProperty'];
  const at = pathOf(error.instancePath);
  const path = typeof child === 'string' ? `${at === '' ? '' : `${at}.`}${cut(child)}` : at;
  const message = `${path === '' ? name : path} ${describeError(error, params)}`;
  return { path, message, code: KEYWORD_CODES[error.keyword] ?? 'invalid' };
};

const KEYWORD_CODES: Readonly<Record<string, FindingCode>> = {
  required: 'required',
  additionalProperties: 'unknown_field',
  type: 'wrong_type',
  enum: 'not_one_of',
  const: 'not_one_of',
  maxLength: 'too_long',
  minLength: 'too_short',
  minItems: 'too_few',
  maxItems: 'too_many',
  maxProperties: 'too_many',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  format: 'malformed',
  pattern: 'malformed',
};

/** `/packageDetails/0/weight` → `packageDetails[0].weight`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

const typeName = (type: unknown): string =>
  type === 'null' ? type : `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`;

const describeError = (error: ErrorObject, params: Readonly<Record<string, unknown>>): string => {
  const own: unknown = error.parentSchema?.['x-must'];
  const limit = String(params['limit']);
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'type':
      return `must be ${[params['type']].flat().map(typeName).join(' or ')}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`;
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit === '1' ? 'one entry' : `${limit} entries`}`;
    case 'maxItems':
      return `must not have more than ${limit} entries`;
    case 'format':
      return `must be ${FORMATS[String(params['format'])]?.description ?? String(params['format'])}`;
    case 'x-content':
      return 'must be text or bytes, and not empty';
    default:
      return typeof own === 'string' ? `must ${own}` : (error.message ?? 'is not valid');
  }
};

interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
}

/**
 * Brings what a mapping yielded into the shape of a schema, as JSONata collapses sequences: a lone value where the
 * schema has an array becomes an array of one, nothing (missing or null) becomes an empty array where one is
 * required, and null elsewhere is left out. The value itself is not changed; what does not fit is left for
 * the validator to name.
 */
export const coerce = (schema: TSchema, value: unknown): unknown => {
  const shape = schema as Shape;
  if (shape.type === 'array') {
    const list: readonly unknown[] =
      value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
    const { items } = shape;
    return items === undefined ? list : Array.from(list, (entry: unknown) => coerce(items, entry));
  }
  if (shape.properties === undefined || !isMap(value)) return value;
  const { properties, required = [] } = shape;
  const entries = Object.entries(value)
    .filter(([, held]) => held !== undefined && held !== null)
    .map(([key, held]): [string, unknown] => {
      const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, inner === undefined ? held : coerce(inner, held)];
    });
  for (const key of required) {
    const missing = !Object.hasOwn(value, key) || value[key] === undefined || value[key] === null;
    if (missing && properties[key]?.type === 'array') entries.push([key, []]);
  }
  return Object.fromEntries(entries);
};
