/** What is kept for a time only, and what a person has a right to have forgotten. */
import { startLoop } from './loop.ts';
import type { Database, FleetDeps } from './ports.ts';

const LOOK_EVERY_MS = 600_000;

/** Forgets where drivers were. */
export const startUpkeep = ({ database, log, nowMs, keepPositionsMs }: FleetDeps) =>
  startLoop({
    everyMs: LOOK_EVERY_MS,
    look: async () => await forgetPositions(database, new Date(nowMs() - keepPositionsMs)),
    log,
    failure: 'positions of drivers could not be forgotten',
  });

export const forgetPositions = async (database: Database, before: Date): Promise<void> => {
  await database.run`delete from fleet.positions where at < ${before}`;
  await database.run`
    update fleet.events set data = data - 'latitude' - 'longitude' where data ? 'latitude' and occurred_at < ${before}`;
};

/** Photos and signatures of before; yields how many there are, or were. */
export const forgetProofs = async (database: Database, before: Date, apply: boolean): Promise<number> =>
  apply
    ? await database.run`update fleet.proofs set content = null where content is not null and created_at < ${before}`
    : ((
        await database.first<{ count: number }>`
        select count(*) as count from fleet.proofs where content is not null and created_at < ${before}`
      )?.count ?? 0);

const PERSON = [
  'Name',
  'CompanyName',
  'ContactPerson',
  'ContactNumber',
  'ContactNumber2',
  'Email',
  'AddressLine1',
  'AddressLine2',
  'AddressLine3',
  'Landmark',
  'Latitude',
  'Longitude',
];

/** Takes the person out of the tasks of these packages: addresses, proofs, what was said. Yields how many tasks. */
export const erasePerson = async (
  database: Database,
  trackingNumbers: readonly string[],
  apply: boolean,
): Promise<number> =>
  await database.transaction(async (inside) => {
    const tasks = await inside.all<{ id: number }>`
      select distinct task_id as id from fleet.packages where tracking_number = any(${trackingNumbers}::text[])`;
    const ids = tasks.map(({ id }) => id);
    if (!apply || ids.length === 0) return ids.length;
    const gone = ['origin', 'destination'].flatMap((end) => PERSON.map((name) => `${end}${name}`));
    const kept = {
      destinationName: 'erased',
      destinationAddressLine1: 'erased',
      originName: 'erased',
      originAddressLine1: 'erased',
    };
    await inside.run`
      update fleet.tasks set consignment = (consignment - ${[...gone, 'deliveryInstructions', 'shipper', 'billTo', 'info']}::text[]) || ${JSON.stringify(kept)}::jsonb,
        demand = demand || jsonb_build_object(
          'latitude', round((demand ->> 'latitude')::numeric, 1), 'longitude', round((demand ->> 'longitude')::numeric, 1))
      where id = any(${ids}::bigint[])`;
    await inside.run`
      update fleet.proofs set content = null where stop_id in (
        select s.id from fleet.stops s where s.task_ids && ${ids}::bigint[])`;
    await inside.run`
      update fleet.events set data = data - ${['comment', 'receivedBy', 'relation', 'latitude', 'longitude']}::text[]
      where task_ids && ${ids}::bigint[]`;
    await inside.run`delete from fleet.outbox where sent_at is not null and task_id = any(${ids}::bigint[])`;
    return ids.length;
  });
