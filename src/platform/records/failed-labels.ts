/** Failed labels: listed for operators, and requested again. */
import type { Pool } from 'pg';
import { isTerminal, NORMALISED_STATUSES } from '../../engine/statuses/status.ts';
import { type AuditEntry, recordAudit } from './audit.ts';
import type { LabelEntry } from './consignments.ts';
import { transaction } from './pool.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { countRows, execute, matching, queryAll, queryFirst, RELEASED, sql, notifyWork } from './sql.ts';

const ENDED = NORMALISED_STATUSES.filter(isTerminal);

/** Labels `l` of consignments `c` for which they are still needed. */
const FAILED = sql`labels l join consignments c on c.id = l.consignment_id
  where l.state = 'failed' and c.acceptance in ('pending', 'accepted') and c.status <> all(${ENDED}::text[])`;

export const countFailedLabels = async (pool: Pool): Promise<number> => await countRows(pool, FAILED);

export interface FailedLabel extends LabelEntry {
  readonly consignmentId: number;
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly packageId: string | undefined;
  readonly trackingNumber: string | undefined;
}

/** Those of the newest consignments first; `after`: the consignment and the id where the last page ended. */
export const listFailedLabels = async (
  pool: Pool,
  { after, limit }: { readonly after: readonly string[] | undefined; readonly limit: number },
): Promise<readonly FailedLabel[]> =>
  await queryAll<FailedLabel>(pool)`
    with page as (
      select l.id, l.consignment_id, l.position, l.state, l.format, l.failure, l.failure_code, c.shipper_id, c.environment,
        c.reference_number, c.carrier_code, c.master_tracking_number
      from ${FAILED} and ${matching({ '(l.consignment_id, l.id) <': after && sql`(${after[0]}, ${after[1]})` })}
      order by l.consignment_id desc, l.id desc limit ${limit})
    select page.*, s.code as shipper, p.reference as package_id,
      coalesce(p.tracking_number, master_tracking_number) as tracking_number
    from page join shippers s on s.id = page.shipper_id
      left join packages p on p.consignment_id = page.consignment_id and p.position = page.position
    order by page.consignment_id desc, page.id desc`;

type LabelRetried =
  | { readonly kind: 'retried' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not_failed'; readonly state: string }
  /** It has no URL, and its carrier no operation that brings it. */
  | { readonly kind: 'carrier_cannot'; readonly carrierCode: string };

/** From now on it is asked for as one that is new. `owner` undefined: whosever it is. */
export const retryLabel = async (
  pool: Pool,
  retry: {
    readonly labelId: string;
    readonly owner: Owner | undefined;
    readonly actor: AuditEntry['actor'];
    readonly carrierBrings: (carrierCode: string) => boolean;
  },
): Promise<LabelRetried> =>
  await transaction(pool, async (client): Promise<LabelRetried> => {
    const { labelId, owner, actor } = retry;
    const label = await queryFirst<{ state: string; hasUrl: boolean; carrierCode: string }>(client)`
      select l.state, l.source_url is not null as has_url, c.carrier_code
      from labels l join consignments c on c.id = l.consignment_id
      where l.id = ${labelId} ${owner === undefined ? sql`` : sql`and ${ownedBy(owner)}`} for update of l`;
    if (label === undefined) return { kind: 'unknown' };
    const { state, hasUrl, carrierCode } = label;
    if (state !== 'failed') return { kind: 'not_failed', state };
    if (!hasUrl && !retry.carrierBrings(carrierCode)) return { kind: 'carrier_cannot', carrierCode };
    await execute(client)`
      with again as (
        update labels set state = 'pending', due_at = now(), tries = 0, until_at = null, ${RELEASED}
        where id = ${labelId} returning id)
      select ${notifyWork('label')} from again`;
    await recordAudit(client, { actor, action: 'retry', subject: `label:${labelId}` });
    return { kind: 'retried' };
  });
