/** Polls carriers for events: due packages → the profile’s `track` operation → pushes for status intake. */
import type { Pool } from 'pg';
import { createConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { batchesOf } from '../../engine/dispatch/batches.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import type { Run } from '../../engine/dispatch/ports.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Poll } from '../../engine/profile/carrier.ts';
import { isTerminal, type NormalisedStatus } from '../../engine/statuses/status.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Log } from '../records/pool.ts';
import { type DuePackage, type NextPoll, schedulePolls, takeDuePackages } from '../records/polls.ts';
import { type CarrierCalls, prepareCall } from './carrier-calls.ts';
import { type Loop, startLoop } from './loop.ts';

export interface Tracking extends CarrierCalls {
  readonly log: Log;
  /** Records what a carrier answered, if there is something new in it. */
  readonly recordEvents: (due: DuePackage, events: readonly StatusUpdate[]) => Promise<void>;
}

const LOOK_EVERY_MS = 500;
const BATCH = 200;
/** How long others leave packages alone that a poller has in hand. */
const HOLD_MS = 300_000;
/** Batches of one carrier in hand: the answers of the slowest are waited for by nobody else. */
const BATCHES_OF_ONE_CARRIER = 4;

/** Asks carriers about packages that are due. Rows are taken under a lock, so the fleet asks about each only once. */
export const startPolling = (pool: Pool, tracking: Tracking): Pick<Loop, 'close'> => {
  const { ports, log } = tracking;
  const limiter = createConcurrencyLimiter(BATCHES_OF_ONE_CARRIER, ports.nowMs, ports.random);
  const inHand = new Set<Promise<void>>();
  const failure = 'polling was interrupted';
  let isClosing = false;

  /** Of one carrier. What there is no room for comes back in a moment. */
  const askAbout = async (batch: readonly DuePackage[]): Promise<void> => {
    const admission = limiter.enter(batch[0]?.carrierCode ?? '');
    if (!admission.admitted) {
      const atMs = ports.nowMs() + admission.waitMs;
      const putOff = batch.map((one) => ({ ...one, atMs }));
      return await schedulePolls(pool, putOff);
    }
    try {
      await schedulePolls(pool, await trackPackages(tracking, batch));
    } finally {
      admission.leave(true);
    }
  };
  const look = async (): Promise<boolean> => {
    const due = await takeDuePackages(pool, ports.nowMs(), HOLD_MS, BATCH);
    for (const batch of Map.groupBy(due, ({ carrierCode }) => carrierCode).values()) {
      const asking = askAbout(batch).catch((error: unknown) => {
        if (!isClosing) log.warn({ error: messageOf(error) }, failure);
      });
      inHand.add(asking);
      void asking.finally(() => inHand.delete(asking));
    }
    return due.length === BATCH;
  };
  const loop = startLoop({ everyMs: LOOK_EVERY_MS, look, log, failure });
  return {
    close: async () => {
      isClosing = true;
      await loop.close();
      await Promise.all(inHand);
    },
  };
};

/** A carrier that has a problem is not asked again sooner, and not about anything else meanwhile. */
const PROBLEM_WAIT_MS = 60_000;
/** How long one account is asked for at a stretch: others wait for the slowest. */
const STRETCH_MS = 30_000;

/**
 * Tracks these packages and says when each is next due. What fails is asked again at its next turn; what is put off,
 * by limits, by a problem on the way or as another worker has its key, comes back soon.
 */
export const trackPackages = async (tracking: Tracking, due: readonly DuePackage[]): Promise<readonly NextPoll[]> => {
  const accounts = Map.groupBy(
    due,
    ({ carrierCode, environment, accountId }) => `${carrierCode}/${environment}/${accountId}`,
  );
  const next = await Promise.all(
    [...accounts.values()].map(async (group) => {
      const putOff = await trackAccount(tracking, group).catch((error: unknown) => {
        tracking.log.warn({ carrier: group[0]?.carrierCode, error: messageOf(error) }, 'tracking failed');
        const isLeft = error instanceof Failure && error.code === 'secret_key_missing';
        return isLeft ? { left: group, untilMs: tracking.ports.nowMs() + PROBLEM_WAIT_MS } : undefined;
      });
      const left = new Set(putOff?.left);
      return group.map((one): NextPoll => {
        const regularMs = nextAtMs(tracking, one);
        const isPutOff = regularMs !== undefined && putOff !== undefined && left.has(one);
        const { consignmentId, position, heldUntilMs } = one;
        const atMs = isPutOff ? Math.min(regularMs, putOff.untilMs) : regularMs;
        return { consignmentId, position, heldUntilMs, atMs };
      });
    }),
  );
  return next.flat();
};

