import type { PoolClient } from 'pg';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import { addDispatch, dispatchJobId } from './accept.ts';
import { recordAudit } from './audit.ts';
import type { ConsignmentRecord } from './consignments.ts';
import type { DispatchView } from './dispatches.ts';
import { type ConsignmentRequest, decide, type Decided, type OrderStore, refused, supersede } from './orders.ts';
import { writeOutbox } from './outbox.ts';

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
    const held = standing.kind === 'create_held' ? [standing.dispatch] : standing.held;
    const dispatch = held.at(-1);
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
    if (why === 'unknown_outcome') return await reopen(client, dispatch, store.nowMs());
    return await startOver(client, record, dispatch, { profileHash: retry.profileHash, nowMs: store.nowMs() });
  });

const reopen = async (client: PoolClient, dispatch: DispatchView, nowMs: number): Promise<Decided> => {
  await client.query(`update dispatches set state = 'waiting', due_at = $2, finished_at = null where id = $1`, [
    dispatch.id,
    new Date(nowMs),
  ]);
  await client.query(
    `update calls set attempt = 0 where dispatch_id = $1 and state in ('unknown', 'sending', 'retry')`,
    [dispatch.id],
  );
  const jobId = dispatchJobId(dispatch.id, dispatch.attempt + 1);
  await writeOutbox(client, [{ queue: 'dispatch', jobId, dueAtMs: nowMs }]);
  return { kind: 'accepted', dispatchId: dispatch.id };
};

const startOver = async (
  client: PoolClient,
  record: ConsignmentRecord,
  dispatch: DispatchView,
  { profileHash, nowMs }: { readonly profileHash: string; readonly nowMs: number },
): Promise<Decided> => {
  const { rows } = await client.query<{ input: string; order_text: string | null; order_types: string[] | null }>(
    'select input, order_text, order_types from dispatches where id = $1',
    [dispatch.id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`dispatch ${dispatch.id} is gone`);
  await supersede(client, [dispatch], nowMs);
  const { shipment, ...inputs } = JSON.parse(row.input) as Inputs;
  // An update that has cancelled the shipment of before has only its create left, and its order is in force already.
  const again =
    record.acceptance === 'pending'
      ? { operation: 'create' as const, inputs: { ...inputs, consignment: asCreate(inputs.consignment) } }
      : {
          operation: dispatch.operation,
          inputs: { ...inputs, shipment },
          orderText: row.order_text ?? undefined,
          orderTypes: row.order_types ?? undefined,
        };
  const dispatchId = await addDispatch(client, {
    consignmentId: record.id,
    profileHash,
    accountId: record.accountId,
    ...again,
  });
  return { kind: 'accepted', dispatchId };
};

const asCreate = (consignment: unknown): unknown => ({ ...(consignment as object), typeOfAction: 'CREATE' });
