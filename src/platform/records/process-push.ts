import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { Failure } from '../../engine/failure.ts';
import { type StatusUpdate, readContractPush, UPDATES_MAX, cleanText } from '../../engine/statuses/status-update.ts';
import { NORMALISED_STATUSES, isTerminal } from '../../engine/statuses/status.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { deduplicationKey } from '../../engine/statuses/deduplication-key.ts';
import { type Match, matchEvent, type Names, namesNumber, namesOf, soughtBy } from '../../engine/statuses/match.ts';
import { type NormalisedEvent, normalise } from '../../engine/statuses/normalise.ts';
import { transaction } from './pool.ts';
import type { ChangeContext } from './change.ts';
import { type NewEvent, writeEvents } from './events.ts';
import { findCandidates, lockNames } from './identifiers.ts';
import { settle } from './settle.ts';
import { findPush, type PushRecord, type PushState } from './pushes.ts';
import { execute, queryFirst, rowsOf } from './sql.ts';

export interface ProcessDeps extends ChangeContext {
  /** The carrier as it is configured now. */
  readonly carrierOf: (code: string) => Carrier | undefined;
  /** What a native webhook or a poll says, mapped by the profile. Throws a `Failure` when it cannot be mapped. */
  readonly eventsOf: (push: PushRecord, carrier: Carrier) => Promise<readonly StatusUpdate[]>;
}

export type Processed =
  | {
      readonly kind: 'processed';
      readonly state: 'done' | 'failed';
      readonly recorded: number;
      readonly duplicates: number;
      readonly unmatched: number;
      readonly unmapped: number;
      readonly failure: string | undefined;
    }
  /** Processed before, or no such push. */
  | { readonly kind: 'nothing_to_do' };

/**
 * Processes a push in one transaction: decode, normalise, match, record what is new, carry it on to packages,
 * consignment and notices. Any number of times, by any number of workers: what is recorded is not recorded again. A
 * push that cannot be read is kept as `failed` with the reason, and may be processed again. Rejects only when the
 * records cannot be reached, or for what is no `Failure`.
 */
export const processPush = async (pool: Pool, pushId: number, deps: ProcessDeps): Promise<Processed> => {
  const push = await findPush(pool, pushId);
  if (push === undefined || push.state === 'done') return { kind: 'nothing_to_do' };
  let read: Read;
  try {
    read = await readEvents(push, deps);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    read = { said: 0, events: [], problems: [`${thrown.code}: ${thrown.describe()}`] };
  }
  return await tryAgain(async () => await transaction(pool, async (client) => await record(client, push, read, deps)));
};

interface Read {
  /** Updates in the push, repeats included. */
  readonly said: number;
  readonly events: readonly (NormalisedEvent & { readonly deduplicationKey: string; readonly names: Names })[];
  readonly problems: readonly string[];
}

const readEvents = async (push: PushRecord, deps: ProcessDeps): Promise<Read> => {
  const carrier = deps.carrierOf(push.carrierCode);
  if (carrier === undefined)
    throw new Failure(`no carrier ${push.carrierCode} is loaded`, {
      code: 'carrier_unknown',
      help: 'bring its profile back and process the push again',
    });
  const { updates, problems } =
    push.source === 'contract'
      ? readContractPush(push.body)
      : { updates: await deps.eventsOf(push, carrier), problems: [] };
  if (updates.length > UPDATES_MAX)
    throw new Failure(`more than ${UPDATES_MAX} status updates in one push`, { code: 'push_too_large' });
  const events = updates.map((update) => ({
    ...normalise(carrier, update, push.receivedAtMs),
    deduplicationKey: deduplicationKey(update, { environment: push.environment, accountId: push.accountId }).toString(
      'hex',
    ),
    names: namesOf(update),
  }));
  return {
    said: updates.length,
    events: [...new Map(events.map((event) => [event.deduplicationKey, event])).values()],
    problems,
  };
};

/** The records changed between finding and locking: begin again. */
class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}
const TRIES_MAX = 5;
const FAILURE_MAX = 4_000;
/** serialization_failure, deadlock_detected */
const PASSING = new Set(['40001', '40P01']);

const tryAgain = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const isPassing = thrown instanceof DatabaseError && PASSING.has(thrown.code ?? '');
      if (tries === TRIES_MAX || !(isPassing || thrown instanceof ChangedMeanwhile)) throw thrown;
    }
  }
};

