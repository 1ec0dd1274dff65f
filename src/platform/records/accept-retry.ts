import type { PoolClient } from 'pg';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import { recordAudit } from './audit.ts';
import type { ConsignmentRecord } from './consignments.ts';
import { addDispatch, type DispatchView, findOrder } from './dispatches.ts';
import { type ConsignmentRequest, decide, type Decided, type OrderStore, refused, supersede } from './orders.ts';
import { dispatchJobId, writeOutbox } from './outbox.ts';
import { execute } from './sql.ts';

export interface NewRetry extends ConsignmentRequest {
  /** Of the carrier as it is now: a mended profile is what a retry waits for. */
  readonly profileHash: string;
  readonly actor: string;
}

/**
 * Takes the newest held dispatch up again. One that certainly did nothing becomes a new one, with keys of its own. One
 * of which nobody knows goes on under the keys it has, so that the carrier's promise or `lookup` decides.
 */
export const acceptRetry = async (store: OrderStore, retry: NewRetry): Promise<Decided> =>
  await decide<Decided>(store, retry, async (client, record, standing) => {
    if (standing.kind === 'busy') return { kind: 'busy', dispatchId: standing.dispatch.id };
    const dispatch = standing.kind === 'create_held' ? standing.dispatch : standing.held.at(-1);
    if (dispatch === undefined) return refused('nothing_held');
    const { why } = dispatch.failure ?? {};
    if (why === 'undo_failed') return refused('undo_failed');
    // On its way already: the one thing left to learn is what the carrier made of an unknown create.
    const mayAsk = why === 'unknown_outcome' && record.acceptance === 'pending';
    if (standing.kind === 'dispatched' && !mayAsk) return refused('dispatched');
    await recordAudit(client, {
      actor: retry.actor,
      action: 'retry',
      subject: `consignment:${record.id}`,
      detail: `dispatch ${dispatch.id} (${dispatch.operation})`,
    });
    const nowMs = store.nowMs();
    if (why === 'unknown_outcome') {
      await reopen(client, dispatch, nowMs);
      return { kind: 'accepted', dispatchId: dispatch.id };
    }
    const again = await copyOf(client, record, dispatch);
    await supersede(client, [dispatch], nowMs);
    const { profileHash } = retry;
    const copy = { consignmentId: record.id, profileHash, accountId: record.accountId, ...again };
    return { kind: 'accepted', dispatchId: await addDispatch(client, copy) };
  });

const reopen = async (client: PoolClient, { id, attempt }: DispatchView, nowMs: number): Promise<void> => {
  await execute(client)`
    update dispatches set state = 'waiting', due_at = ${new Date(nowMs)}, finished_at = null where id = ${id}`;
  await execute(client)`
    update calls set attempt = 0 where dispatch_id = ${id} and state in ('unknown', 'sending', 'retry')`;
  await writeOutbox(client, 'dispatch', [{ jobId: dispatchJobId(id, attempt + 1), dueAtMs: nowMs }]);
};

const copyOf = async (client: PoolClient, { acceptance }: ConsignmentRecord, { id, operation }: DispatchView) => {
  const order = await findOrder(client, id);
  if (acceptance !== 'pending') return { operation, ...order };
  // An update that has cancelled the shipment of before has only its create left, and its order is in force already.
  const { shipment: _, ...inputs } = order.inputs;
  const consignment = { ...(inputs.consignment as object), typeOfAction: 'CREATE' };
  return { operation: 'create' as const, inputs: { ...inputs, consignment } satisfies Inputs };
};
