import { didYouMean } from '../suggest.ts';
import { placeOfNode, tablesAsked } from './references.ts';
import type { Rule } from './rule.ts';

/** unknown-table: `$table` of one that `tables` does not declare. A path into `tables` is told by its type. */
export const unknownTable: Rule = ({ carrier, context, findings }) => {
  if (carrier.abstract) return;
  const known = Object.keys(carrier.tables);
  for (const { source, tree } of context.uses) {
    for (const { name, node } of tablesAsked(tree)) {
      if (name === undefined || known.includes(name)) continue;
      const help = didYouMean(name, known) ?? 'declare it under tables';
      findings.error('unknown-table', placeOfNode(source, node), `there is no table "${name.slice(0, 60)}"`, help);
    }
  }
};
