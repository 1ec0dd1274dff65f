import type { Ast } from './parse.ts';
import type { Resolver } from './resolve.ts';
import type { Node, PathNode, Scope, SortTerm, Step, StepStage } from './tree.ts';

/** The scope that a part evaluated once per tuple runs in. */
export const stepScope = (resolver: Resolver, tuples: boolean): Scope | undefined =>
  tuples ? resolver.chain.scope : undefined;

const isPlainName = (step: Ast): boolean =>
  step.type === 'name' &&
  step.stages === undefined &&
  step.predicate === undefined &&
  step.group === undefined &&
  step.keepArray !== true &&
  step.tuple !== true;

const isPlainVariable = (step: Ast): boolean =>
  step.type === 'variable' &&
  step.predicate === undefined &&
  step.stages === undefined &&
  step.group === undefined &&
  step.keepArray !== true &&
  step.tuple !== true;

/** `a.b.c` and `$x.b.c`, by far the most frequent paths, have a node of their own. */
const plainFields = (resolver: Resolver, ast: Ast): Node | undefined => {
  const steps = ast.steps ?? [];
  if (ast.group !== undefined || ast.keepSingletonArray === true || ast.tuple === true || ast.predicate !== undefined) {
    return undefined;
  }
  const first = steps[0];
  if (first === undefined) return undefined;
  const fromVariable = isPlainVariable(first);
  const named = fromVariable ? steps.slice(1) : steps;
  if (named.length === 0 || !named.every(isPlainName)) return undefined;
  return {
    kind: 'fields',
    base: fromVariable ? resolver.variable(String(first.value)) : undefined,
    names: named.map((step) => String(step.value)),
  };
};

/** True for `items#$place.{…}`: what its tuples hold is known, so that all other names are what they are around it. */
const isNumbered = (steps: readonly Ast[]): boolean => {
  const [first, second] = steps;
  return (
    steps.length === 2 &&
    (first?.type === 'name' || first?.type === 'variable') &&
    second?.type === 'unary' &&
    second.value === '{' &&
    steps.every(
      ({ focus, ancestor, stages, predicate, group }) =>
        !(focus || ancestor || stages !== undefined || predicate !== undefined || group !== undefined),
    )
  );
};

/** A path. */
export const resolvePath = (resolver: Resolver, ast: Ast): Node => {
  const fields = plainFields(resolver, ast);
  if (fields !== undefined) return fields;
  const holds = isNumbered(ast.steps ?? []) ? new Set(ast.steps?.map(({ index }) => index ?? '')) : undefined;
  let tuples = false;
  const steps = (ast.steps ?? []).map((step) => {
    tuples ||= step.tuple === true;
    return resolveStep(resolver, step, tuples, holds);
  });
  const path: PathNode = {
    kind: 'path',
    steps,
    fromVariable: ast.steps?.[0]?.type === 'variable',
    keep: ast.keepSingletonArray === true,
    carriesTuples: tuples && ast.tuple === true,
    at: resolver.at(ast),
    group: ast.group === undefined ? undefined : resolver.group(ast.group, tuples),
  };
  return path;
};

const resolveStep = (resolver: Resolver, step: Ast, tuples: boolean, holds: ReadonlySet<string> | undefined): Step => {
  const contents = [{ ...step, stages: [] }];
  const inner = !tuples
    ? resolver
    : holds === undefined
      ? resolver.within('tuple', contents)
      : resolver.withinTuple(contents, holds);
  const sort =
    step.type === 'sort'
      ? {
          terms: (step.terms ?? []).map((term) => sortTerm(resolver, term, tuples)),
          at: Math.max(0, (step.position ?? 1) - 1),
        }
      : undefined;
  return {
    node: sort === undefined ? inner.node(step) : undefined,
    sort,
    stages: (step.stages ?? []).map((stage) => resolveStage(resolver, stage, tuples)),
    constructed: step.consarray === true,
    tuple: step.tuple === true,
    scope: stepScope(inner, tuples),
    // `@$` and `#$` name nothing.
    focus: step.focus || undefined,
    index: step.index || undefined,
    ancestor: step.ancestor?.label,
  };
};

const sortTerm = (
  resolver: Resolver,
  term: { readonly descending: boolean; readonly expression: Ast },
  tuples: boolean,
): SortTerm => {
  const inner = tuples ? resolver.within('tuple', [term.expression]) : resolver;
  return { descending: term.descending, value: inner.node(term.expression), scope: stepScope(inner, tuples) };
};

const resolveStage = (
  resolver: Resolver,
  stage: { readonly type: string; readonly expr?: Ast; readonly value?: string },
  tuples: boolean,
): StepStage => {
  if (stage.type === 'index' || stage.expr === undefined) return { kind: 'index', name: String(stage.value) };
  const inner = tuples ? resolver.within('tuple', [stage.expr]) : resolver;
  return { kind: 'filter', predicate: inner.node(stage.expr), scope: stepScope(inner, tuples) };
};
