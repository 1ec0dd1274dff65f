/** What a value is, by its shape: nothing is guessed where the shape does not tell. */
import { isMap } from '../../engine/value.ts';
import { encoderNamed } from '../../engine/codecs/codecs.ts';
import type { KeptAnswer } from '../../engine/dispatch/ports.ts';
import { Failure, type Place } from '../../engine/failure.ts';
import { isOperation } from '../../engine/profile/carrier.ts';
import type { IncomingRequest } from '../../engine/statuses/carrier-webhook.ts';
import type { Payload, Target } from './payload.ts';
import { readJson } from '../../engine/codecs/json.ts';

/** What whoever asks says of payloads whose shape says nothing. */
export type As = { readonly kind: 'webhook' } | { readonly kind: 'answer'; readonly target: Target };

/** `webhook`, `create`, or `create/booking`; undefined: none of these. */
export const parseAs = (text: string): As | undefined => {
  if (text === 'webhook') return { kind: 'webhook' };
  const [operation = '', step, ...more] = text.split('/');
  return more.length === 0 && isOperation(operation) ? { kind: 'answer', target: { operation, step } } : undefined;
};

const carrierIn = (body: Readonly<Record<string, unknown>>): string | undefined => {
  const { carrierCode, carrier } = body;
  if (typeof carrierCode === 'string' && carrierCode !== '') return carrierCode;
  return isMap(carrier) && typeof carrier['code'] === 'string' ? carrier['code'] : undefined;
};

const STATUS_FIELDS = ['carrierStatus', 'carrierStatusCode', 'carrierStatusDescription', 'statusReceivedAt'];

/** The payloads in a value. Throws a `Failure` when nothing says what it is. */
export const recognise = (value: unknown, place: Place, as: As | undefined): readonly Payload[] => {
  if (as !== undefined) return [asSaid(value, place, as)];
  if (!isMap(value)) throw unknown('it is neither a map nor a list of maps');
  const has = (...keys: readonly string[]): boolean => keys.every((key) => Object.hasOwn(value, key));
  const base = { place, carrier: carrierIn(value) };
  if (isMap(value['log']) && Array.isArray(value['log']['entries'])) {
    return value['log']['entries'].flatMap((entry: unknown) => payloadsOfHar(entry, place));
  }
  if (isMap(value['request']) && isMap(value['response'])) return payloadsOfHar(value, place);
  if (has('consignmentDetails', 'shipTo')) return [{ ...base, kind: 'order', body: value }];
  if (has('referenceId', 'itemList')) return [{ ...base, kind: 'consignment', consignment: value }];
  if (STATUS_FIELDS.some((key) => has(key))) return [{ ...base, kind: 'push', body: value }];
  throw unknown('it is no order, consignment, status update or exchange');
};

const unknown = (why: string): Failure =>
  new Failure(why, {
    code: 'payload_unknown',
    help: 'say --as webhook for the carrier’s own calls, --as <operation>[/<step>] for its answers',
  });

const asSaid = (value: unknown, place: Place, as: As): Payload => {
  const { bytes, contentType } =
    typeof value === 'string'
      ? { bytes: Buffer.from(value), contentType: value.trimStart().startsWith('<') ? 'text/xml' : 'text/plain' }
      : encoderNamed('json').encode(value);
  const headers = { 'content-type': contentType };
  if (as.kind === 'answer') {
    const answer: KeptAnswer = { status: 200, headers, body: bytes };
    return { kind: 'answer', target: as.target, answer, place, carrier: undefined };
  }
  const came: IncomingRequest = { method: 'POST', url: 'https://waybill.example/', headers, body: bytes };
  return { kind: 'webhook', came, place, carrier: undefined };
};

// HAR -----------------------------------------------------------------------------------------------------------------

const DEPTH_MAX = 100;

/** What one entry holds. What is of no use here, as a call without an answer, is none. Throws a `Failure`. */
export const payloadsOfHar = (entry: unknown, place: Place): readonly Payload[] => {
  const { request, response } = (isMap(entry) ? entry : {}) as Readonly<Record<string, unknown>>;
  if (!isMap(request)) throw new Failure('the entry has no request', { code: 'payload_unknown' });
  const method = textOf(request['method'])?.toUpperCase() ?? 'GET';
  const url = URL.parse(textOf(request['url']) ?? '');
  if (url === null) throw new Failure('the request has no URL', { code: 'payload_unknown' });
  const { href, pathname } = url;
  const headers = harHeaders(request['headers']);
  const sent = harContent(request['postData']);
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
    headers: { ...(mimeType === undefined ? {} : { 'content-type': mimeType }), ...harHeaders(answered) },
    body: harContent(content) ?? Buffer.alloc(0),
  };
  return [{ kind: 'call', call: { method, url: href, headers, answer }, place, carrier: undefined }];
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A HAR has a list of names and values, of HTTP/2 `:authority` and its like among them; a map is taken, too. */
export const harHeaders = (given: unknown): Record<string, string> => {
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(given)
    ? given.filter(isMap).map(({ name, value }) => [name, value] as const)
    : Object.entries(isMap(given) ? given : {});
  return Object.fromEntries(
    pairs.flatMap(([name, value]): [string, string][] =>
      typeof name === 'string' && typeof value === 'string' && !name.startsWith(':')
        ? [[name.toLowerCase(), value]]
        : [],
    ),
  );
};

export const harContent = (given: unknown): Buffer | undefined => {
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
