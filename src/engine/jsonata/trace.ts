/**
 * Watches an evaluation: which parts of the expression were evaluated, and of what each value of the result was made.
 * Closures only, and only where somebody asks: without an observer nothing of this is compiled in.
 */
import { isDeepStrictEqual } from 'node:util';
import { isMap } from '../value.ts';
import type { Binding, Closure, MadePair, Observe, Part, VariablePlace } from './scope.ts';

/** Of what a value was made: by the part of the expression that yields it, from these fields of the input. */
interface Origin {
  readonly at: number;
  /** Paths of the input, deepest only. */
  readonly reads: readonly string[];
}

/** One value of a result that has no parts. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly origin: Origin;
}

/** A condition, and which of its sides were taken. */
export interface Branch {
  readonly at: number;
  readonly side: 'then' | 'else';
}

export interface Trace {
  readonly leaves: readonly Leaf[];
  readonly reads: readonly string[];
  readonly taken: readonly Branch[];
}

/** One for each evaluation: it holds what that one has seen. */
class Tracing {
  /** Where parts of the tracked document stand. */
  readonly #paths = new WeakMap<object, string>();
  readonly #stack: Set<string>[] = [new Set()];
  readonly #readBy = new Map<Closure, Set<string>>();
  readonly #valueOf = new Map<Closure, unknown>();
  readonly #made = new WeakMap<object, Map<string, Origin>>();
  readonly #madeFrom = new WeakMap<object, readonly unknown[]>();
  readonly #bound = new Map<VariablePlace, ReadonlySet<string>>();
  readonly #taken: Branch[] = [];
  readonly #roots: ReadonlySet<string>;
  readonly #calls: Calls;

  /** `roots`: fields of the input that the expression may name as variables. */
  constructor(roots: ReadonlySet<string>, calls: Calls) {
    this.#roots = roots;
    this.#calls = calls;
  }

