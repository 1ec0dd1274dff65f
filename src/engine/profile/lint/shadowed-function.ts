import { standardNames } from '../../jsonata/functions/library.ts';
import type { Ast, Stage } from '../../jsonata/parse.ts';
import { LIBRARY } from '../../mapping/functions/library.ts';
import { partsOf } from '../../mapping/walk.ts';
import { placeOfNode } from './references.ts';
import type { Rule } from './rule.ts';

/** Names of functions that a variable has taken, and those that were given back to a function. */
type Scope = Map<string, boolean>;

/** shadowed-function: `$number := …`, behind which `$number(…)` calls a value. */
export const shadowedFunction: Rule = ({ context, findings }) => {
  for (const { source, tree } of context.uses) {
    for (const { node, name } of callsOfShadowed(tree)) {
      const message = `$${name} is a variable here, so that $${name}(…) does not call the function`;
      findings.warning('shadowed-function', placeOfNode(source, node), message, 'give the variable another name');
    }
  }
};

const isFunction = (name: string): boolean => LIBRARY.has(name) || standardNames.has(name);

/** May a value be a function, so that its variable may well be called? */
const mayBeFunction = (node: Ast | undefined): boolean => {
  switch (node?.type) {
    case 'lambda':
    case 'partial':
    case 'transform':
    case 'variable':
    case 'apply':
      return true;
    case 'block':
      return mayBeFunction(node.expressions?.at(-1));
    case 'condition':
      return mayBeFunction(node.then) || mayBeFunction(node.else);
    default:
      return false;
  }
};

/** What a node calls: `$number(…)`, `$number(?)`, `… ~> $number`. */
const calledBy = (node: Ast): Ast | undefined => {
  if (node.type === 'function' || node.type === 'partial') return node.procedure;
  return node.type === 'apply' ? node.rhs : undefined;
};

const bind = (scope: Scope, name: unknown, taken: boolean): void => {
  if (typeof name === 'string' && isFunction(name)) scope.set(name, taken);
};

const callsOfShadowed = (tree: Ast): readonly { readonly node: Ast; readonly name: string }[] => {
  const found: { node: Ast; name: string }[] = [];
  const stages = (list: readonly Stage[] | undefined, scope: Scope): void => {
    for (const stage of list ?? []) {
      if (stage.expr !== undefined) visit(stage.expr, scope);
      if (stage.type === 'index') bind(scope, stage.value, true);
    }
  };
  /** In the order in which it is evaluated; what a block, a function or a path binds ends with it. */
  const visit = (node: Ast, outer: Scope): void => {
    const ends = node.type === 'block' || node.type === 'lambda' || node.type === 'path';
    const scope = ends ? new Map(outer) : outer;
    const called = calledBy(node);
    if (called?.type === 'variable' && scope.get(String(called.value)) === true) {
      found.push({ node: called, name: String(called.value) });
    }
    if (node.type === 'lambda') for (const { value } of node.arguments ?? []) bind(scope, value, false);
    if (node.type === 'bind') {
      if (node.rhs !== undefined) visit(node.rhs, scope);
      bind(scope, (node.lhs as Ast).value, !mayBeFunction(node.rhs));
    } else for (const part of partsOf(node)) visit(part, scope);
    bind(scope, node.focus, true);
    bind(scope, node.index, true);
    stages(node.predicate, scope);
    stages(node.stages, scope);
    for (const part of node.group?.lhs.flat() ?? []) visit(part, scope);
  };
  visit(tree, new Map());
  return found;
};