// Locks are taken in this order everywhere: the push, consignments by id, names, events by their keys. Only the number that
// proves a shipment comes after the events; should two wait for each other for it, one begins again.
const record = async (client: PoolClient, push: PushRecord, read: Read, deps: ProcessDeps): Promise<Processed> => {
  const locked = await queryFirst<{ state: PushState }>(client)`
    select state from pushes where id = ${push.id} for update`;
  if (locked === undefined || locked.state === 'done') return { kind: 'nothing_to_do' };
  const events = await matchAndLock(client, push, read);
  const { fresh, recorded } = await writeEvents(client, push.carrierCode, push.id, events);
  const named = Map.groupBy(events, ({ match }) => (match.kind === 'unmatched' ? undefined : match.consignmentId));
  for (const consignmentId of [...named.keys()].filter((id) => id !== undefined).sort((a, b) => a - b)) {
    const proof = proofOf((named.get(consignmentId) ?? []).filter((event) => recorded.has(event.deduplicationKey)));
    const own = fresh.filter((event) => event.consignmentId === consignmentId);
    await settle(client, { consignmentId, fresh: own, proof }, deps);
  }
  await askForPolls(client, events, deps.nowMs());
  const failure = read.problems.length === 0 ? undefined : cleanText(read.problems.join('; '), FAILURE_MAX);
  const state = failure === undefined ? 'done' : 'failed';
  await execute(client)`
    update pushes set state = ${state}, failure = ${failure}, processed_at = ${new Date(deps.nowMs())}
    where id = ${push.id}`;
  return {
    kind: 'processed',
    state,
    recorded: recorded.size,
    duplicates: read.said - recorded.size,
    unmatched: events.filter(({ match }) => match.kind !== 'matched').length,
    unmapped: events.filter(({ status }) => status === 'Unmapped').length,
    failure,
  };
};

/** Of what is said for the first time: what names a number tells more. */
const proofOf = (events: readonly NewEvent[]): StatusUpdate | undefined =>
  (events.find(({ update }) => namesNumber(namesOf(update))) ?? events[0])?.update;

const matchAndLock = async (client: PoolClient, push: PushRecord, { events }: Read): Promise<NewEvent[]> => {
  const matchesNow = async (): Promise<Match[]> => {
    const names = events.flatMap(({ names: { value, others } }) => (value === undefined ? others : [value, ...others]));
    const known = await findCandidates(client, push.carrierCode, push, names);
    return events.map((event) => matchEvent(event.names, known));
  };
  const matches = await matchesNow();
  const ids = matches.flatMap((match) => (match.kind === 'unmatched' ? [] : (match.consignmentId ?? [])));
  const wanted = [...new Set(ids)];
  const locked = await execute(client)`
    select id from consignments where id = any (${wanted}::bigint[]) and released_at is null order by id for update`;
  if (locked !== wanted.length) throw new ChangedMeanwhile('a consignment went');
  const sought = events.map(({ names }) => soughtBy(names));
  const open = sought.filter((_, at) => matches[at]?.kind !== 'matched').filter((name) => name !== undefined);
  if (open.length > 0) {
    await lockNames(client, 'shared', push.carrierCode, open);
    const again = await matchesNow();
    if (again.some((match, at) => match.kind === 'matched' && matches[at]?.kind !== 'matched'))
      throw new ChangedMeanwhile('a consignment got its number');
  }
  return events.map((event, at) => ({ ...event, match: matches[at] ?? { kind: 'unmatched' }, soughtBy: sought[at] }));
};

const TERMINAL = NORMALISED_STATUSES.filter(isTerminal);

/** An event without a status asks for a poll now, also when it comes again. */
const askForPolls = async (client: PoolClient, events: readonly NewEvent[], nowMs: number): Promise<void> => {
  const asking = events.flatMap((event) => (event.asksForPoll && event.match.kind === 'matched' ? [event.match] : []));
  if (asking.length === 0) return;
  const asked = rowsOf('asked', asking, {
    consignment_id: ['bigint', ({ consignmentId }) => consignmentId],
    position: ['int', ({ position }) => position],
  });
  await execute(client)`
    update packages p set poll_at = least(p.poll_at, ${new Date(nowMs)}) from ${asked}
    where p.consignment_id = asked.consignment_id and (asked.position is null or p.position = asked.position)
      and p.status <> all (${TERMINAL}::text[])`;
};
