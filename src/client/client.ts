/** The shipper API as functions. Types are those of the server's own schemas; at run time it needs nothing but `fetch`. */
import type { CancelRequest } from '../engine/consignment/read.ts';
import type { FacilityDetails } from '../engine/consignment/facility.ts';
import type { CancelReply, ConsignmentEntry } from '../engine/consignment/reply.ts';
import type { Order } from '../engine/consignment/order.ts';
import type { CarrierChoice } from '../platform/api/choice-routes.ts';
import type { ConsignmentView, ListEntry, ListQuery } from '../platform/api/consignment-shapes.ts';
import type {
  AddressQuestion,
  AddressReply,
  CarrierView,
  LocationsQuestion,
  LocationsReply,
  Question as RatesQuestion,
  RatesReply,
  TurnaroundReply,
} from '../platform/api/inquiry-shapes.ts';
import type { ReservationView, SlotSearch, SlotView } from '../platform/api/slot-shapes.ts';
import type {
  DeliveriesFilter,
  DeliveryEntry,
  DeliveryWhole,
  NewWebhook,
  WebhookChange,
  RedeliveryView,
  WebhookTested,
  WebhookView,
  WebhookWithSecret,
} from '../platform/api/webhook-shapes.ts';
import { type Answer, type CancelBody400, valueOf } from './answer.ts';
import { type Ask, type Bytes, type CallOptions, jsonOf, send, type Settings } from './request.ts';

export { type Answer, type Refusal, valueOf, WaybillError } from './answer.ts';
export type { Bytes, CallOptions, Settings } from './request.ts';
export type { CarrierView, ConsignmentEntry, ConsignmentView, ListEntry, Order };

type Details = Order['consignmentDetails'];
/** With `null` for what need not be there. */
type Clearable<Value> = Value extends object
  ? { [Key in keyof Value]: Clearable<Value[Key]> | (object extends Pick<Value, Key> ? null : never) }
  : Value;
/** Only what is supplied changes, and `null` clears; parts that are included are complete in themselves. */
export type OrderChange = Partial<Clearable<Omit<Order, 'consignmentDetails'>>> & {
  readonly consignmentDetails: Partial<Clearable<Details>> & Pick<Details, 'referenceNumber'>;
};

export interface ActOptions extends CallOptions {
  /** Repeats under one key are done once; without one each call has its own, for its repeats alone. */
  readonly idempotencyKey?: string | undefined;
  /** Do not wait for the carrier: what follows comes by webhook, and `get` shows it. */
  readonly respondAsync?: boolean | undefined;
}

export type ListFilter = Omit<ListQuery, 'limit'> & { readonly limit?: number };

/** `nextCursor` is `cursor` of the next page; missing on the last. */
export interface Page<Entry> {
  readonly data: readonly Entry[];
  readonly nextCursor?: string;
}
interface PageQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

