/** Normalises events again whose status the carrier’s table has learnt. */
import type { Pool, PoolClient } from 'pg';
import type { Carrier, StatusRow } from '../../engine/profile/carrier.ts';
import type { CarrierStatus } from '../../engine/statuses/status-update.ts';
import { tablesOf } from '../../engine/statuses/table.ts';
import type { ChangeContext } from './change.ts';
import { lockConsignments } from './consignments.ts';
import { MATCHED_EVENT, type MatchedEvent } from './events.ts';
import { transaction } from './pool.ts';
import { changesOf } from './settle.ts';
import { execute, queryAll, sql } from './sql.ts';
import { writeChanges } from './write-changes.ts';

const BATCH = 200;

interface Learnt extends CarrierStatus {
  readonly row: StatusRow;
  /** How many events said it; of this push, where pushes were named. */
  readonly count: number;
  readonly pushId: number | undefined;
  readonly isReturn: boolean;
}

/** Of an event `e`: by its consignment, or where it has none by its own word. */
const IS_RETURN = sql`coalesce((select c.consignment_type = 'REVERSE' from consignments c where c.id = e.consignment_id),
  upper(trim(body::json ->> 'statusIdentifierValue')) = 'REVERSE', false)`;

/** Nobody asks where returns are read by the same rows. */
const isReturnFor = (carrier: Carrier) => {
  const { FORWARD, REVERSE } = tablesOf(carrier);
  return FORWARD === REVERSE ? sql`false` : IS_RETURN;
};

const ofPushes = (ids: readonly number[] | undefined) =>
  ids === undefined ? sql`` : sql`and push_id = any (${ids}::bigint[])`;

/** What of a carrier's `Unmapped` events, or of those of these pushes, its table knows by now. */
export const findLearnt = async (
  pool: Pool,
  carrier: Carrier,
  pushIds?: readonly number[],
): Promise<readonly Learnt[]> => {
  const unmapped = await queryAll<Omit<Learnt, 'row'>>(pool)`
    select carrier_status as code, carrier_sub_status as sub_code, carrier_description as description,
      count(*) as count, ${pushIds === undefined ? sql`null::bigint` : sql`push_id`} as push_id, ${isReturnFor(carrier)} as is_return
    from events e where carrier_code = ${carrier.code} and status = 'Unmapped' ${ofPushes(pushIds)}
    group by 1, 2, 3, 5, 6`;
  const { FORWARD, REVERSE } = tablesOf(carrier);
  return unmapped.flatMap((said) => {
    const row = (said.isReturn ? REVERSE : FORWARD).match(said.code, said.subCode, said.description);
    return row === undefined || row.status === 'Unmapped' ? [] : [{ ...said, row }];
  });
};

/**
 * Normalises a carrier's `Unmapped` events, or those of these pushes, again, as far as its table has learnt what they mean: packages are folded
 * again and shippers told. To be called when a carrier was loaded or changed; by several processes at once does no
 * harm. Yields how many events have a status now.
 */
export const renormalise = async (
  pool: Pool,
  carrier: Carrier,
  context: ChangeContext,
  pushIds?: readonly number[],
): Promise<number> => {
  let count = 0;
  for (const learnt of await findLearnt(pool, carrier, pushIds)) {
    for (;;) {
      const { seen, changed } = await transaction(
        pool,
        async (client) => await renormaliseBatch(client, carrier, learnt, context),
      );
      if (seen === 0) break;
      count += changed;
    }
  }
  return count;
};

/** Up to `BATCH` events that say the same; yields how many were looked at, 0 when there are no more. */
const renormaliseBatch = async (
  client: PoolClient,
  carrier: Carrier,
  { code, subCode, description, row, pushId, isReturn }: Learnt,
  context: ChangeContext,
): Promise<{ readonly seen: number; readonly changed: number }> => {
  const found = await queryAll<{ id: number; consignmentId: number | undefined }>(client)`
    select id, consignment_id from events e
    where carrier_code = ${carrier.code} and status = 'Unmapped' and carrier_status = ${code}
      and carrier_sub_status = ${subCode}
      and carrier_description = ${description} and ${isReturnFor(carrier)} = ${isReturn} ${ofPushes(pushId === undefined ? undefined : [pushId])}
    order by id limit ${BATCH}`;
  if (found.length === 0) return { seen: 0, changed: 0 };
  // Consignments before events, as everywhere. An event that got a consignment only now is left for the next batch.
  const consignments = found.map(({ consignmentId }) => consignmentId).filter((id) => id !== undefined);
  const ids = found.map(({ id }) => id);
  await lockConsignments(client, consignments);
  await execute(client)`select id from events where id = any (${ids}::bigint[]) order by id for update`;
  const changed = await queryAll<MatchedEvent & { consignmentId: number; isTold: boolean }>(client)`
    update events set status = ${row.status}, reason = ${row.reason}
    where id = any (${ids}::bigint[]) and status = 'Unmapped'
      and (consignment_id is null or consignment_id = any (${consignments}::bigint[]))
    returning ${MATCHED_EVENT}, consignment_id, match = 'matched' and gone is not true as is_told`;
  const matched = changed.filter(({ isTold }) => isTold);
  const told = new Map(
    [...Map.groupBy(matched, ({ consignmentId }) => consignmentId)].map(([id, fresh]) => [
      id,
      [{ carrierCode: carrier.code, fresh }],
    ]),
  );
  const changes = [...(await changesOf(client, told, context)).values()];
  await writeChanges(client, [{ changes }]);
  return { seen: found.length, changed: changed.length };
};
