/** Concludes attempts at dispatches of errands: each with its effect on the errand, in one transaction. */
import type { Pool, PoolClient } from 'pg';
import type { Effects } from '../../engine/dispatch/effects.ts';
import { type Inputs, LeaseLost } from '../../engine/dispatch/ports.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import type { Alert } from './alert.ts';
import { endedCalls, type Lease, type Noted, upsertCalls } from './attempt-log.ts';
import { errandKind } from './errand-kinds.ts';
import { type Errand, type ErrandEnd, lockErrand } from './errands.ts';
import { insertExchanges } from './exchanges.ts';
import { notePlanned } from './plans.ts';
import { transaction } from './pool.ts';
import type { Sealer } from './sealer.ts';
import { dateOf, execute, queryFirst, sql } from './sql.ts';
import { DISPATCH_CHANNEL } from './write-changes.ts';

interface EndStore {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly nowMs: () => number;
  readonly alert?: Alert | undefined;
}

export interface ErrandClaim extends Lease {
  readonly errandId: number;
  readonly operation: OperationName;
  readonly inputs: Inputs;
  readonly orderText?: string | undefined;
  readonly noted: Noted;
}

/** Yields the dispatch of the errand that waited for this end. */
export const concludeErrand = async (
  { pool, sealer, nowMs, alert }: EndStore,
  { claimed, effects }: { readonly claimed: ErrandClaim; readonly effects: Effects },
): Promise<number | undefined> => {
  const { dispatchId, lease, errandId, noted, carrierCode: carrier } = claimed;
  const { dispatch } = effects;
  const isEnded = dispatch.state === 'done' || dispatch.state === 'rejected';
  const { id: next, planId } = await transaction(pool, async (client) => {
    const errand = await lockErrand(client, errandId);
    const isHeld = sql`id = ${dispatchId} and lease = ${lease} and state = 'sending'`;
    if (errand === undefined || !(await endDispatch(client, dispatchId, effects, nowMs(), isHeld)))
      throw new LeaseLost(`dispatch ${dispatchId} was taken over`);
    const calls = endedCalls(sealer, claimed, noted.calls, isEnded);
    if (calls.length > 0) await execute(client)`${upsertCalls(calls, sql``)}`;
    const exchanges = noted.exchanges.map((exchange) => ({ context: claimed, exchange }));
    if (exchanges.length > 0) await execute(client)`${insertExchanges(exchanges)}`;
    if (dispatch.state === 'waiting') return { id: undefined, planId: undefined };
    if (isEnded)
      await execute(client)`update calls set answer = null where dispatch_id = ${dispatchId} and answer is not null`;
    await endErrand(client, errand, { ...endOf(claimed, effects), state: dispatch.state });
    await execute(client)`select pg_notify(${DISPATCH_CHANNEL}, ${String(dispatchId)})`;
    const later = await queryFirst<{ id: number }>(client)`
      select id from dispatches where errand_id = ${errandId} and id > ${dispatchId} and state in ('pending', 'waiting')
      order by id limit 1`;
    return { id: later?.id, planId: errand.planId };
  });
  const { why, problem } = dispatch.failure ?? {};
  const told = {
    dispatch: dispatchId,
    errand: errandId,
    carrier,
    code: problem?.code,
    reason: problem?.messages.join('; '),
  };
  if (dispatch.state === 'held') alert?.('dispatch_held', { ...told, why });
  if (planId !== undefined && (dispatch.state === 'held' || dispatch.state === 'rejected'))
    alert?.('plan_failed', { plan: planId, ...told });
  return next;
};

const endOf = (
  { dispatchId, operation, inputs, orderText }: Pick<ErrandClaim, 'dispatchId' | 'operation' | 'inputs' | 'orderText'>,
  { dispatch, forgetShipment }: Pick<Effects, 'dispatch' | 'forgetShipment'>,
): Omit<ErrandEnd, 'state'> => ({
  dispatchId,
  operation,
  inputs,
  request: orderText === undefined ? undefined : (JSON.parse(orderText) as unknown),
  result: dispatch.result,
  problem: dispatch.failure?.problem,
  oldCancelled: forgetShipment === true,
});

/** Whether it was there to be ended. What came of it is the errand's. */
export const endDispatch = async (
  client: PoolClient,
  dispatchId: number,
  { dispatch: { state, failure, dueAtMs, awaySinceMs } }: Pick<Effects, 'dispatch'>,
  nowMs: number,
  isHeld = sql`id = ${dispatchId} and state = 'held'`,
): Promise<boolean> =>
  (await execute(client)`
    update dispatches set state = ${state}, failure = ${failure && JSON.stringify(failure)},
      due_at = coalesce(${dateOf(dueAtMs)}, due_at), away_since = ${dateOf(awaySinceMs)}, lease = null, lease_until = null,
      finished_at = ${state === 'waiting' ? undefined : new Date(nowMs)}
    where ${isHeld}`) === 1;

/** What the end makes of the errand, and of the plan it came from. */
export const endErrand = async (client: PoolClient, errand: Errand, end: ErrandEnd): Promise<void> => {
  const { begins, ended } = errandKind(errand.kind);
  const usual = end.state === 'rejected' && end.operation === begins ? ({ acceptance: 'rejected' } as const) : {};
  const { acceptance, request, result, facilityCode, day } = {
    ...errand,
    ...usual,
    ...(await ended(client, errand, end)),
  };
  await execute(client)`
    update errands set acceptance = ${acceptance}, request = ${JSON.stringify(request)}, result = ${JSON.stringify(result)},
      facility_code = ${facilityCode}, day = ${day}, updated_at = now()
    where id = ${errand.id}`;
  if (errand.planId !== undefined && end.operation === begins) await notePlanned(client, errand, end);
};
