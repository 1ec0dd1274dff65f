/** The effect of a retry on a held dispatch. */
import type { PoolClient } from 'pg';
import { type CallRecord, ROUND } from '../../engine/dispatch/ports.ts';
import type { Problem } from '../../engine/failure.ts';
import type { ConsignmentRecord } from './consignments.ts';
import { type DispatchView, findOrder } from './dispatches.ts';
import { execute } from './sql.ts';

/**
 * Calls of unknown outcome are tried again. Where all have succeeded, it is what they brought that nobody understood: a
 * profile that was mended since reads that anew; by the same one the calls are as good as of unknown outcome, so that
 * the carrier is asked again where it promises that this is safe.
 */
export const reopen = async (
  client: PoolClient,
  { id }: Pick<DispatchView, 'id'>,
  profileHash: string,
  nowMs: number,
): Promise<void> => {
  await setWaiting(client, id, nowMs);
  const tried = await execute(client)`
    update calls set attempt = coalesce((verdict::json #>> '{failed,away}')::int, 0)
    where dispatch_id = ${id} and state in ('unknown', 'sending', 'retry')`;
  if (tried > 0) return;
  const mended = await execute(client)`
    update dispatches set profile_hash = ${profileHash} where id = ${id} and profile_hash <> ${profileHash}
      and exists (select from calls where dispatch_id = ${id} and state = 'succeeded')`;
  // Its requests would no longer be the same to the byte: those calls are never made again.
  await (mended > 0
    ? execute(client)`
        update calls set verdict = '{}' where dispatch_id = ${id} and state = 'succeeded' and verdict is null`
    : execute(client)`
        update calls set state = 'unknown', attempt = 0
        where dispatch_id = ${id} and state = 'succeeded' and verdict is null`);
};

/**
 * What was made stays as it is, by the profile that made it; what failed is made anew, under keys of its own. Steps
 * that are not needed stay as they ended: what came after them is made already.
 */
export const retryMissing = async (client: PoolClient, { id }: DispatchView, nowMs: number): Promise<void> => {
  await setWaiting(client, id, nowMs);
  await execute(client)`
    with gone as (
      delete from calls
      where dispatch_id = ${id} and state = 'failed' and verdict::json #>> '{failed,isBorne}' is null
      returning regexp_replace(step, '^.*/', '') as step, element)
    insert into draws (dispatch_id, key, value) select ${id}, concat(${ROUND}::text, step, '/', element), '1' from gone
    on conflict (dispatch_id, key) do update set value = (draws.value::int + 1)::text`;
};

/** Somebody has seen that none of the calls of unknown outcome was done: they are as any that failed. */
export const failDoubtful = async (client: PoolClient, dispatchId: number, problem: Problem): Promise<void> => {
  const failed = { as: 'fail', problem } satisfies CallRecord['failed'];
  await execute(client)`
    update calls set state = 'failed', verdict = ${JSON.stringify({ failed })}
    where dispatch_id = ${dispatchId} and state in ('unknown', 'sending')`;
};

const setWaiting = async (client: PoolClient, id: number, nowMs: number): Promise<void> => {
  await execute(client)`
    update dispatches set state = 'waiting', due_at = ${new Date(nowMs)}, away_since = null, finished_at = null where id = ${id}`;
};

/** What a new dispatch carries in the place of one that certainly did nothing. */
export const copyOf = async (
  client: PoolClient,
  { acceptance }: ConsignmentRecord,
  { id, operation }: DispatchView,
) => {
  const order = await findOrder(client, id);
  if (acceptance !== 'pending') return { operation, ...order };
  // An update that has cancelled the shipment of before has only its create left, and its order is in force already.
  const { shipment: _, ...inputs } = order.inputs;
  const consignment = { ...(inputs.consignment as object), typeOfAction: 'CREATE' };
  return { operation: 'create' as const, inputs: { ...inputs, consignment } };
};

/**
 * What nobody needs, and nobody knows whether the carrier did it, the dispatch in the place of that one does not ask for
 * again. Its next attempt is no first one, so that it reads what is on record.
 */
export const keepDoubts = async (client: PoolClient, { id }: DispatchView, inPlace: number): Promise<void> => {
  await execute(client)`
    with kept as (
      insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at, verdict)
      select next.id, case next.operation when 'create' then regexp_replace(step, '^create/', '') else step end,
        element, calls.attempt, calls.state, first_sent_at, sent_at, verdict
      from calls join dispatches next on next.id = ${inPlace}
      where dispatch_id = ${id} and calls.state = 'failed' and verdict::json #>> '{failed,as}' = 'unknown_outcome'
      returning dispatch_id)
    update dispatches set attempt = 1 where id in (select dispatch_id from kept)`;
};
