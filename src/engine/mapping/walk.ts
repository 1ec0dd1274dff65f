import type { Ast, Stage } from '../jsonata/parse.ts';

/** The direct children of a node without its filters and groups, in source order as far as the tree keeps it. */
export const partsOf = (node: Ast): readonly Ast[] => {
  const parts: Ast[] = [];
  addParts(node, parts);
  return parts;
};

// Lists and not generators: every rule of lint walks every expression.
const addParts = (node: Ast, parts: Ast[]): void => {
  if (node.procedure !== undefined) parts.push(node.procedure);
  if (node.steps !== undefined) parts.push(...node.steps);
  // A pair list for constructors, a node for operators and assignments.
  if (Array.isArray(node.lhs)) {
    for (const [key, value] of node.lhs as readonly (readonly [Ast, Ast])[]) parts.push(key, value);
  } else if (typeof node.lhs === 'object' && node.lhs !== null) {
    parts.push(node.lhs as Ast);
  }
  for (const child of [node.rhs, node.expression, node.condition, node.then, node.else]) {
    if (child !== undefined) parts.push(child);
  }
  if (node.expressions !== undefined) parts.push(...node.expressions);
  if (node.arguments !== undefined) parts.push(...node.arguments);
  for (const child of [node.body, node.pattern, node.update, node.delete]) {
    if (child !== undefined) parts.push(child);
  }
  for (const term of node.terms ?? []) parts.push(term.expression);
};

const addFilters = (stages: readonly Stage[] | undefined, parts: Ast[]): void => {
  for (const { expr } of stages ?? []) if (expr !== undefined) parts.push(expr);
};

/** Visits a node and all its descendants, outermost first. Not recursive, so that no expression is nested too deeply. */
export function walk(node: Ast, visit: (node: Ast) => void): void {
  const waiting: Ast[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    visit(next);
    const children: Ast[] = [];
    addParts(next, children);
    addFilters(next.predicate, children);
    addFilters(next.stages, children);
    for (const [key, value] of next.group?.lhs ?? []) children.push(key, value);
    for (let at = children.length - 1; at >= 0; at -= 1) waiting.push(children[at] as Ast);
  }
}