export type NewFacility = FacilityDetails;
export type Facility = FacilityDetails & {
  readonly code: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

type DeliveryQuery = DeliveriesFilter & { readonly before?: number; readonly limit?: number };
interface DeliveryPage {
  readonly data: readonly DeliveryEntry[];
  /** `before` of the next page; missing on the last. */
  readonly nextBefore?: number;
}

export type Waybill = ReturnType<typeof connect>;

export const connect = (settings: Settings) => {
  const { act, ask, get } = callsOf(settings);
  const one = async (...request: Parameters<typeof act>): Promise<Answer<ConsignmentEntry>> =>
    firstOf(await act<{ data: ConsignmentEntry[] }>(...request));
  const list = async (filter?: ListFilter, options?: CallOptions) =>
    await get<Page<ListEntry>>('/v2/consignments', options, filter);
  return {
    create: async (order: Order, options?: ActOptions) => await one('POST', '/v2/consignments', order, options),
    update: async (change: OrderChange, options?: ActOptions) => await one('PUT', '/v2/consignments', change, options),
    /** Each on its own: the value says what became of every one. */
    cancel: async (consignments: CancelRequest['consignments'], options?: ActOptions) =>
      await act<CancelReply, CancelBody400>('POST', '/v2/consignments-cancel', { consignments }, options),
    /** Which carrier a policy would choose for the order, and why not the others; nothing is recorded. */
    choose: async (order: Order, options?: CallOptions) =>
      await ask<{ data: CarrierChoice }>({
        method: 'POST',
        path: '/v2/carriers/choose',
        body: order,
        isRepeatable: true,
        options,
      }),
    retry: async (referenceNumber: string, options?: ActOptions) =>
      await one('POST', `${consignment(referenceNumber)}/dispatch`, undefined, options),
    get: async (referenceNumber: string, options?: CallOptions) =>
      firstOf(await get<{ data: ConsignmentView[] }>(consignment(referenceNumber), options)),
    list,
    /** All that fit, page by page as they are asked for; throws a `WaybillError`. */
    listAll: (filter?: ListFilter, options?: CallOptions) =>
      entriesOf(async (cursor) => await list({ ...filter, ...cursor }, options), cursorOf),
    /** By the link that replies and events carry, or by its id. One that the carrier has not made yet is 503. */
    label: async (linkOrId: string, options?: CallOptions) => {
      // Only the id of a link: the token goes to no other server than ours.
      const path = `/v2/labels/${encodeURIComponent(linkOrId.slice(linkOrId.lastIndexOf('/') + 1))}`;
      return await send<Bytes, never>(settings, { method: 'GET', path, isRepeatable: true, options }, (bytes) => bytes);
    },
    /** Asks for one that failed anew, by its id. */
    retryLabel: async (id: string, options?: CallOptions) =>
      await ask<{ id: string; state: 'pending' }>({
        method: 'POST',
        path: `/v2/labels/${encodeURIComponent(id)}/retry`,
        isRepeatable: false,
        options,
      }),
    ...inquiriesAt(settings),
    facilities: facilitiesAt(settings),
    webhooks: webhooksAt(settings),
  };
};

const consignment = (referenceNumber: string): string => `/v2/consignments/${encodeURIComponent(referenceNumber)}`;

/** What is asked before there is an order: repeats change nothing. */
const inquiriesAt = (settings: Settings) => {
  const { ask, get } = callsOf(settings);
  const post = async <Data>(
    path: string,
    body: unknown,
    options?: CallOptions,
    isRepeatable = true,
  ): Promise<Answer<Data>> =>
    dataOf(await ask<{ readonly data: Data }>({ method: 'POST', path, body, isRepeatable, options }));
  const carriers = async (query?: PageQuery, options?: CallOptions) =>
    await get<Page<CarrierView>>('/v2/carriers', options, { ...query });
  return {
    /** With which the shipper has accounts. */
    carriers,
    allCarriers: (page?: PageQuery, options?: CallOptions) =>
      entriesOf(async (cursor) => await carriers({ ...page, ...cursor }, options), cursorOf),
    /** Prices and times, of which an order takes one up by its `offerId`. */
    rates: async (question: RatesQuestion, options?: CallOptions) =>
      await post<RatesReply['data']>('/v2/checkout/rates', question, options),
    turnaround: async (question: RatesQuestion, options?: CallOptions) =>
      await post<TurnaroundReply['data']>('/v2/checkout/turnaround', question, options),
    validateAddress: async (question: AddressQuestion, options?: CallOptions) =>
      await post<AddressReply['data']>('/v2/addresses/validate', question, options),
    /** Where parcels are handed in or collected. */
    locations: async (question: LocationsQuestion, options?: CallOptions) =>
      await post<LocationsReply['data']>('/v2/locations', question, options),
    slots: {
      find: async (search: SlotSearch, options?: CallOptions) =>
        await post<readonly SlotView[]>('/v2/slots', search, options),
      /** A second time reserves another: only what was certainly not begun is repeated. */
      reserve: async (slotId: string, options?: CallOptions) =>
        await post<readonly ReservationView[]>('/v2/slots/reserve', { slotId }, options, false),
      confirm: async (slotToken: string, options?: CallOptions) =>
        await post<readonly ReservationView[]>('/v2/slots/confirm', { slotToken }, options),
      release: async (slotToken: string, options?: CallOptions) =>
        await post<readonly ReservationView[]>('/v2/slots/release', { slotToken }, options),
    },
  };
};

const facility = (code: string): string => `/v2/facilities/${encodeURIComponent(code)}`;

const facilitiesAt = (settings: Settings) => {
  const { ask, get } = callsOf(settings);
  const list = async (query?: PageQuery, options?: CallOptions) =>
    await get<Page<Facility>>('/v2/facilities', options, { ...query });
  return {
    save: async (code: string, body: NewFacility, options?: CallOptions) =>
      await ask<Facility>({ method: 'PUT', path: facility(code), body, isRepeatable: true, options }),
    get: async (code: string, options?: CallOptions) => await get<Facility>(facility(code), options),
    delete: async (code: string, options?: CallOptions) =>
      await ask<{ code: string; deleted: true }>({
        method: 'DELETE',
        path: facility(code),
        isRepeatable: true,
        options,
      }),
    list,
    listAll: (page?: PageQuery, options?: CallOptions) =>
      entriesOf(async (cursor) => await list({ ...page, ...cursor }, options), cursorOf),
  };
};

const WEBHOOKS = '/v2/webhooks';
const webhook = (id: string): string => `${WEBHOOKS}/${encodeURIComponent(id)}`;

const webhooksAt = (settings: Settings) => {
  const { ask, get } = callsOf(settings);
  // A second time makes a second webhook, secret or event: only what was certainly not begun is repeated.
  const post = async <Value>(path: string, options?: CallOptions, body?: unknown, isRepeatable = false) =>
    await ask<Value>({ method: 'POST', path, body, isRepeatable, options });
  const deliveries = async (query?: DeliveryQuery, options?: CallOptions) =>
    await get<DeliveryPage>(`${WEBHOOKS}/deliveries`, options, { ...query });
  return {
    /** With its secret, which is shown once. */
    create: async (newWebhook: NewWebhook, options?: CallOptions) =>
      await post<WebhookWithSecret>(WEBHOOKS, options, newWebhook),
    list: async (options?: CallOptions) => await get<{ data: readonly WebhookView[] }>(WEBHOOKS, options),
    get: async (id: string, options?: CallOptions) => await get<WebhookView>(webhook(id), options),
    /** What is not supplied stays, and null clears. */
    update: async (id: string, change: WebhookChange, options?: CallOptions) =>
      await ask<WebhookView>({ method: 'PATCH', path: webhook(id), body: change, isRepeatable: true, options }),
    /** A new secret; the one before signs too for a while. */
    rotate: async (id: string, options?: CallOptions) =>
      await post<WebhookWithSecret>(`${webhook(id)}/rotate`, options),
    pause: async (id: string, options?: CallOptions) =>
      await post<WebhookView>(`${webhook(id)}/pause`, options, undefined, true),
    resume: async (id: string, options?: CallOptions) =>
      await post<WebhookView>(`${webhook(id)}/resume`, options, undefined, true),
    test: async (id: string, options?: CallOptions) => await post<WebhookTested>(`${webhook(id)}/test`, options),
    delete: async (id: string, options?: CallOptions) =>
      await ask<{ id: string; deleted: true }>({ method: 'DELETE', path: webhook(id), isRepeatable: true, options }),
    deliveries,
    /** All that fit, the newest first, page by page as they are asked for; throws a `WaybillError`. */
    allDeliveries: (query?: DeliveryQuery, options?: CallOptions) =>
      entriesOf(
        async (before) => await deliveries({ ...query, ...before }, options),
        ({ nextBefore }) => (nextBefore === undefined ? undefined : { before: nextBefore }),
      ),
    delivery: async (id: number, options?: CallOptions) =>
      await get<DeliveryWhole>(`${WEBHOOKS}/deliveries/${id}`, options),
    redeliver: async (deliveryId: number, options?: CallOptions) =>
      await post<{ id: number; state: 'queued' | 'paused' }>(`${WEBHOOKS}/deliveries/${deliveryId}/redeliver`, options),
    /** All that match, in the background; without a state those that failed. */
    redeliverMatching: async (filter: DeliveriesFilter = {}, options?: CallOptions) =>
      await post<RedeliveryView>(`${WEBHOOKS}/redeliveries`, options, filter),
    redelivery: async (id: number, options?: CallOptions) =>
      await get<RedeliveryView>(`${WEBHOOKS}/redeliveries/${id}`, options),
  };
};

const callsOf = (settings: Settings) => {
  const ask = async <Value, Body400 = never>(request: Ask): Promise<Answer<Value, Body400>> =>
    await send(settings, request, (received) => jsonOf(received) as Value);
  return {
    ask,
    get: async <Value>(path: string, options: CallOptions | undefined, query?: Ask['query']): Promise<Answer<Value>> =>
      await ask<Value>({ method: 'GET', path, query, isRepeatable: true, options }),
    /** Under a key, so that any repeat of it is done once. */
    act: async <Value, Body400 = never>(
      method: 'POST' | 'PUT',
      path: string,
      body: unknown,
      { idempotencyKey = crypto.randomUUID(), respondAsync = false, ...options }: ActOptions = {},
    ): Promise<Answer<Value, Body400>> => {
      const headers = { 'idempotency-key': idempotencyKey, ...(respondAsync ? { prefer: 'respond-async' } : {}) };
      return await ask({ method, path, body, headers, isRepeatable: true, options });
    },
  };
};

const cursorOf = ({ nextCursor }: Page<unknown>) => (nextCursor === undefined ? undefined : { cursor: nextCursor });

/** Every entry of every page; a page is asked for when the one before is used up. */
async function* entriesOf<Entry, Found extends { readonly data: readonly Entry[] }, Next extends object>(
  pageAt: (next: Next | undefined) => Promise<Answer<Found & { readonly data: readonly Entry[] }>>,
  nextOf: (page: Found) => Next | undefined,
): AsyncGenerator<Entry, void, undefined> {
  for (let next: Next | undefined; ;) {
    const page = valueOf(await pageAt(next));
    yield* page.data;
    next = nextOf(page);
    if (next === undefined) return;
  }
}

const dataOf = <Data>(answer: Answer<{ readonly data: Data }>): Answer<Data> =>
  answer.ok ? { ...answer, value: answer.value.data } : answer;

/** Replies about one consignment hold it in a list. */
const firstOf = <Value>(answer: Answer<{ readonly data: readonly Value[] }>): Answer<Value> => {
  if (!answer.ok) return answer;
  const [value] = answer.value.data;
  if (value !== undefined) return { ...answer, value };
  return { ok: false, status: 'unreadable', messages: ['the answer names no consignment'], cause: undefined };
};
