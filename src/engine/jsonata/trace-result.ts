/** A result taken apart: each of its values with what it is made of, and each that it has not with why. */
import { isMap } from '../value.ts';
import { isObject, NOTHING, type Paths, type Source, type Sources } from './trace-sources.ts';

/** Of what a value was made: by the part of the expression that yields it, from these fields of the input. */
export interface Origin {
  readonly at: number;
  /** Paths of the input, deepest only; what decided between several values is among them. */
  readonly reads: readonly string[];
}

/** One value of a result that has no parts, or a field that the expression writes and the result has not. */
export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly origin: Origin;
  /** What decided that it, or what it is in, is there and is this one. */
  readonly under: readonly string[];
}

export interface Gap extends Omit<Leaf, 'value'> {
  /** What it was before a function left it out; undefined: nothing. */
  readonly was: unknown;
  /** Of `origin.reads`, those that are missing, null or empty. */
  readonly missing: readonly string[];
  /** A condition that did not hold, and says nothing for that. */
  readonly unheld: number | undefined;
}

export const isGap = (field: Leaf | Gap): field is Gap => !('value' in field);

/** What of one evaluation its result is taken apart by. */
interface Seen {
  readonly sources: Sources;
  /** What the input has at a path that was read. */
  readonly found: ReadonlyMap<string, unknown>;
  /** Texts that were made of a map. */
  readonly texts: ReadonlyMap<string, object>;
}

/** `raw`: as the evaluation gave it; `source`: of what it is made as a whole. */
export const takeApart = (raw: unknown, source: Source, { sources, found, texts }: Seen): readonly (Leaf | Gap)[] => {
  const fields: (Leaf | Gap)[] = [];
  /** What a text, or a part of it, was made of. */
  const mapIn = (text: unknown): object | undefined =>
    typeof text === 'string' ? [...texts].find(([made]) => text.includes(made))?.[1] : undefined;
  const collect = (value: unknown, { path, source, above, isThere }: Reached): void => {
    if (fields.length >= LEAVES_MAX || path.length > DEPTH_MAX) return;
    const plain = sources.plainOf(value);
    const text = mapIn(plain);
    if (text !== undefined) return collect(text, { path, source, above, isThere });
    const isList = Array.isArray(plain);
    const whole = isList || isMap(plain) ? (plain as Record<string, unknown>) : {};
    const known = isList ? undefined : sources.sourcesOf(value);
    const keys = new Set([...(known?.keys() ?? []), ...Object.keys(whole)]);
    const under = new Set([...above, ...source.surface]);
    for (const name of keys) {
      const key = isList ? Number(name) : name;
      const own = sources.sourceIn(value, key) ?? source;
      const held = Object.hasOwn(whole, name) ? whole[name] : undefined;
      const made = held === undefined || sources.isCopy(held, own.value) ? own.value : held;
      const inner = { ...own, at: own.at ?? source.at };
      collect(made, { path: [...path, key], source: inner, above: under, isThere: isThere && held !== undefined });
    }
    if (keys.size > 0) return;
    const origin = { at: source.at ?? 0, reads: deepest(source.reads) };
    const field = { path, origin, under: [...above].filter((one) => !isObject(found.get(one))) };
    if (isThere && plain !== undefined) fields.push({ ...field, value: plain });
    else {
      const missing = origin.reads.filter((one) => isEmpty(found.get(one)));
      fields.push({ ...field, was: plain, missing, unheld: source.unheld });
    }
  };
  collect(raw, { path: [], source, above: NOTHING, isThere: true });
  return fields;
};

interface Reached {
  readonly path: Leaf['path'];
  readonly source: Source;
  /** What decided that it is there. */
  readonly above: Paths;
  readonly isThere: boolean;
}

const LEAVES_MAX = 10_000;
const DEPTH_MAX = 60;

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (isObject(value) && !(value instanceof Uint8Array) && Object.keys(value).length === 0);

/** Without those that only led to others. */
export const deepest = (paths: Iterable<string>): readonly string[] => {
  const all = [...paths];
  const above = new Set<string>();
  for (const path of all) for (const { index } of path.matchAll(/[.[]/g)) above.add(path.slice(0, index));
  return all.filter((path) => !above.has(path)).sort();
};
