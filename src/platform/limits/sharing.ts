/** Rounds in which the processes divide the limits of carriers among them: one for all that is in use, ahead of need. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSharedLimits, type Exchange } from '../../engine/dispatch/limits.ts';
import type { Timing } from '../../engine/dispatch/rate-limiter.ts';
import { messageOf } from '../../engine/failure.ts';
import type { Alert } from '../records/alert.ts';
import type { Log } from '../records/pool.ts';
import {
  type BreakerState,
  divide,
  LEASE_MS,
  type Moment,
  setBreaker,
  tallyBreaker,
  BREAKER_KEPT_MS,
} from './division.ts';

/** Where the processes keep what they share: texts by name, on the one clock that counts. */
export interface SharedTexts {
  /** Says that this process is alive, and reads. `isNew`: it was not before. */
  read(
    process: string,
    isNew: boolean,
    names: readonly string[],
  ): Promise<Omit<Moment, 'process'> & { readonly texts: ReadonlyMap<string, string> }>;
  /** Writes what nobody has changed since it was read; yields the names of those. */
  write(changes: readonly TextChange[]): Promise<ReadonlySet<string>>;
  /** The process is not alive any more. */
  leave(process: string): Promise<void>;
  close(): Promise<void>;
}
interface TextChange {
  readonly name: string;
  /** As it was read; empty: there was none. */
  readonly before: string;
  readonly after: string;
  readonly keptForMs: number;
}

export interface SharingOptions {
  readonly texts: SharedTexts;
  /** A name that no other process has. */
  readonly process: string;
  readonly log: Log;
  readonly alert: Alert;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly random: () => number;
}

export type LimitSharing = ReturnType<typeof startLimitSharing>;

/** While carriers are asked; else this process only says that it is alive. */
const ROUND_EVERY_MS = 500;
const ALIVE_EVERY_MS = 10_000;
/** Whoever says nothing for so long is not counted any more. */
export const ALIVE_FOR_MS = 30_000;
/** How long a process that starts waits for its first round. */
const JOIN_LIMIT_MS = 2_000;
/** How long calls may wait for a round. */
const ASK_LIMIT_MS = 250;
const TRIES_MAX = 8;

