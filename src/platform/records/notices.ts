import { randomBytes } from 'node:crypto';
import { labelLink } from '../../engine/labels/serve.ts';
import { buildNoticeBody } from '../../engine/webhooks/event.ts';
import type { RecordNotices } from './apply-events.ts';
import { findConsignmentById } from './consignments.ts';
import { deliveryParts, tellOfDeliveries } from './deliveries.ts';
import { listLabels } from './labels.ts';
import { execute, queryOne, rowsOf } from './sql.ts';

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
  ({ publicUrl, nowMs }: NoticeContext): RecordNotices =>
  async (client, consignmentId, drafts) => {
    if (drafts.length === 0) return;
    const record = await findConsignmentById(client, consignmentId);
    if (record === undefined) return;
    const served = (await listLabels(client, consignmentId)).filter(
      ({ state }) => state === 'pending' || state === 'stored',
    );
    const labels = served.map(({ id, position, format }) => ({ position, url: labelLink(publicUrl, id), format }));
    const { last } = await queryOne<{ last: number }>(client)`
      update consignments set notice_sequence = notice_sequence + ${drafts.length} where id = ${consignmentId}
      returning notice_sequence as last`;
    const atMs = nowMs();
    const notices = drafts.map((draft, index) => {
      const eventId = `evt_${randomBytes(18).toString('base64url')}`;
      const sequence = last - drafts.length + index + 1;
      const body = buildNoticeBody({ eventId, sequence, atMs }, draft, { ...record, labels });
      return { eventId, sequence, event: draft.event, body };
    });
    const rows = rowsOf('notice', notices, {
      id: ['text', ({ eventId }) => eventId],
      sequence: ['int', ({ sequence }) => sequence],
      event: ['text', ({ event }) => event],
      body: ['text', ({ body }) => JSON.stringify(body)],
    });
    await execute(client)`
      with told as (
        insert into notices (id, consignment_id, sequence, event, body)
        select id, ${consignmentId}, sequence, event, body from ${rows}
        returning id as notice_id, sequence as place, ${record.shipperId}::bigint as shipper_id,
          ${record.environment} as environment, ${record.orderTypes}::text[] as order_types),
      ${deliveryParts(undefined)}
      select ${tellOfDeliveries(undefined)}`;
  };
