import type { Carrier } from '../profile/carrier.ts';
import { createMask, type Mask } from '../transport/masking.ts';
import type { Account } from './ports.ts';

/** A mask over the account's secrets: the credentials that the profile declares so, and all that came from variables. */
export const maskOf = ({ credentials }: Pick<Carrier, 'credentials'>, account: Account): Mask => {
  const declared = Object.entries(credentials).flatMap(([name, { secret }]) => {
    const value = account.credentials[name];
    return secret && typeof value === 'string' ? [{ name, value }] : [];
  });
  return createMask([...declared, ...(account.fromVariables ?? [])]);
};
