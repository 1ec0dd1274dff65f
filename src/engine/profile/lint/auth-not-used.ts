import { entriesOf, valueOf } from '../tree.ts';
import type { Rule } from './rule.ts';

/** auth-not-used: declared in `auths`, named nowhere. */
export const authNotUsed: Rule = ({ carrier, auths, profile, findings }) => {
  if (carrier.abstract) return;
  for (const { key } of entriesOf(valueOf(profile, 'auths'))) {
    if (auths.used.has(key.text)) continue;
    findings.warning(
      'auth-not-used',
      key.place,
      `nothing uses the auth "${key.text}"`,
      'name it at auth, or remove it',
    );
  }
};
