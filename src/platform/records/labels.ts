/** Labels as those who fetch and serve them see them. What an acceptance brings is written by label-drafts.ts. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { DocumentFormat } from '../../engine/codecs/label-document.ts';
import { LeaseLost } from '../../engine/dispatch/ports.ts';
import type { NoticeDraft } from '../../engine/webhooks/notice.ts';
import type { LabelClaim, LabelEnding, Labels } from '../../engine/labels/fetch.ts';
import type { LabelRecord } from '../../engine/labels/serve.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { lockConsignment } from './consignments.ts';
import { labelJobId } from './label-drafts.ts';
import { fromNow } from './lease.ts';
import type { RecordNotices } from './notices.ts';
import { writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';

export interface LabelStore {
  readonly pool: Pool;
  readonly nowMs: () => number;
  readonly recordNotices: RecordNotices;
}

/** Longer than a download; an operation that takes longer may be asked twice, which does no harm. */
const LEASE_MS = 120_000;
const ID_LENGTH = 32;

export const parseLabelJobId = (jobId: string): string | undefined =>
  new RegExp(`^l-([\\w-]{${ID_LENGTH}})-a\\d{1,9}(?:-p\\d{1,15})?$`).exec(jobId)?.[1];

export const createLabels = (store: LabelStore): Labels => ({
  claim: async (labelId, asked) => await claim(store, labelId, asked),
  conclude: async (claimed, endings) => await conclude(store, claimed, endings),
});

interface ClaimRow {
  id: string;
  position: number | null;
  consignment_id: number;
  source_url: string | null;
  tries: number;
  until_at: Date | null;
  carrier_code: string;
  environment: EnvironmentName;
  account_id: number | null;
  reference: string | null;
}

/** A lease is over when its time is, or when the label was written anew under it (`tries` 0). */
const FREE = '(l.lease is null or l.lease_until < now() or l.tries = 0)';

const claim = async (store: LabelStore, labelId: string, asked: boolean): Promise<LabelClaim | undefined> => {
  const lease = randomUUID();
  const { rows } = await store.pool.query<ClaimRow>(
    `with asked as (
       select id, consignment_id, source_url from labels l
       where id = $1 and state = 'pending' and ($5 or due_at <= $3) and ${FREE} for update skip locked),
     together as (
       select l.id from labels l, asked where l.consignment_id = asked.consignment_id and l.id <> asked.id
         and asked.source_url is null and l.source_url is null and l.state = 'pending' and ${FREE}
       for update of l skip locked),
     claimed as (
       update labels set lease = $2, lease_until = ${fromNow('$4')}, tries = tries + 1
       where id in (select id from asked union all select id from together)
       returning id, position, consignment_id, source_url, tries, until_at)
     select claimed.*, c.carrier_code, c.environment, c.account_id, p.reference
     from claimed join consignments c on c.id = claimed.consignment_id
       left join packages p on p.consignment_id = claimed.consignment_id and p.position = claimed.position
     order by claimed.position`,
    [labelId, lease, new Date(store.nowMs()), LEASE_MS, asked],
  );
  const row = rows.find(({ id }) => id === labelId);
  if (row === undefined) return undefined;
  return {
    lease,
    labels: rows.map(({ id, position, reference }) => ({
      id,
      position: position ?? undefined,
      itemReferenceNumber: reference ?? undefined,
    })),
    consignmentId: row.consignment_id,
    carrierCode: row.carrier_code,
    environment: row.environment,
    accountId: row.account_id ?? undefined,
    sourceUrl: row.source_url ?? undefined,
    tries: row.tries,
    untilAtMs: row.until_at?.getTime(),
  };
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
  const held = `where id = $1 and lease = $2 and state = 'pending' and tries > 0`;
  const own = [label.id, lease];
  const jobAt = async (row: { tries: number; due_at: Date | null } | undefined): Promise<boolean> => {
    if (row === undefined) return false;
    const again = putOffUntilMs === undefined ? '' : `-p${putOffUntilMs}`;
    const jobId = `${labelJobId(label.id, row.tries + 1)}${again}`;
    const job = { queue: 'label' as const, jobId, dueAtMs: row.due_at?.getTime() };
    await writeOutbox(client, [job]);
    return true;
  };
  switch (next?.state) {
    case undefined: {
      const { rows } = await client.query<{ tries: number; due_at: Date | null }>(
        `update labels set lease = null, lease_until = null, tries = tries - 1, due_at = coalesce($3, due_at) ${held}
         returning tries, due_at`,
        [...own, putOffUntilMs === undefined ? null : new Date(putOffUntilMs)],
      );
      return await jobAt(rows[0]);
    }
    case 'pending': {
      const { rows } = await client.query<{ tries: number; due_at: Date | null }>(
        `update labels set lease = null, lease_until = null, due_at = $3, until_at = $4, failure = $5 ${held}
         returning tries, due_at`,
        [...own, new Date(next.dueAtMs), new Date(next.untilAtMs), next.message],
      );
      return await jobAt(rows[0]);
    }
    case 'failed': {
      const { rowCount } = await client.query(
        `update labels set state = 'failed', lease = null, lease_until = null, due_at = null, failure = $3 ${held}`,
        [...own, next.message],
      );
      return rowCount === 1;
    }
    case 'stored': {
      const { rowCount } = await client.query(
        `update labels set state = 'stored', lease = null, lease_until = null, due_at = null, failure = null,
           content = $3, format = $4, stored_at = $5 ${held}`,
        [...own, next.bytes, next.format, new Date(store.nowMs())],
      );
      return rowCount === 1;
    }
  }
};

interface Row {
  id: string;
  consignment_id: number;
  position: number | null;
  state: LabelRecord['state'];
  format: DocumentFormat | null;
  content: Buffer | null;
  due_at: Date | null;
  failure: string | null;
}

const recordOf = (row: Row): LabelRecord => ({
  id: row.id,
  consignmentId: row.consignment_id,
  position: row.position ?? undefined,
  state: row.state,
  format: row.format ?? undefined,
  content: row.content ?? undefined,
  dueAtMs: row.due_at?.getTime(),
  failure: row.failure ?? undefined,
});

/** By its unguessable id, which is all that a link to it holds. */
export const findLabel = async (pool: Pool, id: string): Promise<LabelRecord | undefined> => {
  const { rows } = await pool.query<Row>(
    'select id, consignment_id, position, state, format, content, due_at, failure from labels where id = $1',
    [id],
  );
  return rows[0] === undefined ? undefined : recordOf(rows[0]);
};

/** Labels that the records say are due and not there, as jobs for the reconciler to queue again. */
export const findDueLabels = async (
  pool: Pool,
  { nowMs, graceMs, limit }: { readonly nowMs: number; readonly graceMs: number; readonly limit: number },
): Promise<readonly { readonly id: string; readonly jobId: string }[]> => {
  const { rows } = await pool.query<{ id: string; tries: number }>(
    `select id, tries from labels l where state = 'pending' and due_at <= $1
       and (lease is null or lease_until < now() or tries = 0) order by due_at limit $2`,
    [new Date(nowMs - graceMs), limit],
  );
  return rows.map(({ id, tries }) => ({ id, jobId: labelJobId(id, tries + 1) }));
};
