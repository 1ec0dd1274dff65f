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
  const { href, pathname } = url;
  const headers = headersOf(request['headers']);
  const sent = contentOf(request['postData']);
  const body = (): unknown => readJson((sent ?? '').toString(), DEPTH_MAX);
  if (pathname.endsWith('/v2/consignments')) {
    return method === 'POST' && sent !== undefined ? [{ kind: 'order', body: body(), place, carrier: undefined }] : [];
  }
  const [, carrier, what] = /\/v2\/carriers\/([\w-]+)\/(statuses|webhook)(?:\/[^/]+)?$/.exec(pathname) ?? [];
  if (what === 'statuses') return [{ kind: 'push', body: body(), place, carrier }];
  if (what === 'webhook') {
    const came = { method, url: href, headers, body: sent ?? Buffer.alloc(0) };
    return [{ kind: 'webhook', came, place, carrier }];
  }
  const { status, content, headers: answered } = isMap(response) ? response : {};
  // A browser writes 0 where there was no answer.
  if (!(Number(status) >= 100 && Number(status) <= 599)) return [];
  const mimeType = isMap(content) ? textOf(content['mimeType']) : undefined;
  const answer = {
    status: Number(status),
    headers: { ...(mimeType === undefined ? {} : { 'content-type': mimeType }), ...headersOf(answered) },
    body: contentOf(content) ?? Buffer.alloc(0),
  };
  return [{ kind: 'call', call: { method, url: href, headers, answer }, place, carrier: undefined }];
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
