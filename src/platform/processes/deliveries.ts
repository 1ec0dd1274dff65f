/** The pumps of webhooks: deliveries claimed, sent side by side and recorded together; redeliveries carried out. */
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { deliver, type Delivering, type DeliveryClaim, type EndedDelivery } from '../../engine/webhooks/delivery.ts';
import { traceIdOf, type Traces } from '../../engine/trace.ts';
import { claimDeliveries, type DeliverySender, type Capacity } from '../records/deliveries.ts';
import { createConclude } from '../records/delivery-ends.ts';
import type { Alert } from '../records/alert.ts';
import type { Log } from '../records/pool.ts';
import { continueRedelivery, findRunningRedeliveries } from '../records/redeliveries.ts';
import type { Sealer } from '../records/sealer.ts';
import { createHeaders, createKeys } from '../records/subscriptions.ts';
import { createPump, type Pump } from './pump.ts';

/** What the pumps need of the platform. */
interface Webhooks extends Delivering {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly closeLimitMs: number;
  readonly alert: Alert;
  /** Undefined: traces are off. */
  readonly traces?: Traces | undefined;
  /** What followed a try. */
  readonly delivered: (subscriptionId: string, outcome: string) => void;
}

/** Most of their time they wait for receivers. */
const SLOTS = 256;
/** The rest is room for deliveries that are written claimed. */
const PER_CLAIM = 64;
/** Deliveries of one subscription at once: at first, while its receiver fails, and as many as connections to one host. */
const [WINDOW, WINDOW_MIN, WINDOW_MAX] = [12, 2, 64];
/** Those that were used last are remembered. */
const WINDOWS_MAX = 100;
const LOOK_EVERY_MS = 2_000;

export type DeliveryPump = DeliverySender & Pick<Pump<DeliveryClaim>, 'name' | 'start' | 'close'>;

export const createDeliveryPump = (webhooks: Webhooks): DeliveryPump => {
  const { pool, log, nowMs, closeLimitMs } = webhooks;
  const keysOf = createKeys(webhooks.sealer);
  const headersOf = createHeaders(webhooks.sealer);
  const conclude = createConclude(pool, nowMs);
  const windows = createWindows();
  /** More of theirs is due than they may have under way: what is written later must not overtake it. */
  let behind: ReadonlySet<string> = new Set();
  let after = '';

  const pump = createPump<DeliveryClaim>({
    name: 'delivery',
    slots: SLOTS,
    perClaim: PER_CLAIM,
    everyMs: LOOK_EVERY_MS,
    log,
    closeLimitMs,
    claim: async (free) => {
      const most = Math.min(free, windows.free());
      const query = { free: most, capacity: windows.capacity(), after, nowMs: nowMs() };
      const claimed = await claimDeliveries({ pool, keysOf, headersOf }, query);
      behind = new Set([...(after === '' ? [] : behind), ...claimed.behind]);
      after = claimed.after;
      const isMore = after !== '' || (most > 0 && claimed.claims.length === most);
      claimed.claims.forEach(windows.enter);
      return { work: claimed.claims, nextInMs: isMore ? 1 : claimed.nextInMs };
    },
    perform: async (claim, signal) => {
      let ended: EndedDelivery | undefined;
      try {
        ended = await traced(claim, webhooks, signal);
      } finally {
        windows.leave(claim, ended?.next.state === 'delivered');
        if (behind.has(claim.subscriptionId)) pump.wake();
      }
      const { outcome, message } = ended.attempt;
      if (outcome === 'secret_key_missing')
        log.warn({ deliveryId: claim.deliveryId, error: message }, 'this process lacks a key: it is left to others');
      const isHeld = await conclude(ended);
      if (isHeld) alertOf(webhooks, ended);
      webhooks.delivered(claim.subscriptionId, isHeld ? ended.next.state : 'lease_lost');
      if (ended.next.state === 'waiting') pump.wake(Math.max(1, ended.next.dueAtMs - nowMs()));
    },
  });
  return {
    name: pump.name,
    start: pump.start,
    wake: () => pump.wake(),
    close: pump.close,
    reserve: (atMost) => {
      const slots = pump.reserve(Math.min(atMost, windows.free()));
      return slots === 0
        ? undefined
        : { lease: randomUUID(), slots, capacity: windows.capacity(), behind: [...behind] };
    },
    take: (leased, reserved) => {
      const first = { lease: reserved.lease, attempt: 1, tries: 1, failingSinceMs: undefined };
      const claims = leased.map(({ headers, ...one }): DeliveryClaim => {
        const keys = () => keysOf(one.subscriptionId, one, nowMs());
        return { ...one, ...first, keys, headers: () => headersOf(one.subscriptionId, headers) };
      });
      claims.forEach(windows.enter);
      pump.take(claims, reserved.slots);
    },
  };
};

