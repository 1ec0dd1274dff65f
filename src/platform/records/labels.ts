/** Labels: written when a shipment is accepted, fetched under a lease, served by id. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { LeaseLost } from '../../engine/dispatch/ports.ts';
import type { LabelClaim, LabelEnding, Labels } from '../../engine/labels/fetch.ts';
import type { LabelRecord } from '../../engine/labels/serve.ts';
import { labelNotice } from '../../engine/webhooks/notice.ts';
import { beginChange, type ChangeContext, withNotices } from './change.ts';
import { lockConsignment, readConsignments } from './consignments.ts';
import { transaction } from './pool.ts';
import { recordChange } from './settle.ts';
import type { Owner } from './shippers.ts';
import { leasedTo, queryAll, queryFirst, RELEASED, rowsOf, sql, type Sql } from './sql.ts';

export interface LabelStore extends ChangeContext {
  readonly pool: Pool;
}

/** Longer than a download; an operation that takes longer may be asked twice, which does no harm. */
const LEASE_MS = 120_000;

export interface DueLabels {
  readonly claims: readonly LabelClaim[];
  readonly nextInMs: number | undefined;
}

export interface LabelQueue extends Labels {
  /** Claims up to so many that are due, and what the same operations bring. */
  claimDue(atMost: number): Promise<DueLabels>;
}

export const createLabels = (store: LabelStore): LabelQueue => ({
  claimOnDemand: async (labelId) => (await claim(store, sql`id = ${labelId}`)).claims[0],
  claimDue: async (atMost) =>
    await claim(store, sql`due_at <= ${new Date(store.nowMs())} order by due_at limit ${atMost}`),
  conclude: async (claimed, endings) => await conclude(store, claimed, endings),
});

/** A lease is over when its time is, or when the label was written anew under it (`tries` 0). */
const FREE = sql`(l.lease is null or l.lease_until < now() or l.tries = 0)`;

interface Claimed extends Omit<LabelClaim, 'labels'> {
  /** undefined: nothing was claimed. */
  readonly id: string | undefined;
  readonly position: number | undefined;
  readonly itemReferenceNumber: string | undefined;
  readonly nextDueMs: number | undefined;
}

/**
 * One statement; `which` of those that are pending and free. What one operation brings is claimed by locking its first
 * label: two that lock them all would share them out, and ask twice.
 */
const claim = async ({ pool, nowMs }: LabelStore, which: Sql): Promise<DueLabels> => {
  const atMs = nowMs();
  const rows = await queryAll<Claimed>(pool)`
    with wanted as (
      select id, consignment_id, source_url from labels l where state = 'pending' and ${FREE} and ${which}),
    firsts as (
      select distinct on (l.consignment_id) l.id from labels l join wanted using (consignment_id)
      where wanted.source_url is null and l.source_url is null and l.state = 'pending' and ${FREE}
      order by l.consignment_id, l.position),
    taken as (
      select id, consignment_id, source_url from labels l where state = 'pending' and ${FREE}
        and id in (select id from wanted where source_url is not null union all select id from firsts)
      for update skip locked),
    together as (
      select l.id from labels l join taken using (consignment_id)
      where taken.source_url is null and l.source_url is null and l.state = 'pending' and ${FREE}
      for update of l skip locked),
    claimed as (
      update labels set ${leasedTo(randomUUID(), LEASE_MS)}, tries = tries + 1
      where id in (select id from taken union select id from together)
      returning id, position, lease, consignment_id, source_url, tries, until_at as until_at_ms),
    later as (select min(due_at) as next_due_ms from labels where state = 'pending' and due_at > ${new Date(atMs)})
    select later.*, claimed.*, c.carrier_code, c.environment, c.account_id, p.reference as item_reference_number
    from later left join (claimed join consignments c on c.id = claimed.consignment_id
      left join packages p on p.consignment_id = claimed.consignment_id and p.position = claimed.position) on true
    order by claimed.consignment_id, claimed.position`;
  const nextDueMs = rows[0]?.nextDueMs;
  const claims = new Map<unknown, LabelClaim & { readonly labels: LabelClaim['labels'][number][] }>();
  for (const { id, position, itemReferenceNumber, nextDueMs: _, ...common } of rows) {
    if (id === undefined) continue;
    const key = common.sourceUrl === undefined ? common.consignmentId : id;
    const one = claims.get(key) ?? { ...common, labels: [] };
    one.labels.push({ id, position, itemReferenceNumber });
    claims.set(key, one);
  }
  return { claims: [...claims.values()], nextInMs: nextDueMs === undefined ? undefined : nextDueMs - atMs };
};

