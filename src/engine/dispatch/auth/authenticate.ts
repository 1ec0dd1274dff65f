import type { FailedCall } from '../ports.ts';
import type { Auth } from '../../profile/carrier.ts';
import { evaluateTexts, lowerCaseNames } from '../scope.ts';
import { type AuthMaterial, AUTHORIZATION, carry, materialOf, NO_MATERIAL } from './auth-material.ts';
import { type AuthContext, fetchToken, type TokenAuth, tokenKey } from './token.ts';

/**
 * Authenticates by every auth of a step, in order; logs in where a token is needed. Where two name the same header or
 * parameter, the later wins. Signatures are left out: they come last, over the finished request. A value that is missing
 * is a `Failure` naming the auth's line.
 */
export const authenticate = async (
  auths: readonly Auth[],
  context: AuthContext,
): Promise<AuthMaterial | FailedCall> => {
  let material = NO_MATERIAL;
  for (const auth of auths) {
    if (auth.kind === 'signature') continue;
    const isToken = auth.kind === 'oauth2' || auth.kind === 'session';
    const own = isToken
      ? await tokenMaterial(auth, context)
      : await materialOf(auth, context.roots, context.evaluation);
    if ('word' in own) return own;
    material = {
      headers: { ...material.headers, ...own.headers },
      query: { ...material.query, ...own.query },
      tls: own.tls ?? material.tls,
      auths: { ...material.auths, ...own.auths },
      tokens: [...material.tokens, ...own.tokens],
      secrets: [...material.secrets, ...own.secrets],
    };
  }
  return material;
};

const tokenMaterial = async (auth: TokenAuth, context: AuthContext): Promise<AuthMaterial | FailedCall> => {
  const login = await fetchToken(auth, context);
  if (login.kind === 'refused') return { word: 'config_error', problem: login.problem };
  if (login.kind === 'failed') return login;
  const { token, saved } = login.token;
  return {
    ...(await carriedToken(auth, token, context)),
    auths: { [auth.name]: { ...saved, token } },
    tokens: [{ key: tokenKey(auth, context), token }],
    secrets: [{ name: 'token', value: token }],
  };
};

const carriedToken = async (auth: TokenAuth, token: string, context: AuthContext): Promise<AuthMaterial> => {
  if (auth.kind === 'oauth2' || auth.send.as === 'bearer') return carry(AUTHORIZATION, `Bearer ${token}`);
  if (auth.send.as === 'none') return NO_MATERIAL;
  const roots = { ...context.roots, token };
  return {
    ...NO_MATERIAL,
    headers: lowerCaseNames(await evaluateTexts(auth.send.headers, roots, context.evaluation)),
    query: await evaluateTexts(auth.send.query, roots, context.evaluation),
  };
};
