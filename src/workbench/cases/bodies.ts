/** Bodies as cases write them: a value, a text, or a file beside the case. */
import { type BodyCodecName, encoderNamed } from '../../engine/codecs/codecs.ts';
import type { CodecName, EncodeOptions } from '../../engine/codecs/codec.ts';
import type { ComparedBody } from './compare-bodies.ts';
import { Failure } from '../../engine/failure.ts';
import { BODY_KEYS, type BodyKey } from './schema.ts';

export type WithBody = Partial<Record<BodyKey, unknown>>;

/** Reads a file beside the case; undefined when there is none of that name. */
export type ReadBeside = (name: string) => Buffer | undefined;

export interface CaseBody {
  readonly key: BodyKey;
  readonly codec: CodecName;
  /** To be compared with, in its codec. */
  readonly compared: ComparedBody;
  /** The bytes to be sent, and what they are. */
  encode(): { readonly bytes: Buffer; readonly contentType: string };
  /** The file it stands in; undefined: it is written in the case. */
  readonly file: string | undefined;
}

const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[a-z][a-z0-9]{1,4}$/;

const BY_EXTENSION: Readonly<Record<string, { readonly codec: CodecName; readonly type: string }>> = {
  json: { codec: 'json', type: 'application/json' },
  xml: { codec: 'xml', type: 'application/xml; charset=utf-8' },
  txt: { codec: 'text', type: 'text/plain; charset=utf-8' },
  html: { codec: 'text', type: 'text/html; charset=utf-8' },
  pdf: { codec: 'binary', type: 'application/pdf' },
  png: { codec: 'binary', type: 'image/png' },
  zpl: { codec: 'text', type: 'application/zpl' },
};
const OCTETS = { codec: 'binary', type: 'application/octet-stream' } as const;

const TYPES: Readonly<Record<Exclude<BodyKey, 'file' | 'base64'>, string>> = {
  json: 'application/json',
  xml: 'application/xml; charset=utf-8',
  soap: 'text/xml; charset=utf-8',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain; charset=utf-8',
};

/** The keys of a body that are there; more than one is an error of the case. */
export const bodyKeysOf = (held: WithBody): readonly BodyKey[] => BODY_KEYS.filter((key) => held[key] !== undefined);

/** undefined when none is written. Throws a `Failure` when a file is missing or a value cannot be written. */
export const bodyOf = (held: WithBody, beside: ReadBeside): CaseBody | undefined => {
  const [key] = bodyKeysOf(held);
  if (key === undefined) return undefined;
  const value = held[key];
  if (key === 'file') {
    const name = String(value);
    const { codec, type } = BY_EXTENSION[name.split('.').at(-1) ?? ''] ?? OCTETS;
    return raw(key, codec, readFile(name, beside), type, name);
  }
  if (key === 'base64') return raw(key, 'binary', Buffer.from(String(value), 'base64'), OCTETS.type, undefined);
  if (key === 'text') return raw(key, 'text', Buffer.from(String(value)), TYPES.text, undefined);
  if (typeof value === 'string' && FILE_NAME.test(value)) {
    return raw(key, key, readFile(value, beside), TYPES[key], value);
  }
  if (typeof value === 'string' && key !== 'json') return raw(key, key, Buffer.from(value), TYPES[key], undefined);
  return written(key, value);
};

const readFile = (name: string, beside: ReadBeside): Buffer => {
  const bytes = FILE_NAME.test(name) ? beside(name) : undefined;
  if (bytes !== undefined) return bytes;
  throw new Failure(`there is no file ${name} beside the case`, { code: 'missing_file' });
};

const raw = (key: BodyKey, codec: CodecName, bytes: Buffer, type: string, file: string | undefined): CaseBody => ({
  key,
  codec,
  compared: { bytes, contentType: type },
  encode: () => ({ bytes, contentType: type }),
  file,
});

const written = (key: BodyCodecName, value: unknown): CaseBody => {
  const { content, options } = key === 'soap' ? envelopeOf(value) : { content: value, options: {} };
  const encode = (): { bytes: Buffer; contentType: string } => {
    // JSON's `null` is a body; the codec, made for what mappings yield, would have it too.
    const { bytes, contentType } = encoderNamed(key).encode(content, { boundary: 'case', ...options });
    return { bytes, contentType };
  };
  return { key, codec: key, compared: encode(), encode, file: undefined };
};

interface Envelope {
  readonly namespaces?: Readonly<Record<string, string>>;
  readonly version?: '1.1' | '1.2';
}

const envelopeOf = (value: unknown): { content: unknown; options: EncodeOptions } => {
  const { namespaces, version } = (value ?? {}) as Envelope;
  return { content: value, options: { namespaces, version } };
};
