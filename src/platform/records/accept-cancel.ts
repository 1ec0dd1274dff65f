import type { PoolClient } from 'pg';
import { effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import { applyEffects } from './apply-effects.ts';
import { recordAudit } from './audit.ts';
import { canonicalOf, shipmentOf } from './consignments.ts';
import { addDispatch, type DispatchView, notifyEnded } from './dispatches.ts';
import {
  type ConsignmentRequest,
  decide,
  type Decided,
  type OrderStore,
  refusalOf,
  refused,
  supersede,
} from './orders.ts';
import { execute } from './sql.ts';

export interface NewCancel extends ConsignmentRequest {
  readonly remark: string | undefined;
  readonly service: unknown;
  /** Of the carrier as it is now; undefined: it cannot cancel. */
  readonly profileHash: string | undefined;
  /** Who asks, for the audit log. */
  readonly actor: string;
}

export type AcceptedCancel = Decided | { readonly kind: 'carrier_cannot' };

/** Accepts a cancellation: as a dispatch to the carrier, or, where the carrier has nothing yet, here and now. */
export const acceptCancel = async (store: OrderStore, cancel: NewCancel): Promise<AcceptedCancel> =>
  await decide<AcceptedCancel>(store, cancel, async (client, record, standing) => {
    const refusal = refusalOf(standing);
    if (refusal !== undefined) return refused(refusal);
    const nowMs = store.nowMs();
    let dispatchId: number | undefined;
    if (standing.kind === 'accepted') {
      if (cancel.profileHash === undefined) return { kind: 'carrier_cannot' };
      await supersede(client, standing.held, nowMs);
      dispatchId = await addDispatch(client, {
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
    } else {
      if (standing.kind === 'create_held') await supersede(client, [standing.dispatch], nowMs);
      if (standing.kind === 'busy' && !(await withdrawUnsent(client, standing.dispatch, nowMs)))
        return { kind: 'busy', dispatchId: standing.dispatch.id };
      const effects = effectsOf('cancel', { kind: 'done', result: undefined, answers: {} }, NO_FACTS);
      await applyEffects(client, record, { effects, nowMs, settle: store });
    }
    await recordAudit(client, {
      actor: cancel.actor,
      action: 'cancel',
      subject: `consignment:${record.id}`,
      detail: cancel.remark,
    });
    return { kind: 'accepted', dispatchId };
  });

/** Takes a create back of which no byte can have left; false when one may have, or it is no create. */
const withdrawUnsent = async (client: PoolClient, { id }: DispatchView, nowMs: number): Promise<boolean> => {
  const withdrawn = await execute(client)`
    update dispatches set state = 'cancelled', finished_at = ${new Date(nowMs)}
    where id = ${id} and operation = 'create' and state in ('pending', 'waiting')
      and not exists (select 1 from calls where dispatch_id = ${id} and calls.state <> 'retry')`;
  if (withdrawn === 1) await notifyEnded(client, id);
  return withdrawn === 1;
};
