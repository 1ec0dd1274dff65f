/** Tasks in the records: made of consignments, changed and called off, each under a lock of its reference. */
import { randomBytes } from 'node:crypto';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { Database } from '../ports.ts';
import type { Asked, Demand } from './demand.ts';
import { takeNumbers } from './numbers.ts';

export type TaskState =
  | 'open'
  | 'planned'
  | 'out'
  | 'delivered'
  | 'partly_delivered'
  | 'failed'
  | 'returned'
  | 'cancelled';

export interface TaskRow {
  readonly id: number;
  readonly linkId: number;
  readonly kind: Asked['kind'];
  readonly state: TaskState;
  readonly consignment: Consignment;
  readonly demand: Demand;
  readonly stopId: number | undefined;
}

export interface PackageRow {
  readonly position: number;
  readonly itemReference: string;
  readonly trackingNumber: string;
  readonly labelId: string;
}

/** Whoever else acts on the reference waits until the transaction ends. */
export const lockReference = async (database: Database, linkId: number, referenceId: string): Promise<void> =>
  void (await database.all`select pg_advisory_xact_lock(hashtextextended(${`fleet/${linkId}/${referenceId}`}, 0))`);

/** The one that is not cancelled; else the newest cancelled one. */
export const findTask = async (database: Database, linkId: number, referenceId: string): Promise<TaskRow | undefined> =>
  await database.first<TaskRow>`
    select id, link_id, kind, state, consignment, demand, stop_id from fleet.tasks
    where link_id = ${linkId} and reference_id = ${referenceId}
    order by (state <> 'cancelled') desc, id desc limit 1 for update`;

export const packagesOf = async (database: Database, taskId: number): Promise<readonly PackageRow[]> =>
  await database.all<PackageRow>`
    select position, item_reference, tracking_number, label_id from fleet.packages
    where task_id = ${taskId} and not revoked order by position`;

export const insertTask = async (
  database: Database,
  linkId: number,
  consignment: Consignment,
  { kind, exchange, depot, zone, firstDay, lastDay, demand }: Asked,
): Promise<number> => {
  const { referenceId, orderNumber, consignmentNumber } = consignment;
  const made = await database.first<{ id: number }>`
    insert into fleet.tasks (link_id, reference_id, order_number, consignment_number, kind, exchange, depot, zone,
      first_day, last_day, consignment, demand)
    values (${linkId}, ${referenceId}, ${orderNumber}, ${consignmentNumber}, ${kind}, ${exchange ?? null}, ${depot},
      ${zone ?? null}, ${firstDay}, ${lastDay ?? null}, ${JSON.stringify(consignment)}, ${JSON.stringify(demand)})
    returning id`;
  return made?.id ?? 0;
};

/** What planning made of it is void where anything changed that a plan depends on. */
export const changeTask = async (
  database: Database,
  { id, stopId }: TaskRow,
  consignment: Consignment,
  { depot, zone, firstDay, lastDay, demand }: Asked,
): Promise<void> => {
  const same = await database.first`
    select from fleet.tasks t left join fleet.stops s on s.id = t.stop_id left join fleet.routes r on r.id = s.route_id
    where t.id = ${id} and t.demand = ${JSON.stringify(demand)}::jsonb and t.depot = ${depot}
      and t.zone is not distinct from ${zone ?? null} and coalesce(r.day, 'infinity') >= ${firstDay}`;
  await database.run`
    update fleet.tasks set consignment = ${JSON.stringify(consignment)}, demand = ${JSON.stringify(demand)},
      depot = ${depot}, zone = ${zone ?? null}, first_day = ${firstDay}, last_day = ${lastDay ?? null}, changed_at = now()
    where id = ${id}`;
  if (same === undefined) await leaveStop(database, id, stopId, 'open');
};

/** Takes it off its route; a stop without tasks is none. */
export const leaveStop = async (
  database: Database,
  taskId: number,
  stopId: number | undefined,
  state: 'open' | 'cancelled',
): Promise<void> => {
  await database.run`
    update fleet.tasks set state = ${state}, stop_id = null, changed_at = now() where id = ${taskId}`;
  if (stopId === undefined) return;
  await database.run`
    update fleet.routes r set version = version + 1 from fleet.stops s where s.id = ${stopId} and r.id = s.route_id`;
  // Of what was reported on the way, the stop stays.
  await database.run`
    update fleet.stops s set state = 'cancelled'
    where s.id = ${stopId} and s.state <> 'done' and not exists (select from fleet.tasks t where t.stop_id = s.id)`;
  await database.run`
    delete from fleet.stops s where s.id = ${stopId} and s.state = 'cancelled'
      and not exists (select from fleet.events e where e.stop_id = s.id)
      and not exists (select from fleet.proofs p where p.stop_id = s.id)`;
};

/** Pre-assigned numbers are taken as they are. Yields those that are another package's already. */
export const setPackages = async (
  database: Database,
  taskId: number,
  { itemList }: Pick<Consignment, 'itemList'>,
): Promise<readonly { readonly position: number; readonly trackingNumber: string }[]> => {
  const known = await database.all<PackageRow & { revoked: boolean }>`
    select position, item_reference, tracking_number, label_id, revoked from fleet.packages where task_id = ${taskId}`;
  const fresh = itemList.filter(
    ({ itemReferenceNumber }) => !known.some((one) => !one.revoked && one.itemReference === itemReferenceNumber),
  );
  const drawn = await takeNumbers(database, fresh.filter(({ itemTrackingNumber }) => !itemTrackingNumber).length);
  let next = 0;
  const first = known.reduce((most, { position }) => Math.max(most, position + 1), 0);
  const rows = fresh.map(({ itemReferenceNumber, itemTrackingNumber }, at) => ({
    position: first + at,
    item: itemReferenceNumber,
    number: itemTrackingNumber || drawn[next++],
    label: randomBytes(24).toString('base64url'),
  }));
  const written = await database.all<{ position: number }>`
    insert into fleet.packages (task_id, position, item_reference, tracking_number, label_id)
    select ${taskId}, position, item, number, label
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (position integer, item text, number text, label text)
    on conflict (tracking_number) do nothing returning position`;
  await database.run`
    update fleet.packages set revoked = true where task_id = ${taskId}
      and not (item_reference = any(${itemList.map(({ itemReferenceNumber }) => itemReferenceNumber)}::text[]))`;
  const done = new Set(written.map(({ position }) => position));
  return rows.flatMap(({ position, item, number }) =>
    done.has(position)
      ? []
      : [{ position: itemList.findIndex((one) => one.itemReferenceNumber === item), trackingNumber: number ?? '' }],
  );
};

export const revokePackages = async (database: Database, taskId: number): Promise<number> =>
  await database.run`update fleet.packages set revoked = true where task_id = ${taskId}`;
