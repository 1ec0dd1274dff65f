/** Changes, cancellations, retries and manual resolutions of an existing errand. */
import type { PoolClient } from 'pg';
import { type Effects, effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import { problem } from '../../engine/failure.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import { inOne, type OrderStore, supersede, unsent } from './accept-change.ts';
import { recordAudit } from './audit.ts';
import { notifyEnded } from './dispatches.ts';
import { endDispatch, endErrand } from './errand-ends.ts';
import { errandKind } from './errand-kinds.ts';
import { addErrandDispatch, type Errand, heldOf, lockErrand, type NewErrandDispatch, underWayOf } from './errands.ts';
import { type Claim, holdClaim } from './idempotency.ts';
import { reopen } from './reopen.ts';
import { execute, queryOne } from './sql.ts';
import type { Refusal } from './standing.ts';

type ErrandRefusal = Extract<Refusal, 'rejected' | 'cancelled' | 'create_unknown' | 'undo_failed' | 'nothing_held'>;
export type AcceptedErrand =
  /** `dispatchId` undefined: done here, or there is nothing to be done. */
  | { readonly kind: 'accepted'; readonly dispatchId: number | undefined }
  | { readonly kind: 'carrier_cannot' }
  /** An earlier action is under way: wait for its end, then ask again. */
  | { readonly kind: 'busy'; readonly dispatchId: number }
  | { readonly kind: 'refused'; readonly why: ErrandRefusal };

interface ErrandAsk {
  readonly errandId: number;
  readonly claim?: Claim | undefined;
  readonly trace?: string | undefined;
  /** For the audit log. */
  readonly actor: string;
}

const accepted = (dispatchId?: number) => ({ kind: 'accepted', dispatchId }) as const;
const refused = (why: ErrandRefusal) => ({ kind: 'refused', why }) as const;

type Decision = (client: PoolClient, errand: Errand) => Promise<AcceptedErrand>;
const decide = async (store: OrderStore, { errandId, claim }: ErrandAsk, decision: Decision): Promise<AcceptedErrand> =>
  await inOne(store, async (client) => {
    await holdClaim(client, claim);
    const errand = await lockErrand(client, errandId);
    if (errand === undefined || errand.acceptance === 'rejected') return refused('rejected');
    return await decision(client, errand);
  });

const audit = async (client: PoolClient, { actor }: ErrandAsk, action: string, { id, kind }: Errand, detail?: string) =>
  await recordAudit(client, { actor, action: `${action}_${kind}`, subject: `errand:${id}`, detail });

/** Takes what is under way back where its carrier has certainly done nothing of it. */
const withdrawn = async (client: PoolClient, { id }: { readonly id: number }, nowMs: number): Promise<boolean> => {
  const ended = await execute(client)`
    update dispatches set state = 'cancelled', finished_at = ${new Date(nowMs)} where ${unsent(id)}`;
  if (ended === 1) await notifyEnded(client, id);
  return ended === 1;
};

/** What stands against asking more of it; undefined: nothing of it is under way or held any more. */
const clear = async (
  client: PoolClient,
  errand: Errand,
  { nowMs }: OrderStore,
  again?: OperationName,
): Promise<AcceptedErrand | undefined> => {
  if (errand.acceptance === 'cancelled') return refused('cancelled');
  const underWay = underWayOf(errand);
  if (underWay !== undefined && !(await withdrawn(client, underWay, nowMs())))
    return { kind: 'busy', dispatchId: underWay.id };
  const held = heldOf(errand);
  if (held === undefined) return undefined;
  const why = held.failure?.why;
  // Whoever cancels what may be cancelled already harms nobody.
  if (held.operation !== again && (why === 'unknown_outcome' || why === 'undo_failed'))
    return refused(why === 'undo_failed' ? why : 'create_unknown');
  await supersede(client, [held], nowMs());
  return undefined;
};

/** Cancels it: at its carrier, or, where that has nothing of it, here and now. `cancelOf` undefined: it cannot be asked. */
export const acceptErrandCancel = async (
  store: OrderStore,
  ask: ErrandAsk & { readonly cancelOf: ((errand: Errand) => NewErrandDispatch) | undefined },
): Promise<AcceptedErrand> =>
  await decide(store, ask, async (client, errand) => {
    const { cancelOf, trace } = ask;
    const isThere = errand.acceptance === 'accepted';
    if (errand.acceptance === 'cancelled') return accepted();
    if (isThere && cancelOf === undefined) return { kind: 'carrier_cannot' };
    const cancel = isThere ? cancelOf?.(errand) : undefined;
    const against = await clear(client, errand, store, cancel?.operation);
    if (against !== undefined) return against;
    await audit(client, ask, 'cancel', errand);
    if (cancel !== undefined) return accepted(await addErrandDispatch(client, errand, { ...cancel, trace }));
    await execute(client)`update errands set acceptance = 'cancelled', updated_at = now() where id = ${errand.id}`;
    return accepted();
  });

/** Changes it: at its carrier, or, where that has nothing of it, by asking for it as it is to be. */
export const acceptErrandChange = async (
  store: OrderStore,
  ask: ErrandAsk & { readonly changeOf: (errand: Errand) => NewErrandDispatch },
): Promise<AcceptedErrand> =>
  await decide(store, ask, async (client, errand) => {
    const against = await clear(client, errand, store);
    if (against !== undefined) return against;
    await audit(client, ask, 'change', errand);
    return accepted(await addErrandDispatch(client, errand, { ...ask.changeOf(errand), trace: ask.trace }));
  });

/** Takes what is held up again: what certainly did nothing anew, with keys of its own; what nobody knows of as it is. */
export const acceptErrandRetry = async (
  store: OrderStore,
  ask: ErrandAsk & { readonly profileHash: string },
): Promise<AcceptedErrand> =>
  await decide(store, ask, async (client, errand) => {
    const underWay = underWayOf(errand);
    if (underWay !== undefined) return { kind: 'busy', dispatchId: underWay.id };
    const held = errand.acceptance === 'cancelled' ? undefined : heldOf(errand);
    if (held === undefined) return refused('nothing_held');
    const { why } = held.failure ?? {};
    if (why === 'undo_failed') return refused('undo_failed');
    await audit(client, ask, 'retry', errand, `dispatch ${held.id} (${held.operation})`);
    if (why === 'unknown_outcome') {
      await reopen(client, held, ask.profileHash, store.nowMs());
      return accepted(held.id);
    }
    const { inputs, request } = await findAsked(client, held.id);
    await supersede(client, [held], store.nowMs());
    const { profileHash, trace } = ask;
    // Where the carrier has nothing of it any more, there is nothing to change or cancel.
    const isGone = errand.acceptance === 'pending';
    const operation = isGone ? errandKind(errand.kind).begins : held.operation;
    const { booked: _, ...rest } = inputs;
    return accepted(
      await addErrandDispatch(client, errand, {
        operation,
        profileHash,
        inputs: isGone ? rest : inputs,
        request,
        trace,
      }),
    );
  });

const findAsked = async (client: PoolClient, dispatchId: number) =>
  await queryOne<{ inputs: Inputs; request: unknown }>(client)`
    select input::json as inputs, order_text::json as request from dispatches where id = ${dispatchId}`;

export type ResolvedErrand =
  | { readonly kind: 'resolved'; readonly errand: Errand; readonly state: string }
  | { readonly kind: 'not_held'; readonly state: string }
  /** Whoever did it gave a number, without which it cannot be cancelled. */
  | { readonly kind: 'number_missing' };

/** Ends a held dispatch of an errand as an operator says, in the transaction of the caller. */
export const resolveErrand = async (
  client: PoolClient,
  { nowMs }: OrderStore,
  {
    errandId,
    dispatchId,
    outcome,
    number,
    note,
    actor,
  }: Omit<ErrandAsk, 'claim' | 'trace'> & {
    readonly dispatchId: number;
    readonly outcome: 'done' | 'not_done' | 'rejected';
    readonly number: string | undefined;
    readonly note: string;
  },
): Promise<ResolvedErrand> => {
  const errand = await lockErrand(client, errandId);
  const held = errand?.dispatches.find(({ id }) => id === dispatchId);
  if (errand === undefined || held === undefined) throw new Error(`errand ${errandId} is gone`);
  if (held.state !== 'held') return { kind: 'not_held', state: held.state };
  const { operation } = held;
  const { begins, resultOf } = errandKind(errand.kind);
  const found = outcome === 'done' ? resultOf(errand, operation, number) : { result: undefined };
  if (found === undefined) return { kind: 'number_missing' };
  const reason = problem('resolved_by_operator', note);
  const effects: Pick<Effects, 'dispatch'> =
    outcome === 'not_done'
      ? { dispatch: { state: 'held', failure: { why: 'not_done', problem: reason } } }
      : effectsOf(
          operation,
          outcome === 'done' ? { kind: 'done', ...found, answers: {} } : { kind: 'rejected', problem: reason },
          NO_FACTS,
        );
  await endDispatch(client, dispatchId, effects, nowMs());
  const { inputs, request } = await findAsked(client, dispatchId);
  // Of a change that is not to be any more, after what was booked before is gone, nothing is left.
  const isGone = errand.acceptance === 'pending' && outcome === 'rejected';
  await endErrand(client, errand, {
    dispatchId,
    operation: isGone ? begins : operation,
    state: outcome === 'not_done' ? 'held' : outcome,
    inputs,
    request,
    result: found.result,
    problem: outcome === 'done' ? undefined : reason,
    oldCancelled: false,
  });
  const detail = `dispatch ${dispatchId} (${operation}) is ${outcome}: ${note}`;
  await recordAudit(client, { actor, action: 'resolve', subject: `errand:${errandId}`, detail });
  const after = await lockErrand(client, errandId);
  return { kind: 'resolved', errand: after ?? errand, state: effects.dispatch.state };
};
