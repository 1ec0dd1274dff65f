import type { Ast } from './parse.ts';
import type { Binding, VariablePlace, Scope } from './tree.ts';

/** Keys that refer back to the tree a node belongs to. */
const BACKWARDS = new Set(['slot', 'ancestor', 'seekingParent']);

/** The parts of a node or a list, whatever they are called. */
const partsOf = (part: object): readonly unknown[] =>
  Array.isArray(part) ? part : Object.entries(part).flatMap(([key, value]) => (BACKWARDS.has(key) ? [] : [value]));

const isTree = (part: unknown): part is Ast => typeof part === 'object' && part !== null && !(part instanceof RegExp);

/** A tree is asked at every level, and answers for each of its parts once. */
const known = new WeakMap<object, ReadonlySet<string>>();
const none: ReadonlySet<string> = new Set();

/** Names assigned directly in a part, not inside a block or function of its own. */
const namesIn = (part: unknown): ReadonlySet<string> => {
  if (!isTree(part)) return none;
  let names = known.get(part);
  if (names === undefined) {
    names = findNames(part);
    known.set(part, names);
  }
  return names;
};

const findNames = (ast: Ast): ReadonlySet<string> => {
  if (ast.type === 'lambda' && ast.thunk !== true) return none;
  const parts = ast.type === 'block' ? [ast.predicate, ast.stages, ast.group] : partsOf(ast);
  const found = new Set(ast.type === 'bind' ? [String((ast.lhs as Ast).value)] : []);
  for (const part of parts) for (const name of namesIn(part)) found.add(name);
  return found.size === 0 ? none : found;
};

/** Names assigned directly in these parts. */
export const assignedNames = (parts: readonly Ast[]): ReadonlySet<string> => namesIn(parts);

/** What has to be known of an expression before its parts are resolved. */
export interface Survey {
  /** Every name that `@`, `#` or `%` may put into a tuple. */
  readonly tupleNames: ReadonlySet<string>;
  /** `$map` or `$each` is named: they put what a function gave into a sequence as it is, be it a sequence itself. */
  readonly nestsSequences: boolean;
}

export const survey = (tree: Ast): Survey => {
  const tupleNames = new Set<string>();
  let nestsSequences = false;
  const visit = (part: unknown): void => {
    if (!isTree(part)) return;
    const { type, value, focus, index, ancestor } = part;
    if (type === 'variable' && (value === 'map' || value === 'each')) nestsSequences = true;
    if (type === 'index') tupleNames.add(String(value));
    for (const name of [focus, index, ancestor?.label]) if (name !== undefined) tupleNames.add(name);
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(tree);
  return { tupleNames, nestsSequences };
};

/** The scopes around a place, from the inside out. */
export class ScopeChain {
  readonly scope: Scope;
  readonly #tupleNames: ReadonlySet<string>;

  constructor(scope: Scope, tupleNames: ReadonlySet<string>) {
    this.scope = scope;
    this.#tupleNames = tupleNames;
  }

  /** The chain inside a block, function or tuple with these contents. */
  inner(kind: Scope['kind'], contents: readonly Ast[], parameters: readonly string[]): ScopeChain {
    const names = [...parameters, ...assignedNames(contents)];
    return new ScopeChain(makeScope(kind, this.scope, names), this.#tupleNames);
  }

  /** Where an assignment to this name goes. */
  target(name: string): Binding {
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.parent) {
      const binding = scope.bindings.get(name);
      if (binding !== undefined) return binding;
      if (scope.kind !== 'tuple') break;
    }
    throw new Error(`No scope was prepared for $${name}`);
  }

  /** Where a variable of this name may be found. */
  places(name: string): readonly VariablePlace[] {
    const places: VariablePlace[] = [];
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.parent) {
      const binding = scope.bindings.get(name);
      if (binding !== undefined) places.push(binding);
      if (scope.kind === 'tuple' && this.#tupleNames.has(name)) places.push(scope);
    }
    return places;
  }
}

export const makeScope = (kind: Scope['kind'], parent: Scope | undefined, names: Iterable<string>): Scope => {
  const bindings = new Map<string, Binding>();
  const scope: Scope = { kind, parent, bindings };
  for (const name of names) if (!bindings.has(name)) bindings.set(name, { name, scope, index: bindings.size });
  return scope;
};
