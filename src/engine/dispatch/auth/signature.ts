/** Signatures over declared parts of the exact bytes: made for requests to carriers, verified for theirs. */
import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../../digest.ts';
import { Failure } from '../../failure.ts';
import type { Roots, EvaluationContext } from '../../mapping/mapping.ts';
import type { Auth } from '../../profile/carrier.ts';

import { type PlainRequest, setQuery } from '../request.ts';
import { evaluateText } from '../scope.ts';
import type { AuthOf } from './auth-material.ts';

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
