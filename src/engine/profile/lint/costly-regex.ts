import { waysThrough } from '../../jsonata/regex-cost.ts';
import { walk } from '../../mapping/walk.ts';
import { entriesOf, valueOf } from '../tree.ts';
import { placeOfNode } from './references.ts';
import type { Rule } from './rule.ts';

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
      findings.warning('costly-regex', placeOfNode(source, node), message, help);
    });
  }
  for (const section of ['credentials', 'settings'] as const) {
    for (const { value } of entriesOf(valueOf(profile, section))) {
      const pattern = valueOf(value, 'pattern');
      if (pattern?.kind !== 'scalar' || !explodes(pattern.text)) continue;
      findings.warning('costly-regex', pattern.place, message, help);
    }
  }
};

const explodes = (pattern: string): boolean => waysThrough(pattern).factor === Infinity;
