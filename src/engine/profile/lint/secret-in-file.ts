import type { Mapping } from '../../mapping/mapping.ts';
import type { Auth } from '../carrier.ts';
import { authsOf, type Rule } from './rule.ts';

/** Shorter texts are no secrets (§3.10). */
const LEAST = 8;

/** secret-in-file: an auth whose secret part is written out, the same for every account and for all to read. */
export const secretInFile: Rule = ({ carrier, findings }) => {
  for (const auth of authsOf(carrier)) {
    for (const mapping of secretsOf(auth)) {
      if (mapping?.constant !== true || mapping.text.length < LEAST) continue;
      const help = 'declare it under credentials, and write ${credentials.…}';
      findings.error('secret-in-file', mapping.place, `the secret of the auth "${auth.name}" stands here`, help);
    }
  }
};

const secretsOf = (auth: Auth): readonly (Mapping | undefined)[] => {
  switch (auth.kind) {
    case 'basic':
      return [auth.password];
    case 'bearer':
      return [auth.token];
    case 'apiKey':
      return [auth.value];
    case 'oauth2':
      return [auth.clientSecret, auth.password, auth.refreshToken];
    case 'signature':
    case 'mtls':
      return [auth.key];
    case 'session':
      return [];
  }
};
