import { globalVariable } from './call.ts';
import type { Frame } from './frame.ts';
import type { Library } from './functions/library.ts';
import type { Evaluate } from './paths.ts';
import type { Binding, CallNode, Node, Place, Scope } from './tree.ts';
import { unbound } from './value.ts';

/** How a part becomes a closure; handed down so that the files of the back end need not know each other. */
export type Compiler = (node: Node, scope: ClosureScope) => Evaluate<Frame>;

/** A function of the expression. */
export interface FunctionParts {
  readonly body: Evaluate<Frame>;
  /** Where the arguments go. */
  readonly slots: readonly number[];
  readonly size: number;
}

/** Puts something around each closure as it is made; none where nobody watches. */
export type Observe = (node: Node, closure: Evaluate<Frame>) => Evaluate<Frame>;

/** What all scopes of an expression share. */
interface Making {
  readonly compile: Compiler;
  readonly library: Library;
  readonly observe: Observe | undefined;
}

interface Means {
  /** Variables that hold a function which is only ever called. */
  readonly direct: ReadonlySet<Binding>;
  readonly observe?: Observe | undefined;
}

/** What the closures of a place are compiled against: the frames that will lie above it when it runs. */
export class ClosureScope {
  readonly #making: Making;
  readonly #scope: Scope | undefined;
  readonly #given: ReadonlyMap<Binding, number>;
  readonly #parent: ClosureScope | undefined;
  /** Of the variables that hold a function which is only ever called: what is known of it, once it is compiled. */
  readonly #direct: Map<Binding, FunctionParts | undefined>;

  private constructor(
    making: Making,
    scope: Scope | undefined,
    given: ReadonlyMap<Binding, number>,
    parent: ClosureScope | undefined,
    direct: Map<Binding, FunctionParts | undefined>,
  ) {
    this.#making = making;
    this.#scope = scope;
    this.#given = given;
    this.#parent = parent;
    this.#direct = direct;
  }

  /** The outermost frame: that of a whole expression. */
  static outermost(compile: Compiler, library: Library, top: Scope, means: Means): ClosureScope {
    const { direct, observe } = means;
    const parts = new Map([...direct].map((binding): [Binding, FunctionParts | undefined] => [binding, undefined]));
    return new ClosureScope({ compile, library, observe }, top, new Map(), undefined, parts);
  }

  get library(): Library {
    return this.#making.library;
  }

  observed(node: Node, closure: Evaluate<Frame>): Evaluate<Frame> {
    return this.#making.observe?.(node, closure) ?? closure;
  }

  inside(scope: Scope): ClosureScope {
    return new ClosureScope(this.#making, scope, new Map(), this, this.#direct);
  }

  /** Compiles a part that stands in this scope, or in a tuple of it. */
  compile(node: Node, tuples?: Scope): Evaluate<Frame> {
    return this.#making.compile(node, tuples === undefined ? this : this.inside(tuples));
  }

  /** The variable holds a function that is only ever called. */
  isDirect(binding: Binding): boolean {
    return this.#direct.has(binding);
  }

  /** The variable that a call names, if it holds such a function. */
  directTarget({ procedure }: CallNode): Binding | undefined {
    const place = procedure.kind === 'variable' ? procedure.places[0] : undefined;
    return place !== undefined && !('bindings' in place) && this.isDirect(place) ? place : undefined;
  }

  defineDirect(target: Binding, parts: FunctionParts): void {
    this.#direct.set(target, parts);
  }

  /** A function that calls itself asks before it is compiled: the answer is there when it runs. */
  directParts(target: Binding): () => FunctionParts | undefined {
    return () => this.#direct.get(target);
  }

  /** Reads a variable that is known to be set. */
  slotReader(target: Binding): (frame: Frame) => unknown {
    const found = this.#locate(target);
    if (found === undefined) throw new Error(`$${target.name} is not within reach`);
    const { climb, slot } = found;
    return (frame) => climbTo(frame, climb).slots[slot];
  }

  /** Frames to climb and the slot there; undefined for a tuple scope that is not above. */
  #locate(place: Place): { readonly climb: number; readonly slot: number } | undefined {
    const slot = this.#slotOf(place);
    if (slot !== undefined) return { climb: 0, slot };
    const parent = this.#parent;
    const above = parent === undefined ? undefined : parent.#locate(place);
    return above && { climb: above.climb + 1, slot: above.slot };
  }

  #slotOf(place: Place): number | undefined {
    if ('bindings' in place) return this.#scope === place ? -1 : undefined;
    return this.#scope === place.scope ? place.index : this.#given.get(place);
  }

  /** Writes a variable. */
  writer(target: Binding): (frame: Frame, value: unknown) => void {
    const found = this.#locate(target);
    if (found === undefined) throw new Error(`$${target.name} is not within reach`);
    const { climb, slot } = found;
    return (frame, value) => {
      climbTo(frame, climb).slots[slot] = value;
    };
  }

  /** Reads a variable. */
  reader(node: Node & { kind: 'variable' }): Evaluate<Frame> {
    const { name } = node;
    const { library } = this;
    let read: Evaluate<Frame> = (_input, frame) => globalVariable(frame.run, library, name);
    for (const place of node.places.toReversed()) read = this.#readAt(place, name, read);
    return read;
  }

  #readAt(place: Place, name: string, otherwise: Evaluate<Frame>): Evaluate<Frame> {
    const found = this.#locate(place);
    if (found === undefined) return otherwise;
    const { climb, slot } = found;
    if ('bindings' in place) {
      return (input, frame) => {
        const { tuple } = climbTo(frame, climb);
        return tuple !== undefined && Object.hasOwn(tuple, name) ? tuple[name] : otherwise(input, frame);
      };
    }
    if (climb === 0) {
      return (input, frame) => {
        const value = frame.slots[slot];
        return value === unbound ? otherwise(input, frame) : value;
      };
    }
    return (input, frame) => {
      const value = climbTo(frame, climb).slots[slot];
      return value === unbound ? otherwise(input, frame) : value;
    };
  }
}

const climbTo = (frame: Frame, climb: number): Frame => {
  let reached = frame;
  for (let step = 0; step < climb; step += 1) reached = reached.up as Frame;
  return reached;
};
