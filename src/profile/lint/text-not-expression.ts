import { ROOT_SHAPES, type Shape } from '../../mapping/shape.ts';
import { isRoot } from '../../mapping/roots.ts';
import { shapesOf } from './expressions.ts';
import type { Rule } from './rule.ts';

const PATH = /^\$?[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/;

/**
 * text-not-expression: a text that was meant to stand in `${ }`. Only where the root is known to have the field:
 * `shipment.trackingNumber` was to be read, while `shipment.updated` is a name that some carrier gave an event.
 */
export const textNotExpression: Rule = (input) => {
  const shapes = { ...ROOT_SHAPES, item: ITEM, ...shapesOf(input) };
  for (const { text, place } of input.context.texts) {
    if (!PATH.test(text)) continue;
    const [root = '', ...fields] = text.replace('$', '').split('.');
    if (!isRoot(root) || !has(shapes[root], fields)) continue;
    const shown = text.slice(0, 60);
    const message = `this is sent as written: "${shown}"`;
    input.findings.warning('text-not-expression', place, message, `write \${${shown}} for its value`);
  }
};

const has = (shape: Shape | undefined, fields: readonly string[]): boolean => {
  if (shape === undefined || shape === 'open') return false;
  const [field = '', ...more] = fields;
  const inner = shape.get(field);
  return inner !== undefined && (more.length === 0 || inner === 'open' || has(inner, more));
};

const fieldsOf = (shape: Shape | undefined, field: string): readonly (readonly [string, Shape])[] => {
  const inner = shape === undefined || shape === 'open' ? undefined : shape.get(field);
  return inner === undefined || inner === 'open' ? [] : [...inner];
};

/** An item of the consignment or a package of the shipment, which it is in most places. */
const ITEM: Shape = new Map([
  ...fieldsOf(ROOT_SHAPES.consignment, 'itemList'),
  ...fieldsOf(ROOT_SHAPES.shipment, 'packages'),
]);
