/** What newly matched events make of their consignment: its packages' states, its own, and what the shipper is told. */
import type { PoolClient } from 'pg';
import type { Label } from '../../engine/consignment/answer.ts';
import { type NoticeDraft, noticeOf } from '../../engine/webhooks/event.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { NO_CHANGE, type NormalisedStatus } from '../../engine/statuses/status.ts';
import { advance, compareEvents, foldEvents, type PackageState, stateBefore } from '../../engine/statuses/fold.ts';
import { rollUp } from '../../engine/statuses/roll-up.ts';
import { type ConsignmentRecord, lockConsignment, type PackageRecord } from './consignments.ts';
import { eventColumns, type EventRecord } from './events.ts';
import { dateOf, execute, queryAll, sql, rowsOf } from './sql.ts';

/** Writes notices of a consignment in the transaction of what they tell of; the consignment is locked. */
export type RecordNotices = (
  client: PoolClient,
  consignmentId: number,
  drafts: readonly NoticeDraft[],
) => Promise<void>;

/** What status intake asks of others, in its own transaction, with the consignment locked. */
export interface SettleDeps {
  readonly recordNotices: RecordNotices;
  /** A carrier speaks of a consignment whose acceptance is not known: the shipment exists. */
  readonly onProof: (client: PoolClient, consignmentId: number, update: StatusUpdate) => Promise<void>;
  /** An event brought a label, of one package or (undefined) of all. */
  readonly onLabel: (
    client: PoolClient,
    consignmentId: number,
    position: number | undefined,
    label: Label,
  ) => Promise<void>;
}

export interface Settling {
  readonly consignmentId: number;
  /** Recorded in this transaction as matched with it, or with another status than before. */
  readonly fresh: readonly EventRecord[];
  /** Of an event that is new and names the consignment, matched or ambiguous. */
  readonly proof?: StatusUpdate | undefined;
}

export const settle = async (
  client: PoolClient,
  { consignmentId, fresh, proof }: Settling,
  deps: SettleDeps,
): Promise<void> => {
  let consignment = await lockConsignment(client, consignmentId);
  if (consignment?.acceptance === 'pending' && proof !== undefined) {
    await deps.onProof(client, consignmentId, proof);
    consignment = await lockConsignment(client, consignmentId);
  }
  if (consignment === undefined || fresh.length === 0) return;
  const known = await findKnownEvents(client, consignmentId, fresh);
  const changes = consignment.packages.map((one) => changeOf(one, known, fresh));
  await writePackages(client, consignment, changes);
  for (const { position, update } of fresh.toSorted(compareEvents)) {
    if (update.label !== undefined) await deps.onLabel(client, consignmentId, position, update.label);
  }
  await deps.recordNotices(client, consignmentId, draftsOf(changes, known, fresh));
};

interface PackageChange {
  readonly position: number;
  readonly after: PackageState;
  /** By the event's deduplication key: the status that it changed. */
  readonly previous: ReadonlyMap<string, NormalisedStatus | undefined>;
}

const concerns = (event: EventRecord, position: number): boolean =>
  event.position === undefined || event.position === position;

const changeOf = (
  { position, status, reason, statusAtMs }: PackageRecord,
  known: readonly EventRecord[],
  fresh: readonly EventRecord[],
): PackageChange => {
  const own = known.filter((event) => concerns(event, position)).toSorted(compareEvents);
  const created = stateBefore('Order Created');
  // By us: no event says it.
  const isCancelled = status === 'Cancelled' && foldEvents(created, own).status !== 'Cancelled';
  const base = isCancelled ? { status: 'Cancelled' as const, reason, atMs: statusAtMs } : created;
  const { after, steps } = advance(
    base,
    own,
    fresh.filter((event) => concerns(event, position)),
  );
  return {
    position,
    after,
    previous: new Map(steps.map(({ event, previousStatus }) => [event.deduplicationKey, previousStatus])),
  };
};

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

const writePackages = async (
  client: PoolClient,
  consignment: ConsignmentRecord,
  changes: readonly PackageChange[],
): Promise<void> => {
  const moved = changes.filter(({ position, after }) => {
    const before = consignment.packages.find((one) => one.position === position);
    return before?.status !== after.status || before.statusAtMs !== after.atMs || before.reason !== after.reason;
  });
  if (moved.length > 0) {
    const rows = rowsOf('moved', moved, {
      position: ['int', ({ position }) => position],
      status: ['text', ({ after }) => after.status],
      reason: ['text', ({ after }) => after.reason],
      status_at: ['timestamptz', ({ after }) => dateOf(after.atMs)],
    });
    await execute(client)`
      update packages p set status = moved.status, reason = moved.reason, status_at = moved.status_at
      from ${rows}
      where p.consignment_id = ${consignment.id} and p.position = moved.position`;
  }
  const status = rollUp(changes.map(({ after }) => after.status));
  if (status === consignment.status) return;
  await execute(client)`update consignments set status = ${status}, updated_at = now() where id = ${consignment.id}`;
};

/** One for each event and package that it concerns, in the order in which they happened. */
const draftsOf = (
  changes: readonly PackageChange[],
  known: readonly EventRecord[],
  fresh: readonly EventRecord[],
): NoticeDraft[] => {
  const said = [...known];
  return fresh.toSorted(compareEvents).flatMap((event) => {
    const drafts = changes
      .filter(({ position }) => concerns(event, position))
      .flatMap(({ position, previous }) => {
        const earlier = () => said.filter((other) => concerns(other, position)).map(({ update }) => update);
        return noticeOf({ ...event, position, previousStatus: previous.get(event.deduplicationKey) }, earlier) ?? [];
      });
    said.push(event);
    return drafts;
  });
};
