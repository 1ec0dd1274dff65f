/** Whether a request is the one a case expects: URL and method whole, body whole where given, headers those named. */
import { compareBodies } from './compare-bodies.ts';
import type { CodecName } from '../../engine/codecs/codec.ts';
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { codecOf } from '../../engine/codecs/media-type.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { bodyOf, type CaseBody, type ReadBeside } from './bodies.ts';
import type { Path } from './read.ts';
import type { CaseDifference, Compared, Correction } from './report.ts';
import { type ExpectedRequest, METHOD_KEYS } from './schema.ts';

type Headers = Readonly<Record<string, string>>;

export const lowerCased = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

export const contentTypeOf = (headers: Headers): string | undefined => lowerCased(headers)['content-type'];

/** The body of a request as its format reads it; undefined: there is none, or it does not decode. */
export const decodedBody = ({ headers, body }: Pick<WireRequest, 'headers' | 'body'>): unknown => {
  const contentType = contentTypeOf(headers);
  if (body === undefined) return undefined;
  const decoded = decoderNamed(codecOf(contentType) ?? 'text').decode(body, { contentType });
  return decoded.ok ? decoded.body : Buffer.from(body).toString('utf8');
};

/** `key`: under which a case writes the URL. */
export const targetOf = (
  request: ExpectedRequest,
): { readonly key: (typeof METHOD_KEYS)[number]; readonly method: string; readonly url: string } => {
  const key = METHOD_KEYS.find((method) => request[method] !== undefined) ?? 'get';
  return { key, method: key.toUpperCase(), url: request[key] ?? '' };
};

export const isTarget = (expected: ExpectedRequest, { method, url }: WireRequest): boolean => {
  const wanted = targetOf(expected);
  return wanted.method === method && isSameUrl(wanted.url, url);
};

/** The same method and path: the rest may be a mistake. */
export const isNear = (expected: ExpectedRequest, { method, url }: WireRequest): boolean => {
  const wanted = targetOf(expected);
  return wanted.method === method && URL.parse(wanted.url)?.pathname === URL.parse(url)?.pathname;
};

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
  const { key, method, url } = targetOf(expected);
  if (method !== seen.method) differences.push({ path: 'method', expected: method, seen: seen.method });
  else if (!isSameUrl(url, seen.url)) {
    differences.push({ path: 'url', expected: url, seen: seen.url });
    corrections.push({ kind: 'value', path: [...path, key], value: seen.url });
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
    const found = bodyDifferences(body.codec, body.compared, seen);
    differences.push(...found);
    if (found.length > 0) corrections.push(...bodyCorrections(body, seen, path));
  }
  return { differences, corrections };
};

export const compareWithPrevious = (previous: WireRequest, seen: WireRequest): readonly CaseDifference[] => {
  const [expected, got] = [previous, seen].map(({ method, url }) => `${method} ${url}`);
  const isSame = previous.method === seen.method && isSameUrl(previous.url, seen.url);
  const contentType = contentTypeOf(previous.headers);
  const body = { bytes: previous.body ?? Buffer.alloc(0), contentType };
  return [
    ...(isSame ? [] : [{ path: 'url', expected, seen: got }]),
    ...bodyDifferences(codecOf(contentType) ?? 'binary', body, seen),
  ];
};

const bodyDifferences = (
  codec: CodecName,
  expected: CaseBody['compared'],
  { headers, body }: WireRequest,
): readonly CaseDifference[] =>
  compareBodies(codec, expected, { bytes: body ?? Buffer.alloc(0), contentType: contentTypeOf(headers) }).map(
    ({ path, expected: wanted, actual }) => ({
      path: path === '' ? 'body' : path.startsWith('[') ? `body${path}` : `body.${path}`,
      expected: wanted,
      seen: actual,
    }),
  );

/** The body as it was seen, in the form in which the case writes it. */
const bodyCorrections = (body: CaseBody, seen: WireRequest, path: Path): Correction[] => {
  const bytes = Buffer.from(seen.body ?? Buffer.alloc(0));
  if (body.file !== undefined) return [{ kind: 'file', name: body.file, bytes: prettyOf(body.codec, bytes) }];
  const corrected = (value: unknown): Correction[] => [{ kind: 'value', path: [...path, body.key], value }];
  if (body.key === 'base64') return corrected(bytes.toString('base64'));
  if (body.codec === 'xml' || body.codec === 'soap') return corrected(bytes.toString('utf8'));
  const decoded = decoderNamed(body.codec).decode(bytes, { contentType: contentTypeOf(seen.headers) });
  return body.codec === 'multipart' || !decoded.ok ? [] : corrected(decoded.body ?? null);
};

const prettyOf = (codec: CodecName, bytes: Buffer): Buffer => {
  const decoded = codec === 'json' ? decoderNamed('json').decode(bytes) : undefined;
  return decoded?.ok === true ? Buffer.from(`${JSON.stringify(decoded.body, undefined, 2)}\n`) : bytes;
};

const SHOWN_MAX = 2_000;

/** A request as a case would write it: for one that was not expected. */
export const describeRequest = ({ method, url, body }: WireRequest): string => {
  const text = body === undefined ? '' : Buffer.from(body).toString('utf8').slice(0, SHOWN_MAX);
  return `${method} ${url}${text === '' ? '' : ` with ${text}`}`;
};
