import type { Ast, Group, Stage } from './parse.ts';
import type { GroupNode, Node, PathNode, Scope, SortTerm, Step, StepStage } from './tree.ts';

/** Resolves the parts of a path, in the scopes of the place it stands at. */
export interface PartResolver {
  node(ast: Ast): Node;
  variable(name: string): Node;
  group(group: Group, tuples: boolean): GroupNode;
  /** The same inside a tuple with these contents, and that tuple's scope; as it is without tuples. */
  perTuple(tuples: boolean, contents: readonly Ast[]): { readonly inner: PartResolver; readonly scope?: Scope };
}

const isPlain = (step: Ast, type: 'name' | 'variable'): boolean =>
  step.type === type &&
  step.stages === undefined &&
  step.predicate === undefined &&
  step.group === undefined &&
  step.keepArray !== true &&
  step.tuple !== true;

/** `a.b.c` and `$x.b.c`, by far the most frequent paths, have a node of their own. */
const plainFields = (resolver: PartResolver, ast: Ast): Node | undefined => {
  const [first, ...rest] = ast.steps ?? [];
  if (ast.group !== undefined || ast.keepSingletonArray === true || ast.tuple === true || ast.predicate !== undefined) {
    return undefined;
  }
  if (first === undefined) return undefined;
  const fromVariable = isPlain(first, 'variable');
  const named = fromVariable ? rest : [first, ...rest];
  if (named.length === 0 || !named.every((step) => isPlain(step, 'name'))) return undefined;
  return {
    kind: 'fields',
    base: fromVariable ? resolver.variable(String(first.value)) : undefined,
    names: named.map((step) => String(step.value)),
  };
};

/** A path. */
export const resolvePath = (resolver: PartResolver, ast: Ast): Node => {
  const fields = plainFields(resolver, ast);
  if (fields !== undefined) return fields;
  let tuples = false;
  const steps = (ast.steps ?? []).map((step) => {
    tuples ||= step.tuple === true;
    return resolveStep(resolver, step, tuples);
  });
  return {
    kind: 'path',
    steps,
    fromVariable: ast.steps?.[0]?.type === 'variable',
    keep: ast.keepSingletonArray === true,
    carriesTuples: tuples && ast.tuple === true,
    group: ast.group === undefined ? undefined : resolver.group(ast.group, tuples),
  } satisfies PathNode;
};

const resolveStep = (resolver: PartResolver, step: Ast, tuples: boolean): Step => {
  const { inner, scope } = resolver.perTuple(tuples, [{ ...step, stages: [] }]);
  const sort = step.type === 'sort';
  const terms = (step.terms ?? []).map((term): SortTerm => {
    const place = resolver.perTuple(tuples, [term.expression]);
    return { descending: term.descending, value: place.inner.node(term.expression), scope: place.scope };
  });
  return {
    node: sort ? undefined : inner.node(step),
    sort: sort ? { terms, at: Math.max(0, (step.position ?? 1) - 1) } : undefined,
    stages: (step.stages ?? []).map((stage) => resolveStage(resolver, stage, tuples)),
    constructed: step.consarray === true,
    tuple: step.tuple === true,
    scope,
    // `@$` and `#$` name nothing.
    focus: step.focus || undefined,
    index: step.index || undefined,
    ancestor: step.ancestor?.label,
  };
};

const resolveStage = (resolver: PartResolver, stage: Stage, tuples: boolean): StepStage => {
  if (stage.type === 'index' || stage.expr === undefined) return { kind: 'index', name: String(stage.value) };
  const { inner, scope } = resolver.perTuple(tuples, [stage.expr]);
  return { kind: 'filter', predicate: inner.node(stage.expr), scope };
};
