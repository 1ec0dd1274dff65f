/**
 * Status intake: what comes in together is matched, read and written together, each push with all that follows from it
 * or not at all. A push that cannot be written so is recorded as it came, answered, and processed by the pump.
 */
import { DatabaseError, type Pool } from 'pg';
import { Failure, messageOf } from '../../engine/failure.ts';
import { mapInPieces, piece } from '../../engine/large.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { deduplicationKey, type NormalisedEvent, normalise } from '../../engine/statuses/normalise.ts';
import { namesOf } from '../../engine/statuses/match.ts';
import type { Reason } from '../../engine/statuses/status.ts';
import type { Issue } from '../../engine/validate.ts';
import { cleanText, readContractPush, type StatusUpdate, UPDATES_MAX } from '../../engine/statuses/status-update.ts';
import { createPushAlerts, type PushAlertDeps } from './push-alerts.ts';
import { createBatcher, isUnrecordable } from './batch.ts';
import type { ChangeContext } from './change.ts';
import type { DeliverySender } from './deliveries.ts';
import { findUnmatched, forgetMisread } from './events.ts';
import type { Log } from './pool.ts';
import { failPush, findPush, type NewPush, type PushRecord, recordPush } from './pushes.ts';
import {
  type Assigned,
  previewPushes,
  type Processed,
  type PushedEvent,
  type Reading,
  writeLatePushes,
  writePushes,
} from './write-pushes.ts';

export interface IntakeDeps extends ChangeContext, PushAlertDeps {
  readonly pool: Pool;
  readonly log: Log;
  /** The carrier as it is configured now. */
  readonly carrierOf: (code: string) => Carrier | undefined;
  /** What a native webhook or a poll says, mapped by the profile. Throws a `Failure` when it cannot be mapped. */
  readonly eventsOf: (push: NewPush, carrier: Carrier) => Promise<readonly StatusUpdate[]>;
  readonly deliveries?: DeliverySender | undefined;
  /** Told of each push how it was processed. */
  readonly processed?: (carrierCode: string, outcome: string) => void;
}

/** What is wrong with a push by the contract: `refused`, where none of it can be read. */
type Taken = (Processed | { readonly kind: 'recorded' }) & Pick<Reading, 'faults' | 'isRefused'>;

export interface PushIntake {
  /** Records a push and what it says, or at least the push. What is committed may be answered with 200. */
  take(push: NewPush): Promise<Taken>;
  /**
   * Processes a recorded push, any number of times, by any number of workers: what is recorded is not recorded again. One
   * that cannot be read is kept as `failed` with the reason. Rejects only when the records cannot be reached, or for what
   * is no `Failure`.
   */
  process(pushId: number): Promise<Processed>;
  /** As `process`; of one that was processed, events that fitted nothing are looked at again. */
  resume(push: PushRecord, asked?: Asked): Promise<Processed>;
  /** What `process` writes: what a push says by the carrier's profile of now. */
  read(push: NewPush): Promise<Reading>;
  /** What `resume` writes of one that was processed. */
  readAgain(push: PushRecord, asked?: Asked): Promise<Reading>;
  /**
   * Writes what one that was processed says by the carrier's profile of now; what it said by an older one, and fitted
   * nothing or was not known, is forgotten. One that cannot be read any more stays as it is.
   */
  reread(push: PushRecord): Promise<Processed>;
}

/** An operator's word: events (without `eventIds` all) that fitted nothing are looked at again, or are of `to`. */
export interface Asked {
  readonly to?: Assigned | undefined;
  readonly eventIds?: readonly number[] | undefined;
}

const BATCH = 64;
const FAILURE_MAX = 4_000;
/** Of writes that were outdated when they came, or failed by another; from then on it waits for the locks. */
const LATE_AFTER = 2;
const TRIES_MAX = 5;
const OUTDATED = { kind: 'outdated' } as const;
const NOTHING_TO_DO = { kind: 'nothing_to_do' } as const;

