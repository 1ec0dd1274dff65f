/** Whether a request is the one a case expects: URL and method whole, body whole where given, headers those named. */
import { lowerCaseNames } from '../../engine/dispatch/scope.ts';
import { type CodecName, codecOf } from '../../engine/codecs/codec.ts';
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import type { ValuePath } from '../../engine/value.ts';
import { bodyOf, type ReadBeside } from './bodies.ts';
import { compareBodies, type ComparedBody } from './compare-bodies.ts';
import type { CaseDifference } from './compare-values.ts';
import { correctBody } from './correct-body.ts';
import { Comparison } from './report.ts';
import { type ExpectedRequest, METHOD_KEYS } from './schema.ts';

type Headers = Readonly<Record<string, string>>;

export const contentTypeOf = (headers: Headers): string | undefined => lowerCaseNames(headers)['content-type'];

/** The parts of a path, decoded where they can be. */
export const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });

/** The body of a request as its format reads it; undefined: there is none, or it does not decode. */
export const decodedBody = ({ headers, body }: Pick<WireRequest, 'headers' | 'body'>): unknown => {
  const contentType = contentTypeOf(headers);
  if (body === undefined) return undefined;
  const decoded = decoderNamed(codecOf(contentType) ?? 'text').decode(body, { contentType });
  return decoded.ok ? decoded.body : Buffer.from(body).toString('utf8');
};

/** `key`: under which a case writes the URL. */
export const targetOf = (request: ExpectedRequest) => {
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
  path: ValuePath,
  beside: ReadBeside,
): Comparison => {
  const compared = new Comparison();
  const { key, method, url } = targetOf(expected);
  if (method !== seen.method) compared.differences.push({ path: 'method', expected: method, seen: seen.method });
  else if (!isSameUrl(url, seen.url)) compared.differ('url', url, seen.url, [...path, key]);
  // Before the headers, for a signature there follows from the body.
  compareBody(expected, seen, path, beside, compared);
  const headers = lowerCaseNames(seen.headers);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const got = headers[name.toLowerCase()];
    if (got === (value ?? undefined)) continue;
    compared.differ(`headers.${name}`, value ?? undefined, got, [...path, 'headers', name], got ?? null);
  }
  return compared;
};

const compareBody = (
  expected: ExpectedRequest,
  seen: WireRequest,
  path: ValuePath,
  beside: ReadBeside,
  { differences, corrections }: Comparison,
): void => {
  // A file that is not there yet is written by --accept.
  const body = bodyOf(expected, (name) => beside(name) ?? Buffer.alloc(0));
  if (body === undefined) return;
  const isMissing = body.file !== undefined && beside(body.file) === undefined;
  const found = isMissing
    ? [{ path: 'body', expected: `the file ${body.file}, which is not there`, seen: decodedBody(seen) }]
    : bodyDifferences(body.codec, body, seen);
  differences.push(...found);
  if (found.length > 0) corrections.push(...correctBody(expected, body, bodyBytes(seen), path, beside));
};

export const compareWithPrevious = (previous: WireRequest, seen: WireRequest): readonly CaseDifference[] => {
  const [expected, got] = [previous, seen].map(({ method, url }) => `${method} ${url}`);
  const isSame = previous.method === seen.method && isSameUrl(previous.url, seen.url);
  const body = bodyBytes(previous);
  return [
    ...(isSame ? [] : [{ path: 'url', expected, seen: got }]),
    ...bodyDifferences(codecOf(body.contentType) ?? 'binary', body, seen),
  ];
};

const bodyBytes = ({ headers, body }: WireRequest) => ({
  bytes: Buffer.from(body ?? []),
  contentType: contentTypeOf(headers),
});

const bodyDifferences = (codec: CodecName, expected: ComparedBody, seen: WireRequest): readonly CaseDifference[] =>
  compareBodies(codec, expected, bodyBytes(seen)).map(({ path, ...values }) => ({
    path: path === '' ? 'body' : path.startsWith('[') ? `body${path}` : `body.${path}`,
    ...values,
  }));

const SHOWN_MAX = 2_000;

/** A request as a case would write it: for one that was not expected. */
export const describeRequest = ({ method, url, body }: WireRequest): string => {
  const text = body === undefined ? '' : Buffer.from(body).toString('utf8').slice(0, SHOWN_MAX);
  return `${method} ${url}${text === '' ? '' : ` with ${text}`}`;
};
