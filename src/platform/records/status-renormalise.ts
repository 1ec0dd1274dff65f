import type { Pool, PoolClient } from 'pg';
import type { Carrier, StatusRow } from '../../engine/profile/carrier.ts';
import type { CarrierStatus } from '../../engine/statuses/status-text.ts';
import { tableOf } from '../../engine/statuses/table.ts';
import { transaction } from './pool.ts';
import { EVENT_COLUMNS, eventOf, type EventRow } from './status-events.ts';
import { settle, type SettleDeps } from './status-settle.ts';

const BATCH = 200;

interface Unmapped extends CarrierStatus {
  readonly row: StatusRow;
}

/**
 * Normalises a carrier's `Unmapped` events again, as far as its table has learnt what they mean: packages are folded
 * again and shippers told. To be called when a carrier was loaded or changed; by several processes at once does no
 * harm. Yields how many events have a status now.
 */
export const renormalise = async (pool: Pool, carrier: Carrier, deps: SettleDeps): Promise<number> => {
  const { rows } = await pool.query<{ code: string; sub_code: string; description: string }>(
    `select distinct carrier_status as code, carrier_sub_status as sub_code, carrier_description as description
     from events where carrier_code = $1 and status = 'Unmapped'`,
    [carrier.code],
  );
  const table = tableOf(carrier);
  const learnt = rows.flatMap(({ code, sub_code: subCode, description }): Unmapped[] => {
    const found = table.match(code, subCode, description);
    return found === undefined || found.row.status === 'Unmapped' ? [] : [{ code, subCode, description, ...found }];
  });
  let count = 0;
  for (const status of learnt) {
    for (;;) {
      const batch = await transaction(
        pool,
        async (client) => await renormaliseBatch(client, carrier.code, status, deps),
      );
      if (batch.seen === 0) break;
      count += batch.changed;
    }
  }
  return count;
};

/** Up to `BATCH` events that say the same; yields how many were looked at, 0 when there are no more. */
const renormaliseBatch = async (
  client: PoolClient,
  carrierCode: string,
  { code, subCode, description, row }: Unmapped,
  deps: SettleDeps,
): Promise<{ readonly seen: number; readonly changed: number }> => {
  const found = await client.query<{ id: number; consignment_id: number | null }>(
    `select id, consignment_id from events
     where carrier_code = $1 and status = 'Unmapped' and carrier_status = $2 and carrier_sub_status = $3
       and carrier_description = $4
     order by id limit ${BATCH}`,
    [carrierCode, code, subCode, description],
  );
  if (found.rows.length === 0) return { seen: 0, changed: 0 };
  // Consignments before events, as everywhere. An event that got a consignment only now is left for the next batch.
  const consignments = found.rows.map((event) => event.consignment_id).filter((id) => id !== null);
  await client.query('select id from consignments where id = any ($1::bigint[]) order by id for update', [
    consignments,
  ]);
  const ids = found.rows.map(({ id }) => id);
  await client.query('select id from events where id = any ($1::bigint[]) order by id for update', [ids]);
  const changed = await client.query<EventRow & { match: string }>(
    `update events set status = $2, reason = $3
     where id = any ($1::bigint[]) and status = 'Unmapped'
       and (consignment_id is null or consignment_id = any ($4::bigint[]))
     returning ${EVENT_COLUMNS}, match`,
    [ids, row.status, row.reason ?? null, consignments],
  );
  const matched = changed.rows.filter(({ match }) => match === 'matched');
  const byConsignment = Map.groupBy(matched.map(eventOf), ({ consignmentId }) => consignmentId);
  for (const [consignmentId, fresh] of [...byConsignment].sort(([a], [b]) => a - b)) {
    await settle(client, { consignmentId, fresh }, deps);
  }
  return { seen: found.rows.length, changed: changed.rows.length };
};
