/** Labels: written by what an acceptance brings, fetched under a lease, served by their id. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { labelBytes } from '../../engine/codecs/label-document.ts';
import type { LabelDraft } from '../../engine/dispatch/effects.ts';
import { LeaseLost } from '../../engine/dispatch/ports.ts';
import type { LabelClaim, LabelEnding, Labels } from '../../engine/labels/fetch.ts';
import type { LabelRecord } from '../../engine/labels/serve.ts';
import type { NoticeDraft } from '../../engine/webhooks/event.ts';
import type { RecordNotices } from './apply-events.ts';
import { lockConsignment } from './consignments.ts';
import { labelJobId, writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';
import type { Owner } from './shippers.ts';
import {
  dateOf,
  type DueQuery,
  execute,
  leasedTo,
  queryAll,
  type Queryable,
  queryFirst,
  queryOne,
  RELEASED,
  sql,
} from './sql.ts';

/** 32 characters. */
const ID_BYTES = 24;

interface NewLabel {
  readonly state: 'stored' | 'pending' | 'failed';
  readonly format?: string | undefined;
  readonly content?: Buffer | undefined;
  readonly sourceUrl?: string | undefined;
  readonly failure?: string | undefined;
}

/** A label as the carrier gave it: stored when its bytes are those of a label, to be fetched when it is a URL or missing. */
const newLabelOf = ({ label }: LabelDraft): NewLabel => {
  if (label === undefined) return { state: 'pending' };
  if (label.url !== undefined) return { state: 'pending', format: label.format, sourceUrl: label.url };
  const read = labelBytes(label.content);
  return read.ok
    ? { state: 'stored', format: read.format, content: read.bytes }
    : { state: 'failed', failure: `${read.reason.code}: ${read.reason.message}` };
};

/**
 * Writes the labels of an acceptance. Those that a consignment or package already has are replaced in place, so that
 * the link a shipper holds goes on to serve; what is to be fetched gets a job. Yields those that are there already.
 */
export const writeLabels = async (
  client: PoolClient,
  consignmentId: number,
  drafts: readonly LabelDraft[],
  nowMs: number,
): Promise<readonly LabelDraft[]> => {
  const stored: LabelDraft[] = [];
  const now = new Date(nowMs);
  for (const draft of drafts) {
    const { state, format, content, sourceUrl, failure } = newLabelOf(draft);
    const newId = randomBytes(ID_BYTES).toString('base64url');
    const [dueAt, storedAt] = [state === 'pending' ? now : undefined, state === 'stored' ? now : undefined];
    const { id } = await queryOne<{ id: string }>(client)`
      with known as (
        select id from labels
        where consignment_id = ${consignmentId} and position is not distinct from ${draft.position} and state <> 'revoked'
        limit 1)
      insert into labels (id, consignment_id, position, state, format, content, source_url, failure, due_at, stored_at)
      values (coalesce((select id from known), ${newId}), ${consignmentId}, ${draft.position}, ${state}, ${format},
        ${content}, ${sourceUrl}, ${failure}, ${dueAt}, ${storedAt})
      on conflict (id) do update set state = excluded.state, format = excluded.format, content = excluded.content,
        source_url = excluded.source_url, failure = excluded.failure, due_at = excluded.due_at, tries = 0,
        until_at = null, stored_at = excluded.stored_at
      returning id`;
    if (state === 'stored') stored.push(draft);
    if (state === 'pending') await writeOutbox(client, 'label', [{ jobId: labelJobId(id) }]);
  }
  return stored;
};

/** All but those that `kept` replaces. */
export const revokeLabels = async (
  client: PoolClient,
  consignmentId: number,
  kept: readonly LabelDraft[] = [],
): Promise<void> => {
  await execute(client)`
    update labels set state = 'revoked', due_at = null, content = null
    where consignment_id = ${consignmentId}
      and array_position(${kept.map(({ position }) => position)}::int[], position) is null`;
};

export interface LabelStore {
  readonly pool: Pool;
  readonly nowMs: () => number;
  readonly recordNotices: RecordNotices;
}

/** Longer than a download; an operation that takes longer may be asked twice, which does no harm. */
const LEASE_MS = 120_000;

export const createLabels = (store: LabelStore): Labels => ({
  claim: async (labelId, asked) => await claim(store, labelId, asked),
  conclude: async (claimed, endings) => await conclude(store, claimed, endings),
});

/** A lease is over when its time is, or when the label was written anew under it (`tries` 0). */
const FREE = sql`(l.lease is null or l.lease_until < now() or l.tries = 0)`;

interface Claimed extends Omit<LabelClaim, 'labels'> {
  readonly id: string;
  readonly position: number | undefined;
  readonly itemReferenceNumber: string | undefined;
}

