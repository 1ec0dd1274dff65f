/** Turns newly matched events into changes of consignments, also within a transaction that holds their locks. */
import type { PoolClient } from 'pg';
import { LeaseLost } from '../../engine/dispatch/ports.ts';
import { NO_CHANGE } from '../../engine/statuses/status.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { WHY } from './acceptance.ts';
import { changeOfEvents, withPolls } from './apply-events.ts';
import { beginChange, type ChangeContext, type ConsignmentChange } from './change.ts';
import { readConsignments } from './consignments.ts';
import { eventsOfConsignment, type MatchedEvent } from './events.ts';
import { GIVEN_BY_CARRIER, type Identifier } from './identifiers.ts';
import { bestProof, changeOfProof, type Provable } from './proof.ts';
import { queryAll, type Queryable } from './sql.ts';
import { writeChanges } from './write-changes.ts';

export const recordChange = async (client: PoolClient, change: ConsignmentChange): Promise<void> => {
  const [written] = await writeChanges(client, [{ changes: [change] }]);
  const { id } = change.before;
  if (written?.kind === 'lease_lost') throw new LeaseLost(`a dispatch of consignment ${id} was taken over`);
  if (written?.kind !== 'written') throw new Error(`consignment ${id} has changed under its lock`);
};

/** Of one consignment. */
export interface Told {
  /** Who told it. */
  readonly carrierCode: string;
  /** Matched with it for the first time, or with another status than before. */
  readonly fresh: readonly MatchedEvent[];
  /** Of an event that is new and names it, matched or ambiguous. */
  readonly proof?: StatusUpdate | undefined;
  /** Packages (undefined: all) of which the carrier wants to be asked now. */
  readonly asks?: readonly (number | undefined)[];
  /** By which it is known from now on. */
  readonly names?: readonly Identifier[];
}

/**
 * What several pushes tell of each, in their order. Two statements at most. One that is there no more, was released, or
 * has moved to another carrier meanwhile, has no change.
 */
export const changesOf = async (
  client: Queryable,
  told: ReadonlyMap<number, readonly Told[]>,
  context: ChangeContext,
): Promise<ReadonlyMap<number, ConsignmentChange>> => {
  if (told.size === 0) return new Map();
  // Bodies are read only where a notice may depend on what was said already.
  const withBodies = [...told.values()].flat().some(({ fresh }) => fresh.some(({ status }) => status === NO_CHANGE));
  const found = await readConsignments(client, [...told.keys()], eventsOfConsignment(withBodies));
  const unknown = [...found.values()].filter(
    ({ id, acceptance }) => acceptance === 'pending' && isProved(told.get(id)),
  );
  const provable = await findProvable(
    client,
    unknown.map(({ id }) => id),
  );
  const changes = new Map<number, ConsignmentChange>();
  for (const consignment of found.values()) {
    const own = told.get(consignment.id) ?? [];
    if (consignment.acceptance === 'rejected' || own.some(({ carrierCode }) => carrierCode !== consignment.carrierCode))
      continue;
    const proved = provable.find(({ consignmentId }) => consignmentId === consignment.id);
    const keys = new Set(own.flatMap(({ fresh }) => fresh.map(({ deduplicationKey }) => deduplicationKey)));
    let known = consignment.events.filter(({ deduplicationKey }) => !keys.has(deduplicationKey));
    let change = beginChange(consignment);
    // Whoever holds its create at this moment is to see that it was proved: it is not as it was read any more.
    if (proved !== undefined) change = { ...change, after: { ...change.after } };
    for (const { fresh, proof, asks = [], names = [] } of own) {
      if (names.length > 0)
        change = { ...change, identifiers: [...change.identifiers, ...names], after: { ...change.after } };
      if (proved !== undefined && proof !== undefined) change = changeOfProof(change, proved, proof, context);
      change = withPolls(changeOfEvents(change, { known, fresh }, context), asks, context);
      known = [...known, ...fresh];
    }
    changes.set(consignment.id, change);
  }
  return changes;
};

const isProved = (told: readonly Told[] = []): boolean => told.some(({ proof }) => proof !== undefined);

/** Of dispatches that nobody knows the outcome of: what was said since they were made that proves a shipment. */
export const findProofs = async (client: Queryable, dispatchIds: readonly number[]): Promise<readonly Proof[]> => {
  if (dispatchIds.length === 0) return [];
  const said = await queryAll<Omit<Provable, 'dispatchId'> & { dispatchId: number; update: StatusUpdate }>(client)`
    select d.id as dispatch_id, d.consignment_id, e.body::json as update, exists (select from dispatches other
      where other.consignment_id = d.consignment_id and other.operation = 'create' and other.state = 'done') as had_shipment
    from dispatches d join events e on e.consignment_id = d.consignment_id and e.received_at >= d.created_at
    where d.id = any (${dispatchIds}::bigint[]) and not exists (select from identifiers i
      where i.carrier_code = e.carrier_code and i.kind = e.sought_kind and i.value = e.sought_value
        and i.consignment_id = d.consignment_id and i.kind ${GIVEN_BY_CARRIER})
    order by e.id`;
  return [...Map.groupBy(said, ({ dispatchId }) => dispatchId).values()].flatMap((own) => {
    const update = bestProof(own.map((one) => one.update));
    return own.slice(0, 1).map((one) => ({ ...one, update: update ?? one.update }));
  });
};
export interface Proof extends Provable {
  readonly update: StatusUpdate;
}

const findProvable = async (client: Queryable, consignmentIds: readonly number[]): Promise<readonly Provable[]> =>
  consignmentIds.length === 0
    ? []
    : await queryAll<Provable>(client)`
        select consignment_id,
          max(id) filter (where state = 'held' and ${WHY} = 'unknown_outcome') as dispatch_id,
          bool_or(operation = 'create' and state = 'done') as had_shipment
        from dispatches d where consignment_id = any (${consignmentIds}::bigint[]) group by consignment_id`;
