import { Failure } from '../../failure.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import type { Auth } from '../../profile/carrier.ts';
import { textOf } from '../scope.ts';
import { carry, combine } from './carried.ts';
import { type AuthOf, NO_PROOF, type AuthMaterial, type Proving, type ProvingContext } from './auth-material.ts';
import { fetchToken, tokenKey } from './token.ts';

/**
 * Proves who we are by every auth of a step, in order. Signatures are not among them: they come last, over the
 * finished request. A value that is missing is a `Failure` naming the auth's line.
 */
export const prove = async (auths: readonly Auth[], context: ProvingContext): Promise<Proving> => {
  let proof = NO_PROOF;
  for (const auth of auths) {
    if (auth.kind === 'signature') continue;
    const proving = await proveBy(auth, context);
    if (!proving.ok) return proving;
    proof = combine(proof, proving.proof);
  }
  return { ok: true, proof };
};

const proved = (proof: AuthMaterial): Proving => ({ ok: true, proof });

const bearer = (token: string): AuthMaterial => carry({ in: 'header', field: 'authorization' }, `Bearer ${token}`);

/** What proves us is secret even where the profile makes it of parts that are not. */
const hiding = (proof: AuthMaterial, { name }: Auth, ...values: readonly string[]): AuthMaterial => ({
  ...proof,
  secrets: values.map((value) => ({ name, value })),
});

const proveBy = async (auth: Exclude<Auth, { kind: 'signature' }>, context: ProvingContext): Promise<Proving> => {
  switch (auth.kind) {
    case 'basic': {
      const username = await needed(auth, 'username', auth.username, context);
      const password = await needed(auth, 'password', auth.password, context);
      const pair = Buffer.from(`${username}:${password}`).toString('base64');
      const proof = carry({ in: 'header', field: 'authorization' }, `Basic ${pair}`);
      return proved(hiding(proof, auth, password, pair));
    }
    case 'bearer': {
      const token = await needed(auth, 'token', auth.token, context);
      return proved(hiding(bearer(token), auth, token));
    }
    case 'apiKey': {
      const value = await needed(auth, 'value', auth.value, context);
      return proved(hiding(carry(auth, value), auth, value));
    }
    case 'mtls': {
      const certificate = await needed(auth, 'certificate', auth.certificate, context);
      const key = await needed(auth, 'key', auth.key, context);
      const passphrase = await textOf(auth.passphrase, context.roots, context.context);
      return proved({ ...NO_PROOF, tls: { certificate, key, passphrase } });
    }
    case 'oauth2':
    case 'session':
      return await proveByToken(auth, context);
  }
};

const proveByToken = async (auth: AuthOf<'oauth2'> | AuthOf<'session'>, context: ProvingContext): Promise<Proving> => {
  const fetched = await fetchToken(auth, context);
  if (!fetched.ok) return fetched;
  const { token, saved } = fetched.token;
  const known = {
    auths: { [auth.name]: { ...saved, token } },
    tokens: [{ key: tokenKey(context, auth), token }],
    secrets: [{ name: 'token', value: token }],
  };
  if (auth.kind === 'oauth2' || auth.send.as === 'bearer') return proved({ ...bearer(token), ...known });
  if (auth.send.as === 'none') return proved({ ...NO_PROOF, ...known });
  const roots = { ...context.roots, token };
  const fields = async (mappings: Readonly<Record<string, Mapping>>): Promise<Record<string, string>> => {
    const values: Record<string, string> = {};
    for (const [name, mapping] of Object.entries(mappings)) {
      const value = await textOf(mapping, roots, context.context);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
  const headers = await fields(auth.send.headers);
  return proved({
    ...NO_PROOF,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    query: await fields(auth.send.query),
    ...known,
  });
};

const needed = async (auth: Auth, key: string, mapping: Mapping, context: ProvingContext): Promise<string> => {
  const value = await textOf(mapping, context.roots, context.context);
  if (value !== undefined && value !== '') return value;
  throw new Failure(`${auth.kind}.${key} of auth ${auth.name} is empty`, {
    code: 'auth_value_missing',
    place: mapping.place,
    help: 'supply it with the account, or give the field a default',
  });
};
