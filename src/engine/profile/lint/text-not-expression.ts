import { isRoot } from '../../mapping/roots.ts';
import { elementsOf, type Type, union } from '../../mapping/types/type.ts';
import { joinRoots, rootTypesOf } from '../types/root-types.ts';
import type { Rule } from './rule.ts';

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
    input.findings.warning('text-not-expression', place, message, `write \${${shown}} for its value`);
  }
};

const fieldIn = (type: Type | undefined, name: string): Type | undefined =>
  type === undefined ? undefined : elementsOf(type).object?.fields.get(name);

const has = (type: Type | undefined, [field = '', ...more]: readonly string[]): boolean => {
  const inner = fieldIn(type, field);
  return inner !== undefined && (more.length === 0 || inner.any === true || has(inner, more));
};
