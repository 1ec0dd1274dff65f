/** Tokens that are fetched: oauth2 (RFC 6749) and any other login, each a step like those of operations. */
import { createHash } from 'node:crypto';
import { Failure, type Problem, problem } from '../../failure.ts';
import type { Mapping, Roots } from '../../mapping/mapping.ts';
import type { Auth, Step } from '../../profile/carrier.ts';
import type { CallOutcome } from '../call-request.ts';
import type { LoggedIn, Token, WantedToken } from '../ports.ts';
import { textOf } from '../scope.ts';
import type { AuthOf, Proving, ProvingContext } from './auth-material.ts';

export type TokenAuth = AuthOf<'oauth2'> | AuthOf<'session'>;

/** Where the token of an auth is kept: per account, environment and name. */
export const tokenKey = ({ scope }: ProvingContext, auth: TokenAuth): string =>
  `${scope.account}/${scope.version}/${auth.name}`;

export type Fetched = { readonly ok: true; readonly token: Token } | Exclude<Proving, { ok: true }>;

/** The token in force, or a new one. A login that was refused is not tried again until account or profile change. */
export const fetchToken = async (auth: TokenAuth, context: ProvingContext): Promise<Fetched> => {
  const wanted: WantedToken = {
    key: tokenKey(context, auth),
    refreshKey: auth.kind === 'oauth2' ? await refreshKeyOf(auth, context) : undefined,
    profileHash: context.scope.profileHash,
  };
  const got = await context.tokens.get(wanted, async (refreshToken) => {
    try {
      return auth.kind === 'oauth2' ? await grant(auth, context, refreshToken) : await logIn(auth, context);
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return { kind: 'misconfigured', problem: problem(thrown.code, thrown.message, thrown.place) };
    }
  });
  switch (got.kind) {
    case 'token':
      return { ok: true, token: got.token };
    case 'refused':
    case 'misconfigured':
      return { ok: false, as: 'config_error', problem: got.problem };
    case 'unreachable':
      return { ok: false, as: 'retry', problem: got.problem, retryAfterMs: got.retryAfterMs };
    case 'held_back':
      return { ok: false, as: 'held_back', problem: got.problem, waitMs: got.waitMs };
  }
};

/** A rotated refresh token outlives other changes of the account, and ends when the account is given another first one. */
const refreshKeyOf = async (auth: AuthOf<'oauth2'>, context: ProvingContext): Promise<string | undefined> => {
  if (auth.grant !== 'refresh_token') return undefined;
  const first = (await textOf(auth.refreshToken, context.roots, context.context)) ?? '';
  const hash = createHash('sha256').update(first).digest('base64url');
  return `${context.scope.account}/refresh/${auth.name}/${hash}`;
};

const logIn = async (auth: AuthOf<'session'>, context: ProvingContext): Promise<LoggedIn> => {
  const asked = await askLogin(auth.login, context);
  if (asked.kind !== 'answered' || asked.verdict.word !== 'succeed') return notLoggedIn(asked, auth);
  const roots: Roots = { ...context.roots, response: asked.read.answer };
  const value = async (mapping: Mapping): Promise<unknown> => await mapping.evaluate(roots, context.context);
  const token = await textOf(auth.token, roots, context.context);
  if (token === undefined || token === '') return noToken('the login brought no token', auth.token.place);
  const saved: Record<string, unknown> = {};
  for (const [name, mapping] of Object.entries(auth.save)) saved[name] = await value(mapping);
  return { kind: 'token', token: { token, saved }, expiresAtMs: await expiry(auth, value, context.nowMs()) };
};

/** A login may need a token of its own, which may have ended as any other. */
const askLogin = async (login: Step, context: ProvingContext): Promise<CallOutcome> => {
  const asked = await context.askLogin(login);
  if (asked.kind !== 'answered' || asked.verdict.word !== 'refresh_auth') return asked;
  for (const { key, token } of asked.proof.tokens) await context.tokens.drop(key, token);
  return await context.askLogin(login);
};

const expiry = async (
  auth: AuthOf<'session'>,
  value: (mapping: Mapping) => Promise<unknown>,
  nowMs: number,
): Promise<number | undefined> => {
  if (auth.expiresAt !== undefined) {
    const atMs = Date.parse(String(await value(auth.expiresAt)));
    return Number.isNaN(atMs) ? undefined : atMs;
  }
  if (auth.expiresIn === undefined) return undefined;
  if ('ms' in auth.expiresIn) return nowMs + auth.expiresIn.ms;
  const seconds = Number(await value(auth.expiresIn));
  return Number.isFinite(seconds) && seconds > 0 ? nowMs + seconds * 1_000 : undefined;
};

