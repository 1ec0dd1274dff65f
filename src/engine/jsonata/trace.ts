/**
 * Watches an evaluation: which parts of the expression were evaluated, and of what each value of the result was made.
 * Closures only, and only where somebody asks: without an observer nothing of this is compiled in.
 */
import { isDeepStrictEqual } from 'node:util';
import { isMap } from '../value.ts';
import type { Observe } from './compile.ts';
import type { FunctionNode, Node, Pair, VariablePlace } from './tree.ts';

/** Of what a value was made: by the part of the expression that yields it, from these fields of the input. */
interface Origin {
  /** Offset in the source where that part begins. */
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
  readonly #readBy = new Map<Node, Set<string>>();
  readonly #valueOf = new Map<Node, unknown>();
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

  evaluated(node: Node, evaluate: () => unknown): unknown {
    const reads = new Set<string>();
    this.#stack.push(reads);
    let value: unknown;
    try {
      value = evaluate();
    } finally {
      this.#stack.pop();
      for (const path of reads) this.#stack.at(-1)?.add(path);
    }
    this.#readBy.set(node, reads);
    this.#valueOf.set(node, value);
    const parameter = this.#calls.parameterFor(node);
    if (parameter !== undefined) this.#bound.set(parameter, reads);
    this.#note(node, value);
    return value;
  }

  #note(node: Node, value: unknown): void {
    switch (node.kind) {
      case 'object':
        if (isObject(value)) this.#made.set(value, this.#originsOf(node.pairs));
        break;
      case 'call':
        this.#noteMade(value, node.args);
        break;
      case 'binary':
        if (node.operator === '~>') this.#noteMade(value, [node.left]);
        break;
      case 'bind':
        this.#bound.set(node.target, this.#readBy.get(node) ?? new Set());
        break;
      case 'variable':
        // What a variable was made of is read again where it is used.
        for (const path of this.#readThrough(node)) {
          this.#readBy.get(node)?.add(path);
          this.#read(path);
        }
        break;
      case 'condition':
        this.#taken.push({ at: node.at, side: this.#valueOf.has(node.yes) ? 'then' : 'else' });
        this.#valueOf.delete(node.yes);
        break;
      default:
    }
  }
  #readThrough({ name, places }: Node & { kind: 'variable' }): Iterable<string> {
    if (places.length === 0) return this.#roots.has(name) ? [name] : [];
    return places.flatMap((place) => [...(this.#bound.get(place) ?? [])]);
  }

  #originsOf(pairs: readonly Pair[]): Map<string, Origin> {
    const origins = new Map<string, Origin>();
    for (const { key, value, at } of pairs) {
      const name = key.kind === 'constant' ? key.value : this.#valueOf.get(key);
      if (typeof name === 'string') origins.set(name, { at, reads: deepest(this.#readBy.get(value) ?? []) });
    }
    return origins;
  }

  #noteMade(value: unknown, from: readonly Node[]): void {
    if (isObject(value) && !this.#made.has(value) && this.#paths.get(value) === undefined) {
      this.#madeFrom.set(
        value,
        from.map((node) => this.#valueOf.get(node)),
      );
    }
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

/** Which parameter an argument becomes, of the functions that an expression defines and calls by name. */
class Calls {
  readonly #functions = new Map<VariablePlace, FunctionNode>();
  readonly #arguments = new Map<Node, { readonly procedure: Node; readonly index: number }>();

  learn(node: Node): void {
    if (node.kind === 'bind' && node.value.kind === 'function') this.#functions.set(node.target, node.value);
    if (node.kind !== 'call') return;
    for (const [index, argument] of node.args.entries())
      this.#arguments.set(argument, { procedure: node.procedure, index });
  }

  parameterFor(argument: Node): VariablePlace | undefined {
    const call = this.#arguments.get(argument);
    if (call?.procedure.kind !== 'variable') return undefined;
    const called = call.procedure.places
      .map((place) => this.#functions.get(place))
      .find((found) => found !== undefined);
    return called?.parameters[call.index];
  }
}

export interface Tracer {
  readonly observe: Observe;
  /** Both sides of every condition, once the expression is compiled. */
  readonly branches: readonly Branch[];
  /** Runs one evaluation of the expression that is observed. */
  run<T>(roots: ReadonlySet<string>, evaluate: (tracing: Tracing) => T): T;
}

/** Watches all evaluations of one expression. */
export const createTracer = (): Tracer => {
  const calls = new Calls();
  const branches: Branch[] = [];
  let current: Tracing | undefined;
  return {
    branches,
    observe: (node, closure) => {
      calls.learn(node);
      if (node.kind === 'condition') branches.push({ at: node.at, side: 'then' }, { at: node.at, side: 'else' });
      return (input, frame) =>
        current === undefined ? closure(input, frame) : current.evaluated(node, () => closure(input, frame));
    },
    run: (roots, evaluate) => {
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
