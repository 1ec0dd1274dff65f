import { parseDuration, parseRate, type Rate } from '../../duration.ts';
import { GuardedRegex } from '../../jsonata/regex.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import type { Position } from '../../mapping/roots.ts';
import type { TextPosition } from '../../mapping/template.ts';
import { FORMATS } from '../../validate.ts';
import type { RuleName } from '../rules.ts';
import { type ScalarNode, readBoolean, readNumber } from '../tree.ts';

/** An HTTP status, or a class of them. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

interface KindValues {
  /** May hold `${ }`. */
  text: Mapping;
  /** Text without `${ }`: the same for every consignment and account. */
  plain: string;
  word: string;
  pattern: GuardedRegex;
  /** Bare JSONata. */
  expr: Mapping;
  /** A `.jsonata` file by its name, bare JSONata, or a tree. */
  mapping: Mapping;
  /** A tree whose texts may hold `${ }`. */
  value: Mapping;
  /** A tree without. */
  data: unknown;
  /** A scalar whose type another key says. */
  literal: ScalarNode;
  duration: number;
  /** ISO 8601 with Z or an offset. */
  instant: string;
  /** A duration, or an expression that yields seconds. */
  lifetime: Mapping | { readonly ms: number };
  /** undefined: none. */
  rate: Rate | undefined;
  size: number;
  httpStatus: StatusRange;
  integer: number;
  /** With decimals. */
  number: number;
  /** `YYYY-MM-DD`. */
  date: string;
  flag: boolean;
}
export type Kind = keyof KindValues;
export type KindValue<K extends Kind> = KindValues[K];

/** Keys of which a map has one at most, or exactly one; a profile's own choice replaces that of its base. */
interface OneOf {
  readonly keys: readonly string[];
  readonly needed: boolean;
}

/** What is wrong with a value, and what to write instead. */
export type ScalarIssue = readonly [message: string, help?: string];

/** What checking, merging and compiling read of a key beside its JSON Schema. */
export interface Meta {
  readonly oneOf?: OneOf;
  /** The rule of a finding about another word. */
  readonly rule?: RuleName;
  /** `pattern` in words. */
  readonly must?: string;
  readonly issue?: (text: string) => ScalarIssue | undefined;
  /** In words: what holds where nothing is written and no value is the default. */
  readonly otherwise?: string;
  /** How the values of a text are encoded. */
  readonly encoding?: TextPosition;
  /** Where its expressions stand, if not where those around it do. */
  readonly site?: { readonly position?: Position; readonly codec?: string; readonly namesFields?: true };
  /** Keys of which case does not count. */
  readonly anyCase?: true;
  readonly secret?: true;
  /** What becomes of the value that is read. */
  readonly as?: (value: never) => unknown;
  /** Compiled by hand: it reads as its node. */
  readonly byHand?: true;
}

