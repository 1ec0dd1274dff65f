/** The shipper API as functions. Types are those of the server's own schemas; at run time it needs nothing but `fetch`. */
import type { ConsignmentView, ListEntry, ListQuery } from '../platform/api/consignment-shapes.ts';
import type { CancelRequest } from '../engine/consignment/cancel.ts';
import type { CancelReply, ConsignmentEntry } from '../engine/consignment/reply-schema.ts';
import type { Order } from '../engine/consignment/schema.ts';
import type { Answer, CancelBody400 } from './answer.ts';
import { type Facilities, facilitiesAt } from './facilities.ts';
import { type Page, pages } from './pages.ts';
import { type Ask, ask, askBytes, type Bytes, type CallOptions, type Settings } from './request.ts';
import { type Webhooks, webhooksAt } from './webhooks.ts';

export { type Answer, type Refusal, valueOf, WaybillError } from './answer.ts';
export type { Facility, NewFacility } from './facilities.ts';
export type { Page } from './pages.ts';
export type { Bytes, CallOptions, Settings } from './request.ts';
export type { ConsignmentEntry, ConsignmentView, ListEntry, Order };

type Details = Order['consignmentDetails'];
/** Only what is supplied changes; parts that are included are complete in themselves. */
export type OrderChange = Partial<Omit<Order, 'consignmentDetails'>> & {
  readonly consignmentDetails: Partial<Details> & Pick<Details, 'referenceNumber'>;
};

export interface ActOptions extends CallOptions {
  /** Repeats under one key are done once; without one each call has its own, for its repeats alone. */
  readonly idempotencyKey?: string | undefined;
  /** Do not wait for the carrier: what follows comes by webhook, and `get` shows it. */
  readonly respondAsync?: boolean | undefined;
}

export type ListFilter = Omit<ListQuery, 'limit'> & { readonly limit?: number };

export interface Waybill {
  create(order: Order, options?: ActOptions): Promise<Answer<ConsignmentEntry>>;
  update(change: OrderChange, options?: ActOptions): Promise<Answer<ConsignmentEntry>>;
  /** Each on its own: the value says what became of every one. */
  cancel(
    consignments: CancelRequest['consignments'],
    options?: ActOptions,
  ): Promise<Answer<CancelReply, CancelBody400>>;
  /** Takes a held dispatch up again. */
  retry(referenceNumber: string, options?: ActOptions): Promise<Answer<ConsignmentEntry>>;
  get(referenceNumber: string, options?: CallOptions): Promise<Answer<ConsignmentView>>;
  list(filter?: ListFilter, options?: CallOptions): Promise<Answer<Page<ListEntry>>>;
  /** All that fit, page by page as they are asked for; throws a `WaybillError`. */
  listAll(filter?: ListFilter, options?: CallOptions): AsyncGenerator<ListEntry, void, undefined>;
  /** By the link that replies and events carry, or by its id. One that the carrier has not made yet is 503. */
  label(linkOrId: string, options?: CallOptions): Promise<Answer<Bytes>>;
  readonly facilities: Facilities;
  readonly webhooks: Webhooks;
}

const act = (
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
  { idempotencyKey = crypto.randomUUID(), respondAsync = false, ...options }: ActOptions = {},
): Ask => ({
  method,
  path,
  body,
  headers: { 'idempotency-key': idempotencyKey, ...(respondAsync ? { prefer: 'respond-async' } : {}) },
  isRepeatable: true,
  options,
});

/** Speaks to a server as the shipper whose token it is. */
export const connect = (settings: Settings): Waybill => {
  const one = async (...request: Parameters<typeof act>): Promise<Answer<ConsignmentEntry>> =>
    firstOf(await ask<{ data: ConsignmentEntry[] }, never>(settings, act(...request)));
  const list: Waybill['list'] = async (filter, options) =>
    await ask(settings, { method: 'GET', path: '/v2/consignments', query: filter, isRepeatable: true, options });
  return {
    create: async (order, options) => await one('POST', '/v2/consignments', order, options),
    update: async (change, options) => await one('PUT', '/v2/consignments', change, options),
    cancel: async (consignments, options) =>
      await ask(settings, act('POST', '/v2/consignments-cancel', { consignments }, options)),
    retry: async (referenceNumber, options) =>
      await one('POST', `/v2/consignments/${encodeURIComponent(referenceNumber)}/dispatch`, undefined, options),
    get: async (referenceNumber, options) =>
      firstOf(
        await ask<{ data: ConsignmentView[] }, never>(settings, {
          method: 'GET',
          path: '/v2/consignments',
          query: { referenceNumber },
          isRepeatable: true,
          options,
        }),
      ),
    list,
    listAll: (filter, options) => pages(async (cursor) => await list({ ...filter, ...cursor }, options)),
    label: async (linkOrId, options) =>
      await askBytes(settings, {
        method: 'GET',
        // Only the id of a link: the token goes to no other server than ours.
        path: `/v2/labels/${encodeURIComponent(linkOrId.slice(linkOrId.lastIndexOf('/') + 1))}`,
        isRepeatable: true,
        options,
      }),
    facilities: facilitiesAt(settings),
    webhooks: webhooksAt(settings),
  };
};

/** Replies about one consignment hold it in a list. */
const firstOf = <Value>(answer: Answer<{ readonly data: readonly Value[] }, never>): Answer<Value> => {
  if (!answer.ok) return answer;
  const [value] = answer.value.data;
  if (value !== undefined) return { ...answer, value };
  return { ok: false, status: 'unreadable', messages: ['the answer names no consignment'], cause: undefined };
};
