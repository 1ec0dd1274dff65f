/** What an evaluation came by: the fields that it read, and the sides of conditions. Of what its values are made is not told. */
import { isMap } from '../value.ts';
import type { Closure } from './scope.ts';
import type { Branch, Known, Parts } from './trace-parts.ts';
import { deepest } from './trace-result.ts';

export interface Touched {
  /** Of all that was read, whether or not the result was made of it. */
  readonly reads: readonly string[];
  readonly taken: readonly Branch[];
}

/** What an expression is evaluated over. */
export interface Inputs {
  readonly input: object;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** One for each evaluation, at a small part of the cost of telling what values are made of. */
export class Touching {
  readonly #reads = new Set<string>();
  readonly #taken: Branch[] = [];
  /** Closures that sides of conditions begin with. */
  readonly #begun = new Set<Closure>();
  readonly #variables: ReadonlySet<string>;
  readonly #parts: Parts;

  /** `variables`: fields of the input that the expression names with a `$`. */
  constructor(variables: ReadonlySet<string>, parts: Parts) {
    this.#variables = variables;
    this.#parts = parts;
  }

  evaluated(closure: Closure, part: Known, evaluate: () => unknown): unknown {
    const side = this.#parts.sideOf(closure);
    if (side !== undefined) {
      this.#taken.push(side);
      this.#begun.add(closure);
    }
    const value = evaluate();
    if (part?.kind === 'variable') {
      if (part.places.length === 0 && this.#variables.has(part.name)) this.#reads.add(part.name);
    } else if (part?.kind === 'condition' && !this.#begun.delete(part.yes) && part.no === undefined)
      this.#taken.push({ at: part.at, side: 'else' });
    return value;
  }

  /** The input, made as far as it is read, and its fields as variables. */
  inputs(roots: Readonly<Record<string, unknown>>): Inputs {
    const variables = Object.fromEntries(Object.entries(roots).map(([name, value]) => [name, this.#copy(value, name)]));
    return { input: this.#watched(variables, '', (copied) => copied), variables };
  }

  #copy(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item, at) => this.#copy(item, `${path}[${at}]`));
    return isMap(value) ? this.#watched({ ...value }, `${path}.`, (held, at) => this.#copy(held, at)) : value;
  }

  #watched(fields: Record<string, unknown>, prefix: string, copy: (held: unknown, path: string) => unknown): object {
    const copied = new Set<string>();
    /** Whether there is such a field of its own. */
    const find = (key: string): boolean => {
      if (!Object.hasOwn(fields, key)) return false;
      if (copied.has(key)) return true;
      copied.add(key);
      const value = copy(fields[key], prefix + key);
      return Reflect.defineProperty(fields, key, { value, writable: true, enumerable: true, configurable: true });
    };
    const tell = (key: string): void => {
      if (key !== 'toJSON') this.#reads.add(prefix + key);
    };
    return new Proxy(fields, {
      get: (_, key) => {
        if (typeof key === 'string' && (find(key) || !(key in fields))) tell(key);
        return Reflect.get(fields, key) as unknown;
      },
      getOwnPropertyDescriptor: (_, key) => {
        if (typeof key === 'string' && !find(key) && !(key in fields)) tell(key);
        return Reflect.getOwnPropertyDescriptor(fields, key);
      },
    });
  }

  result(): Touched {
    return { reads: deepest(this.#reads), taken: this.#taken };
  }
}
