import { decodeText } from '../codecs/text.ts';
import { type CodecName, type SoapFault, codecOf } from '../codecs/codec.ts';
import { decoderNamed } from '../codecs/codecs.ts';
import type { Failure } from '../failure.ts';
import type { Step } from '../profile/carrier.ts';
import type { KeptAnswer } from './ports.ts';

/** An answer as expressions see it: the root `response`, and what `steps.<id>` holds. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent when the bytes do not decode. */
  readonly body?: unknown;
  readonly text: string;
  readonly fault?: SoapFault;
}

export interface ReadAnswer {
  readonly answer: Answer;
  /** Why the body is absent, when it did not decode. */
  readonly unreadable: Failure | undefined;
}

/** What a step declares of its answer without looking at it holds for a success: a refusal says what it is itself. */
const BLIND: ReadonlySet<CodecName | undefined> = new Set<CodecName>(['none', 'binary']);

/** The codec of a step's answer: as declared, else by Content-Type, else as the request's. */
const codecFor = (step: Pick<Step, 'response' | 'body'>, status: number, contentType: string | undefined): CodecName =>
  (BLIND.has(step.response) && status >= 300 ? undefined : step.response) ??
  codecOf(contentType, step.body?.codec) ??
  step.body?.codec ??
  'text';

/** Decodes a raw answer for expressions. A body of no bytes is nothing, in every codec, and decodes. */
export const readAnswer = (step: Pick<Step, 'response' | 'body' | 'limits'>, kept: KeptAnswer): ReadAnswer => {
  const contentType = kept.headers['content-type'];
  const codec = codecFor(step, kept.status, contentType);
  const plain = { status: kept.status, headers: kept.headers };
  if (kept.body.byteLength === 0 || codec === 'none') return { answer: { ...plain, text: '' }, unreadable: undefined };
  const text = codec === 'binary' ? '' : lenientText(kept.body, contentType);
  const { sizeBytes: maxBytes, values: maxNodes } = step.limits;
  const decoded = decoderNamed(codec).decode(kept.body, { contentType, limits: { maxBytes, maxNodes } });
  if (!decoded.ok) return { answer: { ...plain, text }, unreadable: decoded.reason };
  const { body, fault } = decoded;
  return { answer: { ...plain, body, text, ...(fault === undefined ? {} : { fault }) }, unreadable: undefined };
};

/** `text` is always there: a charset that nobody knows is read byte by byte. */
const lenientText = (body: Buffer, contentType: string | undefined): string => {
  try {
    return decodeText(body, contentType);
  } catch {
    return body.toString('latin1');
  }
};
