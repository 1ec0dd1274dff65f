import type { Ast } from './parse.ts';
import type { Binding, Place, Scope } from './tree.ts';

/** A tree is asked at every level, and answers for each of its parts once. */
const known = new WeakMap<object, readonly string[]>();
const none: readonly string[] = [];
/** A slot refers back to the tree it belongs to. */
const backwards = new Set(['slot', 'ancestor', 'seekingParent']);

const namesIn = (part: unknown): readonly string[] => {
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return none;
  let names = known.get(part);
  if (names === undefined) {
    names = findNames(part);
    known.set(part, names);
  }
  return names;
};

const findNames = (part: object): readonly string[] => {
  if (Array.isArray(part)) return union(part);
  const ast = part as Ast;
  if (ast.type === 'block') return union([ast.predicate, ast.stages, ast.group]);
  if (ast.type === 'lambda' && ast.thunk !== true) return none;
  const own = ast.type === 'bind' ? [String((ast.lhs as Ast).value)] : none;
  const parts = Object.entries(ast).flatMap(([key, value]) => (backwards.has(key) ? [] : [value as unknown]));
  return own.length === 0 ? union(parts) : [...new Set([...own, ...union(parts)])];
};

const union = (parts: readonly unknown[]): readonly string[] => {
  let found = none;
  for (const part of parts) {
    const names = namesIn(part);
    if (names.length > 0) found = found.length === 0 ? names : [...new Set([...found, ...names])];
  }
  return found;
};

/** Names assigned directly in these parts, not inside a block or function of their own. */
export const assignedNames = (parts: readonly unknown[]): ReadonlySet<string> => new Set(union(parts));

/** The scopes around a place, from the inside out. */
export class ScopeChain {
  readonly scope: Scope;

  private constructor(scope: Scope) {
    this.scope = scope;
  }

  static top(ast: Ast): ScopeChain {
    return new ScopeChain(makeScope('top', undefined, assignedNames([ast])));
  }

  /** The chain inside a block, function or tuple with these contents. */
  inner(kind: Scope['kind'], contents: readonly Ast[], parameters: readonly string[]): ScopeChain {
    return new ScopeChain(makeScope(kind, this.scope, new Set([...parameters, ...assignedNames(contents)])));
  }

  /** The chain inside a tuple with these contents, which holds these variables and no others. */
  innerTuple(contents: readonly Ast[], holds: ReadonlySet<string>): ScopeChain {
    return new ScopeChain(makeScope('tuple', this.scope, assignedNames(contents), holds));
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
  places(name: string): readonly Place[] {
    const places: Place[] = [];
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.parent) {
      const binding = scope.bindings.get(name);
      if (binding !== undefined) places.push(binding);
      if (scope.kind === 'tuple' && scope.holds?.has(name) !== false) places.push(scope);
    }
    return places;
  }
}

const makeScope = (
  kind: Scope['kind'],
  parent: Scope | undefined,
  names: ReadonlySet<string>,
  holds?: ReadonlySet<string>,
): Scope => {
  const scope: Scope = { kind, parent, bindings: new Map(), holds };
  for (const name of names) {
    scope.bindings.set(name, { name, scope, index: scope.bindings.size, writes: 0 });
  }
  return scope;
};
