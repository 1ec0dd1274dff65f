import { walk } from '../../jsonata/parse.ts';
import type { Place } from '../../failure.ts';
import { GuardedRegex } from '../../jsonata/regex.ts';
import { survey } from '../../jsonata/scope.ts';
import { isRoot } from '../../mapping/roots.ts';
import { elementsOf, type Type, unionOf } from '../../mapping/types/type.ts';
import { regexOf } from '../language/kinds.ts';
import { entriesOf, valueOf } from '../tree.ts';
import { joinRoots, rootTypesOf } from '../types/root-types.ts';
import { placeOfNode, type Rule } from './rule.ts';

/**
 * sibling-order: an element of an array, or a value of an object, that assigns a variable its siblings see. Here they
 * are evaluated from top to bottom; JSONata leaves their order open.
 */
const siblingOrder: Rule = ({ uses, findings }) => {
  for (const { source, tree } of uses) {
    if (!source.text.includes(':=')) continue;
    for (const sibling of survey(tree).siblingAssignments) {
      const message = 'its siblings may be evaluated before or after it';
      const help = 'assign it before, as in ($x := 1; [$x, $x])';
      findings.report('sibling-order', placeOfNode(source, sibling), message, help);
    }
  }
};

/** costly-regex: a pattern that can be run neither by backtracking within bounds nor by the linear engine. */
const costlyRegex: Rule = ({ uses, profile, findings }) => {
  const check = (regex: GuardedRegex | undefined, place: () => Place): void => {
    if (regex === undefined || regex.isSafe) return;
    const help = 'repeat no repetition, as in (a+)+, beside a look-around or back reference, nor anything very often';
    findings.report('costly-regex', place(), 'this regular expression could take very long', help);
  };
  for (const { source, tree } of uses) {
    walk(tree, (node) => {
      if (node.type !== 'regex' || !(node.value instanceof RegExp)) return;
      check(new GuardedRegex(node.value.source, node.value.flags), () => placeOfNode(source, node));
    });
  }
  for (const section of ['credentials', 'settings'] as const) {
    for (const { value } of entriesOf(valueOf(profile, section))) {
      const pattern = valueOf(value, 'pattern');
      if (pattern?.kind === 'scalar') check(regexOf(pattern.text), () => pattern.place);
    }
  }
};

const PATH = /^\$?[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/;

/**
 * text-not-expression: a text that was meant to stand in `${ }`. Only where the root is known to have the field:
 * `shipment.trackingNumber` was to be read, while `shipment.updated` is a name that some carrier gave an event.
 */
const textNotExpression: Rule = (input) => {
  const types = rootTypesOf(input);
  const roots = joinRoots([types({ position: 'register' }, true), types({ position: 'events' }, true)]);
  // An item of the consignment or a package of the shipment, which it is in most places.
  const item = unionOf([
    fieldIn(roots.get('consignment'), 'itemList') ?? {},
    fieldIn(roots.get('shipment'), 'packages') ?? {},
  ]);
  for (const { text, place } of input.texts) {
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

export const EXPRESSION_RULES: readonly Rule[] = [siblingOrder, costlyRegex, textNotExpression];
