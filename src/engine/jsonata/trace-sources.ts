/** Of what the values of one evaluation are made, field by field: values of the input, and maps and lists made of them. */
import { isMap } from '../value.ts';

/** Fields of the input: `consignment.itemList[0].itemWeight`. */
export type Paths = ReadonlySet<string>;

/** Of what one value was made. */
export interface Source {
  /** Where its expression begins; undefined: it is a part of another's. */
  readonly at: number | undefined;
  readonly reads: Paths;
  /** The part of `reads` that is of no field of a map: it chose the value. */
  readonly surface: Paths;
  /** The part of `reads` that the value is made of. */
  readonly data: Paths;
  /** The condition that did not hold, and says nothing for that. */
  readonly unheld: number | undefined;
  readonly value: unknown;
}

/** The value of a field, or an item of a list. */
export interface Made extends Source {
  readonly name: string | undefined;
  /** An item that stays one, be it a list. */
  readonly isOne?: boolean;
}

interface Reader {
  /** A field of the input was read, or one that is missing there. */
  input(path: string, value: unknown): void;
  /** A field of a map that was made here. */
  made(source: Source, value: unknown): void;
}

export class Sources {
  readonly #reader: Reader;
  /** Where parts of the input stand. */
  readonly #paths = new WeakMap<object, string>();
  /** Of maps and lists that were made here: of what their fields are. */
  readonly #sources = new WeakMap<object, ReadonlyMap<string, Source>>();
  /** Behind those that tell who reads them. */
  readonly #plain = new WeakMap<object, object>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** A copy of the input whose fields tell when they are read, missing ones too. */
  copy(value: unknown, path = ''): unknown {
    if (!Array.isArray(value) && !isMap(value)) return value;
    const copied = Array.isArray(value)
      ? value.map((item, at) => this.copy(item, below(path, at)))
      : this.#watched(
          Object.fromEntries(Object.entries(value).map(([key, held]) => [key, this.copy(held, below(path, key))])),
          (key, held) => this.#reader.input(below(path, key), held),
        );
    this.#paths.set(copied, path);
    return copied;
  }

  #watched(fields: Record<string, unknown>, onRead: (key: string, value: unknown) => void): Record<string, unknown> {
    const tell = (key: string | symbol): void => {
      if (typeof key !== 'string' || key === 'toJSON') return;
      if (Object.hasOwn(fields, key) || !(key in fields)) onRead(key, fields[key]);
    };
    const watched = new Proxy(fields, {
      get: (_, key) => {
        tell(key);
        return Reflect.get(fields, key) as unknown;
      },
      getOwnPropertyDescriptor: (_, key) => {
        const found = Reflect.getOwnPropertyDescriptor(fields, key);
        if (found === undefined) tell(key);
        return found;
      },
    });
    this.#plain.set(watched, fields);
    return watched;
  }

  /** A field of a copy, without telling anybody. */
  plain(copy: object, name: string): unknown {
    return (this.plainOf(copy) as Record<string, unknown>)[name];
  }

  /** A map that an expression wrote out. */
  ofMap(map: Record<string, unknown>, made: readonly Made[]): object {
    return this.#isKnown(map) ? map : this.#withSources(map, inMap(made, map));
  }

  /** A list that an expression wrote out. */
  ofList(list: readonly unknown[], made: readonly Made[]): void {
    if (!this.#isKnown(list)) this.#sources.set(list, this.#inList(made));
  }

  #isKnown(value: object): boolean {
    return this.#sources.has(value) || this.#paths.has(value);
  }

  /** Whoever reads a field of it learns what that is made of. */
  tellsOfItself(value: unknown): boolean {
    if (Array.isArray(value)) return value.every((item) => this.tellsOfItself(item));
    return isObject(value) && this.#isKnown(value);
  }

  /** The value behind one that tells who reads it. */
  plainOf(value: unknown): unknown {
    return isObject(value) ? (this.#plain.get(value) ?? value) : value;
  }

  #withSources(fields: Record<string, unknown>, sources: ReadonlyMap<string, Source>): object {
    const watched = this.#watched(fields, (key, held) => {
      const source = sources.get(key);
      if (source !== undefined) this.#reader.made(source, held);
    });
    this.#sources.set(watched, sources);
    return watched;
  }

  /** Of a list: an item that is a list itself has stood for its items. */
  #inList(made: readonly Made[]): ReadonlyMap<string, Source> {
    const items = made.flatMap((source) => {
      const { value, isOne = false } = source;
      if (value === undefined) return [];
      if (!Array.isArray(value) || isOne) return [source];
      return value.map((item: unknown, at) => ({ ...(this.sourceIn(value, at) ?? source), value: item }));
    });
    return new Map(items.map((source, at) => [String(at), source]));
  }

  /** Of what a field or item is; undefined: it is not known apart from the others. */
  sourceIn(owner: unknown, key: string | number): Source | undefined {
    if (!isObject(owner)) return undefined;
    const path = this.#paths.get(owner);
    if (path === undefined) return this.#sources.get(owner)?.get(String(key));
    const reads = new Set([below(path, key)]);
    return { at: undefined, reads, surface: NOTHING, data: reads, unheld: undefined, value: undefined };
  }

  /** What a function made of maps and lists: each part of it is of that part of them that it equals, else of all. */
  rebuilt(value: object, from: readonly unknown[], whole: Source): object {
    if (this.#isKnown(value)) return value;
    if (Array.isArray(value)) return this.#rebuiltList(value, from, whole);
    if (!isMap(value)) return value;
    const owners = from.flat().filter((one) => isObject(one) && !Array.isArray(one)) as object[];
    const sources = new Map<string, Source>();
    const fields: Record<string, unknown> = {};
    for (const owner of owners) {
      for (const [key, source] of this.#sources.get(owner) ?? []) sources.set(key, source);
    }
    for (const [key, held] of Object.entries(value)) {
      const owner = owners.findLast((one) => this.#has(one, key, held));
      const source = this.sourceIn(owner, key) ?? whole;
      const before = owner === undefined ? [] : [this.plain(owner, key)];
      const now = isObject(held) ? this.rebuilt(held, before, source) : held;
      Object.defineProperty(fields, key, { value: now, writable: true, enumerable: true, configurable: true });
      sources.set(key, { ...source, value: now });
    }
    return this.#withSources(fields, sources);
  }

  #rebuiltList(list: unknown[], from: readonly unknown[], whole: Source): unknown[] {
    const owners = from.flatMap((one) =>
      Array.isArray(one) ? one.map((held: unknown, at) => ({ one, at, held })) : [],
    );
    // A list that is not of the engine's making may be one of the profile's.
    const items = list.constructor === Array ? [...list] : list;
    const sources = new Map<string, Source>();
    let next = 0;
    for (const [at, item] of list.entries()) {
      const later = owners.findIndex(({ held }, index) => index >= next && this.#covers(held, item));
      const owner = owners[later] ?? owners.find(({ held }) => this.#covers(held, item));
      if (later !== -1) next = later + 1;
      const source = (owner && this.sourceIn(owner.one, owner.at)) ?? whole;
      if (isObject(item)) items[at] = this.rebuilt(item, owner === undefined ? from : [owner.held], source);
      sources.set(String(at), { ...source, value: items[at] });
    }
    this.#sources.set(items, sources);
    return items;
  }

  sourcesOf(value: unknown): ReadonlyMap<string, Source> | undefined {
    return isObject(value) ? this.#sources.get(value) : undefined;
  }

  /** Lists of classes of the engine become others in the end. */
  isCopy(list: unknown, of: unknown): boolean {
    return Array.isArray(list) && Array.isArray(of) && !this.#isKnown(list) && list.length === of.length;
  }

  #has(owner: object, key: string, value: unknown): boolean {
    return Object.hasOwn(this.plainOf(owner) as object, key) && this.#covers(this.plain(owner, key), value);
  }

  /** `value` is `before`, or what is left of it. */
  #covers(before: unknown, value: unknown): boolean {
    const [was, is] = [this.plainOf(before), this.plainOf(value)];
    if (was === is) return true;
    if (!isObject(was) || !isObject(is)) return false;
    if (Array.isArray(was) && Array.isArray(is)) {
      return is.every((item) => was.some((one) => this.#covers(one, item)));
    }
    return isMap(was) && isMap(is) && Object.entries(is).every(([key, held]) => this.#has(was, key, held));
  }
}

export const NOTHING: Paths = new Set();

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const below = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;

/** Of a map, by the names that are written out; values under computed names follow in their order. */
const inMap = (made: readonly Made[], map: Record<string, unknown>): ReadonlyMap<string, Source> => {
  const sources = new Map<string, Source>();
  const computed = Object.keys(map).filter((key) => !made.some(({ name }) => name === key));
  for (const source of made) {
    const name = source.name ?? (source.value === undefined ? undefined : computed.shift());
    if (name !== undefined) sources.set(name, source);
  }
  return sources;
};
