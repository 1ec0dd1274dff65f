/** Entries of HAR files (HTTP Archive 1.2): calls to carriers, and calls of shippers and carriers to us. */
import { isMap } from '../../engine/value.ts';
import { readJson } from '../../engine/codecs/json.ts';
import { Failure, type Place } from '../../engine/failure.ts';
import type { Payload } from './payload.ts';

const DEPTH_MAX = 100;

/** What one entry holds. What is of no use here, as a call without an answer, is none. Throws a `Failure`. */
export const payloadsOfHar = (entry: unknown, place: Place): readonly Payload[] => {
  const { request, response } = (isMap(entry) ? entry : {}) as Readonly<Record<string, unknown>>;
  if (!isMap(request)) throw new Failure('the entry has no request', { code: 'payload_unknown' });
  const method = textOf(request['method'])?.toUpperCase() ?? 'GET';
  const url = URL.parse(textOf(request['url']) ?? '');
  if (url === null) throw new Failure('the request has no URL', { code: 'payload_unknown' });
  const headers = headersOf(request['headers']);
  const sent = contentOf(request['postData']);
  const ours = callToUs(url.pathname);
  if (ours === 'order') {
    if (method !== 'POST' || sent === undefined) return [];
    return [{ kind: 'order', body: readJson(sent.toString(), DEPTH_MAX), place, carrier: undefined }];
  }
  if (ours?.what === 'statuses') {
    const body = readJson((sent ?? Buffer.alloc(0)).toString(), DEPTH_MAX);
    return [{ kind: 'push', body, place, carrier: ours.carrier }];
  }
  if (ours?.what === 'webhook') {
    const came = { method, url: url.href, headers, body: sent ?? Buffer.alloc(0) };
    return [{ kind: 'webhook', came, place, carrier: ours.carrier }];
  }
  if (!isMap(response)) return [];
  const status = Number(response['status']);
  // A browser writes 0 where there was no answer.
  if (!(status >= 100 && status <= 599)) return [];
  const content = contentOf(response['content']) ?? Buffer.alloc(0);
  const answered = headersOf(response['headers']);
  const mimeType = isMap(response['content']) ? textOf(response['content']['mimeType']) : undefined;
  const answer = {
    status,
    headers: { ...(mimeType === undefined ? {} : { 'content-type': mimeType }), ...answered },
    body: content,
  };
  return [{ kind: 'call', call: { method, url: url.href, headers, answer }, place, carrier: undefined }];
};

type CallToUs = 'order' | { readonly what: 'statuses' | 'webhook'; readonly carrier: string } | undefined;

const callToUs = (path: string): CallToUs => {
  if (path.endsWith('/v2/consignments')) return 'order';
  const [, carrier, what] = /\/v2\/carriers\/([\w-]+)\/(statuses|webhook)(?:\/[^/]+)?$/.exec(path) ?? [];
  return carrier === undefined ? undefined : { what: what as 'statuses' | 'webhook', carrier };
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A HAR has a list of names and values; a map is taken, too. */
const headersOf = (given: unknown): Record<string, string> => {
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(given)
    ? given.filter(isMap).map(({ name, value }) => [name, value] as const)
    : Object.entries(isMap(given) ? given : {});
  return Object.fromEntries(
    pairs.flatMap(([name, value]): [string, string][] =>
      typeof name === 'string' && typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
};

const contentOf = (given: unknown): Buffer | undefined => {
  if (!isMap(given)) return undefined;
  const text = textOf(given['text']);
  if (text !== undefined) return Buffer.from(text, given['encoding'] === 'base64' ? 'base64' : 'utf8');
  const { params } = given;
  if (!Array.isArray(params)) return undefined;
  const pairs = params
    .filter(isMap)
    .map(({ name, value }): [string, string] => [textOf(name) ?? '', textOf(value) ?? '']);
  return Buffer.from(new URLSearchParams(pairs).toString());
};
