import { waysThrough } from '../../jsonata/regex-cost.ts';
import { survey } from '../../jsonata/scope.ts';
import { isRoot } from '../../mapping/roots.ts';
import { elementsOf, type Type, unionOf } from '../../mapping/types/type.ts';
import { walk } from '../../mapping/walk.ts';
import { entriesOf, valueOf } from '../tree.ts';
import { joinRoots, rootTypesOf } from '../types/root-types.ts';
import { placeOfNode } from './references.ts';
import type { Rule } from './rule.ts';

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

/**
 * costly-regex: a repetition of what itself matches in several ways, as in `(a+)+`. On some texts a search for it
 * doubles its time with every further letter.
 */
const costlyRegex: Rule = ({ uses, profile, findings }) => {
  const help = 'do not repeat a repetition or an alternation: (a+)+ is a+';
  const message = 'this regular expression can take very long on some texts';
  for (const { source, tree } of uses) {
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
const textNotExpression: Rule = (input) => {
  const types = rootTypesOf(input);
  const roots = joinRoots([types.at({ position: 'register' }, true), types.at({ position: 'events' }, true)]);
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
