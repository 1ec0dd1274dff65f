/** The pumps of webhooks: deliveries claimed, sent side by side and recorded together; redeliveries carried out. */
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { deliver, type Delivering, type DeliveryClaim } from '../../engine/webhooks/delivery.ts';
import { claimDeliveries, type DeliveryRooms } from '../records/deliveries.ts';
import { createConclude } from '../records/delivery-ends.ts';
import type { Log } from '../records/pool.ts';
import { continueRedelivery, findRunningRedeliveries } from '../records/redeliveries.ts';
import type { Sealer } from '../records/sealer.ts';
import { createKeys } from '../records/subscriptions.ts';
import { createPump, type Pump } from './pump.ts';

/** What the pumps need of the platform. */
interface Webhooks extends Delivering {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly closeLimitMs: number;
  /** What followed a try. */
  readonly delivered: (outcome: string) => void;
}

/** Most of their time they wait for receivers; of each subscription there are few. */
const SLOTS = 256;
/** The rest is room for deliveries that are written claimed. */
const PER_CLAIM = 64;
const LOOK_EVERY_MS = 2_000;

export type DeliveryPump = DeliveryRooms & Pick<Pump<DeliveryClaim>, 'name' | 'start' | 'close'>;

export const createDeliveryPump = (webhooks: Webhooks): DeliveryPump => {
  const { pool, log, nowMs, closeLimitMs } = webhooks;
  const keysOf = createKeys(webhooks.sealer);
  const conclude = createConclude(pool, nowMs);
  const busy = new Map<string, number>();
  /** More of theirs is due than they may have under way: what is written later must not overtake it. */
  let behind: ReadonlySet<string> = new Set();
  let after = '';

  const enter = ({ subscriptionId: id }: DeliveryClaim): void => void busy.set(id, (busy.get(id) ?? 0) + 1);
  const leave = ({ subscriptionId: id }: DeliveryClaim): void => {
    const left = (busy.get(id) ?? 0) - 1;
    if (left > 0) busy.set(id, left);
    else busy.delete(id);
    if (behind.has(id)) pump.wake();
  };
  const pump = createPump<DeliveryClaim>({
    name: 'delivery',
    slots: SLOTS,
    perClaim: PER_CLAIM,
    everyMs: LOOK_EVERY_MS,
    log,
    closeLimitMs,
    claim: async (free) => {
      const claimed = await claimDeliveries({ pool, keysOf }, { free, busy, after, nowMs: nowMs() });
      behind = new Set([...(after === '' ? [] : behind), ...claimed.behind]);
      after = claimed.after;
      claimed.claims.forEach(enter);
      return { work: claimed.claims, nextInMs: after === '' ? claimed.nextInMs : 1 };
    },
    perform: async (claim, signal) => {
      const ended = await deliver(claim, webhooks, signal).finally(() => leave(claim));
      const isHeld = await conclude(ended);
      webhooks.delivered(isHeld ? ended.next.state : 'lease_lost');
      if (ended.next.state === 'waiting') pump.wake(Math.max(1, ended.next.dueAtMs - nowMs()));
    },
  });
  return {
    name: pump.name,
    start: pump.start,
    wake: () => pump.wake(),
    close: pump.close,
    reserve: (atMost) => {
      const slots = pump.reserve(atMost);
      return slots === 0 ? undefined : { lease: randomUUID(), slots, busy: new Map(busy), behind: [...behind] };
    },
    take: (leased, room) => {
      const first = { lease: room.lease, attempt: 1, tries: 1, failingSinceMs: undefined };
      const claims = leased.map((one): DeliveryClaim => {
        const keys = () => keysOf(one.subscriptionId, one, nowMs());
        return { ...one, ...first, keys };
      });
      claims.forEach(enter);
      pump.take(claims, room.slots);
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
