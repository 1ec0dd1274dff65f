/**
 * What a value may be, as far as that is known before a mapping runs. A type is a union: each part says that a value
 * of that kind is possible. What nothing is known of is `ANY`, about which nothing is ever reported.
 */
import type { Ast } from '../../jsonata/parse.ts';

export interface Type {
  readonly any?: true;
  /** Nothing: a field that is not there. */
  readonly missing?: true;
  readonly null?: true;
  /** Any text, or one of a few. */
  readonly text?: true | ReadonlySet<string>;
  /** The texts are all that a schema allows, not just those that were seen. */
  readonly closed?: true;
  readonly number?: true;
  readonly boolean?: true;
  readonly object?: ObjectType;
  readonly list?: Type;
  readonly callable?: Callable;
  /** By the form of what gives the value: it is no function, though its variable has the name of one. */
  readonly uncallable?: true;
  /** A sequence: the list is there only where there are several, else it is the lone value, or nothing. */
  readonly sequence?: true;
  /** Read off examples, so that other kinds of value are possible, too. */
  readonly shown?: true;
}

/**
 * Where an object's fields are known from: the roots of the position; the profile; its memo; its tables; a schema; an object that
 * the mapping makes; examples, which need not show all. `open`: of a schema, and whatever else was agreed.
 */
export type Origin = 'document' | 'declared' | 'memo' | 'tables' | 'schema' | 'open' | 'made' | 'shown';

export interface ObjectType {
  readonly origin: Origin;
  /** For people: what it is the value of. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Type>;
  /** What fields of other names hold; undefined: there are no others. */
  readonly others: Type | undefined;
}

export interface Callable {
  readonly node: Ast;
  readonly context: Type;
  readonly scope: Variables;
}

/** Variables in sight. An inner scope starts as a copy of the outer one. */
export type Variables = Map<string, Type>;

export const ANY: Type = { any: true };
export const MISSING: Type = { missing: true };
export const NULL: Type = { null: true };
export const TEXT: Type = { text: true };
export const NUMBER: Type = { number: true };
export const BOOLEAN: Type = { boolean: true };
/** What never comes about: the value of `$reject(…)`. */
export const NEVER: Type = {};

export const knownText = (...words: readonly string[]): Type => ({ text: new Set(words) });
/** One of the texts that a schema allows. */
export const closedTexts = (words: readonly string[]): Type => ({ text: new Set(words), closed: true });
export const listOf = (element: Type): Type => ({ list: element });
export const orMissing = (type: Type): Type => (type.missing === true ? type : { ...type, missing: true });

export const objectOf = (
  fields: Readonly<Record<string, Type>> | ReadonlyMap<string, Type>,
  { origin = 'schema', name = 'it', others }: Partial<Omit<ObjectType, 'fields'>> = {},
): Type => ({
  object: { origin, name, others, fields: fields instanceof Map ? fields : new Map(Object.entries(fields)) },
});

/** A value that is a map of which nothing else is known. */
export const anyObject = (name: string): Type => objectOf({}, { name, others: ANY });

const KINDS = ['null', 'number', 'boolean', 'sequence', 'shown', 'missing'] as const;

export const union = (one: Type, other: Type): Type => {
  if (one === other || isNever(other) || one.any === true) return one;
  if (isNever(one) || other.any === true) return other;
  const joined: { -readonly [K in keyof Type]: Type[K] } = {};
  for (const kind of KINDS) if (one[kind] === true || other[kind] === true) joined[kind] = true;
  const text = joinText(one.text, other.text);
  if (text !== undefined) joined.text = text;
  if (isClosed(one) && isClosed(other) && (one.closed ?? other.closed) === true) joined.closed = true;
  const object = either(one.object, other.object, joinObjects);
  if (object !== undefined) joined.object = object;
  const list = either(one.list, other.list, union);
  if (list !== undefined) joined.list = list;
  const callable = one.callable ?? other.callable;
  if (callable === undefined) return joined;
  // Which of two functions is called is not followed up.
  return one.callable !== undefined && other.callable !== undefined ? ANY : { ...joined, callable };
};

export const unionOf = (types: Iterable<Type>): Type => {
  let joined: Type = NEVER;
  for (const type of types) joined = union(joined, type);
  return joined;
};

const either = <T>(one: T | undefined, other: T | undefined, join: (one: T, other: T) => T): T | undefined =>
  one === undefined ? other : other === undefined ? one : join(one, other);

const isClosed = ({ text, closed }: Type): boolean => text === undefined || closed === true;

const joinText = (one: Type['text'], other: Type['text']): Type['text'] => {
  if (one === undefined || other === undefined) return one ?? other;
  return one === true || other === true ? true : new Set([...one, ...other]);
};

/** The weaker of two: examples say the least. */
const weaker = (one: Origin, other: Origin): Origin =>
  one === other ? one : one === 'shown' || other === 'shown' ? 'shown' : 'made';

const joinObjects = (one: ObjectType, other: ObjectType): ObjectType => {
  if (one === other) return one;
  const fields = new Map<string, Type>();
  for (const name of new Set([...one.fields.keys(), ...other.fields.keys()])) {
    const [mine, theirs] = [one.fields.get(name) ?? one.others, other.fields.get(name) ?? other.others];
    fields.set(name, union(mine ?? MISSING, theirs ?? MISSING));
  }
  return {
    origin: weaker(one.origin, other.origin),
    name: one.name,
    fields,
    others: either(one.others, other.others, union),
  };
};

const isNever = (type: Type): boolean => {
  for (const _ in type) return false;
  return true;
};

/** What one element of a value is, for whoever goes through it: the elements of a list, a lone value itself. */
export const elementsOf = (type: Type): Type => {
  if (type.list === undefined) return type;
  const { list, sequence: _, ...lone } = type;
  return union(lone, list);
};

/** The value that comes of going through something and collecting this type at each element. */
export const collected = (type: Type, many: boolean): Type => {
  if (!many || type.any === true) return type.any === true ? ANY : type;
  const element = elementsOf(type);
  const { missing: _, sequence: _s, ...held } = element;
  return { ...held, list: union(element.list ?? NEVER, without(held, 'list')), missing: true, sequence: true };
};

const without = (type: Type, kind: keyof Type): Type => {
  const { [kind]: _, ...rest } = type;
  return rest;
};

export const isMany = (type: Type): boolean => type.any === true || type.list !== undefined;

/** The same, never missing. */
export const present = (type: Type): Type => (type.missing === true ? without(type, 'missing') : type);

/** A value that surely has no fields: a text, a number or a boolean, and known for sure. */
export const isScalar = (type: Type): boolean =>
  type.any !== true &&
  type.shown !== true &&
  type.object === undefined &&
  type.list === undefined &&
  type.callable === undefined &&
  (type.text !== undefined || type.number === true || type.boolean === true);

/** Of a kind alone, whether or not it may be missing. */
export const isOnly = (type: Type, ...kinds: readonly ('text' | 'number' | 'boolean' | 'list')[]): boolean => {
  if (type.shown === true) return false;
  const held = Object.keys(type).filter((kind) => !['missing', 'closed', 'uncallable'].includes(kind));
  return held.length > 0 && held.every((kind) => (kinds as readonly string[]).includes(kind));
};

/** The few texts it can be, where it can be nothing else; undefined where that is not known. */
export const knownTextsOf = (type: Type): ReadonlySet<string> | undefined =>
  isOnly(type, 'text') && type.text !== true ? type.text : undefined;
