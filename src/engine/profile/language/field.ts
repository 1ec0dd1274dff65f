import type { Node } from '../tree.ts';
import { isTimeZone } from '../../time-zone.ts';
import { isCurrency } from '../../validate.ts';
import { type Kind, KINDS, type KindValue, type Meta, type ScalarIssue, type Shape } from './kinds.ts';

/** One key of the language; `V` is what it compiles to. */
export interface Field<V = unknown> extends Shape {
  readonly '~value'?: () => V;
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

interface Options extends Meta {
  readonly default?: unknown;
  readonly required?: readonly string[];
  /** What the keys of a map may be. */
  readonly names?: Shape['propertyNames'];
  readonly notEmpty?: true;
}
/** A field with a default is never undefined. */
type Made<V, O> = Field<V> & (O extends Defaulted ? Defaulted : unknown);

const make = <V, const O extends Options>(
  schema: Omit<Shape, 'meta' | 'description' | 'examples' | 'default'>,
  description: string,
  example: unknown,
  options: O | undefined,
): Made<V, O> => {
  const { default: otherwise, required, names, notEmpty, ...meta }: Options = options ?? {};
  const field: Field<V> = {
    ...schema,
    ...(required === undefined ? {} : { required }),
    ...(names === undefined ? {} : { propertyNames: names }),
    ...(notEmpty === undefined ? {} : schema.type === 'object' ? { minProperties: 1 } : { minItems: 1 }),
    ...(otherwise === undefined ? {} : { default: otherwise }),
    description,
    examples: [example],
    meta,
  };
  return field as Made<V, O>;
};

const builder =
  <K extends Kind>(kind: K) =>
  <const O extends Options>(description: string, example: unknown, options?: O) =>
    make<KindValue<K>, O>({ 'x-kind': kind, ...KINDS[kind].schema }, description, example, options) as Made<
      KindValue<K>,
      O
    > & { readonly 'x-kind': K };

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
export const date = builder('date');

export const word = <const W extends string, const O extends Options>(
  words: readonly W[],
  description: string,
  example: NoInfer<W>,
  options?: O,
): Made<W, O> => make({ 'x-kind': 'word', enum: words }, description, example, options);

/** Text that names something, without `${ }`; `form` is a regular expression, `must` says it in words. */
export const name = (form: string, must: string, description: string, example: string, options: Options = {}) =>
  make<string, Options>({ 'x-kind': 'word', type: 'string', pattern: form }, description, example, {
    must,
    ...options,
  });

export const integer = <const O extends Options>(
  [minimum, maximum]: readonly [number, number],
  description: string,
  example: number,
  options?: O,
): Made<number, O> => make({ 'x-kind': 'integer', type: 'integer', minimum, maximum }, description, example, options);

export const number = <const O extends Options>(
  [minimum, maximum]: readonly [number, number],
  description: string,
  example: number,
  options?: O,
): Made<number, O> => make({ 'x-kind': 'number', type: 'number', minimum, maximum }, description, example, options);

export const list = <V, const O extends Options>(
  items: Field<V>,
  description: string,
  example: readonly unknown[],
  options?: O,
): Made<readonly V[], O> => make({ type: 'array', items }, description, example, options);

/** A map with keys of the author's choosing. */
export const mapOf = <V, const O extends Options>(
  of: Field<V>,
  description: string,
  example: unknown,
  options?: O,
): Made<Readonly<Record<string, V>>, O> =>
  make({ type: 'object', additionalProperties: of }, description, example, options);

interface GroupOptions extends Options {
  /** Written out, or the names of keys whose own examples make it up. Default: those that are required. */
  readonly example?: object;
}
type Required<O> = O extends { readonly required: readonly (infer Name)[] } ? Name : never;

export const group =
  <const O extends GroupOptions>(description: string, given: O) =>
  <const K extends Keys>(properties: K): Made<Values<K, Required<O>>, O> & { readonly properties: K } => {
    const { example, ...options }: GroupOptions = given;
    const shown = example ?? options.required ?? [];
    const written = Array.isArray(shown)
      ? Object.fromEntries(shown.map((key: string) => [key, properties[key]?.examples?.[0]]))
      : shown;
    const schema = { type: 'object', properties, additionalProperties: false } as const;
    return make(schema, description, written, options) as never;
  };

/** Alternatives that differ in being a scalar, a list or a map: the form written decides. */
export const either = <F extends Field, const O extends Options>(
  anyOf: readonly F[],
  description: string,
  example: unknown,
  options?: O,
): Made<Value<F>, O> => make({ anyOf }, description, example, options);

/** A definition under `$defs`, by its name, which is compiled by hand. */
export const ref = (to: string, description: string, example: unknown) =>
  make<Node, Options>({ $ref: `#/$defs/${to}` }, description, example, { byHand: true });

/** A definition under `$defs` where it is used, as it describes itself. */
export const shared = <F extends Field>(to: string, { description = to, examples = [], default: otherwise }: F): F =>
  make({ $ref: `#/$defs/${to}` }, description, examples[0], { default: otherwise }) as unknown as F;

/** What is read becomes what `as` makes of it. */
export const compiledAs = <F extends Field, W>(
  field: F,
  as: (value: Value<F>) => W,
): Field<W> & (F extends Defaulted ? Defaulted : unknown) => ({ ...field, meta: { ...field.meta, as } }) as never;

/** The default in words, if there is one to tell. */
export const defaultOf = ({ default: written, meta }: Shape): string | undefined => {
  if (meta?.otherwise !== undefined) return meta.otherwise;
  if (Array.isArray(written)) return written.length > 0 ? written.join(', ') : undefined;
  return written === undefined || typeof written === 'object' ? undefined : JSON.stringify(written).replaceAll('"', '');
};

/** The issue of a text that is none of those that `is` knows. */
export const unless =
  (is: (text: string) => boolean, isNot: string, help: string) =>
  (text: string): ScalarIssue | undefined =>
    is(text) ? undefined : [`"${text.slice(0, 60)}" ${isNot}`, help];
export const TIME_ZONE = { issue: unless(isTimeZone, 'is not a time zone', 'such as Europe/Berlin') };
export const CURRENCY = { issue: unless(isCurrency, 'is not a currency of ISO 4217', 'such as EUR') };

export const CODE = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';
/** What a file is named after: a carrier, a tariff, a policy. */
export const code = (description: string, example: string) =>
  name(CODE, 'be letters, digits, _ and -', description, example);

export const NAME = '^[A-Za-z_][A-Za-z0-9_]*$';
export const NAMES = { pattern: NAME };
