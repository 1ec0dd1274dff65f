/** Asks carriers for events: due packages → the profile's `track` operation → pushes that status intake processes. */
import { randomUUID } from 'node:crypto';
import { createMemoryLog, type TakeFromSequence } from '../../engine/dispatch/attempt-log.ts';
import type { Account, Inputs, Ports, Run } from '../../engine/dispatch/ports.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import { messageOf } from '../../engine/failure.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Carrier, Operation } from '../../engine/profile/carrier.ts';
import { nextPollInMs } from '../../engine/statuses/poll.ts';
import type { ExchangeContext } from '../records/exchanges.ts';
import type { Log } from '../records/pool.ts';
import type { DuePackage, NextPoll } from '../records/polls.ts';

export interface Tracking {
  readonly ports: Omit<Ports, 'attemptLog' | 'noteExchange'>;
  readonly log: Log;
  readonly carrierOf: (code: string) => Carrier | undefined;
  readonly accountOf: (id: number) => Promise<Account | undefined>;
  /** Of the consignment: the roots that a question about one package sees. */
  readonly inputsOf: (consignmentId: number) => Promise<Inputs>;
  readonly noteExchange: (context: ExchangeContext) => Ports['noteExchange'];
  /** Of the account. */
  readonly takeFromSequence: (accountId: number) => TakeFromSequence;
  /** Records what a carrier answered, if there is something new in it. */
  readonly recordEvents: (due: DuePackage, events: readonly StatusUpdate[]) => Promise<void>;
}

/** A carrier that is in problem is not asked again sooner, and not about anything else meanwhile. */
const TROUBLE_WAIT_MS = 60_000;
/** How long one account is asked for at a stretch: others wait for the slowest. */
const STRETCH_MS = 30_000;

/**
 * Tracks these packages and says when each is next due. What fails is asked again at its next turn; what is put off,
 * by limits or by problem on the way, comes back soon.
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
  if (carrier === undefined) return nowMs + TROUBLE_WAIT_MS;
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
 * One question; a batch that is rejected is asked again one by one (§2.5). Yields until when to leave the carrier
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
  const run: Run = {
    seed: randomUUID(),
    carrier,
    operation,
    environment: first.environment,
    account,
    inputs: operation.batch > 1 ? { items } : { ...(await tracking.inputsOf(first.consignmentId)), item: items[0] },
    nowMs: tracking.ports.nowMs(),
  };
  const noteExchange = tracking.noteExchange({
    carrierCode: carrier.code,
    environment: first.environment,
    accountId: account.id,
    consignmentId: batch.length === 1 ? first.consignmentId : undefined,
    dispatchId: undefined,
    profileHash: carrier.hash,
  });
  const outcome = await runOperation(run, {
    ...tracking.ports,
    noteExchange,
    attemptLog: createMemoryLog(noteExchange, tracking.takeFromSequence(account.id)),
  });
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
  return code === 'held_back' ? outcome.dueAtMs : Math.max(outcome.dueAtMs, tracking.ports.nowMs() + TROUBLE_WAIT_MS);
};
