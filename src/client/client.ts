/** The shipper API as functions. Types are those of the server's own schemas; at run time it needs nothing but `fetch`. */
import type { CancelRequest } from '../engine/consignment/read.ts';
import type { FacilityDetails } from '../engine/consignment/facility.ts';
import type { CancelReply, ConsignmentEntry } from '../engine/consignment/reply.ts';
import type { Order } from '../engine/consignment/order.ts';
import type { PickupPlan } from '../engine/pickups/plan.ts';
import type { PickupRequest } from '../engine/pickups/request.ts';
import type { CarrierChoice, ConsignmentView, ListEntry, ListQuery } from '../platform/api/consignment-shapes.ts';
import type { PickupPlanView, PickupView, PickupWhole } from '../platform/api/pickup-shapes.ts';
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
import type { Answer, CancelBody400 } from './answer.ts';
import { type ActOptions, callsOf, cursorOf, dataOf, entriesOf, firstOf, type Page, type PageQuery } from './calls.ts';
import { manifestsAt } from './manifests.ts';
import type { CallOptions, Settings } from './request.ts';

export { type Answer, type Refusal, valueOf, WaybillError } from './answer.ts';
export type { ActOptions, Page } from './calls.ts';
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

export type ListFilter = Omit<ListQuery, 'limit'> & { readonly limit?: number };

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
  const { act, ask, bytesAt, get } = callsOf(settings);
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
    label: async (linkOrId: string, options?: CallOptions) => await bytesAt('/v2/labels', linkOrId, options),
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
    manifests: manifestsAt(settings),
    pickups: pickupsAt(settings),
    pickupPlans: pickupPlansAt(settings),
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

const PICKUPS = '/v2/pickups';
const pickup = (referenceNumber: string): string => `${PICKUPS}/${encodeURIComponent(referenceNumber)}`;

interface PickupQuery extends PageQuery {
  readonly carrier?: string;
  readonly originFacilityCode?: string;
  readonly fromDate?: string;
  readonly toDate?: string;
}
/** Only what is supplied changes, and `null` clears. */
export type PickupChange = { readonly [Name in keyof Omit<PickupRequest, 'shipFrom'>]?: PickupRequest[Name] | null } & {
  readonly shipFrom?: Partial<PickupRequest['shipFrom']>;
};

const pickupsAt = (settings: Settings) => {
  const { act, get } = callsOf(settings);
  const one = async (...request: Parameters<typeof act>): Promise<Answer<PickupWhole>> =>
    firstOf(await act<{ data: PickupWhole[] }>(...request));
  const list = async (query?: PickupQuery, options?: CallOptions) =>
    await get<Page<PickupView>>(PICKUPS, options, { ...query });
  return {
    book: async (request: PickupRequest, options?: ActOptions) => await one('POST', PICKUPS, request, options),
    change: async (referenceNumber: string, change: PickupChange, options?: ActOptions) =>
      await one('PUT', pickup(referenceNumber), change, options),
    cancel: async (referenceNumber: string, options?: ActOptions) =>
      await one('POST', `${pickup(referenceNumber)}/cancel`, undefined, options),
    retry: async (referenceNumber: string, options?: ActOptions) =>
      await one('POST', `${pickup(referenceNumber)}/dispatch`, undefined, options),
    /** With what remains to be picked up. */
    get: async (referenceNumber: string, options?: CallOptions) =>
      firstOf(await get<{ data: PickupWhole[] }>(pickup(referenceNumber), options)),
    list,
    listAll: (query?: PickupQuery, options?: CallOptions) =>
      entriesOf(async (cursor) => await list({ ...query, ...cursor }, options), cursorOf),
  };
};

const plan = (code: string): string => `/v2/pickup-plans/${encodeURIComponent(code)}`;

const pickupPlansAt = (settings: Settings) => {
  const { ask, get } = callsOf(settings);
  return {
    save: async (code: string, body: PickupPlan, options?: CallOptions) =>
      await ask<PickupPlanView>({ method: 'PUT', path: plan(code), body, isRepeatable: true, options }),
    get: async (code: string, options?: CallOptions) => await get<PickupPlanView>(plan(code), options),
    end: async (code: string, options?: CallOptions) =>
      await ask<{ code: string; ended: true }>({ method: 'DELETE', path: plan(code), isRepeatable: true, options }),
    list: async (query?: PageQuery, options?: CallOptions) =>
      await get<Page<PickupPlanView>>('/v2/pickup-plans', options, { ...query }),
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
