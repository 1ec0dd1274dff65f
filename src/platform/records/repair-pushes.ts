/** Repairs pushes that could not be matched or normalised, for operators; or shows what that would do. */
import type { Pool } from 'pg';
import { messageOf } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { ChangeContext } from './change.ts';
import type { Asked, PushIntake } from './process-push.ts';
import type { LoggedPush } from './push-log.ts';
import { claimPushes, findPushes, type PushRecord } from './pushes.ts';
import { findLearnt, renormalise } from './reread-events.ts';
import { type Processed, previewPushes, type Reading } from './write-pushes.ts';

interface RepairDeps extends ChangeContext {
  readonly pool: Pool;
  readonly intake: PushIntake;
  readonly carriers: { find(code: string): Carrier | undefined };
}

/** What became of a push, or would. */
export interface Repaired extends Pick<LoggedPush, 'id' | 'carrierCode'> {
  /** Events that were read for the first time. */
  readonly read: number;
  readonly matched: number;
  /** Events whose status is known now. */
  readonly mapped: number;
  readonly consignmentIds: readonly number[];
  readonly failure: string | undefined;
}

export type Repair = (deps: RepairDeps, pushes: readonly LoggedPush[], isDry: boolean) => Promise<readonly Repaired[]>;

const nothing = { read: 0, matched: 0, mapped: 0, consignmentIds: [], failure: undefined };
/** Their bodies are in memory together: so many are repaired at once. */
export const REPAIRED_AT_ONCE = 20;

interface Act {
  /** What would be written. */
  readonly read: (push: PushRecord) => Promise<Reading>;
  readonly write: (push: PushRecord) => Promise<Processed>;
}

/** In the order of the ids. One that somebody else is at stays as it is; one that cannot be recorded keeps nobody else. */
const repairEach = async (
  pool: Pool,
  pushes: readonly Pick<PushRecord, 'id' | 'carrierCode'>[],
  { read, write }: Act,
  isDry: boolean,
): Promise<readonly Repaired[]> => {
  const repaired = new Map<number, Repaired>();
  const ids = pushes.map(({ id }) => id);
  const found = await (isDry ? findPushes : claimPushes)(pool, ids);
  const previewed = isDry ? await previewPushes(pool, await Promise.all(found.map(read))) : [];
  const done = isDry
    ? previewed.map((value) => ({ status: 'fulfilled', value }) as const)
    : await Promise.allSettled(found.map(write));
  for (const [nth, { id, carrierCode }] of found.entries()) {
    const one = done[nth];
    if (one !== undefined) repaired.set(id, { id, carrierCode, ...madeOf(one) });
  }
  return pushes.map(({ id, carrierCode }) => repaired.get(id) ?? { ...nothing, id, carrierCode });
};

const madeOf = (end: PromiseSettledResult<Processed>): Omit<Repaired, 'id' | 'carrierCode'> => {
  if (end.status === 'rejected') return { ...nothing, failure: messageOf(end.reason) };
  if (end.value.kind !== 'processed') return nothing;
  const { recorded: read, matched, consignmentIds, failure } = end.value;
  return { ...nothing, read, matched, consignmentIds, failure };
};

/** Gives events that fitted nothing to the consignment that an operator names. */
export const assignPush = async (
  { pool, intake }: RepairDeps,
  push: PushRecord,
  asked: Asked,
  isDry: boolean,
): Promise<readonly Repaired[]> => await repairEach(pool, [push], lookingAgain(intake, asked), isDry);

const lookingAgain = (intake: PushIntake, asked: Asked): Act => ({
  read: async (push) => await intake.readAgain(push, asked),
  write: async (push) => await intake.resume(push, asked),
});

/** Looks again for the consignments of what fitted none or several. */
export const rematchPushes: Repair = async ({ pool, intake }, pushes, isDry) =>
  await repairEach(pool, pushes, lookingAgain(intake, {}), isDry);

/** Reads pushes by the profiles of now: what they say, and what the tables have learnt of what they said. */
export const renormalisePushes: Repair = async (deps, pushes, isDry) => {
  const { pool, intake, carriers } = deps;
  const mapped = new Map<number, number>();
  for (const [code, own] of Map.groupBy(pushes, ({ carrierCode }) => carrierCode)) {
    const carrier = carriers.find(code);
    if (carrier === undefined) continue;
    const ids = own.map(({ id }) => id);
    for (const { pushId, count } of await findLearnt(pool, carrier, ids))
      if (pushId !== undefined) mapped.set(pushId, (mapped.get(pushId) ?? 0) + count);
    if (!isDry) await renormalise(pool, carrier, deps, ids);
  }
  const repaired = await repairEach(pool, pushes, { read: intake.read, write: intake.reread }, isDry);
  return repaired.map((one) => ({ ...one, mapped: mapped.get(one.id) ?? 0 }));
};