/** As `deliver`; a span, where traces are on, which the receiver may go on with. */
const traced = async (claim: DeliveryClaim, webhooks: Webhooks, signal: AbortSignal): Promise<EndedDelivery> => {
  const { deliveryId, subscriptionId, trace } = claim;
  const about = { 'waybill.delivery': deliveryId, 'waybill.subscription': subscriptionId };
  const span = webhooks.traces?.begin('webhook', 'client', trace, about);
  if (span === undefined) return await deliver(claim, webhooks, signal);
  let attempt: EndedDelivery['attempt'] | undefined;
  try {
    const ended = await deliver({ ...claim, trace: span.traceparent }, webhooks, signal);
    ({ attempt } = ended);
    return { ...ended, claim };
  } finally {
    const { outcome = 'error', status } = attempt ?? {};
    const isDelivered = outcome === 'delivered';
    span.end({ 'http.response.status_code': status, 'waybill.outcome': outcome }, isDelivered ? undefined : outcome);
  }
};

/** Its shipper sees both in the log of deliveries. */
const alertOf = ({ alert }: Webhooks, { claim, attempt, next }: EndedDelivery): void => {
  const { deliveryId: delivery, subscriptionId: subscription, tries } = claim;
  const { outcome, message: reason } = attempt;
  const trace = traceIdOf(claim.trace);
  if (next.state === 'failed') alert('delivery_exhausted', { delivery, subscription, tries, outcome, reason, trace });
  if (next.state !== 'delivered' && next.pause !== undefined)
    alert('subscription_paused', { subscription, pause: next.pause, reason });
};

/**
 * How many deliveries of a subscription are under way at once: few at first, one more with each that succeeds, half as
 * many with each that fails. And never more than leave as many slots free: however many receivers hang, there is room
 * for another.
 */
const createWindows = () => {
  const windows = new Map<string, { busy: number; size: number }>();
  let underWay = 0;
  /** For one of which so many are under way: half of what would make it as many as are free. */
  const freeIn = ({ busy, size }: { readonly busy: number; readonly size: number }): number =>
    Math.max(0, Math.min(size - busy, Math.ceil((SLOTS - underWay - busy) / 2)));
  return {
    /** For all together, at a time. */
    free: () => Math.ceil((SLOTS - underWay) / 2),
    capacity: (): Capacity => ({
      bySubscription: new Map([...windows].map(([id, window]) => [id, freeIn(window)])),
      others: freeIn({ busy: 0, size: WINDOW }),
    }),
    enter: ({ subscriptionId }: DeliveryClaim): void => {
      const window = windows.get(subscriptionId) ?? { busy: 0, size: WINDOW };
      windows.set(subscriptionId, window);
      window.busy += 1;
      underWay += 1;
    },
    leave: ({ subscriptionId }: DeliveryClaim, isWell: boolean): void => {
      const window = windows.get(subscriptionId);
      if (window === undefined) return;
      underWay -= 1;
      window.busy -= 1;
      window.size = isWell ? Math.min(WINDOW_MAX, window.size + 1) : Math.max(WINDOW_MIN, Math.floor(window.size / 2));
      windows.delete(subscriptionId);
      windows.set(subscriptionId, window);
      for (const [id, { busy }] of windows) if (windows.size > WINDOWS_MAX && busy === 0) windows.delete(id);
    },
  };
};

/** One process carries out one at a time, batch by batch. */
export const createRedeliveryPump = ({
  pool,
  log,
  nowMs,
  closeLimitMs,
}: Pick<Webhooks, 'pool' | 'log' | 'nowMs' | 'closeLimitMs'>): Pump<number> =>
  createPump({
    name: 'redelivery',
    slots: 1,
    everyMs: LOOK_EVERY_MS,
    log,
    closeLimitMs,
    claim: async (free) => ({ work: await findRunningRedeliveries(pool, free) }),
    perform: async (id) => await continueRedelivery(pool, id, nowMs()),
  });
