import { Failure } from '../../failure.ts';
import type { EvaluationContext, Mapping, Roots } from '../../mapping/mapping.ts';
import type { Auth, Carried } from '../../profile/carrier.ts';
import type { Secret } from '../../transport/masking.ts';
import type { ClientCertificate } from '../../transport/wire.ts';
import type { UsedToken } from '../ports.ts';
import { evaluateText } from '../scope.ts';

/** What authenticates a request. Header names in lower case. */
export interface AuthMaterial {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly tls?: ClientCertificate | undefined;
  /** Tokens in use, by auth name: the root `auths`. */
  readonly auths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly tokens: readonly UsedToken[];
  /** For the mask to hide from now on. */
  readonly secrets: readonly Secret[];
}

export type AuthOf<Kind extends Auth['kind']> = Extract<Auth, { readonly kind: Kind }>;

export const NO_MATERIAL: AuthMaterial = { headers: {}, query: {}, auths: {}, tokens: [], secrets: [] };

/** A value in the header or query parameter that the profile names. */
export const carry = (where: Carried, value: string, secrets: readonly Secret[] = []): AuthMaterial =>
  where.in === 'header'
    ? { ...NO_MATERIAL, headers: { [where.field.toLowerCase()]: value }, secrets }
    : { ...NO_MATERIAL, query: { [where.field]: value }, secrets };

export const AUTHORIZATION: Carried = { in: 'header', field: 'authorization' };

/** Of an auth that needs nothing but the account. A value that is missing is a `Failure` naming the auth's line. */
export const materialOf = async (
  auth: AuthOf<'basic' | 'bearer' | 'apiKey' | 'mtls'>,
  roots: Roots,
  evaluation: EvaluationContext,
): Promise<AuthMaterial> => {
  const required = async (key: string, mapping: Mapping): Promise<string> => {
    const value = await evaluateText(mapping, roots, evaluation);
    if (value !== undefined && value !== '') return value;
    throw new Failure(`${auth.kind}.${key} of auth ${auth.name} is empty`, {
      code: 'auth_value_missing',
      place: mapping.place,
      help: 'supply it with the account, or give the field a default',
    });
  };
  /** Secret even where the profile makes it of parts that are not. */
  const secret = (value: string): Secret => ({ name: auth.name, value });
  switch (auth.kind) {
    case 'basic': {
      const username = await required('username', auth.username);
      const password = await required('password', auth.password);
      const pair = Buffer.from(`${username}:${password}`).toString('base64');
      return carry(AUTHORIZATION, `Basic ${pair}`, [secret(password), secret(pair)]);
    }
    case 'bearer': {
      const token = await required('token', auth.token);
      return carry(AUTHORIZATION, `Bearer ${token}`, [secret(token)]);
    }
    case 'apiKey': {
      const value = await required('value', auth.value);
      return carry(auth, value, [secret(value)]);
    }
    case 'mtls': {
      const certificate = await required('certificate', auth.certificate);
      const key = await required('key', auth.key);
      const passphrase = await evaluateText(auth.passphrase, roots, evaluation);
      return { ...NO_MATERIAL, tls: { certificate, key, passphrase } };
    }
  }
};
