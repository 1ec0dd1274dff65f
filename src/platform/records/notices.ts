import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { labelLink } from '../../engine/labels/serve.ts';
import type { NoticeDraft } from '../../engine/webhooks/notice.ts';
import { buildNoticeBody, type NoticeConsignment } from '../../engine/webhooks/body.ts';
import { type ConsignmentRecord, findConsignmentById } from './consignments.ts';
import { writeOutbox } from './outbox.ts';

export const deliveryJobId = (deliveryId: number, attempt: number): string => `w-${deliveryId}-a${attempt}`;

export type RecordNotices = (
  client: PoolClient,
  consignmentId: number,
  drafts: readonly NoticeDraft[],
) => Promise<void>;

interface NoticeContext {
  /** Where the labels that bodies name are served. */
  readonly publicUrl: string;
  readonly nowMs: () => number;
}

/**
 * Writes notices of a consignment with a delivery for each subscription they concern, and the deliveries' jobs, in the
 * transaction of what they tell of. Their bodies say what the records say now, so write those first. The caller holds
 * the consignment's lock, which numbers them without gaps.
 */
export const createRecordNotices =
  (context: NoticeContext): RecordNotices =>
  async (client, consignmentId, drafts) => {
    if (drafts.length === 0) return;
    const record = await findConsignmentById(client, consignmentId);
    if (record === undefined) return;
    const consignment = await describe(client, record, context.publicUrl);
    const { rows } = await client.query<{ notice_sequence: number }>(
      'update consignments set notice_sequence = notice_sequence + $2 where id = $1 returning notice_sequence',
      [consignmentId, drafts.length],
    );
    const before = (rows[0]?.notice_sequence ?? drafts.length) - drafts.length;
    const atMs = context.nowMs();
    const notices = drafts.map((draft, index) => {
      const eventId = `evt_${randomBytes(18).toString('base64url')}`;
      const sequence = before + index + 1;
      return {
        eventId,
        sequence,
        event: draft.event,
        body: buildNoticeBody({ eventId, sequence, atMs }, draft, consignment),
      };
    });
    await client.query(
      `insert into notices (id, consignment_id, sequence, event, body)
     select id, $1, sequence, event, body
     from unnest($2::text[], $3::int[], $4::text[], $5::text[]) as notice (id, sequence, event, body)`,
      [
        consignmentId,
        notices.map(({ eventId }) => eventId),
        notices.map(({ sequence }) => sequence),
        notices.map(({ event }) => event),
        notices.map(({ body }) => JSON.stringify(body)),
      ],
    );
    // Locked, as one that is deleted meanwhile would take the whole transaction with it.
    const deliveries = await client.query<{ id: number }>(
      `insert into deliveries (notice_id, subscription_id)
     select notice.id, s.id from subscriptions s cross join unnest($1::text[]) with ordinality as notice (id, place)
     where s.shipper_id = $2 and s.environment = $3 and s.order_types && $4 order by notice.place
     for key share of s returning id`,
      [notices.map(({ eventId }) => eventId), record.shipperId, record.environment, record.orderTypes],
    );
    await writeOutbox(
      client,
      deliveries.rows.map(({ id }) => ({ queue: 'delivery' as const, jobId: deliveryJobId(id, 1) })),
    );
  };

const describe = async (
  client: PoolClient,
  record: ConsignmentRecord,
  publicUrl: string,
): Promise<NoticeConsignment> => {
  const labels = await client.query<{ id: string; position: number | null; format: string | null }>(
    `select id, position, format from labels where consignment_id = $1 and state in ('pending', 'stored') order by position`,
    [record.id],
  );
  return {
    ...record,
    labels: labels.rows.map(({ id, position, format }) => ({
      position: position ?? undefined,
      url: labelLink(publicUrl, id),
      format: format ?? undefined,
    })),
  };
};
