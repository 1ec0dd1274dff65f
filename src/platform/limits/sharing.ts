/** Rounds in which the processes divide the limits of carriers among them: one for all that is in use, ahead of need. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSharedLimits, type LimitAnswer, type LimitReport } from '../../engine/dispatch/limits.ts';
import { messageOf } from '../../engine/failure.ts';
import type { Log } from '../records/pool.ts';
import { type BreakerState, divideLimit, LEASE_MS, type LimitState, type Moment, tallyBreaker } from './division.ts';

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
  /** The process is gone. */
  close(process: string): Promise<void>;
}
export interface TextChange {
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
/** How long a call may wait for a round. */
const ASK_LIMIT_MS = 250;
const TRIES_MAX = 8;

/** Begins with the first call, or when told to `join`. */
export const startLimitSharing = ({ texts, process, log, nowMs, random }: SharingOptions) => {
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
    const reports = limits.report(isLast);
    try {
      const answers = await settle(reports);
      leaseEndMs = askedAtMs + LEASE_MS;
      isNew = false;
      limits.apply(answers, askedAtMs);
      setUp(true);
      // What others need of it is theirs at once, not at the next look.
      const isNeeded = answers.some((one) => one.kind === 'places' && one.shares.some(({ excess }) => excess > 0));
      if (!isClosed) schedule(isNeeded ? 0 : limits.isInUse() ? ROUND_EVERY_MS : ALIVE_EVERY_MS);
    } catch (error) {
      limits.retract(reports);
      setUp(false, error);
      if (!isClosed) schedule(ROUND_EVERY_MS);
    }
  };

  /** Whoever writes a text that another has changed meanwhile reads it again. */
  const settle = async (reports: readonly LimitReport[]): Promise<readonly LimitAnswer[]> => {
    const answers: LimitAnswer[] = [];
    let open = reports;
    for (let tries = 0; tries === 0 || open.length > 0; tries += 1) {
      if (tries === TRIES_MAX) throw new Error('others change the same limits all the time');
      const { texts: known, ...moment } = await texts.read(process, isNew, open.map(keyOf));
      ({ processes } = moment);
      const decided = open.map((report) => ({
        report,
        ...decide(report, known.get(keyOf(report)), { ...moment, process }),
      }));
      const changes = decided.flatMap(({ change }) => (change === undefined ? [] : [change]));
      const written = changes.length === 0 ? new Set<string>() : await texts.write(changes);
      const isDone = ({ change }: (typeof decided)[number]): boolean =>
        change === undefined || written.has(change.name);
      answers.push(...decided.filter(isDone).map(({ answer }) => answer));
      open = decided.filter((one) => !isDone(one)).map(({ report }) => report);
    }
    return answers;
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

  const limits = createSharedLimits(
    { nowMs, random },
    {
      leaseEndMs: () => leaseEndMs,
      isUp: () => isUp,
      processes: () => processes,
      ask: async () => {
        if (!isUp || isClosed) return;
        const limit = new AbortController();
        const isLate = await Promise.race([
          begin().then(() => false),
          sleep(ASK_LIMIT_MS, true, { signal: limit.signal }).catch(() => false),
        ]);
        limit.abort();
        if (isLate) setUp(false, new Error(`no answer in ${ASK_LIMIT_MS} ms`));
      },
    },
  );

  return {
    enter: limits.enter,
    /** Counts among the processes from now on. */
    join: begin,
    /** False: each process keeps to its own part. */
    isShared: (): boolean => isUp,
    /** Gives all places back, where that does not take long. */
    close: async (): Promise<void> => {
      const wasUp = isUp && !isNew;
      isClosed = true;
      clearTimeout(timer);
      if (wasUp)
        await Promise.race([(running ?? Promise.resolve()).then(async () => await round(true)), sleep(ASK_LIMIT_MS)]);
      await texts
        .close(process)
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'limits did not close well'));
    },
  };
};

const keyOf = ({ kind, name }: LimitReport): string => `${kind}/${name}`;

const decide = (
  report: LimitReport,
  before: string | undefined,
  moment: Moment,
): { readonly answer: LimitAnswer; readonly change: TextChange | undefined } => {
  const known: unknown = before === undefined ? undefined : JSON.parse(before);
  const { name } = report;
  const { nowMs } = moment;
  const changeTo = (state: unknown, endsMs: number): TextChange | undefined => {
    const after = JSON.stringify(state);
    if (state === undefined || after === before) return undefined;
    return { name: keyOf(report), before: before ?? '', after, keptForMs: Math.max(1_000, Math.ceil(endsMs - nowMs)) };
  };
  if (report.kind === 'breaker') {
    const { state, view, endsMs } = tallyBreaker(known as BreakerState | undefined, report.report, nowMs);
    return { answer: { name, kind: 'breaker', view }, change: changeTo(state, endsMs) };
  }
  const { state, shares, endsMs } = divideLimit(known as LimitState | undefined, report.demands, moment);
  return { answer: { name, kind: 'places', shares }, change: changeTo(state, endsMs) };
};
