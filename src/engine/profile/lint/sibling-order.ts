import { resolve } from '../../jsonata/resolve.ts';
import type { Rule } from './rule.ts';

/**
 * sibling-order: an element of an array, or a value of an object, that assigns a variable its siblings see. Here they
 * are evaluated from top to bottom; JSONata leaves their order open.
 */
export const siblingOrder: Rule = ({ context, findings }) => {
  for (const { source, tree } of context.uses) {
    if (!source.text.includes(':=')) continue;
    for (const offset of resolve(tree, source.text).siblingAssignments) {
      const message = 'what stands beside this may be evaluated before it or after it';
      findings.warning('sibling-order', source.placeAt(offset), message, 'assign it before, as in ($x := 1; [$x, $x])');
    }
  }
};
