import type { ClosureScope } from './closure-scope.ts';
import { CannotGenerate, unknownValue, type Context, type Emitter, type Value } from './emitter.ts';
import type { Binding, Node, Scope } from './tree.ts';

interface Uses {
  readonly read: Set<Binding>;
  readonly written: Set<Binding>;
  readonly scopes: Set<Scope>;
  /** Scopes whose tuples may hold the variable of that name. */
  readonly tuples: { readonly scope: Scope; readonly name: string }[];
  functions: boolean;
}

const isBinding = (place: Binding | Scope): place is Binding => !('bindings' in place);

/** Finds the variables that a tree uses; it is plain data, walked whatever its form. */
const collectUses = (part: unknown, uses: Uses): void => {
  if (Array.isArray(part)) {
    for (const item of part) collectUses(item, uses);
    return;
  }
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return;
  const node = part as Partial<Node> & Record<string, unknown>;
  if (node.kind === 'variable') {
    for (const place of node['places'] as readonly (Binding | Scope)[]) {
      if (isBinding(place)) uses.read.add(place);
      else uses.tuples.push({ scope: place, name: String(node['name']) });
    }
    return;
  }
  if (node.kind === 'function' || node.kind === 'transform' || node.kind === 'partial') uses.functions = true;
  if (node.kind === 'bind') uses.written.add(node['target'] as Binding);
  for (const [key, value] of Object.entries(node)) {
    if (key === 'scope') {
      if (value !== undefined) uses.scopes.add(value as Scope);
    } else if (key !== 'target' && key !== 'parameters') {
      collectUses(value, uses);
    }
  }
};

/** Leaves a part to closures, which get the variables it uses by value. */
export const emitFallback = (
  e: Emitter,
  node: Node,
  context: Context,
  given: (bindings: readonly Binding[]) => ClosureScope,
): Value => {
  const uses: Uses = { read: new Set(), written: new Set(), scopes: new Set(), tuples: [], functions: false };
  collectUses(node, uses);
  const outside = (binding: Binding): boolean => !uses.scopes.has(binding.scope);
  const read = [...uses.read].filter(outside);
  if ([...uses.written].some(outside)) {
    throw new CannotGenerate('a variable is assigned from inside a path that binds with @, # or %', 0);
  }
  if (uses.tuples.some(({ scope, name }) => e.placeIn(scope, name) !== undefined)) {
    throw new CannotGenerate('a path that binds with @, # or % uses the number of an item around it', 0);
  }
  if (uses.functions && read.some((binding) => binding.writes > 1 || !e.isAssigned(binding))) {
    throw new CannotGenerate('a function inside a path that binds with @, # or % uses a variable that changes', 0);
  }
  e.notGenerated.push({
    position: positionOf(node),
    what: 'path',
    why: 'it binds with @, # or looks at its parents with %; these run as closures',
  });
  const closure = e.constant(given(read).compile(node));
  const values = read.map((binding) => e.variable(binding)).join(', ');
  return unknownValue(e.hold(`${e.use('fallback')}(${closure}, c, ${context.js}, [${values}])`));
};

const positionOf = (node: Node): number => {
  if (node.kind === 'path') return node.at;
  if (node.kind === 'group') return node.group.at;
  return 0;
};