  /** A copy of the input whose fields tell when they are read. */
  copy(value: unknown, path = ''): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item, at) => this.copy(item, `${path}[${at}]`));
      this.#paths.set(items, path);
      return items;
    }
    if (!isMap(value)) return value;
    const fields: Record<string, unknown> = {};
    for (const [key, held] of Object.entries(value)) {
      const below = path === '' ? key : `${path}.${key}`;
      const inner = this.copy(held, below);
      const get = (): unknown => {
        this.#read(below);
        return inner;
      };
      Object.defineProperty(fields, key, { enumerable: true, configurable: true, get });
    }
    this.#paths.set(fields, path);
    return fields;
  }

  #read(path: string): void {
    this.#stack.at(-1)?.add(path);
  }

  evaluated(closure: Closure, part: Part | undefined, evaluate: () => unknown): unknown {
    const reads = new Set<string>();
    this.#stack.push(reads);
    let value: unknown;
    try {
      value = evaluate();
    } finally {
      this.#stack.pop();
      for (const path of reads) this.#stack.at(-1)?.add(path);
    }
    this.#readBy.set(closure, reads);
    this.#valueOf.set(closure, value);
    const parameter = this.#calls.parameterFor(closure);
    if (parameter !== undefined) this.#bound.set(parameter, reads);
    if (part !== undefined) this.#note(part, value, reads);
    return value;
  }

  #note(part: Part, value: unknown, reads: Set<string>): void {
    switch (part.kind) {
      case 'object':
        if (isObject(value)) this.#made.set(value, this.#originsOf(part.pairs));
        break;
      case 'call':
        this.#noteMade(value, part.args);
        break;
      case 'bind':
        this.#bound.set(part.target, reads);
        break;
      case 'variable':
        // What a variable was made of is read again where it is used.
        for (const path of this.#readThrough(part)) {
          reads.add(path);
          this.#read(path);
        }
        break;
      case 'condition':
        this.#taken.push({ at: part.at, side: this.#valueOf.delete(part.yes) ? 'then' : 'else' });
        break;
      case 'function':
    }
  }

  #readThrough({ name, places }: Part & { kind: 'variable' }): readonly string[] {
    if (places.length === 0) return this.#roots.has(name) ? [name] : [];
    return places.flatMap((place) => [...(this.#bound.get(place) ?? [])]);
  }

  #originsOf(pairs: readonly MadePair[]): Map<string, Origin> {
    const origins = new Map<string, Origin>();
    for (const { name, key, value, at } of pairs) {
      const made = name ?? this.#valueOf.get(key);
      if (typeof made === 'string') origins.set(made, { at, reads: deepest(this.#readBy.get(value) ?? []) });
    }
    return origins;
  }

  #noteMade(value: unknown, from: readonly Closure[]): void {
    if (!isObject(value) || this.#made.has(value) || this.#paths.get(value) !== undefined) return;
    const values = from.map((closure) => this.#valueOf.get(closure));
    this.#madeFrom.set(value, values);
  }

  /** The result, taken apart; `raw` as the evaluation gave it. */
  result(raw: unknown): Trace {
    const all = deepest(this.#stack[0] ?? []);
    const leaves: Leaf[] = [];
    this.#collect(raw, [], { at: 0, reads: all }, leaves);
    return { leaves, reads: all, taken: this.#taken };
  }

  #collect(value: unknown, path: (string | number)[], origin: Origin, into: Leaf[]): void {
    if (into.length >= LEAVES_MAX || path.length > DEPTH_MAX || value === undefined) return;
    const tracked = isObject(value) ? this.#paths.get(value) : undefined;
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) this.#collect(item, [...path, at], origin, into);
    } else if (isObject(value) && !(value instanceof Uint8Array)) {
      for (const [key, held] of Object.entries(value)) {
        const own =
          tracked === undefined
            ? (this.#originIn(value, key, held) ?? origin)
            : { at: origin.at, reads: [`${tracked}.${key}`] };
        this.#collect(held, [...path, key], own, into);
      }
    } else into.push({ path, value, origin });
  }

  /** Of an object that a function made of others: the field of one of those with the same value. */
  #originIn(owner: object, key: string, value: unknown, depth = 0): Origin | undefined {
    const own = this.#made.get(owner)?.get(key);
    if (own !== undefined || depth > DEPTH_MAX) return own;
    for (const from of (this.#madeFrom.get(owner) ?? []).flat().toReversed()) {
      if (!isObject(from) || !Object.hasOwn(from, key)) continue;
      const before = (from as Record<string, unknown>)[key];
      if (isObject(before) && isObject(value) && before !== value) {
        // $prune and its like rebuild what lies below, too.
        if (!this.#made.has(value)) this.#madeFrom.set(value, [before]);
      } else if (!isDeepStrictEqual(before, value)) continue;
      const tracked = this.#paths.get(from);
      return (
        this.#originIn(from, key, before, depth + 1) ??
        (tracked === undefined ? undefined : { at: 0, reads: [`${tracked}.${key}`] })
      );
    }
    return undefined;
  }
}

const LEAVES_MAX = 10_000;
const DEPTH_MAX = 60;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Without those that only led to others. */
const deepest = (paths: Iterable<string>): readonly string[] => {
  const all = [...paths];
  return all
    .filter(
      (path) =>
        !all.some((other) => other !== path && /^[.[]/.test(other.slice(path.length)) && other.startsWith(path)),
    )
    .sort();
};

/** What parts of an expression are; and which parameter an argument becomes, of the functions it defines and calls by name. */
class Calls {
  readonly #parts = new Map<Closure, Part | undefined>();
  readonly #parameters = new Map<VariablePlace, readonly Binding[]>();
  readonly #arguments = new Map<Closure, { readonly callee: Closure; readonly index: number }>();

  knows(closure: Closure): boolean {
    return this.#parts.has(closure);
  }

  learn(closure: Closure, part: Part | undefined): void {
    this.#parts.set(closure, part);
    if (part?.kind === 'bind') {
      const value = this.#parts.get(part.value);
      if (value?.kind === 'function') this.#parameters.set(part.target, value.parameters);
    }
    if (part?.kind !== 'call' || part.callee === undefined) return;
    const { callee, args } = part;
    for (const [index, argument] of args.entries()) this.#arguments.set(argument, { callee, index });
  }

  parameterFor(argument: Closure): VariablePlace | undefined {
    const call = this.#arguments.get(argument);
    const callee = call && this.#parts.get(call.callee);
    if (callee?.kind !== 'variable') return undefined;
    const called = callee.places.map((place) => this.#parameters.get(place)).find((found) => found !== undefined);
    return called?.[call?.index ?? 0];
  }
}

/** Watches all evaluations of one expression. */
export const createTracer = () => {
  const calls = new Calls();
  /** Both sides of every condition, once the expression is compiled. */
  const branches: Branch[] = [];
  let current: Tracing | undefined;
  const observe: Observe = (closure, part) => {
    if (calls.knows(closure)) return closure;
    const observed: Closure = (input, frame) =>
      current === undefined ? closure(input, frame) : current.evaluated(observed, part, () => closure(input, frame));
    calls.learn(observed, part);
    if (part?.kind === 'condition') branches.push({ at: part.at, side: 'then' }, { at: part.at, side: 'else' });
    return observed;
  };
  return {
    observe,
    branches: branches as readonly Branch[],
    /** Runs one evaluation of the expression that is observed. */
    run: <T>(roots: ReadonlySet<string>, evaluate: (tracing: Tracing) => T): T => {
      const outer = current;
      current = new Tracing(roots, calls);
      try {
        return evaluate(current);
      } finally {
        current = outer;
      }
    },
  };
};
