import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { labelBytes } from '../../engine/codecs/label-document.ts';
import type { LabelDraft } from '../../engine/dispatch/effects.ts';
import { writeOutbox } from './outbox.ts';

const ID_BYTES = 24;

/**
 * Each try has a job of its own: the one of before may not have left the queue yet. The first says its number, too, for
 * the queue takes no id without a digit, and one that is drawn may have none.
 */
export const labelJobId = (labelId: string, attempt = 1): string => `l-${labelId}-a${attempt}`;

interface NewLabel {
  readonly state: 'stored' | 'pending' | 'failed';
  readonly format: string | null;
  readonly content: Buffer | null;
  readonly sourceUrl: string | null;
  readonly failure: string | null;
}

/** A label as the carrier gave it: stored when its bytes are those of a label, to be fetched when it is a URL or missing. */
const judge = ({ label }: LabelDraft): NewLabel => {
  const nothing = { format: null, content: null, sourceUrl: null, failure: null };
  if (label === undefined) return { ...nothing, state: 'pending' };
  if (label.url !== undefined)
    return { ...nothing, state: 'pending', format: label.format ?? null, sourceUrl: label.url };
  const read = labelBytes(label.content);
  return read.ok
    ? { ...nothing, state: 'stored', format: read.format, content: read.bytes }
    : { ...nothing, state: 'failed', failure: `${read.reason.code}: ${read.reason.message}` };
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
  for (const draft of drafts) {
    const label = judge(draft);
    const { rows } = await client.query<{ id: string }>(
      `with known as (
         select id from labels where consignment_id = $2 and position is not distinct from $3 and state <> 'revoked' limit 1)
       insert into labels (id, consignment_id, position, state, format, content, source_url, failure, due_at, stored_at)
       values (coalesce((select id from known), $1), $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (id) do update set state = excluded.state, format = excluded.format, content = excluded.content,
         source_url = excluded.source_url, failure = excluded.failure, due_at = excluded.due_at, tries = 0, until_at = null,
         stored_at = excluded.stored_at
       returning id`,
      [
        randomBytes(ID_BYTES).toString('base64url'),
        consignmentId,
        draft.position ?? null,
        label.state,
        label.format,
        label.content,
        label.sourceUrl,
        label.failure,
        label.state === 'pending' ? new Date(nowMs) : null,
        label.state === 'stored' ? new Date(nowMs) : null,
      ],
    );
    if (label.state === 'stored') stored.push(draft);
    if (label.state !== 'pending') continue;
    await writeOutbox(
      client,
      rows.map(({ id }) => ({ queue: 'label' as const, jobId: labelJobId(id) })),
    );
  }
  return stored;
};

/** All but those that `kept` replaces. */
export const revokeLabels = async (
  client: PoolClient,
  consignmentId: number,
  kept: readonly LabelDraft[] = [],
): Promise<void> => {
  await client.query(
    `update labels set state = 'revoked', due_at = null, content = null
     where consignment_id = $1 and array_position($2::int[], position) is null`,
    [consignmentId, kept.map(({ position }) => position ?? null)],
  );
};
