import type { Auth } from '../../profile/carrier.ts';
import type { UnsuccessfulCall } from '../run-context.ts';
import { evaluateTexts, lowerCaseNames } from '../scope.ts';
import { type AuthMaterial, bearer, combine, materialOf, NO_MATERIAL } from './auth-material.ts';
import { type AuthContext, fetchToken, type TokenAuth, tokenKey } from './token.ts';

/**
 * Authenticates by every auth of a step, in order; logs in where a token is needed. Signatures are not among them: they
 * come last, over the finished request. A value that is missing is a `Failure` naming the auth's line.
 */
export const authenticate = async (
  auths: readonly Auth[],
  context: AuthContext,
): Promise<AuthMaterial | UnsuccessfulCall> => {
  let material = NO_MATERIAL;
  for (const auth of auths) {
    if (auth.kind === 'signature') continue;
    const isToken = auth.kind === 'oauth2' || auth.kind === 'session';
    const own = isToken
      ? await tokenMaterial(auth, context)
      : await materialOf(auth, context.roots, context.evaluation);
    if ('word' in own) return own;
    material = combine(material, own);
  }
  return material;
};

const tokenMaterial = async (auth: TokenAuth, context: AuthContext): Promise<AuthMaterial | UnsuccessfulCall> => {
  const login = await fetchToken(auth, context);
  switch (login.kind) {
    case 'refused':
    case 'misconfigured':
      return { word: 'config_error', problem: login.problem };
    case 'unreachable':
      return { word: 'retry', problem: login.problem, retryAfterMs: login.retryAfterMs };
    case 'held_back':
      return { word: 'held_back', problem: login.problem, waitMs: login.waitMs };
    case 'token':
      break;
  }
  const { token, saved } = login.token;
  const used = {
    auths: { [auth.name]: { ...saved, token } },
    tokens: [{ key: tokenKey(auth, context), token }],
    secrets: [{ name: 'token', value: token }],
  };
  if (auth.kind === 'oauth2' || auth.send.as === 'bearer') return { ...bearer(token), ...used };
  if (auth.send.as === 'none') return { ...NO_MATERIAL, ...used };
  const roots = { ...context.roots, token };
  return {
    ...NO_MATERIAL,
    headers: lowerCaseNames(await evaluateTexts(auth.send.headers, roots, context.evaluation)),
    query: await evaluateTexts(auth.send.query, roots, context.evaluation),
    ...used,
  };
};
