/**
 * What a shipper asks of a consignment that exists is decided in one transaction, under the consignment's lock, and
 * only then answered: see `accept-update.ts`, `accept-cancel.ts` and `accept-retry.ts`; creates: `accept-create.ts`.
 */
import type { Pool, PoolClient } from 'pg';
import type { HeldWhy } from '../../engine/dispatch/ports.ts';
import { isDispatched } from '../../engine/statuses/status.ts';
import type { SettleDeps } from './apply-events.ts';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { type DispatchView, listDispatches } from './dispatches.ts';
import { type Claim, holdClaim, recordAct } from './idempotency.ts';
import { transaction } from './pool.ts';
import { execute } from './sql.ts';

export interface OrderStore extends SettleDeps {
  readonly pool: Pool;
  readonly nowMs: () => number;
}

/** Why something cannot be done to a consignment as it stands. */
export type Refusal = 'dispatched' | 'cancelled' | 'rejected' | 'create_unknown' | 'undo_failed' | 'nothing_held';

interface Accepted {
  readonly kind: 'accepted';
  /** Undefined: done here and now, the carrier need not be told. */
  readonly dispatchId: number | undefined;
}

export type Decided =
  | Accepted
  /** An earlier action is under way: wait for its end, then ask again. */
  | { readonly kind: 'busy'; readonly dispatchId: number }
  | { readonly kind: 'refused'; readonly why: Refusal };

/** What is asked of a consignment. */
export interface ConsignmentRequest {
  readonly consignmentId: number;
  /** Undefined: the request has no `Idempotency-Key`. */
  readonly claim: Claim | undefined;
}

export const refused = (why: Refusal) => ({ kind: 'refused', why }) as const;

/**
 * Locks the consignment and says how it stands, to whoever decides. Under a claim, what is accepted is noted as an act
 * of that request.
 */
export const decide = async <Decision extends { readonly kind: string }>(
  { pool }: OrderStore,
  { consignmentId, claim }: ConsignmentRequest,
  decision: (client: PoolClient, record: ConsignmentRecord, standing: Standing) => Promise<Decision | Decided>,
): Promise<Decision | Decided> =>
  await transaction(pool, async (client) => {
    await holdClaim(client, claim);
    const record = await lockConsignment(client, consignmentId);
    if (record === undefined) return refused('rejected');
    const standing = standingOf(record, await listDispatches(client, consignmentId));
    const decided = await decision(client, record, standing);
    if (isAccepted(decided)) await recordAct(client, claim, { consignmentId, dispatchId: decided.dispatchId });
    return decided;
  });

const isAccepted = (decided: { readonly kind: string }): decided is Accepted => decided.kind === 'accepted';

/** What is held and will not be asked for any more. */
export const supersede = async (client: PoolClient, held: readonly DispatchView[], nowMs: number): Promise<void> => {
  await execute(client)`
    update dispatches set state = 'cancelled', finished_at = ${new Date(nowMs)}
    where id = any (${held.map(({ id }) => id)}::bigint[])`;
};

/** How a consignment stands, as far as it decides what may be asked of it. */
export type Standing =
  | { readonly kind: 'rejected' | 'cancelled' | 'dispatched'; readonly held: readonly DispatchView[] }
  /** An action is under way: the last of those that are. */
  | { readonly kind: 'busy'; readonly dispatch: DispatchView }
  /** Its create is held, or an update that began by cancelling: the carrier has nothing, or nobody knows. */
  | { readonly kind: 'create_held'; readonly dispatch: DispatchView; readonly why: HeldWhy }
  /** The carrier has it; `held` are later actions that wait for a decision. */
  | { readonly kind: 'accepted'; readonly held: readonly DispatchView[] };

const UNFINISHED: ReadonlySet<string> = new Set(['pending', 'sending', 'waiting']);

/** Pure. `dispatches` in the order they were made. */
export const standingOf = (
  record: Pick<ConsignmentRecord, 'acceptance' | 'status' | 'packages'>,
  dispatches: readonly DispatchView[],
): Standing => {
  const held = dispatches.filter(({ state }) => state === 'held');
  if (record.acceptance === 'rejected') return { kind: 'rejected', held: [] };
  if (record.acceptance === 'cancelled' || record.status === 'Cancelled') return { kind: 'cancelled', held: [] };
  if ([record, ...record.packages].some(({ status }) => isDispatched(status))) return { kind: 'dispatched', held };
  const unfinished = dispatches.findLast(({ state }) => UNFINISHED.has(state));
  if (unfinished !== undefined) return { kind: 'busy', dispatch: unfinished };
  const last = held.at(-1);
  if (record.acceptance === 'pending' && last !== undefined) {
    return { kind: 'create_held', dispatch: last, why: (last.failure?.why ?? 'unknown_outcome') as HeldWhy };
  }
  return { kind: 'accepted', held };
};

/** Why a consignment that stands so can be neither changed nor cancelled. */
export const refusalOf = (standing: Standing): Refusal | undefined => {
  switch (standing.kind) {
    case 'dispatched':
    case 'cancelled':
    case 'rejected':
      return standing.kind;
    case 'create_held':
      if (standing.why === 'unknown_outcome') return 'create_unknown';
      return standing.why === 'undo_failed' ? 'undo_failed' : undefined;
    case 'busy':
    case 'accepted':
      return undefined;
  }
};