const claim = async ({ pool, nowMs }: LabelStore, labelId: string, asked: boolean): Promise<LabelClaim | undefined> => {
  const rows = await queryAll<Claimed>(pool)`
    with asked as (
      select id, consignment_id, source_url from labels l
      where id = ${labelId} and state = 'pending' and (${asked} or due_at <= ${new Date(nowMs())})
        and ${FREE} for update skip locked),
    together as (
      select l.id from labels l, asked where l.consignment_id = asked.consignment_id and l.id <> asked.id
        and asked.source_url is null and l.source_url is null and l.state = 'pending' and ${FREE}
      for update of l skip locked),
    claimed as (
      update labels set ${leasedTo(randomUUID(), LEASE_MS)}, tries = tries + 1
      where id in (select id from asked union all select id from together)
      returning id, position, lease, consignment_id, source_url, tries, until_at as until_at_ms)
    select claimed.*, c.carrier_code, c.environment, c.account_id, p.reference as item_reference_number
    from claimed join consignments c on c.id = claimed.consignment_id
      left join packages p on p.consignment_id = claimed.consignment_id and p.position = claimed.position
    order by claimed.position`;
  const row = rows.find(({ id }) => id === labelId);
  if (row === undefined) return undefined;
  const { id: _, position: __, itemReferenceNumber: ___, ...common } = row;
  const labels = rows.map(({ id, position, itemReferenceNumber }) => ({ id, position, itemReferenceNumber }));
  return { ...common, labels };
};

const conclude = async (store: LabelStore, claimed: LabelClaim, endings: readonly LabelEnding[]): Promise<void> =>
  await transaction(store.pool, async (client) => {
    // The consignment first, always: dispatches and status intake lock it too.
    await lockConsignment(client, claimed.consignmentId);
    const notices: NoticeDraft[] = [];
    let isHeld = false;
    for (const ending of endings) {
      if (!(await carryOut(client, store, claimed, ending))) continue;
      isHeld = true;
      const { position } = ending.label;
      if (ending.next?.state === 'stored') notices.push({ event: 'consignment.label', position });
    }
    if (!isHeld) throw new LeaseLost(`the labels of consignment ${claimed.consignmentId} were taken over`);
    await store.recordNotices(client, claimed.consignmentId, notices);
  });

/** False: the label was revoked or written anew, or is another's by now. */
const carryOut = async (
  client: PoolClient,
  store: LabelStore,
  { lease }: LabelClaim,
  { label, next, putOffUntilMs }: LabelEnding,
): Promise<boolean> => {
  const isPutOff = next === undefined;
  const isPending = isPutOff || next.state === 'pending';
  const stored = next?.state === 'stored' ? next : undefined;
  const dueAt = dateOf(isPutOff ? putOffUntilMs : next.state === 'pending' ? next.dueAtMs : undefined);
  const untilAt = dateOf(next?.state === 'pending' ? next.untilAtMs : undefined);
  const failure = isPutOff || next.state === 'stored' ? undefined : next.message;
  const written = await queryFirst<{ tries: number; dueAtMs: number | undefined }>(client)`
    update labels set state = ${next?.state ?? 'pending'}, ${RELEASED}, tries = tries - ${isPutOff ? 1 : 0},
      due_at = case when ${isPending} then coalesce(${dueAt}, due_at) end, until_at = coalesce(${untilAt}, until_at),
      failure = case when ${isPutOff} then failure else ${failure} end, content = ${stored?.bytes},
      format = coalesce(${stored?.format}, format), stored_at = ${stored && new Date(store.nowMs())}
    where id = ${label.id} and lease = ${lease} and state = 'pending' and tries > 0
    returning tries, due_at as due_at_ms`;
  if (written !== undefined && isPending) {
    const again = putOffUntilMs === undefined ? '' : `-p${putOffUntilMs}`;
    const jobId = `${labelJobId(label.id, written.tries + 1)}${again}`;
    await writeOutbox(client, 'label', [{ jobId, dueAtMs: written.dueAtMs }]);
  }
  return written !== undefined;
};

/** By its unguessable id, which is all that a link to it holds. */
export const findLabel = async (pool: Pool, id: string): Promise<LabelRecord | undefined> =>
  await queryFirst<LabelRecord>(pool)`
    select id, consignment_id, position, state, format, content, due_at as due_at_ms, failure from labels
    where id = ${id}`;

/** A label of a consignment, without its content. */
export type LabelEntry = Pick<LabelRecord, 'id' | 'position' | 'state' | 'failure'> & {
  readonly format: string | undefined;
};

/** By package, that for all packages last. */
export const listLabels = async (client: Queryable, consignmentId: number): Promise<readonly LabelEntry[]> =>
  await queryAll<LabelEntry>(client)`
    select id, position, state, format, failure from labels where consignment_id = ${consignmentId}
    order by position nulls last, created_at, id`;

/** Whose label it is. */
export const findLabelOwner = async (pool: Pool, labelId: string): Promise<Owner | undefined> =>
  await queryFirst<Owner>(pool)`
    select c.shipper_id, c.environment from labels l join consignments c on c.id = l.consignment_id
    where l.id = ${labelId}`;

/** Jobs of labels that the records say are due and not there, for the reconciler to queue again. */
export const findDueLabels = async (pool: Pool, { nowMs, graceMs, limit }: DueQuery): Promise<readonly string[]> => {
  const rows = await queryAll<{ id: string; tries: number }>(pool)`
    select id, tries from labels l where state = 'pending' and due_at <= ${new Date(nowMs - graceMs)} and ${FREE}
    order by due_at limit ${limit}`;
  return rows.map(({ id, tries }) => labelJobId(id, tries + 1));
};
