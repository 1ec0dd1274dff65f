import type { FailedCall, UsedToken } from '../ports.ts';
import type { Call, LogIn, RunContext } from '../run-context.ts';
import { evaluateTexts, lowerCaseNames, type RequestScope, evaluateText } from '../scope.ts';
import { type AuthContext, fetchToken, type TokenAuth, tokenKey, type AuthOf } from './token.ts';
import { Failure } from '../../failure.ts';
import type { EvaluationContext, Mapping, Roots } from '../../mapping/mapping.ts';
import type { Auth, Carried } from '../../profile/carrier.ts';
import type { Secret } from '../../transport/masking.ts';
import type { ClientCertificate } from '../../transport/wire.ts';
import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../../digest.ts';
import { type PlainRequest, setQuery } from '../request.ts';

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

export const NO_MATERIAL: AuthMaterial = { headers: {}, query: {}, auths: {}, tokens: [], secrets: [] };

/** A value in the header or query parameter that the profile names. */
export const carry = (where: Carried, value: string, secrets: readonly Secret[] = []): AuthMaterial =>
  where.in === 'header'
    ? { ...NO_MATERIAL, headers: { [where.field.toLowerCase()]: value }, secrets }
    : { ...NO_MATERIAL, query: { [where.field]: value }, secrets };

const AUTHORIZATION: Carried = { in: 'header', field: 'authorization' };

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

/** The root `request`. Header names in lower case. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text: string;
}

const digest = (auth: AuthOf<'signature'>, key: string | undefined, over: Buffer): string => {
  const keyed = /^hmac-(.+)$/.exec(auth.algorithm)?.[1];
  if (keyed === undefined) return createHash(auth.algorithm).update(over).digest(auth.encoding);
  if (key === undefined || key === '') {
    throw new Failure(`signature ${auth.name} has no key`, {
      code: 'auth_value_missing',
      place: auth.place,
      help: 'supply it with the account',
    });
  }
  return createHmac(keyed, key).update(over).digest(auth.encoding);
};

/** What the header or parameter has to hold for these bytes. `roots` are an auth's, with `request`. */
export const signatureOf = async (
  auth: AuthOf<'signature'>,
  raw: Buffer,
  roots: Roots,
  context: EvaluationContext,
): Promise<string> => {
  const key = await evaluateText(auth.key, roots, context);
  const over = auth.over === undefined ? raw : Buffer.from((await evaluateText(auth.over, roots, context)) ?? '');
  const signature = digest(auth, key, over);
  return auth.format === undefined
    ? signature
    : ((await evaluateText(auth.format, { ...roots, signature }, context)) ?? '');
};

/** Signs a finished request, in place: signatures come last. */
export const signRequest = async (
  auths: readonly Auth[],
  request: PlainRequest & { readonly headers: Record<string, string> },
  roots: Roots,
  context: EvaluationContext,
): Promise<void> => {
  for (const auth of auths) {
    if (auth.kind !== 'signature') continue;
    const { url, headers, method, content, body = Buffer.alloc(0) } = request;
    const seen: SignedRequest = {
      method,
      url: url.href,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      body: content,
      text: body.toString(),
    };
    const signature = await signatureOf(auth, body, { ...roots, request: seen }, context);
    if (auth.in === 'header') headers[auth.field.toLowerCase()] = signature;
    else setQuery(url, auth.field, signature);
  }
};

export type Verified = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Whether a request carries the right signature over its raw bytes, and not too old or new a one. */
export const verify = async (
  auth: AuthOf<'signature'>,
  raw: Buffer,
  roots: Roots & { readonly request: SignedRequest },
  context: EvaluationContext,
  nowMs: number,
): Promise<Verified> => {
  const { request } = roots;
  const given = auth.in === 'header' ? request.headers[auth.field.toLowerCase()] : request.query[auth.field];
  if (given === undefined) return { ok: false, why: `no signature in ${auth.in} ${auth.field}` };
  const expected = await signatureOf(auth, raw, roots, context);
  if (!isSameSecret(given, expected)) return { ok: false, why: 'the signature does not fit the bytes' };
  if (auth.timestamp === undefined) return { ok: true };
  const stamp = await evaluateText(auth.timestamp, roots, context);
  const atMs = stamp === undefined ? Number.NaN : timeOf(stamp);
  return Math.abs(nowMs - atMs) <= auth.toleranceMs
    ? { ok: true }
    : { ok: false, why: 'the signature is not of this time' };
};

const SECONDS_UNTIL = 1e11;

/** Seconds, milliseconds or ISO 8601. */
const timeOf = (stamp: string): number => {
  if (!/^\d{9,14}$/.test(stamp.trim())) return Date.parse(stamp);
  const number = Number(stamp);
  return number < SECONDS_UNTIL ? number * 1_000 : number;
};
