/** Asks carriers for events: due packages → the profile's `track` operation → pushes that status intake processes. */
import type { Pool } from 'pg';
import { createConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import type { Account } from '../../engine/dispatch/ports.ts';
import { messageOf } from '../../engine/failure.ts';
import type { Carrier, Operation, Poll } from '../../engine/profile/carrier.ts';
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
  let isClosing = false;
  const interrupted = (error: unknown): void => {
    if (!isClosing) log.warn({ error: messageOf(error) }, 'polling was interrupted');
  };

  /** Of one carrier. What there is no room for comes back in a moment. */
  const askAbout = async (batch: readonly DuePackage[]): Promise<void> => {
    const admission = limiter.enter(batch[0]?.carrierCode ?? '');
    if (!admission.admitted) {
      const atMs = ports.nowMs() + admission.waitMs;
      return await schedulePolls(
        pool,
        batch.map((one) => ({ ...one, atMs })),
      );
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
      const asking = askAbout(batch).catch(interrupted);
      inHand.add(asking);
      void asking.finally(() => inHand.delete(asking));
    }
    return due.length === BATCH;
  };
  const loop = startLoop(LOOK_EVERY_MS, look, interrupted);
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
 * by limits or by a problem on the way, comes back soon.
 */
export const trackPackages = async (tracking: Tracking, due: readonly DuePackage[]): Promise<readonly NextPoll[]> => {
  const groups = Map.groupBy(
    due,
    ({ carrierCode, environment, accountId }) => `${carrierCode}/${environment}/${accountId}`,
  );
  const putOff: PutOff = new Map();
  await Promise.all(
    [...groups.values()].map(async (group) => {
      try {
        await trackGroup(tracking, group, putOff);
      } catch (error) {
        tracking.log.warn({ carrier: group[0]?.carrierCode, error: messageOf(error) }, 'tracking failed');
      }
    }),
  );
  return due.map((one) => {
    const regularMs = nextAtMs(tracking, one);
    return {
      consignmentId: one.consignmentId,
      position: one.position,
      heldUntilMs: one.heldUntilMs,
      atMs: regularMs === undefined ? undefined : Math.min(regularMs, putOff.get(one) ?? regularMs),
    };
  });
};

/** Until when those were put off that have not been asked about. */
type PutOff = Map<DuePackage, number>;

const nextAtMs = (
  { carrierOf, ports }: Tracking,
  { carrierCode, status, createdAtMs }: DuePackage,
): number | undefined => {
  const carrier = carrierOf(carrierCode);
  const nowMs = ports.nowMs();
  // Another worker may have its profile, or this one before long: only a profile says that nothing is asked any more.
  if (carrier === undefined) return nowMs + PROBLEM_WAIT_MS;
  const { poll } = carrier.statuses;
  const inMs =
    poll === undefined ? undefined : nextPollInMs(poll, { status, ageMs: nowMs - createdAtMs }, ports.random());
  return inMs === undefined ? undefined : nowMs + inMs;
};

/** Packages of one account. */
const trackGroup = async (tracking: Tracking, group: readonly DuePackage[], putOff: PutOff): Promise<void> => {
  const [first] = group;
  const carrier = first === undefined ? undefined : tracking.carrierOf(first.carrierCode);
  const operation = carrier?.operations.track;
  if (first === undefined || carrier === undefined || operation === undefined) return;
  const account = await tracking.accountOf(first.accountId);
  if (account === undefined) return;
  const { nowMs } = tracking.ports;
  const startedMs = nowMs();
  for (let at = 0; at < group.length; at += operation.batch) {
    const untilMs =
      nowMs() - startedMs >= STRETCH_MS
        ? nowMs()
        : await ask(tracking, { carrier, operation, account }, group.slice(at, at + operation.batch));
    if (untilMs === undefined) continue;
    for (const one of group.slice(at)) putOff.set(one, untilMs);
    return;
  }
};

interface Whom {
  readonly carrier: Carrier;
  readonly operation: Operation;
  readonly account: Account;
}

/**
 * One question; a batch that is rejected is asked again one by one. Yields until when to leave the carrier
 * alone, if it was not to be asked.
 */
const ask = async (tracking: Tracking, whom: Whom, batch: readonly DuePackage[]): Promise<number | undefined> => {
  const [first] = batch;
  if (first === undefined) return undefined;
  const { carrier, operation, account } = whom;
  const items = batch.map(({ reference, trackingNumber, memo }) => ({
    itemReferenceNumber: reference,
    trackingNumber,
    memo,
  }));
  const { run, ports } = prepareCall(tracking, {
    carrier,
    operation,
    environment: first.environment,
    account,
    inputs: operation.batch > 1 ? { items } : { ...(await tracking.inputsOf(first.consignmentId)), item: items[0] },
    consignmentId: batch.length === 1 ? first.consignmentId : undefined,
  });
  const outcome = await runOperation(run, ports);
  if (outcome.kind === 'done') {
    const events = (outcome.result ?? []) as readonly StatusUpdate[];
    if (events.length > 0) await tracking.recordEvents(first, events);
    return undefined;
  }
  if (outcome.kind === 'rejected' && batch.length > 1) {
    for (const one of batch) {
      const untilMs = await ask(tracking, whom, [one]);
      if (untilMs !== undefined) return untilMs;
    }
    return undefined;
  }
  const { code, messages } = outcome.problem;
  tracking.log.info({ carrier: carrier.code, outcome: outcome.kind, code, messages }, 'tracking brought nothing');
  if (outcome.kind !== 'waiting') return undefined;
  return code === 'held_back' ? outcome.dueAtMs : Math.max(outcome.dueAtMs, tracking.ports.nowMs() + PROBLEM_WAIT_MS);
};

/** Polls that came due together spread over a tenth of their interval, either way. */
const JITTER = 0.1;

/**
 * How long until a package is to be asked about again: by its status, else by `*`. undefined: never again, for its
 * status is terminal, it is older than `until`, or no interval is declared. `random` in [0, 1).
 */
const nextPollInMs = (
  poll: Poll,
  { status, ageMs }: { readonly status: NormalisedStatus; readonly ageMs: number },
  random: number,
): number | undefined => {
  if (isTerminal(status) || ageMs >= poll.untilMs) return undefined;
  const everyMs = poll.everyMs.get(status) ?? poll.everyMs.get('*');
  return everyMs === undefined ? undefined : Math.round(everyMs * (1 - JITTER + 2 * JITTER * random));
};
