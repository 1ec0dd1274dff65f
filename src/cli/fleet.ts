/** The own fleet as an extension of the platform: what it asks of its surroundings, from what the platform has. */
import type { Pool, PoolClient } from 'pg';
import { createTransport, type Transport } from '../engine/transport/transport.ts';
import { FLEET_ORIGIN, openFleet } from '../fleet/fleet.ts';
import { erasePerson, forgetPositions, forgetProofs } from '../fleet/upkeep.ts';
import { createOsrm, createValhalla } from '../fleet/plan/tables.ts';
import { planInThread } from '../fleet/plan/thread.ts';
import { createVroom } from '../fleet/plan/vroom.ts';
import type { Database } from '../fleet/ports.ts';
import { requireOperator } from '../platform/api/bearer.ts';
import type { Companion } from '../platform/processes/companion.ts';
import { migrate } from '../platform/records/migrate.ts';
import { transaction } from '../platform/records/pool.ts';
import { execute, queryAll, queryFirst } from '../platform/records/sql.ts';
import { COMPANION_MIGRATIONS } from './records.ts';

const KEEP_POSITIONS_DAYS = 7;
const DAY_MS = 86_400_000;

const statementsOf = (client: Pool | PoolClient): Pick<Database, 'all' | 'first' | 'run'> => ({
  all: async <Row>(...statement: Parameters<Database['all']>) => await queryAll<Row>(client)(...statement),
  first: async <Row>(...statement: Parameters<Database['all']>) => await queryFirst<Row>(client)(...statement),
  run: execute(client),
});

export const databaseOf = (pool: Pool): Database => ({
  ...statementsOf(pool),
  transaction: async (work) =>
    await transaction(pool, async (client) => {
      const inside: Database = { ...statementsOf(client), transaction: async (more) => await more(inside) };
      return await work(inside);
    }),
});

/** `FLEET_KEEP_POSITIONS`: days for which drivers' positions are kept. */
const keptMs = (env: Readonly<Record<string, string | undefined>>): number => {
  const days = Number(env['FLEET_KEEP_POSITIONS'] ?? KEEP_POSITIONS_DAYS);
  return (Number.isFinite(days) && days >= 0 ? days : KEEP_POSITIONS_DAYS) * DAY_MS;
};

const ROUTING_TIMEOUT_MS = 30_000;

/** `VROOM_URL` plans instead of the embedded planner; `OSRM_URL` or `VALHALLA_URL` tell times and distances by road. */
const routingOf = (env: Readonly<Record<string, string | undefined>>, send: Transport['send']) => {
  const { VROOM_URL: vroom, OSRM_URL: osrm, VALHALLA_URL: valhalla } = env;
  const service = { send, timeoutMs: ROUTING_TIMEOUT_MS };
  const tables =
    osrm === undefined
      ? valhalla === undefined
        ? undefined
        : createValhalla({ url: valhalla, ...service })
      : createOsrm({ url: osrm, ...service });
  return {
    planner: vroom === undefined ? planInThread : createVroom({ url: vroom, send, otherwise: planInThread }),
    travelOf: tables,
  };
};

export const ownFleet: Companion = async ({ pool, migrationsUrl, log, nowMs, publicUrl, sealer, fonts }) => {
  await migrate(migrationsUrl, COMPANION_MIGRATIONS.fleet, undefined, 'fleet');
  // Whoever makes a link says where its statuses go.
  const transport = createTransport({ allowPrivateNetworks: true, userAgent: 'Waybill-Fleet/0.1' });
  const fleet = openFleet({
    database: databaseOf(pool),
    log,
    nowMs,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    labelUrl: `${FLEET_ORIGIN}/labels`,
    fonts,
    seal: (plain: string, about: string) => sealer.seal(Buffer.from(plain), about),
    open: (sealed: Buffer, about: string) => sealer.open(sealed, about).toString(),
    send: transport.send,
    ...routingOf(process.env, transport.send),
    keepPositionsMs: keptMs(process.env),
  });
  return {
    endpoint: { origin: FLEET_ORIGIN, send: fleet.send },
    addRoutes: (scope, deps) =>
      fleet.addRoutes(scope, async (request, role) => {
        await requireOperator(deps, role)(request);
        return request.actor ?? '';
      }),
    start: fleet.start,
    close: async () => {
      await fleet.close();
      transport.close();
    },
  };
};

/** A database of which no server with a fleet was ever started has none of its tables. */
const hasFleet = async (database: Database): Promise<boolean> =>
  (await database.first<{ found: boolean }>`select to_regclass('fleet.proofs') is not null as found`)?.found === true;

/** What the fleet knows of the people of a consignment; yields how many tasks that are, or were. */
export const eraseFromFleet = async (
  pool: Pool,
  {
    shipperId,
    environment,
    referenceNumber,
  }: { readonly shipperId: number; readonly environment: string; readonly referenceNumber: string },
  apply: boolean,
): Promise<number> => {
  const database = databaseOf(pool);
  if (!(await hasFleet(database))) return 0;
  const packages = await database.all<{ trackingNumber: string }>`
    select p.tracking_number from packages p join consignments c on c.id = p.consignment_id
    where c.shipper_id = ${shipperId} and c.environment = ${environment} and c.reference_number = ${referenceNumber}
      and p.tracking_number is not null`;
  return await erasePerson(
    database,
    packages.map(({ trackingNumber }) => trackingNumber),
    apply,
  );
};

/** Photos, signatures and positions of before; yields how many images that are, or were. */
export const forgetOfFleet = async (pool: Pool, before: Date, apply: boolean): Promise<number> => {
  const database = databaseOf(pool);
  if (!(await hasFleet(database))) return 0;
  if (apply) await forgetPositions(database, before);
  return await forgetProofs(database, before, apply);
};
