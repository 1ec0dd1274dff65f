/** Bodies as cases write them: a value, a text, or a file beside the case. */
import type { CodecName, EncodeOptions } from '../../engine/codecs/codec.ts';
import { encoderNamed } from '../../engine/codecs/codecs.ts';
import { lowerCaseNames } from '../../engine/dispatch/scope.ts';
import { Failure } from '../../engine/failure.ts';
import { withInnerTexts } from './inner-text.ts';
import { BODY_KEYS, type BodyKey } from './schema.ts';

export type WithBody = Partial<Record<BodyKey, unknown>>;

/** Reads a file beside the case; undefined when there is none of that name. */
export type ReadBeside = (name: string) => Buffer | undefined;

interface Format {
  readonly codec: CodecName;
  readonly contentType: string;
}

export interface CaseBody extends Format {
  readonly key: BodyKey;
  readonly bytes: Buffer;
  /** The file it stands in; undefined: it is written in the case. */
  readonly file?: string;
}

const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[a-z][a-z0-9]{1,4}$/;

const BY_KEY: Readonly<Record<Exclude<BodyKey, 'file'>, Format>> = {
  json: { codec: 'json', contentType: 'application/json' },
  xml: { codec: 'xml', contentType: 'application/xml; charset=utf-8' },
  soap: { codec: 'soap', contentType: 'text/xml; charset=utf-8' },
  form: { codec: 'form', contentType: 'application/x-www-form-urlencoded' },
  multipart: { codec: 'multipart', contentType: 'multipart/form-data' },
  text: { codec: 'text', contentType: 'text/plain; charset=utf-8' },
  base64: { codec: 'binary', contentType: 'application/octet-stream' },
};
const BY_EXTENSION: Readonly<Record<string, Format>> = {
  json: BY_KEY.json,
  xml: BY_KEY.xml,
  txt: BY_KEY.text,
  html: { codec: 'text', contentType: 'text/html; charset=utf-8' },
  pdf: { codec: 'binary', contentType: 'application/pdf' },
  png: { codec: 'binary', contentType: 'image/png' },
  zpl: { codec: 'text', contentType: 'application/zpl' },
};

/** The keys of a body that are there; more than one is an error of the case. */
export const bodyKeysOf = (held: WithBody): readonly BodyKey[] => BODY_KEYS.filter((key) => held[key] !== undefined);

/** undefined when none is written. Throws a `Failure` when a file is missing or a value cannot be written. */
export const bodyOf = (held: WithBody, beside: ReadBeside): CaseBody | undefined => {
  const [key] = bodyKeysOf(held);
  if (key === undefined) return undefined;
  const value = held[key];
  const text = typeof value === 'string' ? value : '';
  if (key === 'file') {
    const format = BY_EXTENSION[text.split('.').at(-1) ?? ''] ?? BY_KEY.base64;
    return { key, ...format, bytes: readFile(text, beside), file: text };
  }
  if (key === 'base64') return { key, ...BY_KEY.base64, bytes: Buffer.from(text, 'base64') };
  if (key === 'text') return { key, ...BY_KEY.text, bytes: Buffer.from(text) };
  if (value === text && FILE_NAME.test(text)) return { key, ...BY_KEY[key], bytes: readFile(text, beside), file: text };
  if (value === text && key !== 'json') return { key, ...BY_KEY[key], bytes: Buffer.from(text) };
  const { namespaces, version } = (key === 'soap' ? (value ?? {}) : {}) as EncodeOptions;
  const { bytes, contentType } = encoderNamed(key).encode(withInnerTexts(value), {
    boundary: 'case',
    namespaces,
    version,
  });
  return { key, codec: key, bytes, contentType };
};

/** The bytes of a message and its headers, names in lower case: what its body is, unless they say so themselves. */
export const messageOf = (
  held: WithBody & { readonly headers?: Readonly<Record<string, string>> | undefined },
  beside: ReadBeside,
) => {
  const { bytes = Buffer.alloc(0), contentType } = bodyOf(held, beside) ?? {};
  const ofBody: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
  return { bytes, headers: { ...ofBody, ...lowerCaseNames(held.headers ?? {}) } };
};

const readFile = (name: string, beside: ReadBeside): Buffer => {
  const bytes = FILE_NAME.test(name) ? beside(name) : undefined;
  if (bytes !== undefined) return bytes;
  throw new Failure(`there is no file ${name} beside the case`, { code: 'missing_file' });
};
