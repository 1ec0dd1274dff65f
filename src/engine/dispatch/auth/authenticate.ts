import type { FailedCall } from '../ports.ts';
import type { Call, LogIn, RunContext } from '../run-context.ts';
import { evaluateTexts, lowerCaseNames, type RequestScope } from '../scope.ts';
import { type AuthMaterial, AUTHORIZATION, carry, materialOf, NO_MATERIAL } from './auth-material.ts';
import { type AuthContext, fetchToken, type TokenAuth, tokenKey } from './token.ts';

/**
 * Authenticates by every auth of a call's step, in order; logs in where a token is needed. Where two name the same header
 * or parameter, the later wins. Signatures are left out: they come last, over the finished request. The mask learns all
 * secrets. A value that is missing is a `Failure` naming the auth's line.
 */
export const authenticate = async (
  context: RunContext,
  { step, roots }: Pick<Call, 'step' | 'roots'>,
  scope: RequestScope,
  logIn: LogIn,
): Promise<AuthMaterial | FailedCall> => {
  const { run, ports, mask } = context;
  const { limits } = step;
  const own: AuthContext = { ...scope, run, ports, limits, logIn: async (login) => await logIn(context, login, roots) };
  let material = NO_MATERIAL;
  for (const auth of step.auth) {
    if (auth.kind === 'signature') continue;
    const isToken = auth.kind === 'oauth2' || auth.kind === 'session';
    const added = isToken ? await tokenMaterial(auth, own) : await materialOf(auth, scope.roots, scope.evaluation);
    if ('word' in added) return added;
    material = {
      headers: { ...material.headers, ...added.headers },
      query: { ...material.query, ...added.query },
      tls: added.tls ?? material.tls,
      auths: { ...material.auths, ...added.auths },
      tokens: [...material.tokens, ...added.tokens],
      secrets: [],
    };
    for (const { name, value } of added.secrets) mask.add(name, value);
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
