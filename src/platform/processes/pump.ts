/** Pumps claim work from the records, which are the queue, under leases, and perform it concurrently. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../engine/failure.ts';
import { APART_MS } from '../records/batch.ts';
import type { Listener } from '../records/listener.ts';
import type { Log } from '../records/pool.ts';
import { WORK_CHANNEL, type WorkName } from '../records/sql.ts';

interface Claimed<Work> {
  readonly work: readonly Work[];
  /** From now until the next becomes due, where that is known. */
  readonly nextInMs?: number | undefined;
}

export interface PumpOptions<Work> {
  /** The payload of NOTIFY that wakes it. */
  readonly name: WorkName;
  /** Pieces of work under way at once. */
  readonly slots: number;
  /** Of free slots, how many one claim asks for; default: all. What is left may be reserved meanwhile. */
  readonly perClaim?: number | undefined;
  /** Claims up to so many, in one statement. What it claimed beyond the lease it wrote is another's to find. */
  readonly claim: (free: number) => Promise<Claimed<Work>>;
  /** `signal` is aborted when the time to close is up. Whether it resolves or rejects, the records say what comes next. */
  readonly perform: (work: Work, signal: AbortSignal) => Promise<unknown>;
  /** How often it looks unasked: for what died elsewhere, and what nobody said. */
  readonly everyMs: number;
  readonly log: Log;
  /** How long `close` waits for what is under way. */
  readonly closeLimitMs?: number | undefined;
}

export interface Pump<Work> {
  readonly name: WorkName;
  /** Begins to claim. Until then nothing is performed here, and waking does nothing. */
  start(): void;
  /** There is work, or will be in so many milliseconds. Never waits, never throws. */
  wake(inMs?: number): void;
  /** Keeps up to so many free slots for work that the caller claims; 0 when there are none, or it does not run. */
  reserve(atMost: number): number;
  /** Performs what the caller claimed for `reserved` slots; those beyond it are free again. Also after `close` began. */
  take(work: readonly Work[], reserved: number): void;
  /** Claims no more, waits for what is under way within the limit, then aborts it. */
  close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 20_000;
/** How long what is aborted gets to end. */
const GRACE_MS = 2_000;
/** After a claim or a piece of work that failed. */
const AGAIN_MS = 1_000;

/** Never two claims at once: what comes while one is under way is the next one's. */
export const createPump = <Work>(options: PumpOptions<Work>): Pump<Work> => {
  const { name, slots, perClaim = slots, everyMs, log, closeLimitMs = CLOSE_LIMIT_MS } = options;
  const closing = new AbortController();
  const stop = new AbortController();
  for (const { signal } of [closing, stop]) setMaxListeners(0, signal);
  const idle = Promise.withResolvers<void>();
  let isOpen = false;
  let isClaiming = false;
  /** There may be more than was claimed. */
  let isMore = false;
  /** A claim begins in this turn of the loop, for all that ends or comes in it. */
  let isPlanned = false;
  let running = 0;
  let reserved = 0;
  let restUntilMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let timerAtMs = Infinity;

  const wakeIn = (inMs: number): void => {
    const atMs = performance.now() + inMs;
    if (!isOpen || timerAtMs <= atMs) return;
    clearTimeout(timer);
    timerAtMs = atMs;
    timer = setTimeout(() => {
      timerAtMs = Infinity;
      wake();
    }, inMs);
  };

  const wake = (): void => {
    isMore = true;
    if (!isOpen || isPlanned || isClaiming || running + reserved >= slots) return;
    const restMs = restUntilMs - performance.now();
    if (restMs > 0) return wakeIn(restMs);
    isPlanned = true;
    setImmediate(() => void claimOnce());
  };

  const claimOnce = async (): Promise<void> => {
    isPlanned = false;
    const asked = Math.min(slots - running - reserved, perClaim);
    if (!isOpen || asked <= 0) return;
    isMore = false;
    isClaiming = true;
    let nextInMs = everyMs;
    reserved += asked;
    let work: readonly Work[] = [];
    const beganMs = performance.now();
    try {
      const claimed = await options.claim(asked);
      work = claimed.work;
      if (work.length >= asked) isMore = true;
      nextInMs = Math.min(everyMs, Math.max(0, claimed.nextInMs ?? everyMs));
    } catch (error) {
      if (isOpen) log.warn({ work: name, error: messageOf(error) }, 'work could not be claimed; it is tried again');
      nextInMs = Math.min(everyMs, AGAIN_MS);
    }
    isClaiming = false;
    // There is work for a while: one claim fills all the slots that are free by then.
    if (work.length > 1 || running + work.length > slots / 2) restUntilMs = beganMs + APART_MS;
    take(work, asked);
    wakeIn(nextInMs);
  };

  const begin = async (work: Work): Promise<void> => {
    try {
      await options.perform(work, stop.signal);
    } catch (error) {
      log.error({ work: name, error: messageOf(error) }, 'a piece of work failed; the records say what comes next');
      // It may be claimed again at once, and fail again.
      await sleep(AGAIN_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    running -= 1;
    goOn();
  };

  const take = (work: readonly Work[], slotsKept: number): void => {
    reserved -= slotsKept;
    running += work.length;
    for (const one of work) void begin(one);
    goOn();
  };

  const goOn = (): void => {
    if (isMore) wake();
    if (closing.signal.aborted && running + reserved === 0) idle.resolve();
  };

  const close = async (): Promise<void> => {
    isOpen = false;
    closing.abort();
    clearTimeout(timer);
    goOn();
    const limit = new AbortController();
    const late = async (ms: number) => await sleep(ms, true, { signal: limit.signal }).catch(() => false);
    if ((await Promise.race([idle.promise, late(closeLimitMs)])) === true) {
      log.warn({ work: name, underWay: running }, 'work did not end in time and is aborted');
      stop.abort();
      await Promise.race([idle.promise, late(GRACE_MS)]);
    }
    limit.abort();
  };

  let closed: Promise<void> | undefined;
  return {
    name,
    start: () => {
      isOpen = !closing.signal.aborted;
      wake();
    },
    wake: (inMs = 0) => (inMs > 0 ? wakeIn(inMs) : wake()),
    reserve: (atMost) => {
      const kept = isOpen ? Math.max(0, Math.min(atMost, slots - running - reserved)) : 0;
      reserved += kept;
      return kept;
    },
    take,
    close: () => (closed ??= close()),
  };
};

/** Wakes the pumps of this process by what other processes commit. */
export const wakeByNotify = async (
  pumps: readonly Pick<Pump<unknown>, 'name' | 'wake'>[],
  listener: Listener,
): Promise<void> =>
  await listener.hear(WORK_CHANNEL, {
    heard: (name) => pumps.filter((pump) => pump.name === name).forEach((pump) => pump.wake()),
    missed: () => pumps.forEach((pump) => pump.wake()),
  });
