import type { Library } from './signature.ts';
import type { Run } from './run.ts';
import type { Binding, Node, VariablePlace, Scope } from './tree.ts';
import { isInherited, unbound, type Tuple } from './value.ts';

const unboundSlots = (size: number): unknown[] => Array.from({ length: size }, () => unbound);
/** Slots to copy, which is quicker than to fill them. */
const small = Array.from({ length: 32 }, (_, size) => unboundSlots(size));

/** The variables of a block, function or tuple while it is evaluated. */
export class Frame {
  readonly run: Run;
  readonly slots: unknown[];
  readonly up: Frame | undefined;
  readonly tuple: Tuple | undefined;

  constructor(run: Run, size: number, up?: Frame, tuple?: Tuple) {
    this.run = run;
    this.slots = small[size]?.slice() ?? unboundSlots(size);
    this.up = up;
    this.tuple = tuple;
  }
}

const climb = (frame: Frame, count: number): Frame => {
  let reached = frame;
  for (let step = 0; step < count; step += 1) reached = reached.up as Frame;
  return reached;
};

/** A part of an expression, compiled: evaluated for an input, with the variables of its place. */
export type Closure = (input: unknown, frame: Frame) => unknown;

/** What all scopes of an expression share. */
interface Compiler {
  readonly library: Library;
  /** The only variables of the bindings, where that is known. */
  readonly variables: ReadonlySet<string> | undefined;
  readonly compile: (node: Node, scope: ClosureScope) => Closure;
}

/** What the closures of a place are compiled against: the frames that will lie above it when it runs. */
export class ClosureScope {
  readonly #compiler: Compiler;
  readonly #scope: Scope;
  readonly #parent: ClosureScope | undefined;

  constructor(compiler: Compiler, scope: Scope, parent?: ClosureScope) {
    this.#compiler = compiler;
    this.#scope = scope;
    this.#parent = parent;
  }

  get library(): Library {
    return this.#compiler.library;
  }

  inside(scope: Scope): ClosureScope {
    return new ClosureScope(this.#compiler, scope, this);
  }

  /** Compiles a part that stands in this scope, or in a tuple of it. */
  compile(node: Node, tuples?: Scope): Closure {
    return this.#compiler.compile(node, tuples === undefined ? this : this.inside(tuples));
  }

  /** Writes a variable. */
  writer({ name, scope, index }: Binding): (frame: Frame, value: unknown) => void {
    const distance = this.#distance(scope);
    if (distance === undefined) throw new Error(`$${name} is not within reach`);
    return (frame, value) => {
      climb(frame, distance).slots[index] = value;
    };
  }

  /** Reads a variable. */
  reader(name: string, places: readonly VariablePlace[]): Closure {
    let read = this.#readOutside(name);
    for (const place of places.toReversed()) read = this.#readAt(place, name, read);
    return read;
  }

  #readOutside(name: string): Closure {
    if (name === '$') return (_input, { run }) => run.root;
    const { variables } = this.#compiler;
    const value = this.library.get(name)?.value;
    if (variables?.has(name) === false) return () => value;
    if (variables === undefined || isInherited(name))
      return (_input, { run }) => (Object.hasOwn(run.bindings, name) ? run.bindings[name] : value);
    return (_input, { run }) => run.bindings[name];
  }

  #readAt(place: VariablePlace, name: string, otherwise: Closure): Closure {
    const distance = this.#distance('bindings' in place ? place : place.scope);
    // A tuple scope that is not above.
    if (distance === undefined) return otherwise;
    if ('bindings' in place) {
      return (input, frame) => {
        const { tuple } = climb(frame, distance);
        return tuple !== undefined && Object.hasOwn(tuple, name) ? tuple[name] : otherwise(input, frame);
      };
    }
    const { index } = place;
    return (input, frame) => {
      const value = climb(frame, distance).slots[index];
      return value === unbound ? otherwise(input, frame) : value;
    };
  }

  /** Frames to climb to those of a scope; undefined if it does not lie above. */
  #distance(scope: Scope): number | undefined {
    if (this.#scope === scope) return 0;
    const above = this.#parent === undefined ? undefined : this.#parent.#distance(scope);
    return above === undefined ? undefined : above + 1;
  }
}
