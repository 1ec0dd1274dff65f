import { type Ast, partsOf, startOfNode, startOfToken, walk } from './parse.ts';
import type { Library } from './signature.ts';
import { collapse, isInherited, type Tuple, unbound } from './value.ts';
import type { Run } from './run.ts';

/** A tree is asked at every level, and answers for each of its parts once. */
const known = new WeakMap<object, ReadonlySet<string>>();
const none: ReadonlySet<string> = new Set();

/** Names assigned directly in a part, not inside a block or function of its own. */
const assignedNames = (part: Ast): ReadonlySet<string> => {
  let names = known.get(part);
  if (names === undefined) {
    names = findNames(part);
    known.set(part, names);
  }
  return names;
};

const findNames = (ast: Ast): ReadonlySet<string> => {
  if (ast.type === 'lambda' && ast.thunk !== true) return none;
  const { type, predicate, stages, group } = ast;
  const parts = partsOf(type === 'block' ? { predicate, stages, group } : ast);
  const found = new Set(ast.type === 'bind' ? [String((ast.lhs as Ast).value)] : []);
  for (const part of parts) for (const name of assignedNames(part)) found.add(name);
  return found.size === 0 ? none : found;
};

/** What is known of an expression as a whole, before its parts are compiled. */
export const survey = (tree: Ast) => {
  /** Every name that `@`, `#` or `%` may put into a tuple. */
  const tupleNames = new Set<string>();
  /** `$map` or `$each` is named: they put what a function gave into a sequence as it is, be it a sequence itself. */
  let nestsSequences = false;
  /**
   * Array items and object values that assign a variable which their siblings could see. Siblings are evaluated from top
   * to bottom here, but side by side by the stock evaluator.
   */
  const siblingAssignments: Ast[] = [];
  walk(tree, (part) => {
    const { type, value, focus, index, ancestor, predicate = [], stages = [] } = part;
    if (type === 'variable' && (value === 'map' || value === 'each')) nestsSequences = true;
    for (const stage of [...predicate, ...stages]) if (stage.type === 'index') tupleNames.add(String(stage.value));
    for (const name of [focus, index, ancestor?.label]) if (name !== undefined) tupleNames.add(name);
    const siblings = type === 'unary' ? (part.expressions ?? pairsOf(part).map(([, held]) => held)) : [];
    if (siblings.length > 1) siblingAssignments.push(...siblings.filter((one) => assignedNames(one).size > 0));
  });
  return { tupleNames, nestsSequences, siblingAssignments };
};

export const pairsOf = ({ lhs }: Ast): readonly (readonly [Ast, Ast])[] =>
  Array.isArray(lhs) ? (lhs as [Ast, Ast][]) : [];

/** A variable of a scope: one object for each. */
export interface Binding {
  readonly index: number;
}

/** Where a variable may be found. A scope stands for the tuple it carries. */
export type VariablePlace = Binding | Scope;

/** What an observer is told of a part, whose own parts are the closures that they were compiled to. */
export type ScopedPart =
  | { readonly kind: 'object'; readonly pairs: readonly MadePair[] }
  | { readonly kind: 'list'; readonly items: readonly MadeItem[] }
  | { readonly kind: 'call'; readonly callee?: Closure; readonly args: readonly Closure[]; readonly at: number }
  | { readonly kind: 'bind'; readonly target: Binding; readonly value: Closure }
  | { readonly kind: 'function'; readonly parameters: readonly Binding[]; readonly body: Closure }
  | { readonly kind: 'variable'; readonly name: string; readonly places: readonly VariablePlace[] }
  | { readonly kind: 'context' | 'choice' }
  | { readonly kind: 'pick'; readonly from: Closure }
  | { readonly kind: 'condition'; readonly at: number; readonly yes: Closure; readonly no?: Closure };

interface MadeItem {
  readonly value: Closure;
  /** Where the value begins. */
  readonly at: number;
  /** An item that stays one, be it a list. */
  readonly isOne?: boolean;
}

export interface MadePair extends MadeItem {
  /** Written out; undefined: it is computed. */
  readonly name: string | undefined;
  readonly key: Closure;
}

/** Puts something around each closure as it is made; what it has made already, it leaves as it is. */
export type Observe = (closure: Closure, part?: ScopedPart) => Closure;

/** What all scopes of an expression share. */
interface Expression extends Omit<ReturnType<typeof survey>, 'siblingAssignments'> {
  readonly source: string;
  readonly library: Library;
  /** The only variables of the bindings, where that is known. */
  readonly variables: ReadonlySet<string> | undefined;
  readonly called: Set<string>;
  readonly compile: (ast: Ast, scope: Scope) => Closure;
  readonly observe: Observe | undefined;
}

