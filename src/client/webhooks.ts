import type {
  DeliveriesFilter,
  DeliveryEntry,
  DeliveryWhole,
  NewWebhook,
  RedeliveryView,
  WebhookTested,
  WebhookView,
  WebhookWithSecret,
} from '../platform/api/webhook-shapes.ts';
import { type Answer, valueOf } from './answer.ts';
import { ask, type CallOptions, type Settings } from './request.ts';

interface DeliveryPage {
  readonly data: readonly DeliveryEntry[];
  /** `before` of the next page; missing on the last. */
  readonly nextBefore?: number;
}
type DeliveryQuery = DeliveriesFilter & { readonly before?: number; readonly limit?: number };

export interface Webhooks {
  /** With its secret, which is shown once. */
  create(webhook: NewWebhook, options?: CallOptions): Promise<Answer<WebhookWithSecret>>;
  list(options?: CallOptions): Promise<Answer<{ readonly data: readonly WebhookView[] }>>;
  get(id: string, options?: CallOptions): Promise<Answer<WebhookView>>;
  /** A new secret; the one before signs too for a while. */
  rotate(id: string, options?: CallOptions): Promise<Answer<WebhookWithSecret>>;
  pause(id: string, options?: CallOptions): Promise<Answer<WebhookView>>;
  resume(id: string, options?: CallOptions): Promise<Answer<WebhookView>>;
  /** Sends a signed test event now. */
  test(id: string, options?: CallOptions): Promise<Answer<WebhookTested>>;
  delete(id: string, options?: CallOptions): Promise<Answer<{ readonly id: string; readonly deleted: true }>>;
  deliveries(query?: DeliveryQuery, options?: CallOptions): Promise<Answer<DeliveryPage>>;
  /** All that fit, the newest first, page by page as they are asked for; throws a `WaybillError`. */
  allDeliveries(query?: DeliveryQuery, options?: CallOptions): AsyncGenerator<DeliveryEntry, void, undefined>;
  delivery(id: number, options?: CallOptions): Promise<Answer<DeliveryWhole>>;
  redeliver(
    deliveryId: number,
    options?: CallOptions,
  ): Promise<Answer<{ readonly id: number; readonly state: 'queued' | 'paused' }>>;
  /** All that match, in the background; without a state those that failed. */
  redeliverMatching(filter?: DeliveriesFilter, options?: CallOptions): Promise<Answer<RedeliveryView>>;
  redelivery(id: number, options?: CallOptions): Promise<Answer<RedeliveryView>>;
}

const root = '/v2/webhooks';
const one = (id: string): string => `${root}/${encodeURIComponent(id)}`;

export const webhooksAt = (settings: Settings): Webhooks => {
  const read = async <Value>(path: string, options: CallOptions | undefined, query?: DeliveryQuery) =>
    await ask<Value, never>(settings, { method: 'GET', path, query: { ...query }, isRepeatable: true, options });
  // A second time makes a second webhook, secret or event: only what was certainly not begun is repeated.
  const act = async <Value>(path: string, options: CallOptions | undefined, body?: unknown, isRepeatable = false) =>
    await ask<Value, never>(settings, { method: 'POST', path, body, isRepeatable, options });
  const deliveries: Webhooks['deliveries'] = async (query, options) => await read(`${root}/deliveries`, options, query);
  return {
    create: async (webhook, options) => await act(root, options, webhook),
    list: async (options) => await read(root, options),
    get: async (id, options) => await read(one(id), options),
    rotate: async (id, options) => await act(`${one(id)}/rotate`, options),
    pause: async (id, options) => await act(`${one(id)}/pause`, options, undefined, true),
    resume: async (id, options) => await act(`${one(id)}/resume`, options, undefined, true),
    test: async (id, options) => await act(`${one(id)}/test`, options),
    delete: async (id, options) =>
      await ask(settings, { method: 'DELETE', path: one(id), isRepeatable: true, options }),
    deliveries,
    async *allDeliveries(query, options) {
      for (let before = query?.before; ;) {
        const page = valueOf(await deliveries({ ...query, ...(before === undefined ? {} : { before }) }, options));
        yield* page.data;
        if (page.nextBefore === undefined) return;
        before = page.nextBefore;
      }
    },
    delivery: async (id, options) => await read(`${root}/deliveries/${id}`, options),
    redeliver: async (id, options) => await act(`${root}/deliveries/${id}/redeliver`, options),
    redeliverMatching: async (filter = {}, options) => await act(`${root}/redeliveries`, options, filter),
    redelivery: async (id, options) => await read(`${root}/redeliveries/${id}`, options),
  };
};
