import { globalVariable } from './call.ts';
import type { Frame } from './frame.ts';
import type { Library } from './functions/library.ts';
import type { Evaluate } from './paths.ts';
import type { Binding, Node, Place, Scope } from './tree.ts';
import { unbound } from './value.ts';

/** How a part becomes a closure; handed down so that the files of the back end need not know each other. */
export type Compiler = (node: Node, scope: ClosureScope) => Evaluate<Frame>;

/** What the closures of a place are compiled against: the frames that will lie above it when it runs. */
export class ClosureScope {
  readonly library: Library;
  readonly #compile: Compiler;
  readonly #scope: Scope | undefined;
  readonly #given: ReadonlyMap<Binding, number>;
  readonly #parent: ClosureScope | undefined;

  private constructor(
    compiler: Compiler,
    library: Library,
    scope: Scope | undefined,
    given: ReadonlyMap<Binding, number>,
    parent: ClosureScope | undefined,
  ) {
    this.#compile = compiler;
    this.library = library;
    this.#scope = scope;
    this.#given = given;
    this.#parent = parent;
  }

  /** The outermost frame: that of a whole expression. */
  static outermost(compiler: Compiler, library: Library, top: Scope): ClosureScope {
    return new ClosureScope(compiler, library, top, new Map(), undefined);
  }

  /** The outermost frame of a part whose variables come from elsewhere, one in each slot. */
  static given(compiler: Compiler, library: Library, bindings: readonly Binding[]): ClosureScope {
    const slots = new Map(bindings.map((binding, index) => [binding, index]));
    return new ClosureScope(compiler, library, undefined, slots, undefined);
  }

  inside(scope: Scope): ClosureScope {
    return new ClosureScope(this.#compile, this.library, scope, new Map(), this);
  }

  /** Compiles a part that stands in this scope, or in a tuple of it. */
  compile(node: Node, tuples?: Scope): Evaluate<Frame> {
    return this.#compile(node, tuples === undefined ? this : this.inside(tuples));
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