/** Where the variables of a part live: each scope is a frame when the part is evaluated. */
export class Scope {
  readonly expression: Expression;
  readonly bindings = new Map<string, Binding>();
  readonly #isTuple: boolean;
  readonly #parent: Scope | undefined;

  /** Of what is assigned in the contents. In the scope of a tuple some variables are those that the tuple carries. */
  constructor(
    expression: Expression,
    contents: readonly Ast[],
    { parent, parameters = [], isTuple = false }: Place = {},
  ) {
    this.expression = expression;
    this.#parent = parent;
    this.#isTuple = isTuple;
    for (const name of [...parameters, ...contents.flatMap((one) => [...assignedNames(one)])]) {
      if (!this.bindings.has(name)) this.bindings.set(name, { index: this.bindings.size });
    }
  }

  /** The scope of a block or function. */
  inside(contents: readonly Ast[], parameters: readonly string[] = []): Scope {
    return new Scope(this.expression, contents, { parent: this, parameters });
  }

  /** The scope of each tuple in turn. */
  perTuple(contents: readonly Ast[]): Scope {
    return new Scope(this.expression, contents, { parent: this, isTuple: true });
  }

  frameIn(outer: Frame, tuple?: Tuple): Frame {
    return new Frame(outer.run, this.bindings.size, outer, tuple);
  }

  compile(ast: Ast): Closure {
    return this.expression.compile(ast, this);
  }

  observed(closure: Closure, part?: ScopedPart): Closure {
    return this.expression.observe?.(closure, part) ?? closure;
  }

  /** A part that only chooses between values. */
  choosing(ast: Ast): Closure {
    const closure = this.compile(ast);
    return this.expression.observe?.((input, frame) => closure(input, frame), { kind: 'choice' }) ?? closure;
  }

  /** Where a part stands in the source. */
  at(ast: Ast): number {
    return startOfNode(this.expression.source, ast) ?? 0;
  }

  operatorAt({ value, position = 0 }: Ast): number {
    return startOfToken(this.expression.source, value, position);
  }

  /** Where a variable of this name may be found, innermost first, and how many frames above. */
  placesOf(name: string): readonly { readonly place: VariablePlace; readonly distance: number }[] {
    const places = this.#parent?.placesOf(name).map(({ place, distance }) => ({ place, distance: distance + 1 })) ?? [];
    if (this.#isTuple && this.expression.tupleNames.has(name)) places.unshift({ place: this, distance: 0 });
    const binding = this.bindings.get(name);
    return binding === undefined ? places : [{ place: binding, distance: 0 }, ...places];
  }

  writer(name: string): { readonly target: Binding; readonly write: (frame: Frame, value: unknown) => void } {
    const found = this.placesOf(name).find(({ place }) => !(place instanceof Scope));
    if (found === undefined) throw new Error(`No scope was prepared for $${name}`);
    const { place, distance } = found;
    const target = place as Binding;
    const { index } = target;
    return {
      target,
      write: (frame, value) => {
        climb(frame, distance).slots[index] = value;
      },
    };
  }

  variable(name: string): Closure {
    // An input that is an array is wrapped; the items that a path begins with are a sequence.
    if (name === '') return this.observed(collapse, { kind: 'context' });
    const found = this.placesOf(name);
    let read = this.#readOutside(name);
    for (const { place, distance } of found.toReversed()) read = readAt(place, distance, name, read);
    return this.observed(read, { kind: 'variable', name, places: found.map(({ place }) => place) });
  }

  #readOutside(name: string): Closure {
    if (name === '$') return (_input, { run }) => run.root;
    const { variables, library } = this.expression;
    const value = library.get(name)?.value;
    if (variables?.has(name) === false) return () => value;
    if (variables === undefined || isInherited(name))
      return (_input, { run }) => (Object.hasOwn(run.bindings, name) ? run.bindings[name] : value);
    return (_input, { run }) => run.bindings[name];
  }
}

interface Place {
  readonly parent?: Scope;
  readonly parameters?: readonly string[];
  readonly isTuple?: boolean;
}

const readAt = (place: VariablePlace, distance: number, name: string, otherwise: Closure): Closure => {
  if (place instanceof Scope) {
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
};

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

/** The frame so many levels above. */
const climb = (frame: Frame, levels: number): Frame => {
  let reached = frame;
  for (let step = 0; step < levels; step += 1) reached = reached.up as Frame;
  return reached;
};

/** A part of an expression, compiled: evaluated for an input, with the variables of its place. */
export type Closure = (input: unknown, frame: Frame) => unknown;
