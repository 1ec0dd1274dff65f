import type { PoolClient } from 'pg';
import { effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import { addDispatch } from './accept.ts';
import { applyEffects } from './apply-effects.ts';
import { recordAudit } from './audit.ts';
import { canonicalOf, type ConsignmentRecord, shipmentOf } from './consignments.ts';
import { DISPATCH_CHANNEL, type DispatchView } from './dispatches.ts';
import { type ConsignmentRequest, decide, type Decided, type OrderStore, refused, supersede } from './orders.ts';

export interface NewCancel extends ConsignmentRequest {
  readonly remark: string | undefined;
  readonly service: unknown;
  /** Of the carrier as it is now; undefined: it cannot cancel. */
  readonly profileHash: string | undefined;
  /** Who asks, for the audit log. */
  readonly actor: string;
}

export type AcceptedCancel = Decided | { readonly kind: 'carrier_cannot' };

export const acceptCancel = async (store: OrderStore, cancel: NewCancel): Promise<AcceptedCancel> =>
  await decide<AcceptedCancel>(store, cancel, async (client, record, standing) => {
    switch (standing.kind) {
      case 'dispatched':
      case 'cancelled':
      case 'rejected':
        return refused(standing.kind);
      case 'busy':
        if (!(await withdrawUnsent(client, standing.dispatch, store.nowMs()))) {
          return { kind: 'busy', dispatchId: standing.dispatch.id };
        }
        return await cancelHere(store, client, record, cancel);
      case 'create_held':
        if (standing.why === 'unknown_outcome') return refused('create_unknown');
        if (standing.why === 'undo_failed') return refused('undo_failed');
        await supersede(client, [standing.dispatch], store.nowMs());
        return await cancelHere(store, client, record, cancel);
      case 'accepted':
        break;
    }
    if (cancel.profileHash === undefined) return { kind: 'carrier_cannot' };
    await supersede(client, standing.held, store.nowMs());
    const dispatchId = await addDispatch(client, {
      consignmentId: record.id,
      operation: 'cancel',
      profileHash: cancel.profileHash,
      accountId: record.accountId,
      inputs: {
        consignment: { ...canonicalOf(record), typeOfAction: 'CANCEL' },
        service: cancel.service,
        shipment: shipmentOf(record),
        remark: cancel.remark,
      },
    });
    await noteCancel(client, record, cancel);
    return { kind: 'accepted', dispatchId };
  });

/** Takes a create back of which no byte can have left; false when one may have, or it is no create. */
const withdrawUnsent = async (client: PoolClient, dispatch: DispatchView, nowMs: number): Promise<boolean> => {
  const { rowCount } = await client.query(
    `update dispatches set state = 'cancelled', finished_at = $2
     where id = $1 and operation = 'create' and state in ('pending', 'waiting')
       and not exists (select 1 from calls where dispatch_id = $1 and calls.state <> 'retry')`,
    [dispatch.id, new Date(nowMs)],
  );
  if (rowCount !== 1) return false;
  await client.query('select pg_notify($1, $2)', [DISPATCH_CHANNEL, String(dispatch.id)]);
  return true;
};

const cancelHere = async (
  store: OrderStore,
  client: PoolClient,
  record: ConsignmentRecord,
  cancel: NewCancel,
): Promise<Decided> => {
  await applyEffects(client, record, {
    effects: effectsOf('cancel', { kind: 'done', result: undefined, answers: {} }, NO_FACTS),
    inputs: {},
    orderText: undefined,
    orderTypes: undefined,
    nowMs: store.nowMs(),
    recordNotices: store.recordNotices,
  });
  await noteCancel(client, record, cancel);
  return { kind: 'accepted', dispatchId: undefined };
};

const noteCancel = async (client: PoolClient, { id }: ConsignmentRecord, cancel: NewCancel): Promise<void> => {
  await recordAudit(client, {
    actor: cancel.actor,
    action: 'cancel',
    subject: `consignment:${id}`,
    detail: cancel.remark,
  });
};
