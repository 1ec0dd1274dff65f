/** Writes concurrent pushes together: each with all its consequences, or not at all. */
import type { Pool, PoolClient } from 'pg';
import { piece } from '../../engine/large.ts';
import { allNames, matchEvent, type Names, namesNumber, soughtBy } from '../../engine/statuses/match.ts';
import { inDirection } from '../../engine/statuses/normalise.ts';
import { cleanText, type StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Issue } from '../../engine/validate.ts';
import type { ChangeContext, ConsignmentChange } from './change.ts';
import { lockConsignments } from './consignments.ts';
import type { DeliverySender } from './deliveries.ts';
import type { Adoption, MatchedEvent, NewEvent } from './events.ts';
import { type Identifier, lookUp } from './identifiers.ts';
import { transaction } from './pool.ts';
import { bestProof } from './proof.ts';
import { lookAgainInMs, type NewPush, type PushRecord } from './pushes.ts';
import { changesOf, type Told } from './settle.ts';
import type { Queryable } from './sql.ts';
import { type Unit, writeChanges } from './write-changes.ts';

interface PushStore extends ChangeContext {
  readonly pool: Pool;
  readonly deliveries?: DeliverySender | undefined;
}

export interface Done {
  readonly kind: 'processed';
  /** Undefined: it is not recorded. */
  readonly pushId: number | undefined;
  readonly state: 'done' | 'failed';
  readonly recorded: number;
  readonly duplicates: number;
  readonly matched: number;
  /** Consignments that its events were matched with. */
  readonly consignmentIds: readonly number[];
  /** Those that fit none or several; `ambiguous` of them several. */
  readonly unmatched: number;
  readonly ambiguous: number;
  readonly unmapped: number;
  readonly failure: string | undefined;
}
/** Or processed before, or no such push. */
export type Processed = Done | { readonly kind: 'nothing_to_do' };

export type Assigned = Adoption['match'] & { readonly direction?: string };
/** `assigned`: by an operator, whatever it names. */
export type PushedEvent = Omit<NewEvent, 'match' | 'soughtBy'> & {
  readonly names: Names;
  readonly assigned?: Assigned | undefined;
};

/** A push and what it says. */
export interface Reading {
  readonly push: NewPush & Partial<PushRecord>;
  /** Updates in the push, repeats included. */
  readonly said: number;
  readonly events: readonly PushedEvent[];
  readonly problems: readonly string[];
  /** What is wrong with what the carrier sent by the contract; `isRefused`: so that nothing of it can be read. */
  readonly faults?: readonly Issue[] | undefined;
  readonly isRefused?: boolean | undefined;
  /** It was processed already, and for so long its events have fitted nothing. */
  readonly openForMs?: number;
}

/** Nothing of it is written, and it is to be written again. */
type Unwritten = {
  /** `deferred`: another of the same batch has to be written first; `outdated`: its consignments have changed meanwhile. */
  readonly kind: 'deferred' | 'outdated';
};
type Outcome = Processed | Unwritten;

const FAILURE_MAX = 4_000;

/** None waits for who has locked a consignment of another. */
export const writePushes = async (store: PushStore, readings: readonly Reading[]): Promise<readonly Outcome[]> =>
  await writeTogether(store, store.pool, readings);

/** Locks what it reads. */
export const writeLatePushes = async (store: PushStore, readings: readonly Reading[]): Promise<readonly Outcome[]> =>
  await transaction(
    store.pool,
    async (client) => await writeTogether({ ...store, deliveries: undefined }, client, readings, client),
  );

/** What would become of them. Writes nothing. */
export const previewPushes = async (pool: Pool, readings: readonly Reading[]): Promise<readonly Done[]> => {
  const answers = await lookUp(pool, readings.map(askOf));
  return answers.map((answer, at) =>
    processedOf(
      planOf(readings[at] as Reading, answer, () => false),
      undefined,
    ),
  );
};

const askOf = ({ push, events }: Reading) => ({
  ...push,
  names: events.flatMap(({ names }) => allNames(names)),
  keys: events.map((event) => event.deduplicationKey),
});

/** What one push makes of the records as they were looked up. */
interface Plan {
  readonly reading: Reading;
  readonly events: readonly NewEvent[];
  readonly fresh: readonly NewEvent[];
  readonly adoptions: readonly Adoption[];
  readonly told: ReadonlyMap<number, Told>;
}

