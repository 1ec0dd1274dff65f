/** What is newly said of consignments, made changes of; and changes in a transaction that has locked their consignments. */
import type { PoolClient } from 'pg';
import { LeaseLost } from '../../engine/dispatch/ports.ts';
import { NO_CHANGE } from '../../engine/statuses/status.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { changeOfEvents, withPolls } from './apply-events.ts';
import { beginChange, type ChangeContext, type ConsignmentChange } from './change.ts';
import { readConsignments } from './consignments.ts';
import { eventsOfConsignment, type MatchedEvent } from './events.ts';
import { changeOfProof, type Provable } from './proof.ts';
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
  /** Matched with it for the first time, or with another status than before. */
  readonly fresh: readonly MatchedEvent[];
  /** Of an event that is new and names it, matched or ambiguous. */
  readonly proof?: StatusUpdate | undefined;
  /** Packages (undefined: all) of which the carrier wants to be asked now. */
  readonly asks?: readonly (number | undefined)[];
}

/** Two statements at most. A consignment that is there no more, or was released, has no change. */
export const changesOf = async (
  client: Queryable,
  told: ReadonlyMap<number, Told>,
  context: ChangeContext,
): Promise<ReadonlyMap<number, ConsignmentChange>> => {
  if (told.size === 0) return new Map();
  // Bodies are read only where a notice may depend on what was said already.
  const withBodies = [...told.values()].some(({ fresh }) => fresh.some(({ status }) => status === NO_CHANGE));
  const found = await readConsignments(client, [...told.keys()], eventsOfConsignment(withBodies));
  const unknown = [...found.values()].filter(
    ({ id, acceptance }) => acceptance === 'pending' && told.get(id)?.proof !== undefined,
  );
  const provable = await findProvable(
    client,
    unknown.map(({ id }) => id),
  );
  const changes = new Map<number, ConsignmentChange>();
  for (const consignment of found.values()) {
    const { fresh = [], proof, asks = [] } = told.get(consignment.id) ?? {};
    if (consignment.acceptance === 'rejected') continue;
    let change = beginChange(consignment);
    const proved = provable.find(({ consignmentId }) => consignmentId === consignment.id);
    if (proved !== undefined && proof !== undefined) change = changeOfProof(change, proved, proof, context);
    const keys = new Set(fresh.map(({ deduplicationKey }) => deduplicationKey));
    const known = consignment.events.filter(({ deduplicationKey }) => !keys.has(deduplicationKey));
    change = changeOfEvents(change, { known, fresh }, context);
    changes.set(consignment.id, withPolls(change, asks, context));
  }
  return changes;
};

// As text: what a failure quotes may be more than PostgreSQL's JSON can hold.
const findProvable = async (client: Queryable, consignmentIds: readonly number[]): Promise<readonly Provable[]> =>
  consignmentIds.length === 0
    ? []
    : await queryAll<Provable>(client)`
        select consignment_id,
          max(id) filter (where state = 'held' and failure like '{"why":"unknown_outcome"%') as dispatch_id,
          bool_or(operation = 'create' and state = 'done') as had_shipment
        from dispatches where consignment_id = any (${consignmentIds}::bigint[]) group by consignment_id`;
