/** Whether a request is the one a case expects: URL and method whole, body whole where given, headers those named. */
import { compareBodies } from './compare-bodies.ts';
import type { CodecName } from '../../engine/codecs/codec.ts';
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { codecOf } from '../../engine/codecs/media-type.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { bodyOf, type CaseBody, type ReadBeside } from './bodies.ts';
import type { Compared } from './compare.ts';
import type { Path } from './read.ts';
import type { CaseDifference, Correction } from './report.ts';
import { type ExpectedRequest, METHOD_KEYS } from './schema.ts';

const methodOf = (request: ExpectedRequest): { key: (typeof METHOD_KEYS)[number]; url: string } => {
  const key = METHOD_KEYS.find((method) => request[method] !== undefined) ?? 'get';
  return { key, url: request[key] ?? '' };
};

export const isTarget = (expected: ExpectedRequest, { method, url }: WireRequest): boolean => {
  const wanted = methodOf(expected);
  return wanted.key.toUpperCase() === method && isSameUrl(wanted.url, url);
};

/** The same method and path: the rest may be a mistake. */
export const isNear = (expected: ExpectedRequest, { method, url }: WireRequest): boolean => {
  const wanted = methodOf(expected);
  return wanted.key.toUpperCase() === method && pathOf(wanted.url) === pathOf(url);
};

const pathOf = (url: string): string | undefined => URL.parse(url)?.pathname;

/** As servers read them: the order of different query parameters does not count. */
const isSameUrl = (one: string, other: string): boolean => canonicalUrl(one) === canonicalUrl(other);

const canonicalUrl = (text: string): string => {
  const url = URL.parse(text);
  if (url === null) return text;
  url.searchParams.sort();
  return `${url.origin}${url.pathname}?${url.searchParams.toString()}`;
};

/** `path`: where `expected` stands in the case. */
export const compareRequest = (
  expected: ExpectedRequest,
  seen: WireRequest,
  path: Path,
  beside: ReadBeside,
): Compared => {
  const differences: CaseDifference[] = [];
  const corrections: Correction[] = [];
  const wanted = methodOf(expected);
  if (wanted.key.toUpperCase() !== seen.method) {
    differences.push({ path: 'method', expected: wanted.key.toUpperCase(), seen: seen.method });
  } else if (!isSameUrl(wanted.url, seen.url)) {
    differences.push({ path: 'url', expected: wanted.url, seen: seen.url });
    corrections.push({ kind: 'value', path: [...path, wanted.key], value: seen.url });
  }
  const headers = lowerCased(seen.headers);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const got = headers[name.toLowerCase()];
    if (got === (value ?? undefined)) continue;
    differences.push({ path: `headers.${name}`, expected: value ?? undefined, seen: got });
    corrections.push({ kind: 'value', path: [...path, 'headers', name], value: got ?? null });
  }
  const body = bodyOf(expected, beside);
  if (body !== undefined) {
    const found = compareBody(body, seen);
    differences.push(...found.map(({ path: at, expected: one, actual }) => bodyDifference(at, one, actual)));
    if (found.length > 0) corrections.push(...correctionOf(body, seen, path));
  }
  return { differences, corrections };
};

const bodyDifference = (path: string, expected: unknown, seen: unknown): CaseDifference => ({
  path: path === '' ? 'body' : path.startsWith('[') ? `body${path}` : `body.${path}`,
  expected,
  seen,
});

const compareBody = (body: CaseBody, seen: WireRequest): ReturnType<typeof compareBodies> =>
  compareBodies(body.codec, body.compared, { bytes: seen.body ?? Buffer.alloc(0), contentType: contentTypeOf(seen) });

export const compareWithPrevious = (previous: WireRequest, seen: WireRequest): readonly CaseDifference[] => {
  const differences: CaseDifference[] = [];
  if (previous.method !== seen.method || !isSameUrl(previous.url, seen.url)) {
    differences.push({ path: 'url', expected: targetOf(previous), seen: targetOf(seen) });
  }
  const contentType = contentTypeOf(previous);
  const codec: CodecName = codecOf(contentType) ?? 'binary';
  const found = compareBodies(
    codec,
    { bytes: previous.body ?? Buffer.alloc(0), contentType },
    { bytes: seen.body ?? Buffer.alloc(0), contentType: contentTypeOf(seen) },
  );
  return [...differences, ...found.map(({ path, expected, actual }) => bodyDifference(path, expected, actual))];
};

const targetOf = ({ method, url }: WireRequest): string => `${method} ${url}`;

const lowerCased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const contentTypeOf = ({ headers }: WireRequest): string | undefined => lowerCased(headers)['content-type'];

/** The body as it was seen, in the form in which the case writes it. */
const correctionOf = (body: CaseBody, seen: WireRequest, path: Path): Correction[] => {
  const bytes = Buffer.from(seen.body ?? Buffer.alloc(0));
  if (body.file !== undefined) return [{ kind: 'file', name: body.file, bytes: prettyOf(body.codec, bytes) }];
  const decoded = decoderNamed(body.codec === 'soap' ? 'text' : body.codec).decode(bytes, {
    contentType: contentTypeOf(seen),
  });
  if (body.key === 'base64') return [{ kind: 'value', path: [...path, body.key], value: bytes.toString('base64') }];
  if (body.codec === 'multipart' || !decoded.ok) return [];
  const value = body.codec === 'xml' ? bytes.toString('utf8') : decoded.body;
  return [{ kind: 'value', path: [...path, body.key], value: value ?? null }];
};

const prettyOf = (codec: CodecName, bytes: Buffer): Buffer => {
  if (codec !== 'json') return bytes;
  const decoded = decoderNamed('json').decode(bytes);
  return decoded.ok ? Buffer.from(`${JSON.stringify(decoded.body, undefined, 2)}\n`) : bytes;
};

/** A request as a case would write it: for one that was not expected. */
export const describeRequest = ({ method, url, body }: WireRequest): string => {
  const text =
    body === undefined || body.byteLength === 0 ? '' : Buffer.from(body).toString('utf8').slice(0, SHOWN_MAX);
  return `${method} ${url}${text === '' ? '' : ` with ${text}`}`;
};
const SHOWN_MAX = 2_000;
