/** Tokens that are fetched: oauth2 (RFC 6749) and any other login, each a step like those of operations. */
import { createHash } from 'node:crypto';
import { Failure, type Place, type Problem, problem } from '../../failure.ts';
import type { EvaluationContext, Mapping, Roots } from '../../mapping/mapping.ts';
import type { Auth, Limits, Step } from '../../profile/carrier.ts';
import type { FailedCall, LoginOutcome, Ports, Run } from '../ports.ts';
import type { CallOutcome } from '../run-context.ts';
import { evaluateText, evaluateTexts } from '../scope.ts';

export interface AuthContext {
  readonly run: Run;
  readonly ports: Pick<Ports, 'tokens' | 'nowMs'>;
  /** Every root but `response`, and without tokens. */
  readonly roots: Roots;
  readonly evaluation: EvaluationContext;
  /** Of the step that needs a token: its login has the same. */
  readonly limits: Limits;
  /** Runs a login as a step of its own; its exchange is kept without bodies. */
  readonly logIn: (step: Step) => Promise<CallOutcome>;
}

export type AuthOf<Kind extends Auth['kind']> = Extract<Auth, { readonly kind: Kind }>;
export type TokenAuth = AuthOf<'oauth2'> | AuthOf<'session'>;

const accountName = ({ carrier, account, environment }: Run): string => `${carrier.code}/${account.id}/${environment}`;

/** Where the token of an auth is kept: per account, environment and name. */
export const tokenKey = (auth: TokenAuth, { run }: AuthContext): string =>
  `${accountName(run)}/${run.account.version}/${auth.name}`;

/** The token in force, or a new one. A login that was refused is not tried again until account or profile change. */
export const fetchToken = async (auth: TokenAuth, context: AuthContext): Promise<LoginOutcome> => {
  const wanted = {
    key: tokenKey(auth, context),
    refreshKey: auth.kind === 'oauth2' ? await refreshKeyOf(auth, context) : undefined,
    profileHash: context.run.carrier.hash,
  };
  return await context.ports.tokens.get(wanted, async (refreshToken) => {
    try {
      return auth.kind === 'oauth2' ? await grant(auth, context, refreshToken) : await logIn(auth, context);
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return { kind: 'failed', word: 'config_error', problem: problem(thrown.code, thrown.message, thrown.place) };
    }
  });
};

/**
 * A rotated refresh token outlives other changes of the account, and ends when the account is given another first one, or
 * another host, which must not see it.
 */
const refreshKeyOf = async (
  auth: AuthOf<'oauth2'>,
  { run, roots, evaluation }: AuthContext,
): Promise<string | undefined> => {
  if (auth.grant !== 'refresh_token') return undefined;
  const first = (await evaluateText(auth.refreshToken, roots, evaluation)) ?? '';
  const hash = createHash('sha256')
    .update(first + (run.account.baseUrl ?? ''))
    .digest('base64url');
  return `${accountName(run)}/refresh/${auth.name}/${hash}`;
};

const logIn = async (auth: AuthOf<'session'>, context: AuthContext): Promise<LoginOutcome> => {
  const outcome = await context.logIn(auth.login);
  if (outcome.word !== 'succeed') return notLoggedIn(outcome, auth);
  const roots: Roots = { ...context.roots, response: outcome.answer };
  const value = async (mapping: Mapping): Promise<unknown> => await mapping.evaluate(roots, context.evaluation);
  const token = await evaluateText(auth.token, roots, context.evaluation);
  if (token === undefined || token === '') return noToken('the login brought no token', auth.token.place);
  const saved: Record<string, unknown> = {};
  for (const [name, mapping] of Object.entries(auth.save)) saved[name] = await value(mapping);
  return { kind: 'token', token: { token, saved }, expiresAtMs: await expiry(auth, value, context.ports.nowMs()) };
};