const nextAtMs = (
  { carrierOf, ports }: Tracking,
  { carrierCode, status, createdAtMs }: DuePackage,
): number | undefined => {
  const carrier = carrierOf(carrierCode);
  const nowMs = ports.nowMs();
  // Another worker may have its profile, or this one before long: only a profile says that nothing is asked any more.
  if (carrier === undefined) return nowMs + PROBLEM_WAIT_MS;
  const inMs = nextPollInMs(carrier.statuses.poll, status, nowMs - createdAtMs, ports.random());
  return inMs === undefined ? undefined : nowMs + inMs;
};

/** Asks about packages of one account; yields which are put off, and until when. */
const trackAccount = async (
  tracking: Tracking,
  group: readonly DuePackage[],
): Promise<{ readonly left: readonly DuePackage[]; readonly untilMs: number } | undefined> => {
  const [first] = group;
  const carrier = first && tracking.carrierOf(first.carrierCode);
  const operation = carrier?.operations.track;
  if (first === undefined || carrier === undefined || operation === undefined) return undefined;
  const account = await tracking.accountOf(first.accountId);
  if (account === undefined) return undefined;
  const { nowMs } = tracking.ports;
  const startedMs = nowMs();
  const about = { carrier, operation, account, environment: first.environment };
  const batches = await batchesOf(about, group, itemOfMany, startedMs);
  for (const [at, batch] of batches.entries()) {
    const left = batches.slice(at).flat();
    if (nowMs() - startedMs >= STRETCH_MS) return { left, untilMs: nowMs() };
    const untilMs = await ask(tracking, about, batch);
    if (untilMs !== undefined) return { left, untilMs };
  }
  return undefined;
};

const itemOf = ({ reference, trackingNumber, memo }: DuePackage) => ({
  itemReferenceNumber: reference,
  trackingNumber,
  memo,
});
const itemOfMany = (one: DuePackage) => ({ ...itemOf(one), consignment: one.ends });

/**
 * One question; a batch that is rejected is asked again one by one. Yields until when to leave the carrier
 * alone, if it was not to be asked.
 */
const ask = async (
  tracking: Tracking,
  about: Pick<Run, 'carrier' | 'operation' | 'account' | 'environment'>,
  batch: readonly DuePackage[],
): Promise<number | undefined> => {
  const [first] = batch;
  if (first === undefined) return undefined;
  const inputs =
    about.operation.batch > 1
      ? { items: batch.map(itemOfMany) }
      : { ...(await tracking.inputsOf(first.consignmentId)), item: itemOf(first) };
  const consignmentId = batch.length === 1 ? first.consignmentId : undefined;
  const { run, ports } = prepareCall(tracking, { ...about, inputs, consignmentId });
  const outcome = await runOperation(run, ports);
  if (outcome.kind === 'done') {
    const events = (outcome.result ?? []) as readonly StatusUpdate[];
    if (events.length > 0) await tracking.recordEvents(first, events);
    return undefined;
  }
  if (outcome.kind === 'rejected' && batch.length > 1) {
    for (const one of batch) {
      const untilMs = await ask(tracking, about, [one]);
      if (untilMs !== undefined) return untilMs;
    }
    return undefined;
  }
  const { code, messages } = outcome.problem;
  tracking.log.info({ carrier: run.carrier.code, outcome: outcome.kind, code, messages }, 'tracking brought nothing');
  if (outcome.kind !== 'waiting') return undefined;
  return code === 'held_back' ? outcome.dueAtMs : Math.max(outcome.dueAtMs, ports.nowMs() + PROBLEM_WAIT_MS);
};

/** Polls that came due together spread over a tenth of their interval, either way. */
const JITTER = 0.1;

/**
 * How long until a package is to be asked about again: by its status, else by `*`. undefined: never again, for its
 * status is terminal, it is older than `until`, or no interval is declared. `random` in [0, 1).
 */
const nextPollInMs = (
  poll: Poll | undefined,
  status: NormalisedStatus,
  ageMs: number,
  random: number,
): number | undefined => {
  if (poll === undefined || isTerminal(status) || ageMs >= poll.untilMs) return undefined;
  const everyMs = poll.everyMs.get(status) ?? poll.everyMs.get('*');
  return everyMs === undefined ? undefined : Math.round(everyMs * (1 - JITTER + 2 * JITTER * random));
};
