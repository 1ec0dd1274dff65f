import { standardNames } from '../../jsonata/functions/library.ts';
import type { Ast, Stage } from '../../jsonata/parse.ts';
import { waysThrough } from '../../jsonata/regex-cost.ts';
import { resolve } from '../../jsonata/resolve.ts';
import { LIBRARY } from '../../mapping/functions/library.ts';
import { isRoot } from '../../mapping/roots.ts';
import { elementsOf, type Type, union } from '../../mapping/types/type.ts';
import { partsOf, walk } from '../../mapping/walk.ts';
import { entriesOf, valueOf } from '../tree.ts';
import { joinRoots, rootTypesOf } from '../types/root-types.ts';
import { placeOfNode } from './references.ts';
import type { Rule } from './rule.ts';

/** Names of functions that a variable has taken, and those that were given back to a function. */
type Scope = Map<string, boolean>;

/** shadowed-function: `$number := …`, behind which `$number(…)` calls a value. */
export const shadowedFunction: Rule = ({ context, findings }) => {
  for (const { source, tree } of context.uses) {
    for (const { node, name } of callsOfShadowed(tree)) {
      const message = `$${name} is a variable here, so that $${name}(…) does not call the function`;
      findings.report('shadowed-function', placeOfNode(source, node), message, 'give the variable another name');
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

/**
 * sibling-order: an element of an array, or a value of an object, that assigns a variable its siblings see. Here they
 * are evaluated from top to bottom; JSONata leaves their order open.
 */
export const siblingOrder: Rule = ({ context, findings }) => {
  for (const { source, tree } of context.uses) {
    if (!source.text.includes(':=')) continue;
    for (const offset of resolve(tree, source.text).siblingAssignments) {
      const message = 'what stands beside this may be evaluated before it or after it';
      findings.report('sibling-order', source.placeAt(offset), message, 'assign it before, as in ($x := 1; [$x, $x])');
    }
  }
};

/**
 * costly-regex: a repetition of what itself matches in several ways, as in `(a+)+`. On some texts a search for it
 * doubles its time with every further letter.
 */
export const costlyRegex: Rule = ({ context, profile, findings }) => {
  const help = 'repeat nothing that repeats, or that has alternatives: (a+)+ is a+';
  const message = 'this regular expression can take very long on some texts';
  for (const { source, tree } of context.uses) {
    walk(tree, (node) => {
      if (node.type !== 'regex' || !(node.value instanceof RegExp) || !explodes(node.value.source)) return;
      findings.report('costly-regex', placeOfNode(source, node), message, help);
    });
  }
  for (const section of ['credentials', 'settings'] as const) {
    for (const { value } of entriesOf(valueOf(profile, section))) {
      const pattern = valueOf(value, 'pattern');
      if (pattern?.kind !== 'scalar' || !explodes(pattern.text)) continue;
      findings.report('costly-regex', pattern.place, message, help);
    }
  }
};

const explodes = (pattern: string): boolean => waysThrough(pattern).factor === Infinity;

const PATH = /^\$?[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/;

/**
 * text-not-expression: a text that was meant to stand in `${ }`. Only where the root is known to have the field:
 * `shipment.trackingNumber` was to be read, while `shipment.updated` is a name that some carrier gave an event.
 */
export const textNotExpression: Rule = (input) => {
  const types = rootTypesOf(input);
  const roots = joinRoots([types.at({ position: 'register' }, true), types.at({ position: 'events' }, true)]);
  // An item of the consignment or a package of the shipment, which it is in most places.
  const item = union(
    fieldIn(roots.get('consignment'), 'itemList') ?? {},
    fieldIn(roots.get('shipment'), 'packages') ?? {},
  );
  for (const { text, place } of input.context.texts) {
    if (!PATH.test(text)) continue;
    const [root = '', ...fields] = text.replace('$', '').split('.');
    if (!isRoot(root) || !has(root === 'item' ? item : roots.get(root), fields)) continue;
    const shown = text.slice(0, 60);
    const message = `this is sent as written: "${shown}"`;
    input.findings.report('text-not-expression', place, message, `write \${${shown}} for its value`);
  }
};

const fieldIn = (type: Type | undefined, name: string): Type | undefined =>
  type === undefined ? undefined : elementsOf(type).object?.fields.get(name);

const has = (type: Type | undefined, [field = '', ...more]: readonly string[]): boolean => {
  const inner = fieldIn(type, field);
  return inner !== undefined && (more.length === 0 || inner.any === true || has(inner, more));
};
