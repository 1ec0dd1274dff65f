/** Changes in a transaction of the caller's, which has locked their consignments, with all that follows from them. */
import type { PoolClient } from 'pg';
import { LeaseLost } from '../../engine/dispatch/ports.ts';
import { matchEvent, type Name, namesOf } from '../../engine/statuses/match.ts';
import { NO_CHANGE } from '../../engine/statuses/status.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { changeOfEvents } from './apply-events.ts';
import { beginChange, type ChangeContext, type ConsignmentChange } from './change.ts';
import { readConsignments } from './consignments.ts';
import { type Adoption, adoptMatches, eventColumns, type EventRecord } from './events.ts';
import { findCandidates, lockNames, namesAsRows } from './identifiers.ts';
import { changeOfProof, type Provable } from './proof.ts';
import { queryAll, sql } from './sql.ts';
import { writeChanges } from './write-changes.ts';

/** Writes a change; events that came before the numbers it brings find their consignment now. Yields how many did. */
export const recordChange = async (
  client: PoolClient,
  change: ConsignmentChange,
  context: ChangeContext,
): Promise<number> => {
  const { id, carrierCode } = change.before;
  const { identifiers } = change;
  if (identifiers.length > 0) await lockNames(client, 'exclusive', carrierCode, identifiers);
  const [written] = await writeChanges(client, [{ changes: [change] }]);
  if (written?.kind === 'lease_lost') throw new LeaseLost(`a dispatch of consignment ${id} was taken over`);
  if (written?.kind !== 'written') throw new Error(`consignment ${id} has changed under its lock`);
  return written.hasWaitingEvents ? await rematch(client, { carrierCode, consignmentId: id, identifiers }, context) : 0;
};

export interface Settling {
  readonly consignmentId: number;
  /** Recorded in this transaction as matched with it, or with another status than before. */
  readonly fresh: readonly EventRecord[];
  /** Of an event that is new and names the consignment, matched or ambiguous. */
  readonly proof?: StatusUpdate | undefined;
}

/** What events make of their consignment. */
export const settle = async (
  client: PoolClient,
  { consignmentId, fresh, proof }: Settling,
  context: ChangeContext,
): Promise<void> => {
  const consignment = (await readConsignments(client, [consignmentId])).get(consignmentId);
  if (consignment === undefined) return;
  let change = beginChange(consignment);
  if (consignment.acceptance === 'pending' && proof !== undefined) {
    for (const provable of await findProvable(client, [consignmentId]))
      change = changeOfProof(change, provable, proof, context);
  }
  const known = fresh.length === 0 ? [] : await findKnownEvents(client, consignmentId, fresh);
  change = changeOfEvents(change, { known, fresh }, context);
  if (change.after !== consignment) await recordChange(client, change, context);
};

// As text: what a failure quotes may be more than PostgreSQL's JSON can hold.
const findProvable = async (client: PoolClient, consignmentIds: readonly number[]): Promise<readonly Provable[]> =>
  await queryAll<Provable>(client)`
    select consignment_id,
      max(id) filter (where state = 'held' and failure like '{"why":"unknown_outcome"%') as dispatch_id,
      bool_or(operation = 'create' and state = 'done') as had_shipment
    from dispatches where consignment_id = any (${consignmentIds}::bigint[]) group by consignment_id`;

/** Those recorded before. Their bodies are read only where a notice may depend on what was said already. */
const findKnownEvents = async (
  client: PoolClient,
  consignmentId: number,
  fresh: readonly EventRecord[],
): Promise<readonly EventRecord[]> => {
  const needsBodies = fresh.some(({ status }) => status === NO_CHANGE);
  const columns = eventColumns(needsBodies ? sql`body` : sql`'{}'`);
  return await queryAll<EventRecord>(client)`
    select ${columns} from events
    where consignment_id = ${consignmentId} and match = 'matched'
      and id <> all (${fresh.map(({ id }) => id)}::bigint[])`;
};

interface Rematching {
  readonly carrierCode: string;
  readonly consignmentId: number;
  /** That the consignment has just got. */
  readonly identifiers: readonly Name[];
}

interface Unmatched {
  readonly id: number;
  readonly update: StatusUpdate;
  readonly environment: string | undefined;
  readonly accountId: number | undefined;
}

/** Events that were kept because nothing had their number are tried again; yields how many are the consignment's. */
export const rematch = async (
  client: PoolClient,
  { carrierCode, consignmentId, identifiers }: Rematching,
  context: ChangeContext,
): Promise<number> => {
  const rows = await queryAll<Unmatched>(client)`
    select e.id, e.body::json as update, p.environment, p.account_id
    from events e join pushes p on p.id = e.push_id
      join (select distinct kind, value from ${namesAsRows(identifiers)}) name
        on e.sought_kind = name.kind and e.sought_value = name.value
    where e.carrier_code = ${carrierCode} and e.match <> 'matched' order by e.id for update of e`;
  const adoptions: Adoption[] = [];
  for (const group of Map.groupBy(rows, (row) => `${row.environment}:${row.accountId}`).values()) {
    const events = group.map(({ id, update }) => ({ id, names: namesOf(update) }));
    const names = events.flatMap(({ names: { value, others } }) => (value === undefined ? others : [value, ...others]));
    const known = await findCandidates(client, carrierCode, { ...group[0] }, names);
    for (const { id, names: own } of events) {
      const match = matchEvent(own, known);
      if (match.kind === 'matched' && match.consignmentId === consignmentId) adoptions.push({ id, match });
    }
  }
  const fresh = await adoptMatches(client, adoptions);
  await settle(client, { consignmentId, fresh }, context);
  return fresh.length;
};