export const createIntake = (deps: IntakeDeps): PushIntake => {
  const { pool, log, nowMs } = deps;
  const options = {
    max: BATCH,
    // Its bytes and, in other words, its events and their notices.
    sizeOf: ({ push }: Reading) => 3 * push.body.byteLength,
  };
  const write = createBatcher(async (readings: readonly Reading[]) => await writePushes(deps, readings), options);
  // Apart: who waits for the lock of a consignment keeps only those waiting that wait too.
  const writeLate = createBatcher(
    async (readings: readonly Reading[]) => await writeLatePushes(deps, readings),
    options,
  );
  const alerts = createPushAlerts(deps);
  const settle = async (reading: Reading): Promise<Processed> => {
    for (let tries = 0; tries < TRIES_MAX;) {
      const written = await (tries < LATE_AFTER ? write : writeLate)(reading).catch((error: unknown) => {
        if (tries + 1 < TRIES_MAX && isPassing(error)) return OUTDATED;
        throw error;
      });
      switch (written.kind) {
        case 'deferred':
          continue;
        case 'outdated':
          tries += 1;
          continue;
        default:
          deps.processed?.(reading.push.carrierCode, written.kind === 'processed' ? written.state : written.kind);
          return written;
      }
    }
    throw new Error('its consignments keep changing');
  };
  const whole = async (
    push: PushRecord,
    read: () => Promise<Reading>,
    tell?: (reading: Reading, done: Processed) => void,
  ): Promise<Processed> => {
    try {
      const reading = await read();
      const done = await settle(reading);
      tell?.(reading, done);
      return done;
    } catch (error) {
      if (!isUnrecordable(error)) throw error;
      // It would fail each time.
      const { id, carrierCode: carrier } = push;
      const failure = cleanText(messageOf(error), FAILURE_MAX);
      await failPush(pool, push, failure, nowMs());
      deps.alert?.('push_failed', { push: id, carrier, failure });
      log.error({ push: id, carrier, error: failure }, 'a push cannot be recorded, and is kept as failed');
      deps.processed?.(carrier, 'failed');
      throw error;
    }
  };
  const readAgain = async (push: PushRecord, { to, eventIds }: Asked = {}): Promise<Reading> => {
    const unmatched = await findUnmatched(pool, push.id);
    const carrier = deps.carrierOf(push.carrierCode);
    const events = unmatched.map((event) => ({
      ...event,
      reason: event.reason as Reason | undefined,
      carrierStatus: { code: '', subCode: '', description: '' },
      row: undefined,
      asReturn: carrier && normalise(carrier, event.update, push.receivedAtMs).asReturn,
      asksForPoll: false,
      warnings: [],
      names: namesOf(event.update),
      assigned: eventIds?.includes(event.id) === false ? undefined : to,
    }));
    const openForMs = Math.min(...unmatched.map(({ forMs }) => forMs));
    return { push, said: events.length, events, problems: [], openForMs };
  };
  return {
    take: async (push) => {
      let told: Pick<Reading, 'faults' | 'isRefused'> = {};
      try {
        const reading = await readPush(push, deps);
        told = { faults: reading.faults, isRefused: reading.isRefused };
        const done = await settle(reading);
        alerts.came(reading, done);
        return { ...done, ...told };
      } catch (error) {
        const id = await recordPush(pool, push);
        const fields = { push: id, carrier: push.carrierCode, error: messageOf(error) };
        log.warn(fields, 'a push is recorded, and processed later');
        return { kind: 'recorded', ...told };
      }
    },
    process: async (pushId) => {
      const found = await findPush(pool, pushId);
      if (found === undefined || found.state === 'done') return NOTHING_TO_DO;
      const push = { ...found, dueAtMs: undefined };
      return await whole(push, async () => await readPush(push, deps));
    },
    resume: async (push, asked) =>
      await whole(
        push,
        async () => await (push.state === 'pending' ? readPush(push, deps) : readAgain(push, asked)),
        (...ended) => {
          if (push.state === 'pending') alerts.came(...ended);
          else if (asked === undefined) alerts.stayed(...ended);
        },
      ),
    read: async (push) => await readPush(push, deps),
    readAgain,
    reread: async (push) => {
      const reading = await readPush(push, deps);
      const isReadable = reading.problems.length === 0;
      if (!isReadable && push.state === 'done') return (await previewPushes(pool, [reading]))[0] ?? NOTHING_TO_DO;
      const done = await whole(push, async () => await Promise.resolve(reading));
      const keys = reading.events.map(({ deduplicationKey }) => deduplicationKey);
      if (isReadable) await forgetMisread(pool, push, keys);
      return done;
    },
  };
};

/** serialization_failure, deadlock_detected, and unique_violation: another process has recorded one of its events. */
const isPassing = (error: unknown): boolean =>
  error instanceof DatabaseError && /^(?:40001|40P01|23505)$/.test(error.code ?? '');

const problemsOf = (thrown: unknown): readonly string[] => {
  if (thrown instanceof Failure) return [`${thrown.code}: ${thrown.describe()}`];
  throw thrown;
};

/** Of bytes of which nothing can be read. */
const issueOf = (thrown: unknown): Issue => ({ path: '', code: 'malformed', message: messageOf(thrown) });

/** Pure, but for what the profile's mapping asks of the account. */
const readPush = async (push: NewPush, deps: IntakeDeps): Promise<Reading> => {
  const nothing = { push, said: 0, events: [] };
  let contract: ReturnType<typeof readContractPush> | undefined;
  try {
    contract = push.source === 'contract' ? await piece(() => readContractPush(push.body)) : undefined;
  } catch (thrown) {
    return { ...nothing, problems: problemsOf(thrown), faults: [issueOf(thrown)], isRefused: true };
  }
  const { problems: faults = [] } = contract ?? {};
  const unreadable = faults.map(({ message }) => `push_not_readable: ${message}`);
  if (contract?.updates.length === 0) return { ...nothing, problems: unreadable, faults, isRefused: true };
  try {
    const carrier = deps.carrierOf(push.carrierCode);
    if (carrier === undefined)
      throw new Failure(`no carrier ${push.carrierCode} is loaded`, {
        code: 'carrier_unknown',
        help: 'bring its profile back and process the push again',
      });
    const updates = contract?.updates ?? (await deps.eventsOf(push, carrier));
    if (updates.length > UPDATES_MAX)
      throw new Failure(`more than ${UPDATES_MAX} status updates in one push`, { code: 'push_too_large' });
    const events = await mapInPieces(updates, (update): PushedEvent => {
      const normalised: NormalisedEvent = normalise(carrier, update, push.receivedAtMs);
      return {
        ...normalised,
        deduplicationKey: deduplicationKey(update, push).toString('hex'),
        names: namesOf(update),
      };
    });
    const distinct = new Map(events.map((event) => [event.deduplicationKey, event]));
    return { push, said: updates.length, events: [...distinct.values()], problems: unreadable, faults };
  } catch (thrown) {
    return { ...nothing, problems: [...problemsOf(thrown), ...unreadable], faults };
  }
};
