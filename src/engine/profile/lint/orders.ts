/** What a profile says of orders: the services and value-added services that it names. */
import { serviceNames } from '../../consignment/service.ts';
import { meaningOf, VAS_CATALOGUE } from '../../consignment/vas.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { itemsOf, textOf, valueOf } from '../tree.ts';
import type { Rule } from './rule.ts';

/** wrong-value: `requires` for a service that there is not. */
const neededServices: Rule = ({ carrier, profile, findings }) => {
  const names = serviceNames(carrier);
  for (const needed of itemsOf(valueOf(profile, 'requires'))) {
    for (const node of itemsOf(valueOf(needed, 'services'))) {
      const name = textOf(node) ?? '';
      if (names.some((known) => known.toLowerCase() === name.toLowerCase())) continue;
      findings.report('wrong-value', node.place, `there is no service "${name.slice(0, 60)}"`, didYouMean(name, names));
    }
  }
};

/** unknown-vas: an offered service of which nobody knows what it means. */
const unknownVas: Rule = ({ carrier, profile, findings }) => {
  for (const node of itemsOf(valueOf(profile, 'capabilities', 'vas'))) {
    const code = textOf(node) ?? '';
    if (meaningOf(carrier.vas, code) !== undefined) continue;
    const meant = didYouMean(code, [...Object.keys(carrier.vas), ...Object.keys(VAS_CATALOGUE)]);
    const help = meant?.startsWith('did') === true ? meant : 'say under vas what it means';
    findings.report('unknown-vas', node.place, `"${code.slice(0, 60)}" is in no catalogue`, help);
  }
};

export const ORDER_RULES: readonly Rule[] = [neededServices, unknownVas];
