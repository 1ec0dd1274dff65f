/** Making good what carriers sent and nobody could place or understand: at an operator's word, or as it would be. */
import type { Pool } from 'pg';
import { messageOf } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { ChangeContext } from './change.ts';
import type { Asked, Intake } from './process-push.ts';
import type { LoggedPush } from './push-log.ts';
import { claimPushes, findPushes, type PushRecord } from './pushes.ts';
import { findLearnt, renormalise } from './reread-events.ts';
import { type Processed, previewPushes, type Reading } from './write-pushes.ts';

interface RepairDeps extends ChangeContext {
  readonly pool: Pool;
  readonly intake: Intake;
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

/** Of each what its processing made of it; one that cannot be recorded keeps nobody else. */
const repairEach = async (
  pushes: readonly PushRecord[],
  act: (push: PushRecord) => Promise<Processed>,
): Promise<readonly Repaired[]> =>
  await Promise.all(
    pushes.map(async (push) => {
      try {
        return repairedOf(push, await act(push));
      } catch (error) {
        return { ...nothing, id: push.id, carrierCode: push.carrierCode, failure: messageOf(error) };
      }
    }),
  );

const repairedOf = ({ id, carrierCode }: PushRecord, done: Processed): Repaired => {
  if (done.kind !== 'processed') return { ...nothing, id, carrierCode };
  const { recorded: read, matched, consignmentIds, failure } = done;
  return { ...nothing, id, carrierCode, read, matched, consignmentIds, failure };
};

const previewEach = async (
  pool: Pool,
  pushes: readonly PushRecord[],
  read: (push: PushRecord) => Promise<Reading>,
): Promise<readonly Repaired[]> => {
  const done = await previewPushes(pool, await Promise.all(pushes.map(read)));
  return done.map((one, at) => repairedOf(pushes[at] as PushRecord, one));
};

/** Gives events that fitted nothing to the consignment that an operator names. */
export const assignPush = async (
  { pool, intake }: RepairDeps,
  push: PushRecord,
  asked: Asked,
  isDry: boolean,
): Promise<readonly Repaired[]> =>
  isDry
    ? await previewEach(pool, [push], async (one) => await intake.readAgain(one, asked))
    : await repairEach(await claimPushes(pool, [push.id]), async (one) => await intake.resume(one, asked));

/** In the order in which they were asked for; one that somebody else was at is as it was. */
const inOrder = (pushes: readonly LoggedPush[], repaired: readonly Repaired[]): readonly Repaired[] =>
  pushes.map(({ id, carrierCode }) => repaired.find((one) => one.id === id) ?? { ...nothing, id, carrierCode });

/** Looks again for the consignments of what fitted none or several. */
export const rematchPushes: Repair = async ({ pool, intake }, pushes, isDry) => {
  const ids = pushes.map(({ id }) => id);
  const repaired = isDry
    ? await previewEach(pool, await findPushes(pool, ids), async (push) => await intake.readAgain(push))
    : await repairEach(await claimPushes(pool, ids), async (push) => await intake.resume(push, {}));
  return inOrder(pushes, repaired);
};

/** Normalises again what no row of the table knew, and reads again what could not be read. */
export const renormalisePushes: Repair = async (deps, pushes, isDry) => {
  const { pool, intake, carriers } = deps;
  const failed = await findPushes(
    pool,
    pushes.flatMap(({ id, state }) => (state === 'failed' ? [id] : [])),
  );
  const repaired = isDry
    ? await previewEach(pool, failed, intake.read)
    : await repairEach(failed, async ({ id }) => await intake.process(id));
  const mapped = new Map<number, number>();
  for (const [code, own] of Map.groupBy(pushes, ({ carrierCode }) => carrierCode)) {
    const carrier = carriers.find(code);
    if (carrier === undefined) continue;
    const ids = own.map(({ id }) => id);
    for (const { pushId, count } of await findLearnt(pool, carrier, ids))
      if (pushId !== undefined) mapped.set(pushId, (mapped.get(pushId) ?? 0) + count);
    if (!isDry) await renormalise(pool, carrier, deps, ids);
  }
  return inOrder(pushes, repaired).map((one) => ({ ...one, mapped: mapped.get(one.id) ?? 0 }));
};
