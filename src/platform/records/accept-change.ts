/** Cancels, updates and retries of a consignment: decided in one transaction under its lock, then answered. */
import type { Pool, PoolClient } from 'pg';
import type { ChosenInputs } from './accept-create.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { MoveTo } from '../../engine/dispatch/ports.ts';
import { effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import { changeOfEffects } from './apply-effects.ts';
import { recordAudit } from './audit.ts';
import { beginChange, type ChangeContext } from './change.ts';
import { canonicalOf, type ConsignmentRecord, lockConsignment, shipmentOf } from './consignments.ts';
import {
  addDispatch,
  type DispatchOrder,
  type DispatchView,
  keepInputs,
  listDispatches,
  type NewDispatch,
  notifyEnded,
} from './dispatches.ts';
import { type Claim, holdClaim, recordAct } from './idempotency.ts';
import { transaction } from './pool.ts';
import { copyOf, keepDoubts, reopen, retryMissing } from './reopen.ts';
import { recordChange } from './settle.ts';
import { changeReservation, SlotTaken } from './slots.ts';
import { execute, type Queryable, queryFirst, type Sql, sql } from './sql.ts';
import { type Refusal, refusalOf, type ConsignmentStanding, standingOf } from './standing.ts';
import { assignNumbers, NumberTaken } from './tracking-numbers.ts';

export interface OrderStore extends ChangeContext {
  readonly pool: Pool;
  /** What is asked is decided, and nothing of it stays. */
  readonly isRehearsal?: boolean;
}

export const inOne = async <Result>(
  { pool, isRehearsal }: OrderStore,
  fn: (client: PoolClient) => Promise<Result>,
): Promise<Result> => await transaction(pool, fn, isRehearsal);

interface ConsignmentRequest {
  readonly consignmentId: number;
  /** Undefined: the request has no `Idempotency-Key`. */
  readonly claim: Claim | undefined;
  /** The `traceparent` of the request, where there is one. */
  readonly trace?: string | undefined;
}

/** `dispatchId` undefined: done here and now, the carrier need not be told. */
type Accepted = { readonly kind: 'accepted'; readonly dispatchId: number | undefined };
type Decided<Also extends string = never> =
  | Accepted
  /** An earlier action is under way: wait for its end, then ask again. */
  | { readonly kind: 'busy'; readonly dispatchId: number }
  | { readonly kind: 'refused'; readonly why: Refusal }
  | { readonly kind: Also };

const accepted = (dispatchId?: number) => ({ kind: 'accepted', dispatchId }) as const;
const busy = ({ id }: DispatchView) => ({ kind: 'busy', dispatchId: id }) as const;
const refused = (why: Refusal) => ({ kind: 'refused', why }) as const;
const isAccepted = (decided: { readonly kind: string }): decided is Accepted => decided.kind === 'accepted';

/** Under a claim, what is accepted is noted as an act of that request. */
const decide = async <Also extends string>(
  store: OrderStore,
  { consignmentId, claim }: ConsignmentRequest,
  decision: (client: PoolClient, record: ConsignmentRecord, standing: ConsignmentStanding) => Promise<Decided<Also>>,
): Promise<Decided<Also>> =>
  await inOne(store, async (client) => {
    await holdClaim(client, claim);
    const record = await lockConsignment(client, consignmentId);
    if (record === undefined) return refused('rejected');
    const decided = await decision(client, record, standingOf(record, await listDispatches(client, consignmentId)));
    if (!isAccepted(decided)) return decided;
    // Also where only its dispatches have changed: what was made of them as they were is outdated.
    await execute(client)`update consignments set version = version + 1 where id = ${consignmentId}`;
    await recordAct(client, claim, { consignmentId, dispatchId: decided.dispatchId });
    return decided;
  });

/** Of an accepted one, what another action stands in the place of. What a create lacks is its own until nothing of it is left. */
const replaceable = ({ held }: Extract<ConsignmentStanding, { kind: 'accepted' }>) =>
  held.filter(({ isPart }) => !isPart);

/** What is held and will not be asked for any more. */
export const supersede = async (
  client: PoolClient,
  held: readonly Pick<DispatchView, 'id'>[],
  nowMs: number,
): Promise<void> => {
  await execute(client)`
    update dispatches set state = 'cancelled', finished_at = ${new Date(nowMs)}
    where id = any (${held.map(({ id }) => id)}::bigint[])`;
};

export type AcceptedCancel = Decided<'carrier_cannot'>;

/** Cancels what no carrier has; with an order to be moved, another is to have that. */
export const cancelHere = async (
  client: PoolClient,
  record: ConsignmentRecord,
  store: OrderStore,
  { trace, ...order }: Partial<DispatchOrder> & Pick<ConsignmentRequest, 'trace'> = {},
): Promise<void> => {
  const effects = effectsOf('cancel', { kind: 'done', result: undefined, answers: {} }, NO_FACTS);
  await recordChange(client, changeOfEffects({ ...beginChange(record), trace }, { ...order, effects }, store));
};

/** Accepts a cancellation: as a dispatch to the carrier, or, where the carrier has nothing yet, here and now. */
export const acceptCancel = async (
  store: OrderStore,
  cancel: ConsignmentRequest & {
    readonly remark: string | undefined;
    readonly service: unknown;
    /** Of the carrier as it is now; undefined: it cannot cancel. */
    readonly profileHash: string | undefined;
    /** Who asks, for the audit log. */
    readonly actor: string;
  },
): Promise<AcceptedCancel> =>
  await decide<'carrier_cannot'>(store, cancel, async (client, record, standing) => {
    const refusal = refusalOf(standing);
    if (refusal !== undefined) return refused(refusal);
    const { profileHash, service, remark, actor, trace } = cancel;
    const nowMs = store.nowMs();
    let dispatchId: number | undefined;
    const underWay = standing.kind === 'busy' ? standing.dispatch : undefined;
    const isAtCarrier = standing.kind === 'accepted' || underWay?.operation === 'update';
    if (isAtCarrier && profileHash === undefined) return { kind: 'carrier_cannot' };
    if (underWay !== undefined && !(await withdrawUnsent(client, underWay, nowMs))) return busy(underWay);
    if (isAtCarrier && profileHash !== undefined) {
      if (standing.kind === 'accepted') await supersede(client, replaceable(standing), nowMs);
      const consignment = { ...canonicalOf(record), typeOfAction: 'CANCEL' };
      const inputs = { consignment, service, shipment: shipmentOf(record), remark };
      dispatchId = await addDispatch(client, record, { operation: 'cancel', profileHash, inputs, trace });
    } else {
      if (standing.kind === 'create_held') await supersede(client, [standing.dispatch], nowMs);
      await cancelHere(client, record, store, { trace });
    }
    await recordAudit(client, { actor, action: 'cancel', subject: `consignment:${record.id}`, detail: remark });
    return accepted(dispatchId);
  });

/** Nobody is at it, and the carrier has certainly done nothing of it. */
export const unsent = (id: number): Sql => sql`id = ${id} and state in ('pending', 'waiting')
  and not exists (select 1 from calls where dispatch_id = ${id} and calls.state <> 'retry')`;

/** Whether it is a create that waits unsent; then nobody takes it up before the transaction ends. */
const isKeptUnsent = async (client: PoolClient, { id }: DispatchView): Promise<boolean> =>
  (await execute(client)`
    select 1 from dispatches where ${unsent(id)} and operation = 'create' and state = 'waiting' for no key update`) ===
  1;

/** Takes a create, or an update that waits, back; false when something may have been done of it, or it is neither. */
const withdrawUnsent = async (client: PoolClient, { id }: DispatchView, nowMs: number): Promise<boolean> => {
  const withdrawn = await execute(client)`
    update dispatches set state = 'cancelled', finished_at = ${new Date(nowMs)}
    where ${unsent(id)} and (operation = 'create' or operation = 'update' and state = 'waiting')`;
  if (withdrawn === 1) await notifyEnded(client, id);
  return withdrawn === 1;
};

/** `outdated`: the order is not the one that the update was laid over, or what it names was taken since it was found free. */
export type AcceptedUpdate = Decided<'carrier_cannot' | 'outdated' | 'partial'>;

/** Accepts an update: as a dispatch to the carrier, or, where the carrier need not know or has nothing yet, here and now. */
export const acceptUpdate = async (
  store: OrderStore,
  update: ConsignmentRequest & {
    readonly basedOn: Pick<ConsignmentRecord, 'orderText' | 'carrierCode'>;
    /** JSON: the order as the update leaves it. */
    readonly orderText: string;
    readonly consignment: Consignment;
    readonly service: unknown;
    /** What subscriptions may ask for it by, as the update leaves it. */
    readonly orderTypes: readonly string[];
    readonly profileHash: string;
    /** What a policy chose, and who is asked next; null: a carrier is named now. */
    readonly chosen?: ChosenInputs | { readonly choice: null } | undefined;
    /** The slot reserved for it, where that changes. */
    readonly slot?: { readonly token: string | undefined } | undefined;
    /** Where the carrier changes: which gets the order, and how the one that may have it is asked to cancel. */
    readonly move?:
      | (Pick<MoveTo, 'carrierCode' | 'accountId'> & {
          /** Undefined: it cannot be asked. */
          readonly cancel: Pick<NewDispatch, 'profileHash' | 'inputs'> | undefined;
        })
      | undefined;
    /** False: nothing changes that the carrier must know of. */
    readonly tellCarrier: boolean;
    /** Can the carrier be told at all? */
    readonly carrierUpdates: boolean;
    /** By a cancel and a create of all packages. */
    readonly recreates?: boolean;
  },
): Promise<AcceptedUpdate> =>
  await decide<'carrier_cannot' | 'outdated' | 'partial'>(store, update, async (client, record, standing) => {
    const refusal = refusalOf(standing);
    if (refusal !== undefined) return refused(refusal);
    const create = standing.kind === 'busy' || standing.kind === 'create_held' ? standing.dispatch : undefined;
    if (standing.kind === 'busy' && !(await isKeptUnsent(client, standing.dispatch))) return busy(standing.dispatch);
    const { basedOn, consignment, service, orderText, orderTypes, profileHash, chosen, move, trace } = update;
    if (record.orderText !== basedOn.orderText || record.carrierCode !== basedOn.carrierCode)
      return { kind: 'outdated' };
    const inputs = { consignment, service, choice: chosen?.choice };
    const asCreate = { ...inputs, ...chosen, consignment: { ...consignment, typeOfAction: 'CREATE' } };
    const nowMs = store.nowMs();
    const tellCarrier = standing.kind === 'accepted' && update.tellCarrier;
    const carrierUpdates = move === undefined ? update.carrierUpdates : move.cancel !== undefined;
    if (tellCarrier && !carrierUpdates) return { kind: 'carrier_cannot' };
    const isPart = standing.kind === 'accepted' && standing.held.some((one) => one.isPart);
    if (tellCarrier && isPart && move === undefined && update.recreates !== true) return { kind: 'partial' };
    await keepInputs(client, record.id);
    const { slot } = update;
    if (slot !== undefined && !(await changeReservation(client, { ...slot, consignmentId: record.id })))
      throw new SlotTaken('the slot was taken since it was found free');
    await assignNumbers(client, { ...record, ...move, consignmentId: record.id, consignment });
    if (move !== undefined) {
      const { cancel, ...to } = move;
      const moveTo = { ...to, profileHash, inputs: asCreate };
      if (standing.kind === 'accepted' && cancel !== undefined) {
        await supersede(client, replaceable(standing), nowMs);
        const order = { inputs: { ...cancel.inputs, shipment: shipmentOf(record), moveTo }, orderText, orderTypes };
        return accepted(await addDispatch(client, record, { ...cancel, operation: 'cancel', trace, ...order }));
      }
      await supersede(client, 'held' in standing ? standing.held : [standing.dispatch], nowMs);
      await cancelHere(client, record, store, { inputs: { moveTo }, orderText, orderTypes, trace });
      return accepted(await findMoved(client, record.id));
    }
    if (tellCarrier) {
      await supersede(client, replaceable(standing), nowMs);
      const order = { inputs: { ...inputs, shipment: shipmentOf(record) }, orderText, orderTypes };
      return accepted(await addDispatch(client, record, { operation: 'update', profileHash, trace, ...order }));
    }
    // The carrier has nothing yet: its next try, or a manual retry, sends the order as it is now.
    if (create !== undefined)
      await execute(client)`update dispatches set input = ${JSON.stringify(asCreate)} where id = ${create.id}`;
    const effects = { dispatch: { state: 'done' as const }, adoptInput: true, notices: [] };
    const applied = { effects, inputs, orderText, orderTypes };
    await recordChange(client, changeOfEffects({ ...beginChange(record), trace }, applied, store));
    return accepted();
  }).catch((thrown: unknown) => {
    if (thrown instanceof NumberTaken || thrown instanceof SlotTaken) return { kind: 'outdated' };
    throw thrown;
  });

/** The last create of a consignment, after dispatch `since`; undefined: there is none. */
export const findMoved = async (client: Queryable, consignmentId: number, since = 0): Promise<number | undefined> =>
  (
    await queryFirst<{ id: number }>(client)`
      select id from dispatches where consignment_id = ${consignmentId} and id > ${since} and operation = 'create'
      order by id desc limit 1`
  )?.id;

/**
 * Takes the newest held dispatch up again. One that certainly did nothing becomes a new one, with keys of its own. One
 * of which nobody knows goes on under the keys it has, so that the carrier's promise or `lookup` decides.
 */
export const acceptRetry = async (
  store: OrderStore,
  retry: ConsignmentRequest & {
    /** Of the carrier as it is now: a mended profile is what a retry waits for. */
    readonly profileHash: string;
    readonly actor: string;
  },
): Promise<Decided> =>
  await decide<never>(store, retry, async (client, record, standing) => {
    if (standing.kind === 'busy') return busy(standing.dispatch);
    const dispatch = standing.kind === 'create_held' ? standing.dispatch : standing.held.at(-1);
    if (dispatch === undefined) return refused('nothing_held');
    const { why } = dispatch.failure ?? {};
    if (why === 'undo_failed') return refused('undo_failed');
    // On its way already: the one thing left to learn is what the carrier made of an unknown create.
    const mayAsk = why === 'unknown_outcome' && record.acceptance === 'pending';
    if (standing.kind === 'dispatched' && !mayAsk && !dispatch.isPart) return refused('dispatched');
    const { actor, profileHash, trace } = retry;
    const detail = `dispatch ${dispatch.id} (${dispatch.operation})`;
    await recordAudit(client, { actor, action: 'retry', subject: `consignment:${record.id}`, detail });
    const nowMs = store.nowMs();
    if (why === 'unknown_outcome') await reopen(client, dispatch, profileHash, nowMs);
    else if (why === 'partial') await retryMissing(client, dispatch, nowMs);
    if (why === 'unknown_outcome' || why === 'partial') return accepted(dispatch.id);
    const again = await copyOf(client, record, dispatch);
    await supersede(client, [dispatch], nowMs);
    const dispatchId = await addDispatch(client, record, { profileHash, trace, ...again });
    if (why !== 'not_done') await keepDoubts(client, dispatch, dispatchId);
    return accepted(dispatchId);
  });
