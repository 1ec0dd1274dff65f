/** A day of the own fleet from the shippers' orders to their webhooks: planned, driven with failures and a breakdown, planned anew. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { COMPANIONS } from '../../src/cli/extensions.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { BERLIN, DEPOT, everyDay, ZONE } from '../fleet/furniture.ts';
import { pdfTexts, readPdf, readZpl } from '../support/barcode.ts';
import { read } from '../support/project.ts';
import { until } from '../support/until.ts';
import { ADMIN } from './server.ts';
import { flowWorld, onBothQueues } from './world.ts';

const BULKY = 'carrier: own_bulky\nname: Own Fleet, Big & Bulky\nextends: own_fleet\ncapabilities: { bulky: true }\n';
const DAY = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const VAN = { type: 'van', depot: 'BER', weightKg: 900, volumeM3: 9, costPerKm: 1, fixedCost: 10 };
const EVERYDAY = { depot: 'BER', shifts: everyDay('06:00', '20:00') };

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are what the routes document
type Any = any;

interface Kind {
  readonly bulky?: boolean;
  readonly packages?: number;
  readonly isReturn?: boolean;
  readonly exchange?: string;
  readonly details?: object;
}

const orderOf = (
  reference: string,
  at: number,
  { bulky = false, packages = 1, isReturn = false, exchange, details = {} }: Kind,
): Any => {
  const code = bulky ? 'own_bulky' : 'own_fleet';
  const carrier = {
    code,
    serviceType: 'Standard',
    settings: {},
    labelFormat: at % 2 === 0 ? 'PDF' : 'ZPL',
    from: BERLIN,
    to: BERLIN,
    statuses: 'push',
    ...(bulky ? { bulky: true as const } : {}),
  } as const;
  const order = orderFor(carrier, reference, packages) as Any;
  // Spread over the town, so that there are ways to be saved.
  Object.assign(order.shipTo.address, {
    latitude: 52.48 + (at % 8) / 100,
    longitude: 13.33 + Math.floor(at / 8) / 100,
  });
  if (exchange !== undefined && isReturn) Object.assign(order.shipTo.address, { latitude: 52.51, longitude: 13.36 });
  if (exchange !== undefined) Object.assign(order.shipTo.address, { latitude: 52.51, longitude: 13.36 });
  const window = { deliveryStartDateTime: `${DAY} 09:00:00`, deliveryEndDateTime: `${DAY} 19:00:00` };
  if (!isReturn) Object.assign(order.shipTo, bulky || at % 3 === 0 ? window : {});
  Object.assign(order.consignmentDetails, {
    shipByDate: DAY,
    ...details,
    ...(exchange === undefined ? {} : { additionalInformation: { exchangeOrderNumber: exchange } }),
  });
  Object.assign(order.shipFrom, { pickupStartDateTime: `${DAY} 06:00:00`, pickupEndDateTime: `${DAY} 19:00:00` });
  if (bulky) order.routeDetails = { skills: ['installer'], serviceAreaCode: 'berlin', priority: 1 };
  if (!isReturn) return order;
  const { shipFrom, shipTo } = order;
  const swapped = {
    ...order,
    shipFrom: { ...shipFrom, contact: shipTo.contact, address: shipTo.address },
    shipTo: { contact: shipFrom.contact, address: shipFrom.address, timezone: shipFrom.timezone },
  };
  swapped.consignmentDetails.consignmentType = 'REVERSE';
  return swapped;
};

/** 60 of all kinds. */
const KINDS: readonly Kind[] = [
  ...Array.from({ length: 18 }, (): Kind => ({})),
  ...Array.from({ length: 6 }, (): Kind => ({ packages: 3 })),
  ...Array.from({ length: 10 }, (): Kind => ({ isReturn: true })),
  ...Array.from({ length: 8 }, (): Kind => ({ bulky: true })),
  ...Array.from({ length: 6 }, (): Kind => ({
    details: { paymentTobeCollected: { paymentMode: 'COD', amount: 20, currency: 'EUR' } },
  })),
  ...['SWAP-1', 'SWAP-2', 'SWAP-3', 'SWAP-4', 'SWAP-5', 'SWAP-6'].flatMap((exchange): Kind[] => [
    { exchange },
    { exchange, isReturn: true },
  ]),
];

/** Orders on their way together. */
const AT_ONCE = 10;

