import { authsOf, type Rule } from './rule.ts';

/** missing-expiry: a login that does not say how long its token lives, so that it ends with a refused request. */
export const missingExpiry: Rule = ({ carrier, findings }) => {
  for (const auth of authsOf(carrier)) {
    if (auth.kind !== 'session' || auth.expiresIn !== undefined || auth.expiresAt !== undefined) continue;
    const help = 'say expiresIn or expiresAt';
    findings.warning('missing-expiry', auth.place, 'nothing says how long this token lives', help);
  }
};
