/**
 * Dispatches on their way to carriers. The records are the queue: whoever accepts hands ids on, to free slots of its
 * own process or to another's, and a pump that has no ids looks what is due.
 */
import type { Pool } from 'pg';
import type { Effects } from '../../engine/dispatch/effects.ts';
import { createConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { type DispatchClaim, type Performed, type Performing, performDispatch } from '../../engine/dispatch/perform.ts';
import { messageOf } from '../../engine/failure.ts';
import type { Traces } from '../../engine/trace.ts';
import type { DispatchQueue, HandedOn } from '../queue/dispatch-queue.ts';
import { createBatcher } from '../records/batch.ts';
import type { DispatchStore } from '../records/conclude.ts';
import { createDispatches } from '../records/dispatches.ts';
import type { Log } from '../records/pool.ts';
import { execute, notifyWork } from '../records/sql.ts';
import type { CarrierCalls } from './carrier-calls.ts';
import type { Carriers } from './carriers.ts';
import type { createMetrics } from './metrics.ts';
import { createPump } from './pump.ts';

/** Of one process: most of their time they wait for others. Work of one carrier leaves as many free as it takes. */
const SLOTS = 128;
/** How often what is due is looked for, whatever is handed on: what a queue lost, what died, what waited. */
const LOOK_EVERY_MS = 1_000;
/** Ids that are handed on together. */
const HANDED_ON_MAX = 512;
/**
 * What its carrier has no room for here is claimed no sooner: to claim it, put it back and claim it again asks the records
 * three times. Longer, or more, is not kept: what is put back is anybody's.
 */
const HELD_BACK_MS = 30_000;
const HELD_BACK_MAX = 2_000;
/** Places of a carrier that are filled by one claim, or what is free within so long. */
const ROOM_FILLED = 16;
const ROOM_FILLED_WITHIN_MS = 50;

interface Handed extends HandedOn {
  readonly sinceMs: number;
  /** It is claimed, or waits for room of its carrier. */
  readonly taken: () => void;
}

interface DispatchingDeps extends DispatchStore {
  readonly log: Log;
  readonly calls: Pick<CarrierCalls, 'ports' | 'noteExchange'>;
  readonly carriers: Pick<Carriers, 'version'>;
  readonly metrics: Pick<ReturnType<typeof createMetrics>, 'performed' | 'watchLeft'>;
  /** Undefined: there is no Redis. */
  readonly queue: DispatchQueue | undefined;
  /** They have ended. */
  readonly ended: (dispatchIds: readonly number[]) => void;
  /** Since the start of the process. */
  readonly uptimeMs: () => number;
  readonly closeLimitMs: number;
  /** Undefined: traces are off. */
  readonly traces?: Traces | undefined;
}

export const createDispatching = (deps: DispatchingDeps) => {
  const { pool, log, nowMs, uptimeMs, queue } = deps;
  const dispatches = createDispatches(deps);
  deps.metrics.watchLeft(dispatches.countLeft);
  const limiter = createConcurrencyLimiter(SLOTS, uptimeMs, Math.random, SLOTS);
  /** Handed on to this process and not claimed yet. */
  let handed: readonly Handed[] = [];
  /** Of them, those that wait for room of their carrier; and of which carriers they are. */
  let heldBack = 0;
  let heldCarriers = new Set<string>();
  /** Carriers that had no room at the last look, which passed over what is due of them. */
  let passedOver: ReadonlySet<string> = new Set();
  let isWorking = false;
  let underWay = 0;
  let lookAtMs = 0;

  const lookIn = (ms: number): void => {
    lookAtMs = Math.min(lookAtMs, uptimeMs() + ms);
    pump.wake(ms);
  };

  /** Of what was handed on, up to so many for which their carrier has room beside `found`, or which are not held back any longer. */
  const readyBeside = (found: readonly DispatchClaim[], most: number): ReadonlySet<Handed> => {
    const taken = Map.groupBy(found, ({ carrierCode }) => carrierCode);
    const rooms = new Map<string | undefined, number>([[undefined, Infinity]]);
    const lateMs = uptimeMs() - HELD_BACK_MS;
    const ready = new Set<Handed>();
    heldBack = 0;
    heldCarriers = new Set();
    for (const one of handed) {
      if (ready.size === most) break;
      const { carrier = '' } = one;
      const room = rooms.get(one.carrier) ?? limiter.room(carrier) - (taken.get(carrier)?.length ?? 0);
      if (room <= 0 && one.sinceMs > lateMs && heldBack < HELD_BACK_MAX) {
        heldBack += 1;
        heldCarriers.add(carrier);
        one.taken();
      } else ready.add(one);
      rooms.set(one.carrier, ready.has(one) ? room - 1 : room);
    }
    return ready;
  };

  /** What is due and nobody handed on. */
  const look = async (atMost: number): Promise<readonly DispatchClaim[]> => {
    lookAtMs = uptimeMs() + LOOK_EVERY_MS;
    const exceptCarriers = limiter.full();
    passedOver = new Set(exceptCarriers);
    const exceptIds = handed.map(({ id }) => id);
    const { work, nextInMs } = await dispatches.claimDue(atMost, exceptIds, exceptCarriers);
    if (nextInMs !== undefined) lookAtMs = Math.min(lookAtMs, uptimeMs() + nextInMs);
    return work;
  };

  /**
   * What was handed on, which needs no search; and where there is none, or it is time to look, what else is due. What is
   * held back is no reason to look: each look passes over it.
   */
  const claim = async (free: number) => {
    const ready = readyBeside([], free);
    const isLooking = handed.length === 0 || uptimeMs() >= lookAtMs;
    const due = isLooking ? await look(ready.size === 0 ? free : Math.ceil(free / 2)) : [];
    const some = due.length === 0 ? ready : readyBeside(due, free - due.length);
    const ids = [...some].map(({ id }) => id);
    const own = some.size === 0 ? [] : await dispatches.claim(ids).catch(keep(due));
    handed = handed.filter((one) => !some.has(one));
    for (const { taken } of some) taken();
    if (handed.length > heldBack) pump.wake();
    return { work: [...due, ...own], nextInMs: lookAtMs - uptimeMs() };
  };

  /** Claims what was held back, or looks for what was passed over, some at a time. */
  const fillRoom = (carrier: string): void => {
    const inMs = limiter.room(carrier) < ROOM_FILLED ? ROOM_FILLED_WITHIN_MS : 0;
    if (heldCarriers.has(carrier)) pump.wake(inMs);
    else if (passedOver.has(carrier)) lookIn(inMs);
  };
  const performing: Performing = {
    ...deps.calls.ports,
    dispatches: {
      ...dispatches,
      conclude: async (claimed: DispatchClaim, effects: Effects): Promise<void> => {
        const next = await dispatches.conclude(claimed, effects);
        const { state, dueAtMs } = effects.dispatch;
        if (state === 'waiting') return lookIn(Math.max(0, (dueAtMs ?? 0) - nowMs()));
        deps.ended([claimed.dispatchId]);
        if (next !== undefined) add([next], claimed.carrierCode);
      },
    },
    limiter: {
      enter: (carrier) => {
        const admission = limiter.enter(carrier);
        if (!admission.admitted) return admission;
        const leave = (healthy: boolean | undefined): void => {
          admission.leave(healthy);
          fillRoom(carrier);
        };
        return { admitted: true, leave };
      },
    },
    carrierVersion: deps.carriers.version,
    noteExchange: deps.calls.noteExchange,
    noteLeft: ({ dispatchId, carrierCode, accountId }, failure) => {
      if (accountId !== undefined) dispatches.leaveToOthers(accountId);
      const fields = { dispatchId, carrierCode, accountId, error: failure.describe() };
      log.warn(fields, 'this process lacks a key: the dispatches of the account are left to others for a minute');
    },
    noteDefect: ({ dispatchId, carrierCode }, thrown) => {
      const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      log.error({ dispatchId, carrierCode, error }, 'a mistake of ours stopped a dispatch; it is held');
    },
  };

  const perform = async (claimed: DispatchClaim): Promise<Performed> => {
    const { traces } = deps;
    if (traces === undefined) return await performDispatch(claimed, performing);
    const { dispatchId, consignmentId, operation, carrierCode } = claimed;
    const span = traces.begin(`dispatch ${operation}`, 'consumer', claimed.trace, {
      'waybill.dispatch': dispatchId,
      'waybill.consignment': consignmentId,
      'waybill.carrier': carrierCode,
    });
    const trace = span.traceparent;
    let performed: Performed | 'error' = 'error';
    try {
      performed = await performDispatch(
        { ...claimed, trace },
        { ...performing, send: tracedSend(traces, trace, performing.send) },
      );
      return performed;
    } finally {
      span.end({ 'waybill.outcome': performed }, performed === 'held' || performed === 'error' ? performed : undefined);
    }
  };

  const pump = createPump<DispatchClaim>({
    name: 'dispatch',
    slots: SLOTS,
    everyMs: LOOK_EVERY_MS,
    closeLimitMs: deps.closeLimitMs,
    log,
    claim,
    perform: async (claimed) => {
      const beganMs = nowMs();
      underWay += 1;
      const performed = await perform(claimed).finally(() => (underWay -= 1));
      deps.metrics.performed(claimed, performed, (nowMs() - beganMs) / 1_000);
    },
  });

  /** To whatever process has room: the records say what is due, so this may fail. */
  const tellOthers = createBatcher<HandedOn, void>(
    async (some) => {
      const isQueued = await queue?.add(some).then(
        () => true,
        () => false,
      );
      if (isQueued !== true) {
        lookIn(0);
        await tell(pool).catch((error: unknown) =>
          log.warn(
            { error: messageOf(error) },
            'dispatches could not be handed on; they are found when somebody looks',
          ),
        );
      }
      return some.map(() => undefined);
    },
    { max: HANDED_ON_MAX },
  );

  const take = (some: readonly HandedOn[], taken: (one: HandedOn) => void = () => undefined): void => {
    if (some.length === 0) return;
    const sinceMs = uptimeMs();
    handed = [...handed, ...some.map((one) => ({ ...one, sinceMs, taken: () => taken(one) }))];
    pump.wake();
  };

  const handOn = (some: readonly HandedOn[]): void => {
    const room = isWorking ? Math.max(0, SLOTS - underWay - (handed.length - heldBack)) : 0;
    take(some.slice(0, room));
    for (const one of some.slice(room)) void tellOthers(one);
  };

  /** These are due and committed, and of this carrier, where it is known. Never waits, never throws. */
  const add = (ids: readonly number[], carrier?: string): void => handOn(ids.map((id) => ({ id, carrier })));

  return {
    pump: { ...pump, wake: (inMs = 0) => lookIn(inMs) },
    add,
    /** Begins to perform, until it is closed. */
    start: (): void => {
      isWorking = true;
      pump.start();
      queue?.work(async (some) => {
        if (!isWorking) return handOn(some);
        const { promise, resolve } = Promise.withResolvers<void>();
        const left = new Set(some);
        take(some, (one) => {
          left.delete(one);
          if (left.size === 0) resolve();
        });
        if (left.size > 0) await promise;
      });
    },
    /** Claims no more, and waits for what is under way. */
    close: async (): Promise<void> => {
      isWorking = false;
      const left = handed;
      handed = [];
      handOn(left);
      for (const { taken } of left) taken();
      await Promise.all([pump.close(), queue?.stop()]);
    },
  };
};

const tell = async (pool: Pool): Promise<unknown> => await execute(pool)`select ${notifyWork('dispatch')}`;

/** Each call of the carrier is a span, which names the host: a path may hold what is secret. */
const tracedSend =
  (traces: Traces, trace: string, send: Performing['send']): Performing['send'] =>
  async (request, limits, carrier) => {
    const span = traces.begin(`${request.method} ${carrier}`, 'client', trace, {
      'http.request.method': request.method,
      'server.address': URL.parse(request.url)?.hostname,
      'waybill.carrier': carrier,
    });
    const outcome = await send(request, limits, carrier);
    if (outcome.kind === 'answer') span.end({ 'http.response.status_code': outcome.status });
    else span.end({}, outcome.code);
    return outcome;
  };

/** What is claimed already is performed; what was handed on is due and found later. */
const keep = (claimed: readonly DispatchClaim[]) => (error: unknown) => {
  if (claimed.length === 0) throw error;
  return [];
};