const conclude = async (store: LabelStore, claimed: LabelClaim, endings: readonly LabelEnding[]): Promise<void> =>
  await transaction(store.pool, async (client) => {
    const { consignmentId } = claimed;
    // The consignment first, always: dispatches and status intake lock it too.
    await lockConsignment(client, consignmentId);
    const written = await writeEndings(client, claimed, endings, store.nowMs());
    if (written.length === 0) throw new LeaseLost(`the labels of consignment ${consignmentId} were taken over`);
    const notices = written.flatMap((label) => labelNotice(label) ?? []);
    if (notices.length === 0) return;
    // Read now: the notices name the labels as they are.
    const consignment = (await readConsignments(client, [consignmentId])).get(consignmentId);
    if (consignment !== undefined) await recordChange(client, withNotices(beginChange(consignment), notices, store));
  });

const endingRow = ({ label, next, putOffUntilMs }: LabelEnding, nowMs: number) => {
  const stored = next?.state === 'stored' ? next : undefined;
  const open = next?.state === 'stored' ? undefined : next;
  const pending = next?.state === 'pending' ? next : undefined;
  return {
    id: label.id,
    state: next?.state ?? 'pending',
    isPutOff: next === undefined,
    dueAtMs: pending?.dueAtMs ?? putOffUntilMs,
    untilAtMs: pending?.untilAtMs,
    failure: open?.message,
    failureCode: open?.code,
    content: stored?.bytes,
    format: stored?.format,
    storedAtMs: stored && nowMs,
  };
};

/** Yields those that are held still: neither revoked nor written anew, nor another's by now. */
const writeEndings = async (
  client: PoolClient,
  { lease }: LabelClaim,
  endings: readonly LabelEnding[],
  nowMs: number,
): Promise<readonly Pick<LabelRecord, 'position' | 'state' | 'failure' | 'failureCode'>[]> => {
  const rows = rowsOf(
    'ending',
    endings.map((ending) => endingRow(ending, nowMs)),
    `id text, state text, is_put_off boolean, due_at timestamptz, until_at timestamptz, failure text, failure_code text,
     content bytea, format text, stored_at timestamptz`,
  );
  return await queryAll<LabelRecord>(client)`
    update labels l set state = ending.state, ${RELEASED}, tries = tries - is_put_off::int,
      due_at = case when ending.state = 'pending' then coalesce(ending.due_at, l.due_at) end,
      until_at = coalesce(ending.until_at, l.until_at), content = ending.content, stored_at = ending.stored_at,
      failure = case when is_put_off then l.failure else ending.failure end,
      failure_code = case when is_put_off then l.failure_code else ending.failure_code end, format = coalesce(ending.format, l.format)
    from ${rows} where l.id = ending.id and l.lease = ${lease} and l.state = 'pending' and tries > 0
    returning l.position, l.state, l.failure, l.failure_code`;
};

/** By its unguessable id, which is all that a link to it holds. */
export const findLabel = async (pool: Pool, id: string): Promise<LabelRecord | undefined> =>
  await queryFirst<LabelRecord>(pool)`
    select id, consignment_id, position, state, format, content, due_at as due_at_ms, failure, failure_code
    from labels
    where id = ${id}`;

/** Whose label it is. */
export const findLabelOwner = async (pool: Pool, labelId: string): Promise<Owner | undefined> =>
  await queryFirst<Owner>(pool)`
    select c.shipper_id, c.environment from labels l join consignments c on c.id = l.consignment_id
    where l.id = ${labelId}`;