const expiry = async (
  { expiresAt, expiresIn }: AuthOf<'session'>,
  value: (mapping: Mapping) => Promise<unknown>,
  nowMs: number,
): Promise<number | undefined> => {
  if (expiresAt !== undefined) {
    const atMs = Date.parse(String(await value(expiresAt)));
    return Number.isNaN(atMs) ? undefined : atMs;
  }
  if (expiresIn === undefined) return undefined;
  return 'ms' in expiresIn ? nowMs + expiresIn.ms : afterSeconds(await value(expiresIn), nowMs);
};

const afterSeconds = (given: unknown, nowMs: number): number | undefined => {
  const seconds = Number(given);
  return Number.isFinite(seconds) && seconds > 0 ? nowMs + seconds * 1_000 : undefined;
};

const grant = async (
  auth: AuthOf<'oauth2'>,
  context: AuthContext,
  rotated: string | undefined,
): Promise<LoginOutcome> => {
  const outcome = await context.logIn(await tokenStep(auth, context, rotated));
  if (outcome.word !== 'succeed') return notLoggedIn(outcome, auth);
  const body = (outcome.answer.body ?? {}) as Readonly<Record<string, unknown>>;
  const { access_token: token, refresh_token: refreshToken } = body;
  if (typeof token !== 'string' || token === '') {
    return noToken('the token endpoint brought no access_token', auth.place);
  }
  return {
    kind: 'token',
    token: { token, saved: {} },
    expiresAtMs: afterSeconds(body['expires_in'], context.ports.nowMs()),
    ...(auth.grant === 'refresh_token' && typeof refreshToken === 'string' ? { refreshToken } : {}),
  };
};

/** RFC 6749 as a step: a form to the token endpoint, the client named in it or by Basic. */
const tokenStep = async (
  auth: AuthOf<'oauth2'>,
  { roots, evaluation, limits }: AuthContext,
  rotated: string | undefined,
): Promise<Step> => {
  const text = async (mapping: Mapping | undefined): Promise<string | undefined> =>
    await evaluateText(mapping, roots, evaluation);
  const clientId = (await text(auth.clientId)) ?? '';
  const clientSecret = await text(auth.clientSecret);
  const inBody = auth.clientAuth === 'body';
  const form = {
    grant_type: auth.grant,
    ...(inBody ? { client_id: clientId, client_secret: clientSecret } : {}),
    username: await text(auth.username),
    password: await text(auth.password),
    refresh_token: auth.grant === 'refresh_token' ? (rotated ?? (await text(auth.refreshToken))) : undefined,
    scope: await text(auth.scope),
    ...(await evaluateTexts(auth.params, roots, evaluation)),
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
    limits,
    retry: { attempts: 1, waitMs: 0, maxMs: 0, untilMs: 0 },
    outcomes: [],
    idempotency: undefined,
    lookup: undefined,
    undo: [],
    undoneBy: undefined,
    bestEffort: false,
    partial: false,
  };
};

/** RFC 6749, 2.3.1: the client's names are form-encoded before they are joined. */
const formEncoded = (part: string): string => new URLSearchParams({ '': part }).toString().slice(1);

const constant = (value: unknown, auth: Auth): Mapping => ({
  place: auth.place,
  text: '',
  constant: true,
  evaluate: () => value,
});

/** An answer that is no login: the profile reads it wrongly, or the carrier has changed it. */
const noToken = (message: string, place: Place): LoginOutcome => ({
  kind: 'failed',
  word: 'config_error',
  problem: problem('login_failed', message, place),
});

/** What the carrier says of the credentials is final; what happened on the way there is not. */
const notLoggedIn = (
  { word, problem: reason, waitMs, isAway, isAnswered }: FailedCall,
  auth: TokenAuth,
): LoginOutcome => {
  const named: Problem = {
    ...reason,
    messages: [`the login of auth ${auth.name} failed`, ...reason.messages],
    place: reason.place ?? auth.place,
  };
  const later = { kind: 'failed', problem: named, waitMs, isAway } as const;
  if (word === 'held_back') return { ...later, word };
  if (word === 'retry' || word === 'unknown_outcome') return { ...later, word: 'retry' };
  return isAnswered === true
    ? { kind: 'refused', problem: named }
    : { kind: 'failed', word: 'config_error', problem: named };
};
