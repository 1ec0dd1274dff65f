/** Pushes that come together, written together: each with all that follows from it, or not at all. */
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { matchEvent, type Names, namesNumber, namesOf, soughtBy } from '../../engine/statuses/match.ts';
import { cleanText, type StatusUpdate } from '../../engine/statuses/status-update.ts';
import { isUnrecordable } from './batch.ts';
import type { ChangeContext, ConsignmentChange } from './change.ts';
import { lockConsignments } from './consignments.ts';
import type { DeliveryRooms } from './deliveries.ts';
import type { Adoption, MatchedEvent, NewEvent } from './events.ts';
import { lookUp, type Recorded } from './identifiers.ts';
import { transaction } from './pool.ts';
import type { NewPush, PushRecord } from './pushes.ts';
import { changesOf, type Told } from './settle.ts';
import { type Unit, writeChanges } from './write-changes.ts';

interface PushStore extends ChangeContext {
  readonly pool: Pool;
  readonly deliveries?: DeliveryRooms | undefined;
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

export type PushedEvent = Omit<NewEvent, 'match' | 'soughtBy'> & { readonly names: Names };

/** A push and what it says. */
export interface Reading {
  readonly push: NewPush & Partial<PushRecord>;
  /** Updates in the push, repeats included. */
  readonly said: number;
  readonly events: readonly PushedEvent[];
  readonly problems: readonly string[];
  /** It was processed already. */
  readonly isAgain?: boolean;
}

type Outcome = Processed | { readonly error: unknown };
/** Its consignments changed each time: it is to be written by `writeLatePushes`. */
type Late = { readonly kind: 'late' };

interface Member {
  readonly reading: Reading;
  tries: number;
  outcome?: Outcome | Late;
}

const FAILURE_MAX = 4_000;
const TRIES_MAX = 5;
const LATE_AFTER = 2;
/** serialization_failure, deadlock_detected */
const PASSING = new Set(['40001', '40P01']);
/** unique_violation: another process has recorded one of the events meanwhile. */
const DUPLICATE = '23505';

/** None waits for who has locked a consignment of another. */
export const writePushes = async (
  store: PushStore,
  readings: readonly Reading[],
): Promise<readonly (Outcome | Late)[]> => {
  const members = readings.map((reading): Member => ({ reading, tries: 0 }));
  await settleMembers(members, async (left) => {
    await writeRound(store, left);
    for (const member of left) if (member.tries >= LATE_AFTER) member.outcome ??= { kind: 'late' };
  });
  return members.map(({ outcome = NOTHING_TO_DO }) => outcome);
};

/** Locks what it reads. */
export const writeLatePushes = async (store: PushStore, readings: readonly Reading[]): Promise<readonly Outcome[]> => {
  const members = readings.map((reading): Member => ({ reading, tries: LATE_AFTER }));
  await settleMembers(
    members,
    async (left) => await transaction(store.pool, async (client) => await writeRound({ ...store, client }, left)),
  );
  return members.map(({ outcome = NOTHING_TO_DO }) => outcome as Outcome);
};

const NOTHING_TO_DO = { kind: 'nothing_to_do' } as const;

/** Until each member has an outcome. One that cannot be recorded is found by halves, and the rest is kept. */
const settleMembers = async (
  members: readonly Member[],
  round: (left: readonly Member[]) => Promise<void>,
): Promise<void> => {
  let left = members;
  while (left.length > 0) {
    try {
      await round(left);
    } catch (error) {
      const code = error instanceof DatabaseError ? (error.code ?? '') : '';
      const isLone = left.length === 1;
      if (!isLone && isUnrecordable(error)) {
        const half = Math.ceil(left.length / 2);
        await settleMembers(left.slice(0, half), round);
        await settleMembers(left.slice(half), round);
        return;
      }
      const isPassing = PASSING.has(code) || (isLone && code === DUPLICATE);
      for (const member of left) {
        member.tries += 1;
        if (!isPassing || member.tries >= TRIES_MAX) member.outcome = { error };
      }
    }
    left = left.filter(({ outcome }) => outcome === undefined);
  }
};

/** What one member makes of the records as they were looked up. */
interface Plan {
  readonly member: Member;
  readonly events: readonly NewEvent[];
  readonly fresh: readonly NewEvent[];
  readonly adoptions: readonly Adoption[];
  readonly told: ReadonlyMap<number, Told>;
}

/** Those whose consignments and events are no other's of this round; the next takes the others. */
const writeRound = async (
  { client, ...store }: PushStore & { readonly client?: PoolClient },
  members: readonly Member[],
): Promise<void> => {
  const records = client ?? store.pool;
  const answers = await lookUp(
    records,
    members.map(({ reading: { push, events } }) => ({
      ...push,
      names: events.flatMap(({ names: { value, others } }) => (value === undefined ? others : [value, ...others])),
      keys: events.map((event) => event.deduplicationKey),
    })),
  );
  const touched = new Set<unknown>();
  const plans = answers.flatMap((answer, at): readonly Plan[] => {
    const member = members[at];
    if (member === undefined) return [];
    const plan = planOf(member, answer);
    const own = [...plan.told.keys(), ...plan.events.map((event) => event.deduplicationKey)];
    if (own.some((one) => touched.has(one))) return [];
    for (const one of own) touched.add(one);
    return [plan];
  });
  const told = new Map(plans.flatMap((plan) => [...plan.told]));
  if (client !== undefined) await lockConsignments(client, [...told.keys()]);
  const changes = await changesOf(records, told, store);
  const whole = plans.filter(({ told }) => [...told.keys()].every((id) => changes.has(id)));
  const written = await writeChanges(
    records,
    whole.map((plan) => unitOf(plan, changes, store.nowMs())),
    client === undefined ? store.deliveries : undefined,
  );
  for (const plan of plans) {
    const { member } = plan;
    const kind = written[whole.indexOf(plan)]?.kind ?? 'outdated';
    member.tries += 1;
    if (kind === 'written') member.outcome = processedOf(plan);
    else if (kind === 'lease_lost' && member.reading.push.id !== undefined) member.outcome = { kind: 'nothing_to_do' };
    else if (member.tries >= TRIES_MAX) member.outcome = { error: new Error('its consignments keep changing') };
  }
};

type Answer = Awaited<ReturnType<typeof lookUp>>[number];

const planOf = (member: Member, { known, recorded }: Answer): Plan => {
  const { reading } = member;
  const events = reading.events.map((event): NewEvent => ({
    ...event,
    match: matchEvent(event.names, known),
    soughtBy: soughtBy(event.names),
  }));
  const fresh = events.filter(({ deduplicationKey: key }) => recorded(key) === undefined);
  const adopted = events.flatMap((event) => {
    const { match } = event;
    const one = recorded(event.deduplicationKey);
    return one === undefined || one.isMatched || match.kind !== 'matched' ? [] : [{ event, one, match }];
  });
  const told = new Map<number, { fresh: MatchedEvent[]; proofs: StatusUpdate[]; asks: (number | undefined)[] }>();
  const of = (id: number) => {
    const one = told.get(id) ?? { fresh: [], proofs: [], asks: [] };
    told.set(id, one);
    return one;
  };
  for (const event of fresh) {
    const { match } = event;
    if (match.kind === 'matched') of(match.consignmentId).fresh.push({ ...event, position: match.position });
    if (match.kind !== 'unmatched' && match.consignmentId !== undefined)
      of(match.consignmentId).proofs.push(event.update);
  }
  // As it was recorded: its table may have changed since.
  for (const { event, one, match } of adopted)
    of(match.consignmentId).fresh.push({ ...event, ...statedBy(one), position: match.position });
  for (const { asksForPoll, match } of events)
    if (asksForPoll && match.kind === 'matched') of(match.consignmentId).asks.push(match.position);
  return {
    member,
    events,
    fresh,
    adoptions: adopted.map(({ one, match }) => ({ id: one.id, match })),
    told: new Map(
      [...told].map(([id, { proofs, ...one }]) => [
        id,
        // What names a number tells more.
        { ...one, proof: proofs.find((update) => namesNumber(namesOf(update))) ?? proofs[0] },
      ]),
    ),
  };
};

const statedBy = ({ status, reason, occurredAtMs }: Recorded) => ({
  status,
  reason: reason ?? undefined,
  occurredAtMs,
});

const unitOf = (
  { member: { reading }, fresh, adoptions, told }: Plan,
  changes: ReadonlyMap<number, ConsignmentChange>,
  nowMs: number,
): Unit => {
  const { problems, isAgain = false } = reading;
  const failure = problems.length === 0 ? undefined : cleanText(problems.join('; '), FAILURE_MAX);
  const own = [...told.keys()].flatMap((id) => changes.get(id) ?? []);
  return {
    changes: own.filter(({ before, after }) => after !== before),
    push: {
      push: reading.push,
      state: isAgain ? undefined : failure === undefined ? 'done' : 'failed',
      failure,
      processedAtMs: nowMs,
      isOpen: fresh.some(({ match }) => match.kind !== 'matched'),
      events: fresh,
      adoptions,
    },
  };
};

const processedOf = ({ member: { reading }, events, fresh }: Plan): Processed => {
  const failure = reading.problems.length === 0 ? undefined : cleanText(reading.problems.join('; '), FAILURE_MAX);
  return {
    kind: 'processed',
    state: failure === undefined ? 'done' : 'failed',
    recorded: fresh.length,
    duplicates: reading.said - fresh.length,
    unmatched: events.filter(({ match }) => match.kind !== 'matched').length,
    unmapped: events.filter(({ status }) => status === 'Unmapped').length,
    failure,
  };
};