const writeTogether = async (
  store: PushStore,
  records: Queryable,
  readings: readonly Reading[],
  locking?: PoolClient,
): Promise<readonly Outcome[]> => {
  const asked = await piece(() => readings.map(askOf));
  const look = async () => {
    const answers = await lookUp(records, asked);
    return await piece(() => groupsOf(readings, answers));
  };
  let groups = await look();
  if (locking !== undefined) {
    await lockConsignments(locking, [...toldIn(groups).keys()]);
    // Whoever had them may have recorded the same.
    groups = await look();
  }
  const told = toldIn(groups);
  const changes = await changesOf(records, told, store);
  const whole = groups.filter((plans) => plans.every((plan) => [...plan.told.keys()].every((id) => changes.has(id))));
  const written = await writeChanges(
    records,
    whole.map((plans) => unitOf(plans, changes, store.nowMs())),
    store.deliveries,
  );
  const outcomes = new Map<Reading, Outcome>();
  for (const plans of groups) {
    const one = written[whole.indexOf(plans)];
    for (const [at, plan] of plans.entries()) {
      const isTaken = one?.kind === 'lease_lost' && plan.reading.push.id !== undefined;
      outcomes.set(
        plan.reading,
        one?.kind === 'written' ? processedOf(plan, one.pushIds[at]) : { kind: isTaken ? 'nothing_to_do' : 'outdated' },
      );
    }
  }
  return readings.map((reading) => outcomes.get(reading) ?? { kind: 'deferred' });
};

/** By consignment. */
const toldIn = (groups: readonly (readonly Plan[])[]): ReadonlyMap<number, readonly Told[]> => {
  const told = new Map<number, Told[]>();
  for (const [id, one] of groups.flatMap((plans) => plans.flatMap((plan) => [...plan.told])))
    told.set(id, [...(told.get(id) ?? []), one]);
  return told;
};

type Answer = Awaited<ReturnType<typeof lookUp>>[number];

/**
 * Pushes that share consignments or events are one group, in the order in which they came; those of one group are
 * written whole or not at all. One that is recorded already may be another's by now, and has a group of its own.
 */
const groupsOf = (readings: readonly Reading[], answers: readonly Answer[]): readonly (readonly Plan[])[] => {
  const groups = new Set<{ readonly plans: readonly Plan[]; readonly shares: ReadonlySet<unknown> }>();
  const said = new Set<string>();
  for (const [at, reading] of readings.entries()) {
    const answer = answers[at];
    if (answer === undefined) continue;
    const keyOf = ({ deduplicationKey }: NewEvent) => `${reading.push.carrierCode} ${deduplicationKey}`;
    const plan = planOf(reading, answer, (event) => said.has(keyOf(event)));
    const keys = plan.events.map(keyOf);
    const own = new Set<unknown>([...plan.told.keys(), ...keys]);
    const sharing = [...groups].filter(({ shares }) => !own.isDisjointFrom(shares));
    const plans = [...sharing.flatMap((one) => one.plans), plan];
    if (sharing.length > 0 && plans.some((one) => one.reading.push.id !== undefined)) continue;
    for (const one of sharing) groups.delete(one);
    for (const key of keys) said.add(key);
    groups.add({
      plans,
      shares: sharing.reduce<ReadonlySet<unknown>>((all, { shares }) => all.union(shares), own),
    });
  }
  return [...groups].map(({ plans }) => plans);
};

