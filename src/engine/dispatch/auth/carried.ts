import type { Carried } from '../../profile/carrier.ts';
import { NO_PROOF, type AuthMaterial } from './auth-material.ts';

/** A value in the header or query parameter that the profile names. */
export const carry = (where: Carried, value: string): AuthMaterial =>
  where.in === 'header'
    ? { ...NO_PROOF, headers: { [where.field.toLowerCase()]: value } }
    : { ...NO_PROOF, query: { [where.field]: value } };

/** Later proofs win where two name the same header or parameter. */
export const combine = (first: AuthMaterial, second: AuthMaterial): AuthMaterial => ({
  headers: { ...first.headers, ...second.headers },
  query: { ...first.query, ...second.query },
  tls: second.tls ?? first.tls,
  auths: { ...first.auths, ...second.auths },
  tokens: [...first.tokens, ...second.tokens],
  secrets: [...first.secrets, ...second.secrets],
});
