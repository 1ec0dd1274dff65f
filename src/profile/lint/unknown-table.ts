import { didYouMean } from '../suggest.ts';
import { pathsOf, placeOfNode, tablesAsked } from './references.ts';
import type { Rule } from './rule.ts';

/** unknown-table: a look-up in a table that `tables` does not declare. */
export const unknownTable: Rule = ({ carrier, context, findings }) => {
  if (carrier.abstract) return;
  const known = Object.keys(carrier.tables);
  for (const { source, tree } of context.uses) {
    const named = pathsOf(tree).flatMap(({ names, nodes }) => {
      const node = nodes[1];
      return names[0] === 'tables' && node !== undefined ? [{ name: names[1], node }] : [];
    });
    for (const { name, node } of [...tablesAsked(tree), ...named]) {
      if (name === undefined || known.includes(name)) continue;
      const help = didYouMean(name, known) ?? 'declare it under tables';
      findings.error('unknown-table', placeOfNode(source, node), `there is no table "${name.slice(0, 60)}"`, help);
    }
  }
};
