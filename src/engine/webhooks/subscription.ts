import { type AddressPolicy, checkUrl } from '../transport/address.ts';

export const ORDER_TYPES = ['FORWARD', 'REVERSE', 'TRANSFER', 'EXCHANGE'] as const;
export type SubscribedOrderType = (typeof ORDER_TYPES)[number];

/** Of which orders a shipper wants webhooks, and where. */
export interface NewSubscription {
  readonly url: string;
  readonly orderTypes: readonly SubscribedOrderType[];
}

export type ReadSubscription =
  | { readonly ok: true; readonly value: NewSubscription }
  /** Sentences, each naming its field. */
  | { readonly ok: false; readonly errors: readonly string[] };

const LONGEST_URL = 2_048;

/**
 * Reads `{url, orderTypes}` as a shipper sends it: order types in any case, each kept once; a URL that the transport
 * would let pass as far as can be said before its name is resolved.
 */
export const readSubscription = (body: unknown, policy: AddressPolicy): ReadSubscription => {
  const { url, orderTypes } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const errors: string[] = [];
  const address = readUrl(url, policy, errors);
  const types = readOrderTypes(orderTypes, errors);
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: { url: address, orderTypes: types } };
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
