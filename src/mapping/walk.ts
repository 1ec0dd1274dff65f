import type { Ast } from '../jsonata/parse.ts';

/** What a node itself is made of, in the order of the text as far as the tree keeps it. */
export function* partsOf(node: Ast): Generator<Ast> {
  if (node.procedure !== undefined) yield node.procedure;
  yield* node.steps ?? [];
  // A pair list for constructors, a node for operators and assignments.
  if (Array.isArray(node.lhs)) {
    for (const pair of node.lhs as readonly (readonly [Ast, Ast])[]) yield* pair;
  } else if (typeof node.lhs === 'object' && node.lhs !== null) {
    yield node.lhs as Ast;
  }
  for (const child of [node.rhs, node.expression, node.condition, node.then, node.else]) {
    if (child !== undefined) yield child;
  }
  yield* node.expressions ?? [];
  yield* node.arguments ?? [];
  for (const child of [node.body, node.pattern, node.update, node.delete]) {
    if (child !== undefined) yield child;
  }
  for (const term of node.terms ?? []) yield term.expression;
}

/** All nodes directly within a node: its parts, and what filters and groups their value. */
function* childrenOf(node: Ast): Generator<Ast> {
  yield* partsOf(node);
  for (const stage of [...(node.predicate ?? []), ...(node.stages ?? [])]) {
    if (stage.expr !== undefined) yield stage.expr;
  }
  for (const pair of node.group?.lhs ?? []) yield* pair;
}

/** Visits a node and all within it, outermost first. Keeps no stack, so that no text is nested too deeply for it. */
export function walk(node: Ast, visit: (node: Ast) => void): void {
  const waiting: Ast[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    visit(next);
    waiting.push(...[...childrenOf(next)].toReversed());
  }
}
