import type { Position } from '../../mapping/roots.ts';
import type { TextPosition } from '../../mapping/template.ts';
import type { ErrorRule } from '../rules.ts';
import type { Node } from '../tree.ts';
import { type Kind, KINDS, type KindValue } from './kinds.ts';

/** Keys of which a map has one at most, or exactly one; a profile's own choice replaces that of its base. */
interface OneOf {
  readonly keys: readonly string[];
  readonly needed: boolean;
}

/** What is wrong with a value, and what to write instead. */
export type Issue = readonly [message: string, help?: string];

/** JSON Schema (2020-12) of a key, and in `x-` keywords what checking, merging and compiling read beside it. */
export interface Shape {
  readonly 'x-kind'?: Kind;
  readonly 'x-one-of'?: readonly OneOf[];
  /** The rule of a finding about another word. */
  readonly 'x-rule'?: ErrorRule;
  /** `pattern` in words. */
  readonly 'x-must'?: string;
  readonly 'x-issue'?: (text: string) => Issue | undefined;
  /** In words: what holds where nothing is written and no value is the default. */
  readonly 'x-otherwise'?: string;
  /** How the values of a text are encoded. */
  readonly 'x-encoding'?: TextPosition;
  /** Where its expressions stand, if not where those around it do. */
  readonly 'x-site'?: { readonly position?: Position; readonly codec?: string };
  /** Keys of which case does not count. */
  readonly 'x-any-case'?: true;
  /** It holds a secret. */
  readonly 'x-secret'?: true;
  /** What becomes of the value that is read. */
  readonly 'x-as'?: (value: never) => unknown;
  /** Compiled by hand: it reads as its node. */
  readonly 'x-node'?: true;
  readonly $ref?: string;
  readonly anyOf?: readonly Shape[];
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Shape;
  readonly propertyNames?: { readonly pattern?: string; readonly enum?: readonly string[] };
  readonly items?: Shape;
  readonly minItems?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** As a profile writes it. */
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

declare const VALUE: unique symbol;

/** One key of the language; `V` is what it compiles to. */
export interface Field<V = unknown> extends Shape {
  readonly [VALUE]?: () => V;
}
export type Value<F> = F extends Field<infer V> ? V : never;
type Defaulted = { readonly default: unknown };
type Keys = Readonly<Record<string, Field>>;
/** What reading a field yields: a default holds where nothing is written. */
export type Read<F> = Value<F> | (F extends Defaulted ? never : undefined);

/** The compiled form says its unit: `wait: 2s` is `waitMs`. */
type Named<Key, F> = F extends { readonly 'x-kind': 'duration' }
  ? `${Key & string}Ms`
  : F extends { readonly 'x-kind': 'size' }
    ? `${Key & string}Bytes`
    : Key;
export const nameWithUnit = (key: string, { 'x-kind': kind }: Shape): string =>
  kind === 'duration' ? `${key}Ms` : kind === 'size' ? `${key}Bytes` : key;

/** Fields that are neither needed nor have a default may be undefined. */
export type Values<K extends Keys, Needed = never> = {
  readonly [P in keyof K as Named<P, K[P]>]: P extends Needed ? Value<K[P]> : Read<K[P]>;
};

type Options = Pick<Shape, 'x-encoding' | 'x-site' | 'x-secret' | 'x-issue'>;
const scalar = <K extends Kind, V = KindValue<K>>(
  kind: K,
  description: string,
  example: unknown,
  more: Shape = {},
): Field<V> & { readonly 'x-kind': K } => {
  const shape: Shape = { ...KINDS[kind].schema, ...more, description, examples: [example] };
  return { ...shape, 'x-kind': kind };
};
const builder =
  <K extends Kind>(kind: K) =>
  (description: string, example: unknown, options: Options = {}) =>
    scalar(kind, description, example, options);

export const text = builder('text');
export const plain = builder('plain');
export const pattern = builder('pattern');
export const expr = builder('expr');
export const mapping = builder('mapping');
export const value = builder('value');
export const data = builder('data');
export const literal = builder('literal');
export const duration = builder('duration');
export const lifetime = builder('lifetime');
export const rate = builder('rate');
export const size = builder('size');
export const httpStatus = builder('httpStatus');
export const flag = builder('flag');
/** One of a few words; `rule` names the finding for another one. */
export const word = <const W extends string>(
  words: readonly W[],
  description: string,
  example: NoInfer<W>,
  rule?: ErrorRule,
): Field<W> => scalar('word', description, example, { enum: words, ...(rule === undefined ? {} : { 'x-rule': rule }) });
/** Text that names something, without `${ }`; `pattern` is a regular expression, `must` says it in words. */
export const name = (description: string, example: string, form: string, must: string): Field<string> =>
  scalar('word', description, example, { type: 'string', pattern: form, 'x-must': must });
export const integer = (description: string, example: number, minimum: number, maximum: number): Field<number> =>
  scalar('integer', description, example, { minimum, maximum });

export const list = <V>(
  items: Field<V>,
  description: string,
  example: readonly unknown[],
  options: Shape = {},
): Field<readonly V[]> => ({ type: 'array', items, ...options, description, examples: [example] });

/** A map with keys of the author's choosing. */
export const mapOf = <V>(
  of: Field<V>,
  description: string,
  example: unknown,
  options: Shape = {},
): Field<Readonly<Record<string, V>>> => ({
  type: 'object',
  additionalProperties: of,
  ...options,
  description,
  examples: [example],
});

interface GroupOptions<Needed> {
  readonly required?: readonly Needed[];
  readonly oneOf?: OneOf;
  /** What further keys hold; without it they are errors. */
  readonly others?: Field;
  readonly propertyNames?: Shape['propertyNames'] & object;
}

/** A map with fixed keys. */
export const group = <const K extends Keys, Needed extends keyof K & string = never>(
  properties: K,
  description: string,
  example: unknown,
  { required, oneOf, others, propertyNames }: GroupOptions<Needed> = {},
): Field<Values<K, Needed>> & { readonly properties: K } => ({
  type: 'object',
  properties,
  ...(required === undefined ? {} : { required }),
  additionalProperties: others ?? false,
  ...(oneOf === undefined ? {} : { 'x-one-of': [oneOf] }),
  ...(propertyNames === undefined ? {} : { propertyNames }),
  description,
  examples: [example],
});

/** Alternatives that differ in being a scalar, a list or a map: the form written decides. */
export const either = <F extends Field>(
  anyOf: readonly F[],
  description: string,
  example: unknown,
): Field<Value<F>> => ({ anyOf, description, examples: [example] });

/** A definition under `$defs`, by its name, which is compiled by hand. */
export const ref = (to: string, description: string, example: unknown): Field<Node> => ({
  $ref: `#/$defs/${to}`,
  'x-node': true,
  description,
  examples: [example],
});

/** A definition under `$defs` where it is used, as it describes itself. */
export const shared = <F extends Field>(to: string, { description, examples, default: otherwise }: F): F =>
  ({
    $ref: `#/$defs/${to}`,
    description,
    examples,
    ...(otherwise === undefined ? {} : { default: otherwise }),
  }) as unknown as F;

/** `value` holds where nothing is written; it is written as in a profile. */
export const withDefault = <F extends Field>(otherwise: unknown, field: F): F & Defaulted => ({
  ...field,
  default: otherwise,
});
export const otherwise = <F extends Field>(words: string, field: F): F => ({ ...field, 'x-otherwise': words });
export const standing = <F extends Field>(site: { readonly position: Position }, field: F): F => ({
  ...field,
  'x-site': site,
});
export const compiledAs = <V, W>(field: Field<V>, as: (value: V) => W): Field<W> =>
  ({ ...field, 'x-as': as }) as unknown as Field<W>;

/** The default in words, if there is one to tell. */
export const defaultOf = ({ default: written, 'x-otherwise': words }: Shape): string | undefined => {
  if (words !== undefined) return words;
  if (Array.isArray(written)) return written.length > 0 ? written.join(', ') : undefined;
  return written === undefined || typeof written === 'object' ? undefined : JSON.stringify(written).replaceAll('"', '');
};

/** Names that expressions use after a point. */
export const NAME = '^[A-Za-z_][A-Za-z0-9_]*$';
export const NAMES = { pattern: NAME };
