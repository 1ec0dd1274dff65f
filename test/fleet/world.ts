/** The own fleet without the platform: on its own database, with a clock of the test, asked over its routes. */
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { databaseOf } from '../../src/cli/fleet.ts';
import { createFonts } from '../../src/engine/labels/fonts.ts';
import type { WireRequest } from '../../src/engine/transport/wire.ts';
import { COMPANION_MIGRATIONS } from '../../src/cli/records.ts';
import { FLEET_ORIGIN, openFleet } from '../../src/fleet/fleet.ts';
import { planInThread } from '../../src/fleet/plan/thread.ts';
import type { FleetDeps } from '../../src/fleet/ports.ts';
import { migrate } from '../../src/platform/records/migrate.ts';
import { fakeClock } from '../support/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { quietLog } from '../support/log.ts';
import { DEPOT as depot, everyDay, ZONE } from '../../simulator/demo/own-fleet.ts';

export interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly body: any;
}

/** A Tuesday, 07:00 in Berlin. */
const NOW = '2026-12-01T06:00:00Z';
export const DAY = '2026-12-01';

export const fleetWorld = (more: Partial<FleetDeps> = {}) => {
  const database = freshDatabase();
  const clock = fakeClock(NOW);
  const sent: { readonly url: string; readonly body: unknown }[] = [];
  const world = {} as {
    deps: FleetDeps;
    app: FastifyInstance;
    fleet: ReturnType<typeof openFleet>;
    token: string;
  };
  const ask = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const payload = body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) };
    const type = body === undefined || isText ? {} : { 'content-type': 'application/json' };
    const reply = await world.app.inject({
      method,
      url: `/fleet/v1${path}`,
      headers: { ...type, ...headers },
      ...payload,
    });
    const isJson = String(reply.headers['content-type']).includes('json');
    return { status: reply.statusCode, body: isJson ? reply.json() : reply.rawPayload };
  };
  /** As the platform does, by the transport that ends here. */
  const carrier = async (
    method: WireRequest['method'],
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const answer = await world.fleet.send(
      {
        method,
        url: `${FLEET_ORIGIN}${path}`,
        headers: { Authorization: `Bearer ${world.token}`, ...headers },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      },
      { timeoutMs: 5_000, maxBytes: 1_000_000 },
    );
    if (answer.kind !== 'answer') throw new Error(answer.message);
    const isJson = answer.headers['content-type'] === 'application/json';
    return { status: answer.status, body: isJson ? JSON.parse(answer.body.toString()) : answer.body };
  };
  beforeAll(async () => {
    await migrate(database.databaseUrl, COMPANION_MIGRATIONS.fleet, undefined, 'fleet');
    world.deps = {
      database: databaseOf(database.pool),
      log: quietLog,
      nowMs: clock.now,
      publicUrl: 'https://waybill.example',
      labelUrl: `${FLEET_ORIGIN}/labels`,
      fonts: async () => await Promise.resolve(createFonts()),
      send: async ({ url, body }) => {
        sent.push({ url, body: JSON.parse(Buffer.from(body ?? []).toString()) as unknown });
        return await Promise.resolve({ kind: 'answer', status: 200, headers: {}, body: Buffer.from('') });
      },
      seal: (plain) => Buffer.from(`sealed ${plain}`),
      open: (sealed) => sealed.toString().replace('sealed ', ''),
      planner: planInThread,
      travelOf: undefined,
      keepPositionsMs: 86_400_000,
      ...more,
    };
    world.fleet = openFleet(world.deps);
    world.app = Fastify({ routerOptions: { maxParamLength: 400 } });
    world.app.register(async (scope) =>
      world.fleet.addRoutes(scope, async () => await Promise.resolve('operator:test')),
    );
    await world.app.ready();
    const made = await ask('POST', '/links', { name: 'shop', statusToken: 'status-token-of-test' });
    world.token = made.body.token as string;
  });
  afterAll(async () => {
    await world.app.close();
    await world.fleet.close();
  });
  /** Throws what is wrong. */
  const put = async (kind: string, code: string, data: object): Promise<void> => {
    const { status, body } = await ask('PUT', `/resources/${kind}/${code}`, data);
    if (status !== 200) throw new Error(`${kind}/${code}: ${JSON.stringify(body)}`);
  };
  return Object.assign(world, { database, clock, sent, ask, carrier, put });
};

export const DEPOT = { ...depot, opens: '06:00' };
export const ALL_WEEK = everyDay('08:00', '18:00');

/** A depot, a zone around it, and two crews: one person with a van, two with a truck who also install. */
export const furnish = async ({ put }: Pick<ReturnType<typeof fleetWorld>, 'put'>): Promise<void> => {
  await put('depots', 'BER', DEPOT);
  await put('zones', 'mitte', { ...ZONE, name: 'Mitte' });
  await put('vehicles', 'VAN-1', {
    type: 'van',
    depot: 'BER',
    weightKg: 800,
    volumeM3: 8,
    costPerKm: 0.5,
    costPerHour: 20,
    fixedCost: 50,
  });
  await put('vehicles', 'TRUCK-1', {
    type: 'truck',
    depot: 'BER',
    weightKg: 3000,
    volumeM3: 20,
    costPerKm: 1,
    costPerHour: 40,
    fixedCost: 100,
  });
  await put('drivers', 'dana', {
    name: 'Dana Example',
    depot: 'BER',
    shifts: ALL_WEEK,
    vehicleTypes: ['van'],
    phone: '+49305550100',
  });
  await put('drivers', 'erik', {
    name: 'Erik Example',
    depot: 'BER',
    shifts: ALL_WEEK,
    crew: 2,
    skills: ['installer'],
    vehicle: 'TRUCK-1',
  });
};

/** A consignment of the contract: one box from the depot to somebody in Berlin. */
export const consignment = (referenceId: string, more: object = {}): Record<string, unknown> => ({
  referenceId,
  orderNumber: `O-${referenceId}`,
  consignmentNumber: `C-${referenceId}`,
  typeOfOrder: 'FORWARD',
  typeOfService: 'STANDARD',
  typeOfAction: 'CREATE',
  carrierCode: 'own_fleet',
  originName: 'Example Depot',
  originCode: 'BER',
  originContactNumber: '+49305550100',
  originAddressLine1: 'Example Street 1',
  originCity: 'Berlin',
  originCountry: 'DE',
  originPostalCode: '10115',
  destinationName: 'Max Sample',
  destinationContactNumber: '+49305550123',
  destinationAddressLine1: 'Sample Road 22',
  destinationCity: 'Berlin',
  destinationCountry: 'DE',
  destinationPostalCode: '10117',
  destinationLatitude: '52.517',
  destinationLongitude: '13.389',
  numberOfShipments: 1,
  totalQuantity: 1,
  totalWeight: 10,
  uomTotalWeight: 'KG',
  shippingDateTime: '2026-12-01 08:00:00',
  itemList: [
    {
      itemReferenceNumber: 'PKG-1',
      itemQuantity: 1,
      itemWeight: 10,
      itemWeightUom: 'KG',
      itemLength: 40,
      itemWidth: 40,
      itemHeight: 40,
      itemDimensionUom: 'CM',
    },
  ],
  ...more,
});
