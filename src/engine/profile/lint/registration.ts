import { didYouMean } from '../suggest.ts';
import { entriesOf, valueOf } from '../tree.ts';
import type { Rule } from './rule.ts';

/**
 * missing-key: fields that a registration is to fill, in a profile that registers nothing. undeclared-field: what a
 * registration, written as a tree, would keep in fields that no account has.
 */
export const registration: Rule = ({ carrier, profile, findings }) => {
  if (carrier.abstract) return;
  const register = valueOf(valueOf(profile, 'operations'), 'register');
  for (const section of ['credentials', 'settings'] as const) {
    for (const { key, value } of entriesOf(valueOf(profile, section))) {
      const from = valueOf(value, 'from');
      if (from === undefined || register !== undefined) continue;
      const help = 'add the operation register, or ask for the field';
      findings.error('missing-key', from.place, `nothing fills "${key.text}"`, help);
    }
    for (const { key } of entriesOf(valueOf(valueOf(register, 'result'), section))) {
      const declared = carrier[section];
      if (Object.hasOwn(declared, key.text)) continue;
      const help = didYouMean(key.text, Object.keys(declared)) ?? `declare it under ${section}`;
      findings.error('undeclared-field', key.place, `${section} has no '${key.text.slice(0, 60)}'`, help);
    }
  }
};