const grant = async (
  auth: AuthOf<'oauth2'>,
  context: ProvingContext,
  rotated: string | undefined,
): Promise<LoggedIn> => {
  const asked = await context.askLogin(await tokenStep(auth, context, rotated));
  if (asked.kind !== 'answered' || asked.verdict.word !== 'succeed') return notLoggedIn(asked, auth);
  const body = (asked.read.answer.body ?? {}) as Readonly<Record<string, unknown>>;
  const token = body['access_token'];
  if (typeof token !== 'string' || token === '')
    return noToken('the token endpoint brought no access_token', auth.place);
  const seconds = Number(body['expires_in']);
  const refreshToken = body['refresh_token'];
  return {
    kind: 'token',
    token: { token, saved: {} },
    expiresAtMs: Number.isFinite(seconds) && seconds > 0 ? context.nowMs() + seconds * 1_000 : undefined,
    ...(auth.grant === 'refresh_token' && typeof refreshToken === 'string' ? { refreshToken } : {}),
  };
};

/** RFC 6749 as a step: a form to the token endpoint, the client named in it or by Basic. */
const tokenStep = async (
  auth: AuthOf<'oauth2'>,
  context: ProvingContext,
  rotated: string | undefined,
): Promise<Step> => {
  const text = async (mapping: Mapping | undefined): Promise<string | undefined> =>
    await textOf(mapping, context.roots, context.context);
  const clientId = (await text(auth.clientId)) ?? '';
  const clientSecret = await text(auth.clientSecret);
  const inBody = auth.clientAuth === 'body';
  const params = await Promise.all(
    Object.entries(auth.params).map(async ([name, mapping]) => [name, await text(mapping)] as const),
  );
  const form = {
    grant_type: auth.grant,
    ...(inBody ? { client_id: clientId, client_secret: clientSecret } : {}),
    username: await text(auth.username),
    password: await text(auth.password),
    refresh_token: auth.grant === 'refresh_token' ? (rotated ?? (await text(auth.refreshToken))) : undefined,
    scope: await text(auth.scope),
    ...Object.fromEntries(params),
  };
  const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret ?? '')}`).toString('base64');
  return {
    id: 'token',
    place: auth.place,
    when: undefined,
    forEach: undefined,
    batch: undefined,
    parallel: 1,
    method: 'POST',
    url: auth.tokenUrl,
    headers: inBody ? {} : { authorization: constant(`Basic ${basic}`, auth) },
    query: {},
    body: { codec: 'form', content: constant(form, auth) },
    response: 'json',
    auth: [],
    limits: context.limits,
    retry: { attempts: 1, waitMs: 0, maxMs: 0 },
    outcomes: [],
    idempotency: undefined,
    undo: undefined,
  };
};

/** RFC 6749 §2.3.1: the client's names are form-encoded before they are joined. */
const formEncoded = (part: string): string => new URLSearchParams({ '': part }).toString().slice(1);

const constant = (value: unknown, auth: Auth): Mapping => ({
  place: auth.place,
  text: '',
  constant: true,
  evaluate: () => value,
});

/** An answer that is no login: the profile reads it wrongly, or the carrier has changed it. */
const noToken = (message: string, place: Step['place']): LoggedIn => ({
  kind: 'misconfigured',
  problem: problem('login_failed', message, place),
});

/** What the carrier says of the credentials is final; what happened on the way there is not. */
const notLoggedIn = (asked: CallOutcome, auth: TokenAuth): LoggedIn => {
  const named = (reason: Problem): Problem => ({
    ...reason,
    messages: [`the login of auth ${auth.name} failed`, ...reason.messages],
    place: reason.place ?? auth.place,
  });
  switch (asked.kind) {
    case 'not_sent':
      return { kind: asked.forGood ? 'misconfigured' : 'unreachable', problem: named(asked.problem) };
    case 'ambiguous':
      return { kind: 'unreachable', problem: named(asked.problem) };
    case 'held_back':
      return { kind: 'held_back', problem: named(asked.problem), waitMs: asked.waitMs };
    case 'unbuilt':
      return asked.as === 'retry'
        ? { kind: 'unreachable', problem: named(asked.problem), retryAfterMs: asked.retryAfterMs }
        : { kind: 'misconfigured', problem: named(asked.problem) };
    case 'answered': {
      const { verdict } = asked;
      if (verdict.word === 'succeed')
        throw new Failure('a login that succeeded is no failure', { code: 'login_failed' });
      const isPassing = verdict.word === 'retry' || verdict.word === 'unknown_outcome';
      return isPassing
        ? { kind: 'unreachable', problem: named(verdict.problem), retryAfterMs: asked.retryAfterMs }
        : { kind: 'refused', problem: named(verdict.problem) };
    }
  }
};
