import { type AddressPolicy, checkUrl } from '../transport/address.ts';
import { EVENT_FILTERS } from './event.ts';

export const ORDER_TYPES = ['FORWARD', 'REVERSE', 'TRANSFER', 'EXCHANGE'] as const;
export type SubscribedOrderType = (typeof ORDER_TYPES)[number];

/** Of which orders a shipper wants webhooks, and where. */
export interface NewSubscription {
  readonly url: string;
  readonly orderTypes: readonly SubscribedOrderType[];
  /** Of `EVENT_FILTERS`; undefined: all. */
  readonly events?: readonly string[] | undefined;
}

export type ReadSubscription =
  | { readonly ok: true; readonly value: NewSubscription }
  /** Sentences, each naming its field. */
  | { readonly ok: false; readonly errors: readonly string[] };

const LONGEST_URL = 2_048;

/**
 * Reads `{url, orderTypes, events}` as a shipper sends it: order types in any case, each kept once; a URL that the transport
 * would let pass as far as can be said before its name is resolved.
 */
export const readSubscription = (body: unknown, policy: AddressPolicy): ReadSubscription => {
  const { url, orderTypes, events } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  const errors: string[] = [];
  const address = readUrl(url, policy, errors);
  const types = readOrderTypes(orderTypes, errors);
  const names = events === undefined || events === null ? undefined : readEvents(events, errors);
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, value: { url: address, orderTypes: types, ...(names === undefined ? {} : { events: names }) } };
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
