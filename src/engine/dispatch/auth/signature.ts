/** Signatures over declared parts of the exact bytes: made for what goes out, verified for what comes in. */
import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../../digest.ts';
import { Failure } from '../../failure.ts';
import type { Roots, EvaluationContext } from '../../mapping/mapping.ts';
import type { Carried } from '../../profile/carrier.ts';
import { textOf } from '../scope.ts';
import type { AuthOf } from './auth-material.ts';

/** The root `request` (§2.8). Header names in lower case. */
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
const signatureText = async (
  auth: AuthOf<'signature'>,
  raw: Buffer,
  roots: Roots,
  context: EvaluationContext,
): Promise<string> => {
  const key = await textOf(auth.key, roots, context);
  const over = auth.over === undefined ? raw : Buffer.from((await textOf(auth.over, roots, context)) ?? '');
  const signature = digest(auth, key, over);
  return auth.format === undefined ? signature : ((await textOf(auth.format, { ...roots, signature }, context)) ?? '');
};

/** The header or query parameter that signs a finished request. */
export const sign = async (
  auth: AuthOf<'signature'>,
  raw: Buffer,
  roots: Roots,
  context: EvaluationContext,
): Promise<Carried & { readonly value: string }> => ({
  in: auth.in,
  field: auth.field,
  value: await signatureText(auth, raw, roots, context),
});

export type Verified = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Whether what came in carries the right signature over its raw bytes, and not too old or new a one. */
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
  const expected = await signatureText(auth, raw, roots, context);
  if (!isSameSecret(given, expected)) return { ok: false, why: 'the signature does not fit the bytes' };
  if (auth.timestamp === undefined) return { ok: true };
  const stamp = await textOf(auth.timestamp, roots, context);
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
