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
import { defineCompanion } from '../platform/processes/companion.ts';
import { integer, setting, url, type ValuesOf } from '../platform/processes/setting.ts';
import { migrate } from '../platform/records/migrate.ts';
import { transaction } from '../platform/records/pool.ts';
import { execute, queryAll, queryFirst } from '../platform/records/sql.ts';
import { COMPANION_MIGRATIONS } from './records.ts';

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

const SETTINGS = {
  keepPositionsDays: setting(
    'FLEET_KEEP_POSITIONS',
    integer(0, 3_650, 7),
    'Days for which the positions of an own fleet’s drivers are kept.',
  ),
  vroomUrl: setting(
    'VROOM_URL',
    url('none', 'http:', 'https:'),
    'VROOM server that plans the routes of an own fleet, instead of the embedded planner.',
  ),
  osrmUrl: setting(
    'OSRM_URL',
    url('none', 'http:', 'https:'),
    'OSRM server that gives travel times and distances by road, instead of an estimate.',
  ),
  valhallaUrl: setting(
    'VALHALLA_URL',
    url('none', 'http:', 'https:'),
    'Valhalla server for the same; `OSRM_URL` takes precedence.',
  ),
};

const ROUTING_TIMEOUT_MS = 30_000;

const routingOf = ({ vroomUrl, osrmUrl, valhallaUrl }: ValuesOf<typeof SETTINGS>, send: Transport['send']) => {
  const service = { send, timeoutMs: ROUTING_TIMEOUT_MS };
  const tables =
    osrmUrl === undefined
      ? valhallaUrl === undefined
        ? undefined
        : createValhalla({ url: valhallaUrl, ...service })
      : createOsrm({ url: osrmUrl, ...service });
  return {
    planner: vroomUrl === undefined ? planInThread : createVroom({ url: vroomUrl, send, otherwise: planInThread }),
    travelOf: tables,
  };
};

export const ownFleet = defineCompanion(SETTINGS, async (platform, values) => {
  const { pool, migrationsUrl, log, nowMs, publicUrl, sealer, fonts } = platform;
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
    ...routingOf(values, transport.send),
    keepPositionsMs: values.keepPositionsDays * DAY_MS,
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
});

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
  // Also those of shipments that are gone, as those before a change of the carrier.
  const packages = await database.all<{ trackingNumber: string }>`
    with c as (select id from consignments where shipper_id = ${shipperId} and environment = ${environment}
      and reference_number = ${referenceNumber})
    select tracking_number from packages join c on c.id = consignment_id where tracking_number is not null
    union select value from identifiers join c on c.id = consignment_id where kind = 'Tracking'`;
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
