import { type AddressPolicy, checkUrl } from '../transport/address.ts';
import { isMap } from '../value.ts';
import { EVENT_FILTERS } from './event.ts';

export const ORDER_TYPES = ['FORWARD', 'REVERSE', 'TRANSFER', 'EXCHANGE'] as const;
export type SubscribedOrderType = (typeof ORDER_TYPES)[number];

/** Of which orders a shipper wants webhooks, and where. */
export interface NewSubscription {
  readonly url: string;
  readonly orderTypes: readonly SubscribedOrderType[];
  /** Of `EVENT_FILTERS`; undefined: all. */
  readonly events?: readonly string[] | undefined;
  /** Sent with every delivery, beside our own; undefined: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Between a failed try and the next, as many as there are retries; undefined: as the server is set. */
  readonly retryAfterSeconds?: readonly number[] | undefined;
}

export type ReadSubscription =
  | { readonly ok: true; readonly value: NewSubscription }
  /** Sentences, each naming its field. */
  | { readonly ok: false; readonly errors: readonly string[] };

const LONGEST_URL = 2_048;

/**
 * Reads `{url, orderTypes, events, headers, retryAfterSeconds}` as a shipper sends it: order types in any case, each kept once; a URL that the transport
 * would let pass as far as can be said before its name is resolved.
 */
export const readSubscription = (body: unknown, policy: AddressPolicy): ReadSubscription => {
  const { url, orderTypes, events, headers, retryAfterSeconds } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Record<string, unknown>;
  const errors: string[] = [];
  const address = readUrl(url, policy, errors);
  const types = readOrderTypes(orderTypes, errors);
  const names = events === undefined || events === null ? undefined : readEvents(events, errors);
  const own = {
    ...(names && { events: names }),
    ...(isGiven(headers) && { headers: readHeaders(headers, errors) }),
    ...(isGiven(retryAfterSeconds) && { retryAfterSeconds: readWaits(retryAfterSeconds, errors) }),
  };
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: { url: address, orderTypes: types, ...own } };
};
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const HEADERS_MAX = 20;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1998}[\x21-\x7e])?$/;
/** Those that say how a request is sent, and those of the signature. */
const RESERVED =
  /^(?:webhook-.*|content-.*|proxy-.*|accept-encoding|connection|expect|host|keep-alive|te|traceparent|tracestate|trailer|transfer-encoding|upgrade)$/i;

const readHeaders = (given: unknown, errors: string[]): Readonly<Record<string, string>> => {
  if (!isMap(given)) {
    errors.push('headers must be an object of names and values');
    return {};
  }
  const entries = Object.entries(given);
  if (entries.length > HEADERS_MAX) errors.push(`headers may have at most ${HEADERS_MAX} entries`);
  const names = new Set<string>();
  for (const [name, value] of entries) {
    const shown = `headers.${name.slice(0, 100)}`;
    if (!HEADER_NAME.test(name)) errors.push(`${shown} is not the name of a header`);
    else if (RESERVED.test(name)) errors.push(`${shown} is reserved: this platform sets it itself, or nobody may`);
    else if (names.has(name.toLowerCase())) errors.push(`${shown} is there twice`);
    names.add(name.toLowerCase());
    if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      errors.push(`${shown} must be 1 to 2,000 characters of ASCII, without spaces at its ends`);
  }
  return given as Readonly<Record<string, string>>;
};

const RETRIES_MAX = 30;
const DAY_SECONDS = 86_400;
const SUM_MAX_DAYS = 14;

const readWaits = (given: unknown, errors: string[]): readonly number[] => {
  const waits = (Array.isArray(given) ? given : []) as readonly number[];
  const isRight = waits.every((wait) => Number.isInteger(wait) && wait >= 1 && wait <= 7 * DAY_SECONDS);
  const sum = isRight ? waits.reduce((all, wait) => all + wait, 0) : 0;
  if (waits.length === 0 || waits.length > RETRIES_MAX || !isRight || sum > SUM_MAX_DAYS * DAY_SECONDS)
    errors.push(
      `retryAfterSeconds must be a list of 1 to ${RETRIES_MAX} whole numbers from 1 to ${7 * DAY_SECONDS}, together at most ` +
        `${SUM_MAX_DAYS} days`,
    );
  return waits;
};

const readUrl = (url: unknown, policy: AddressPolicy, errors: string[]): string => {
  if (typeof url !== 'string' || url === '') errors.push('url is required and must be a text');
  else if (url.length > LONGEST_URL) errors.push(`url may have at most ${LONGEST_URL} characters`);
  else {
    const verdict = checkUrl(url, policy);
    if (verdict.allowed) return verdict.url.href;
    errors.push(`url cannot be used: ${verdict.reason}`);
  }
  return '';
};

const readOrderTypes = (given: unknown, errors: string[]): readonly SubscribedOrderType[] => {
  if (!Array.isArray(given) || given.length === 0) {
    errors.push(`orderTypes is required and must be a list of ${ORDER_TYPES.join(', ')}`);
    return [];
  }
  const words: unknown[] = given.map((word: unknown) => (typeof word === 'string' ? word.trim().toUpperCase() : word));
  const isUnknown = words.some((word) => !ORDER_TYPES.some((type) => type === word));
  if (isUnknown) errors.push(`orderTypes may hold only ${ORDER_TYPES.join(', ')}`);
  return ORDER_TYPES.filter((type) => words.includes(type));
};

const readEvents = (given: unknown, errors: string[]): readonly string[] => {
  const words: readonly unknown[] = Array.isArray(given) ? given : [];
  const unknown = words.filter((word) => !EVENT_FILTERS.some((name) => name === word));
  if (words.length === 0) errors.push('events must be a list of at least one event; leave it out for all of them');
  if (unknown.length > 0)
    errors.push(
      `events has ${JSON.stringify(unknown[0])?.slice(0, 100)}, but may hold only ${EVENT_FILTERS.join(', ')}`,
    );
  return EVENT_FILTERS.filter((name) => words.includes(name));
};