/** JSON Schema (2020-12) of a key, its kind, and in `meta` all that is not for editors. */
export interface Shape {
  readonly 'x-kind'?: Kind;
  readonly meta?: Meta;
  readonly $ref?: string;
  readonly anyOf?: readonly Shape[];
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Shape;
  readonly propertyNames?: { readonly pattern?: string; readonly enum?: readonly string[] };
  readonly items?: Shape;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** As a profile writes it. */
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

interface KindOf<V> {
  readonly schema: Shape;
  /** In messages: `must be a duration`. Default: text. */
  readonly called?: string;
  /** In the reference. */
  readonly listed: string;
  /** Of a scalar that is no expression. undefined: it is none of this kind; null: it stands for no value. */
  readonly read?: (node: ScalarNode, shape: Shape) => V | null | undefined;
  /** How it is written: for a scalar that `read` finds to be none of this kind. */
  readonly help?: string;
}

/** Takes the characters as written, whatever YAML would make of them. */
const AS_WRITTEN = { type: ['string', 'number', 'boolean'] };

/** A kind of value with a form of its own. */
const formOf = <V>(
  called: string,
  help: string,
  schema: Shape,
  read: (text: string) => V | null | undefined,
): KindOf<V> => ({ schema, called, listed: called.replace(/^a /, ''), help, read: ({ text }) => read(text) });

export const KINDS: { readonly [K in Kind]: KindOf<KindValues[K]> } = {
  text: { schema: AS_WRITTEN, listed: 'text' },
  plain: formOf('plain text', '${ } is not allowed here', AS_WRITTEN, (text) =>
    text.includes('${') ? undefined : text,
  ),
  word: {
    schema: {},
    called: 'a name',
    listed: 'name',
    read: ({ text }, { enum: words }) => (words?.includes(text) === false ? undefined : text),
  },
  pattern: { schema: AS_WRITTEN, listed: 'text', read: ({ text }) => regexOf(text) },
  expr: { schema: AS_WRITTEN, called: 'an expression', listed: 'expr' },
  mapping: { schema: {}, listed: 'mapping' },
  value: { schema: {}, listed: 'tree' },
  data: { schema: {}, listed: 'plain tree' },
  literal: { schema: AS_WRITTEN, listed: 'plain value', read: (node) => node },
  duration: formOf(
    'a duration',
    'such as 500ms, 30s, 5m, 2h or 45d',
    { type: 'string', pattern: '^[0-9]+(ms|s|m|h|d)$' },
    parseDuration,
  ),
  instant: formOf('an instant', "like '2026-05-01T09:00:00Z', with Z or an offset", { type: 'string' }, (text) =>
    isInstant(text) ? text : undefined,
  ),
  lifetime: { schema: AS_WRITTEN, called: 'a duration', listed: 'duration or expr' },
  rate: formOf(
    'a rate',
    'such as 20/s, 600/m or 10/d',
    { type: 'string', pattern: '^([0-9]+/(s|m|h|d)|none)$' },
    (text) => (text === 'none' ? null : parseRate(text)),
  ),
  size: formOf('a size', 'such as 500KB or 20MB', { type: 'string', pattern: '^[0-9]+(KB|MB)$' }, (text) =>
    parseSize(text),
  ),
  httpStatus: formOf(
    'a status',
    'such as 404 or 4xx',
    { type: ['string', 'integer'], pattern: '^[1-5](xx|[0-9][0-9])$' },
    (text) => parseStatus(text),
  ),
  integer: {
    schema: { type: 'integer' },
    called: 'a whole number',
    listed: 'number',
    read: (node, { minimum = 0, maximum = Infinity }) => {
      const value = readNumber(node);
      return value !== undefined && Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined;
    },
    help: 'without quotes',
  },
  number: {
    schema: { type: 'number' },
    called: 'a number',
    listed: 'number',
    read: (node, { minimum = -Infinity, maximum = Infinity }) => {
      const value = readNumber(node);
      return value !== undefined && value >= minimum && value <= maximum ? value : undefined;
    },
    help: 'without quotes',
  },
  date: formOf('a date', 'written YYYY-MM-DD', { type: 'string' }, (text) =>
    FORMATS['date']?.test(text) === true ? text : undefined,
  ),
  flag: {
    schema: { type: 'boolean' },
    called: 'true or false',
    listed: '`true` or `false`',
    read: readBoolean,
    help: 'without quotes',
  },
};

/** `500KB 20MB` → bytes, or undefined when the text is not a size. */
const parseSize = (text: string): number | undefined => {
  const match = /^(\d{1,6})(KB|MB)$/.exec(text.trim());
  if (match === null || Number(match[1]) === 0) return undefined;
  return Number(match[1]) * (match[2] === 'MB' ? 1_000_000 : 1_000);
};

/** `404` or `4xx`. */
const parseStatus = (text: string): StatusRange | undefined => {
  if (!/^[1-5](?:\d\d|xx)$/.test(text)) return undefined;
  const from = Number(text.replace('xx', '00'));
  return { from, to: text.endsWith('xx') ? from + 99 : from };
};

/** undefined: this is no pattern. */
export const regexOf = (text: string): GuardedRegex | undefined => {
  try {
    return new GuardedRegex(text, 'u');
  } catch {
    return undefined;
  }
};

export const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text) &&
  !Number.isNaN(Date.parse(text));
