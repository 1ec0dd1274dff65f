/** Erasing a person's data from all that is recorded of a reference. The numbers stay, so that books still balance. */
import type { Pool, PoolClient } from 'pg';
import {
  consignmentWithoutPerson,
  noticeWithoutPerson,
  orderWithoutPerson,
} from '../../engine/consignment/without-person.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { recordAudit } from './audit.ts';
import { countOf, eraseStrays, findStrays } from './erase-strays.ts';
import { transaction } from './pool.ts';

export interface Erasure {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
  readonly referenceNumber: string;
}

/** How much there is to erase, or was erased. */
interface Erased {
  readonly consignments: number;
  readonly dispatches: number;
  readonly exchanges: number;
  readonly labels: number;
  readonly events: number;
  readonly notices: number;
  readonly idempotencyKeys: number;
  /** What the carrier said of it and no consignment was found for. */
  readonly unmatchedEvents: number;
  readonly unreadPushes: number;
}

export type ErasureOutcome =
  | { readonly kind: 'counted' | 'erased'; readonly erased: Erased }
  | { readonly kind: 'unknown' }
  /** A dispatch is under way or held: it needs the address still. */
  | { readonly kind: 'busy'; readonly dispatchIds: readonly number[] };

/** All consignments that had this reference, those that a carrier refused included. Without `apply` it only counts. */
export const erasePerson = async (
  pool: Pool,
  { shipperId, environment, referenceNumber }: Erasure,
  { apply }: { readonly apply: boolean },
): Promise<ErasureOutcome> =>
  await transaction(pool, async (client): Promise<ErasureOutcome> => {
    const found = await client.query<{ id: number }>(
      `select id from consignments where shipper_id = $1 and environment = $2 and reference_number = $3
       order by id for update`,
      [shipperId, environment, referenceNumber],
    );
    const ids = found.rows.map(({ id }) => id);
    if (ids.length === 0) return { kind: 'unknown' };
    const open = await client.query<{ id: number }>(
      `select id from dispatches where consignment_id = any ($1::bigint[])
         and state in ('pending', 'sending', 'waiting', 'held') order by id`,
      [ids],
    );
    if (open.rows.length > 0) return { kind: 'busy', dispatchIds: open.rows.map(({ id }) => id) };
    const keys = [shipperId, environment, JSON.stringify(referenceNumber)];
    const strays = await findStrays(client, ids);
    const erased = { ...(await count(client, ids, keys)), ...countOf(strays) };
    if (!apply) return { kind: 'counted', erased };
    await eraseRows(client, ids, keys);
    await eraseStrays(client, strays);
    for (const id of ids)
      await recordAudit(client, { actor: 'command', action: 'erase', subject: `consignment:${id}` });
    return { kind: 'erased', erased };
  });

// An answer names the reference as JSON does, in quotes.
const KEYS_OF = 'shipper_id = $1 and environment = $2 and position($3 in body) > 0';

type OwnErased = Omit<Erased, keyof ReturnType<typeof countOf>>;

const count = async (client: PoolClient, ids: readonly number[], keys: unknown[]): Promise<OwnErased> => {
  const of = async (table: string): Promise<number> => {
    const { rows } = await client.query<{ count: number | string }>(
      `select count(*) from ${table} where consignment_id = any ($1::bigint[])`,
      [ids],
    );
    return Number(rows[0]?.count ?? 0);
  };
  const { rows } = await client.query<{ count: number | string }>(
    `select count(*) from idempotency_keys where ${KEYS_OF}`,
    keys,
  );
  return {
    consignments: ids.length,
    dispatches: await of('dispatches'),
    exchanges: await of('exchanges'),
    labels: await of('labels'),
    events: await of('events'),
    notices: await of('notices'),
    idempotencyKeys: Number(rows[0]?.count ?? 0),
  };
};

const eraseRows = async (client: PoolClient, ids: readonly number[], keys: unknown[]): Promise<void> => {
  const all = [ids];
  const rows = await client.query<{ id: number; order_text: string; canonical: string }>(
    'select id, order_text, canonical from consignments where id = any ($1::bigint[])',
    all,
  );
  for (const { id, order_text, canonical } of rows.rows) {
    await client.query('update consignments set order_text = $2, canonical = $3, updated_at = now() where id = $1', [
      id,
      JSON.stringify(orderWithoutPerson(JSON.parse(order_text) as Record<string, unknown>)),
      JSON.stringify(consignmentWithoutPerson(JSON.parse(canonical) as Record<string, unknown>)),
    ]);
  }
  // Without the address a carrier could not be asked as its profile wants to ask.
  await client.query('update packages set poll_at = null where consignment_id = any ($1::bigint[])', all);
  await client.query(
    `update dispatches set input = '{}', order_text = null, result = null,
       failure = case when failure is null then null
         else jsonb_set(failure::jsonb, '{problem,messages}', '[]')::text end
     where consignment_id = any ($1::bigint[])`,
    all,
  );
  const ofDispatches = 'dispatch_id in (select id from dispatches where consignment_id = any ($1::bigint[]))';
  await client.query(`update calls set answer = null, verdict = null where ${ofDispatches}`, all);
  await client.query(`delete from draws where ${ofDispatches}`, all);
  await client.query(`delete from exchanges where consignment_id = any ($1::bigint[]) or ${ofDispatches}`, all);
  await client.query('delete from labels where consignment_id = any ($1::bigint[])', all);
  // A push may tell of other consignments as well: their events are made already, only its raw bytes go.
  await client.query(
    `update pushes set body = '', request = '{}'
     where state = 'done' and id in (select push_id from events where consignment_id = any ($1::bigint[]))`,
    all,
  );
  await client.query(
    `update events set body = '{}', carrier_description = '', warnings = '[]' where consignment_id = any ($1::bigint[])`,
    all,
  );
  const notices = await client.query<{ id: string; body: string }>(
    'select id, body from notices where consignment_id = any ($1::bigint[])',
    all,
  );
  for (const { id, body } of notices.rows) {
    const left = noticeWithoutPerson(JSON.parse(body) as Record<string, unknown>);
    await client.query('update notices set body = $2 where id = $1', [id, JSON.stringify(left)]);
  }
  await client.query(
    `update delivery_attempts set message = null where delivery_id in (
       select d.id from deliveries d join notices n on n.id = d.notice_id
       where n.consignment_id = any ($1::bigint[]))`,
    all,
  );
  await client.query(`delete from idempotency_keys where ${KEYS_OF}`, keys);
  // Remarks of cancels and retries.
  await client.query('update audit_log set detail = null where subject = any ($1::text[])', [
    ids.map((id) => `consignment:${id}`),
  ]);
};