/** `isSaid`: by a push of its group before it. */
const planOf = (reading: Reading, { known, recorded }: Answer, isSaid: (event: NewEvent) => boolean): Plan => {
  const events = reading.events.map((event): NewEvent => {
    const match = event.assigned ?? matchEvent(event.names, known);
    const candidates = allNames(event.names).flatMap((name) => known(name)?.candidates ?? []);
    const of =
      match.kind === 'matched' && candidates.find(({ consignmentId }) => consignmentId === match.consignmentId);
    const direction = event.assigned?.direction ?? (of || undefined)?.direction;
    return { ...inDirection(event, direction), match, soughtBy: soughtBy(event.names) };
  });
  const news = events.filter((event) => !isSaid(event));
  const fresh = news.filter(({ deduplicationKey: key }) => recorded(key) === undefined);
  const adopted = news.flatMap((event) => {
    const { match } = event;
    const one = recorded(event.deduplicationKey);
    if (one === undefined || one.isMatched || match.kind !== 'matched') return [];
    // As it was recorded, for its table may have changed since; but of a return as what it is of one.
    const isReturned = event.asReturn !== undefined && event.row === event.asReturn.row;
    const stated = { ...(isReturned ? event : one), occurredAtMs: one.occurredAtMs };
    return [{ event, one, match, stated: { ...stated, reason: stated.reason ?? undefined } }];
  });
  const told = new Map<
    number,
    { fresh: MatchedEvent[]; proofs: StatusUpdate[]; asks: (number | undefined)[]; names: Identifier[] }
  >();
  const of = (id: number) => {
    const one = told.get(id) ?? { fresh: [], proofs: [], asks: [], names: [] };
    told.set(id, one);
    return one;
  };
  for (const event of fresh) {
    const { match } = event;
    if (match.kind === 'matched') of(match.consignmentId).fresh.push({ ...event, position: match.position });
    if (match.kind !== 'unmatched' && match.consignmentId !== undefined)
      of(match.consignmentId).proofs.push(event.update);
  }
  for (const { event, match, stated } of adopted)
    of(match.consignmentId).fresh.push({ ...event, ...statedBy(stated), position: match.position });
  // Whoever says whose an event is, says whose its number is as well: what else names it finds it from now on.
  for (const { assigned, names, update } of reading.events) {
    if (assigned === undefined) continue;
    const one = of(assigned.consignmentId);
    one.proofs.push(update);
    if (names.value !== undefined && namesNumber(names))
      one.names.push({ ...names.value, position: assigned.position });
  }
  for (const { asksForPoll, match } of events)
    if (asksForPoll && match.kind === 'matched') of(match.consignmentId).asks.push(match.position);
  return {
    reading,
    events,
    fresh,
    adoptions: adopted.map(({ one, match, stated }) => ({ id: one.id, match, ...statedBy(stated) })),
    told: new Map(
      [...told].map(([id, { proofs, ...one }]) => [
        id,
        { ...one, carrierCode: reading.push.carrierCode, proof: bestProof(proofs) },
      ]),
    ),
  };
};

const statedBy = ({ status, reason, occurredAtMs }: Pick<MatchedEvent, 'status' | 'reason' | 'occurredAtMs'>) => ({
  status,
  reason,
  occurredAtMs,
});

const failureOf = ({ problems }: Reading): string | undefined =>
  problems.length === 0 ? undefined : cleanText(problems.join('; '), FAILURE_MAX);

const unitOf = (plans: readonly Plan[], changes: ReadonlyMap<number, ConsignmentChange>, nowMs: number): Unit => {
  const own = new Set(plans.flatMap(({ told }) => [...told.keys()].flatMap((id) => changes.get(id) ?? [])));
  return {
    changes: [...own].filter(({ before, after }) => after !== before),
    pushes: plans.map(({ reading, events, fresh, adoptions }) => {
      const { push, openForMs } = reading;
      const failure = failureOf(reading);
      const open = (push.id === undefined ? fresh : events).filter(({ match }) => match.kind !== 'matched');
      return {
        push,
        state: openForMs !== undefined ? undefined : failure === undefined ? 'done' : 'failed',
        failure,
        processedAtMs: nowMs,
        lookAgainInMs: open.length === 0 ? undefined : lookAgainInMs(openForMs),
        events: fresh,
        adoptions,
      };
    }),
  };
};

const processedOf = ({ reading, events, fresh }: Plan, pushId: number | undefined): Done => {
  const failure = failureOf(reading);
  const matched = events.flatMap(({ match }) => (match.kind === 'matched' ? [match.consignmentId] : []));
  return {
    kind: 'processed',
    pushId,
    state: failure === undefined ? 'done' : 'failed',
    recorded: fresh.length,
    duplicates: reading.said - fresh.length,
    consignmentIds: [...new Set(matched)],
    matched: matched.length,
    unmatched: events.length - matched.length,
    ambiguous: events.filter(({ match }) => match.kind === 'ambiguous').length,
    unmapped: events.filter(({ status }) => status === 'Unmapped').length,
    failure,
  };
};