const bytesOf = async (url: string): Promise<Buffer> => {
  const response = await fetch(url, {
    headers: url.includes('/manifest') ? { authorization: `Bearer ${ADMIN}` } : {},
  });
  expect(response.status, url).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};
const tasksOf = (route: Any): Any[] => route.stops.flatMap((stop: Any) => stop.tasks);

onBothQueues('a day of the own fleet', (options) => {
  const flow = flowWorld({
    ...options,
    companions: COMPANIONS,
    profiles: () => ({
      plain: read('carriers/plain.yaml'),
      own_fleet: read('carriers/own_fleet.yaml'),
      own_bulky: BULKY,
    }),
    env: { RATE_LIMIT: '100000' },
  });
  const admin = async (method: string, path: string, body?: unknown): Promise<Any> => {
    const reply = await flow.asAdmin(method, path, body);
    expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBe(200);
    return reply.body;
  };
  const put = async (kind: string, code: string, data: object) =>
    await admin('PUT', `/fleet/v1/resources/${kind}/${code}`, data);

  beforeAll(async () => {
    await put('depots', 'BER', DEPOT);
    await put('zones', 'berlin', ZONE);
    for (const name of ['VAN-1', 'VAN-2', 'VAN-3']) await put('vehicles', name, VAN);
    for (const [name, vehicle] of [
      ['dana', 'VAN-1'],
      ['erik', 'VAN-2'],
      ['mia', 'VAN-3'],
    ] as const)
      await put('drivers', name, { ...EVERYDAY, name: `${name} Example`, vehicle, crew: 2, skills: ['installer'] });
    for (const carrierCode of ['own_fleet', 'own_bulky']) {
      const { token: statusToken } = await admin('POST', `/admin/carriers/${carrierCode}/tokens`, {});
      const { token } = await admin('POST', '/fleet/v1/links', {
        name: `shop-${carrierCode}`,
        carrierCode,
        statusToken,
      });
      await flow.openAccount(carrierCode, { token });
    }
    const { body } = await flow.asShop('POST', '/v2/webhooks', {
      url: flow.receiver.url,
      orderTypes: ['FORWARD', 'REVERSE'],
    });
    flow.receiver.trust(String(body['secret']));
  });

  const plan = async (scope: 'all' | 'open'): Promise<Any> => {
    const { planId } = await admin('POST', '/fleet/v1/plans', { depot: 'BER', day: DAY, iterations: 60, scope });
    await until(
      'the plan is made',
      async () => (await admin('GET', `/fleet/v1/plans/${planId}`)).state === 'solved',
      60_000,
    );
    return await admin('POST', `/fleet/v1/plans/${planId}/adopt`, {});
  };
  const numbers = new Map<string, readonly string[]>();
  const reportTo = (driver: string) => {
    const token = admin('POST', `/fleet/v1/resources/drivers/${driver}/token`, {}).then((made) => String(made.token));
    return async (events: readonly object[]): Promise<void> => {
      const as = flow.as(() => '');
      const reply = await as(
        'POST',
        '/fleet/v1/driver/events',
        events.map((event) => ({ id: randomUUID(), at: new Date().toISOString(), ...event })),
        { authorization: `Bearer ${await token}` },
      );
      expect((reply.body as Any).results.map(({ result, findings }: Any) => findings ?? result)).toEqual(
        events.map(() => 'recorded'),
      );
    };
  };

  it('brings every shipper’s webhook what happened to each of 60 orders, signed', async () => {
    const references = KINDS.map((_, at) => `DAY-${at}`);
    const create = async (reference: string, at: number): Promise<Any> => {
      const reply = await flow.asShop('POST', '/v2/consignments', orderOf(reference, at, KINDS[at] ?? {}));
      expect(reply.status, `${reference}: ${JSON.stringify(reply.body)}`).toBe(200);
      return (reply.body['data'] as Any)[0].trackingDetails;
    };
    const labels: string[] = [];
    for (let from = 0; from < references.length; from += AT_ONCE) {
      const some = references.slice(from, from + AT_ONCE);
      const created = await Promise.all(some.map(async (reference, at) => await create(reference, from + at)));
      for (const [at, details] of created.entries()) {
        numbers.set(
          some[at] ?? '',
          details.map(({ trackingNumber }: Any) => trackingNumber),
        );
        labels.push(String(details[0].label));
      }
    }
    expect(new Set([...numbers.values()].flat()).size).toBe([...numbers.values()].flat().length);
    const [pdf = '', zpl = ''] = labels;
    expect(await readPdf(await bytesOf(pdf))).toEqual([numbers.get('DAY-0')]);
    expect(await readZpl((await bytesOf(zpl)).toString())).toEqual([numbers.get('DAY-1')]);

    const board = await plan('all');
    expect(board.unassigned.map(({ task, why }: Any) => [task.referenceId, why])).toEqual([]);
    expect(board.routes.flatMap(tasksOf)).toHaveLength(60);
    expect(board.routes.flatMap(({ violations }: Any) => violations)).toEqual([]);
    const [route] = board.routes;
    const manifest = await pdfTexts(await bytesOf(`${flow.server.url}/fleet/v1/routes/${route.id}/manifest`));
    const printed = manifest.flatMap(({ lines }) => lines).join(' ');
    for (const { packages } of tasksOf(route)) expect(printed).toContain(packages[0].trackingNumber);

    // What is on the road cannot be changed, what is not can.
    const outcomes = new Map<string, string>();
    const broken = board.routes.at(-1);
    const drive = async (one: Any): Promise<void> => {
      const report = reportTo(one.driver);
      await report([{ type: 'route_started', stopId: one.stops[0].id }]);
      const done = one === broken ? one.stops.slice(0, 2) : one.stops;
      for (const [at, stop] of done.entries()) {
        const isFailed = at % 7 === 3;
        await report([
          { type: 'en_route', stopId: stop.id },
          { type: 'arrived', stopId: stop.id },
          isFailed
            ? { type: 'failed', stopId: stop.id, reason: 'NOT_HOME' }
            : { type: 'delivered', stopId: stop.id, receivedBy: 'Erika Example', relation: 'Self' },
        ]);
        for (const task of stop.tasks)
          outcomes.set(task.referenceId, isFailed ? 'failed' : task.kind === 'PICKUP' ? 'collected' : 'delivered');
      }
    };
    await Promise.all(board.routes.map(drive));
    for (const one of board.routes)
      if (one !== broken) await reportTo(one.driver)([{ type: 'route_finished', stopId: one.stops[0].id }]);
    await admin('POST', `/fleet/v1/routes/${broken.id}/break-down`, { comment: 'Engine' });
    await put('vehicles', broken.vehicle, { ...VAN, active: false });
    const again = await plan('open');
    const rest = again.routes.filter(({ state }: Any) => state === 'planned');
    expect(rest.flatMap(tasksOf)).toHaveLength(60 - outcomes.size);
    for (const one of rest) {
      const report = reportTo(one.driver);
      for (const stop of one.stops) {
        await report([{ type: 'delivered', stopId: stop.id, receivedBy: 'Erika Example' }]);
        for (const task of stop.tasks)
          outcomes.set(task.referenceId, task.kind === 'PICKUP' ? 'collected' : 'delivered');
      }
    }
    expect(outcomes.size).toBe(60);

    const LAST: Readonly<Record<string, readonly string[]>> = {
      delivered: ['Order Delivered'],
      collected: ['Order Picked Up'],
      failed: ['Delivery Failed', 'Pickup Failed'],
    };
    const statusesOf = (reference: string, number: string) =>
      flow.receiver.received
        .filter((one) => one.referenceNumber === reference && one.trackingNumber === number)
        .map(({ status }) => status);
    const isTold = ([reference, all]: readonly [string, readonly string[]]) =>
      all.every((number) =>
        statusesOf(reference, number).some((status) => LAST[outcomes.get(reference) ?? '']?.includes(status)),
      );
    await until('every webhook has come', () => [...numbers].every(isTold), 120_000);
    expect(flow.receiver.forged()).toBe(0);
    for (const [reference, all] of numbers)
      for (const number of all) {
        const told = statusesOf(reference, number);
        if (outcomes.get(reference) === 'delivered') expect(told, reference).toContain('Out for Delivery');
      }
    const proved = flow.receiver.received.find(({ status }) => status === 'Order Delivered') as Any;
    expect(proved).toMatchObject({
      extraInfo: { receivedBy: 'Erika Example' },
      driverName: expect.stringContaining('Example'),
    });
    expect((await admin('GET', '/fleet/v1/links')).items).toMatchObject([{ unsent: 0 }, { unsent: 0 }]);
  });
});