/** Begins with the first call, or when told to `join`. */
export const startLimitSharing = ({ texts, process, log, alert, nowMs, random }: SharingOptions) => {
  let leaseEndMs = -Infinity;
  let processes = 1;
  let [isUp, isNew, isClosed] = [true, true, false];
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const setUp = (up: boolean, error?: unknown): void => {
    if (up === isUp) return;
    isUp = up;
    if (up) log.info({ processes }, 'limits of carriers hold for all processes together again');
    else
      log.warn(
        { processes, error: messageOf(error) },
        'limits of carriers cannot be shared: each process keeps to its equal part of them',
      );
  };

  const round = async (isLast: boolean): Promise<void> => {
    clearTimeout(timer);
    const askedAtMs = nowMs();
    const exchanges = limits.exchanges(isLast);
    try {
      const decisions = await settle(exchanges);
      leaseEndMs = askedAtMs + LEASE_MS;
      isNew = false;
      limits.rejoin();
      const returning = decisions.filter(({ tell }) => tell());
      setUp(true);
      // What others need of it is theirs at once, not at the next look.
      if (!isClosed) schedule(returning.length > 0 ? 0 : limits.isInUse() ? ROUND_EVERY_MS : ALIVE_EVERY_MS);
    } catch (error) {
      for (const one of exchanges) if ('retract' in one) one.retract();
      setUp(false, error);
      if (!isClosed) schedule(ROUND_EVERY_MS);
    }
    limits.serve();
  };

  /** Whoever writes a text that another has changed meanwhile reads it again. */
  const settle = async (exchanges: readonly Exchange[]): Promise<readonly Decision[]> => {
    const settled: Decision[] = [];
    let open = exchanges;
    for (let tries = 0; tries === 0 || open.length > 0; tries += 1) {
      if (tries === TRIES_MAX) throw new Error('others change the same limits all the time');
      const read = await texts.read(
        process,
        isNew,
        open.map(({ name }) => name),
      );
      ({ processes } = read);
      const decisions = open.map((one) => decide(one, read.texts.get(one.name) ?? '', { ...read, process }));
      const changes = decisions.map(({ change }) => change).filter(({ before, after }) => before !== after);
      const written = changes.length === 0 ? new Set<string>() : await texts.write(changes);
      const isDone = ({ change: { name, before, after } }: Decision): boolean => before === after || written.has(name);
      settled.push(...decisions.filter(isDone));
      open = decisions.filter((one) => !isDone(one)).map(({ exchange }) => exchange);
    }
    return settled;
  };

  const schedule = (inMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void begin(), inMs);
    timer.unref();
  };
  /** One round at a time; who asks while one is under way is in the next. */
  const begin = async (): Promise<void> => {
    if (isClosed) return;
    next ??= (running ?? Promise.resolve()).then(async () => {
      next = undefined;
      running = round(false);
      await running;
      running = undefined;
    });
    await next;
  };

  const timing: Timing = { nowMs, random };
  const limits = createSharedLimits(timing, {
    leaseEndMs: () => leaseEndMs,
    isUp: () => isUp,
    processes: () => processes,
    opened: (party) => {
      const [carrier, account] = party.split('/');
      alert('breaker_opened', { carrier, account });
    },
    ask: () => {
      if (!isUp || isClosed) return;
      const late = setTimeout(() => {
        setUp(false, new Error(`no answer in ${ASK_LIMIT_MS} ms`));
        limits.serve();
      }, ASK_LIMIT_MS);
      void begin().finally(() => clearTimeout(late));
    },
  });

  return {
    enter: limits.enter,
    open: limits.open,
    /** Counts among the processes from now on. */
    join: async (): Promise<void> => {
      const limit = new AbortController();
      await Promise.race([begin(), sleep(JOIN_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
      limit.abort();
    },
    /** What all processes know of the breakers of these parties: times are the shared clock's. */
    breakers: async (parties: readonly string[]) => {
      const read = await texts.read(process, isNew, parties);
      const states = new Map([...read.texts].map(([party, text]) => [party, JSON.parse(text) as BreakerState]));
      return { nowMs: read.nowMs, states };
    },
    /** For all processes: those that call the carrier hear of it within a second. 0: closed, as if nothing had failed. */
    setBreaker: async (party: string, openForMs: number): Promise<void> => {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const read = await texts.read(process, isNew, [party]);
        const before = read.texts.get(party) ?? '';
        const known = before === '' ? undefined : (JSON.parse(before) as BreakerState);
        const after = JSON.stringify(setBreaker(known, openForMs, read.nowMs));
        const change = { name: party, before, after, keptForMs: BREAKER_KEPT_MS };
        if (before === after || (await texts.write([change])).has(party)) return;
      }
      throw new Error('others change the same breaker all the time');
    },
    /** False: each process keeps to its own part. */
    isShared: (): boolean => isUp,
    /** From now on nobody waits in a line; whoever does is told to come back. */
    stopWaiting: (): void => {
      timing.patienceMs = 0;
      limits.serve();
    },
    /** Gives all places back, where that does not take long. */
    close: async (): Promise<void> => {
      if (isClosed) return;
      const wasUp = isUp && !isNew;
      isClosed = true;
      clearTimeout(timer);
      const leave = async (): Promise<void> => {
        await running;
        await round(true);
        await texts.leave(process).catch(() => undefined);
      };
      if (wasUp) await Promise.race([leave(), sleep(ASK_LIMIT_MS)]);
      await texts.close();
    },
  };
};

interface Decision {
  readonly exchange: Exchange;
  readonly change: TextChange;
  /** Whether there are places to be returned at once. */
  tell(): boolean | void;
}

const decide = (exchange: Exchange, before: string, moment: Moment): Decision => {
  const known: unknown = before === '' ? undefined : JSON.parse(before);
  const { name } = exchange;
  const changeTo = (state: unknown, endsMs: number): TextChange => {
    const after = state === undefined ? before : JSON.stringify(state);
    return { name, before, after, keptForMs: Math.max(1_000, Math.ceil(endsMs - moment.nowMs)) };
  };
  if ('seen' in exchange) {
    const { state, view, endsMs } = tallyBreaker(
      known as Parameters<typeof tallyBreaker>[0],
      exchange.seen,
      moment.nowMs,
    );
    return { exchange, change: changeTo(state, endsMs), tell: () => exchange.hear(view) };
  }
  const { state, share, endsMs } = divide(known as Parameters<typeof divide>[0], exchange.demand, moment);
  return { exchange, change: changeTo(state, endsMs), tell: () => exchange.hear(share) };
};
