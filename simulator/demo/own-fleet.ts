// A day of the own fleet: 60 orders of all kinds, planned, driven with failures and a breakdown, planned anew, and told
// to the shop by its webhooks.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoCarrier } from './carriers.ts';
import { orderFor } from './order.ts';
import type { ReceivedNotice } from './receiver.ts';
import type { Story } from './story.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are what the routes document
type Any = any;
type Ask = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: object }>;

export interface Town {
  readonly asAdmin: Ask;
  readonly asShop: Ask;
  readonly asDriver: (token: string, ...asked: Parameters<Ask>) => ReturnType<Ask>;
  readonly openAccount: (carrier: string, credentials: object) => Promise<unknown>;
  /** Labels by their links; the manifest as an operator. */
  readonly download: (url: string) => Promise<Buffer>;
  /** The texts of the barcodes of a label; undefined: this format cannot be read here. */
  readonly readLabel: (bytes: Buffer, format: 'PDF' | 'ZPL') => Promise<readonly string[] | undefined>;
  /** All text of a PDF; undefined: it cannot be read here. */
  readonly readText: (pdf: Buffer) => Promise<string | undefined>;
  /** Webhooks that the shop was sent, with a signature that fits. */
  readonly received: readonly ReceivedNotice[];
  readonly story: Pick<Story, 'check'>;
}

/** Files of `carriers/`, by their names without `.yaml`; `ownFleet` is the text of that profile. */
export const fleetProfiles = (ownFleet: string): Readonly<Record<string, string>> => ({
  own_fleet: ownFleet,
  own_bulky: 'carrier: own_bulky\nname: Own Fleet, Big & Bulky\nextends: own_fleet\ncapabilities: { bulky: true }\n',
});

const CODES = ['own_fleet', 'own_bulky'];
/** The town that it serves. */
export const BERLIN: DemoCarrier['from'] = {
  country: 'DE',
  city: 'Berlin',
  county: 'Mitte',
  state: 'BE',
  pincode: '10117',
  timezone: 'Europe/Berlin',
  phone: '+49305550123',
};
export const DEPOT = {
  name: 'Example Depot',
  address: { addressLine1: 'Example Street 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  latitude: 52.53,
  longitude: 13.38,
  timeZone: 'Europe/Berlin',
  opens: '05:00',
  closes: '22:00',
};
export const ZONE = {
  name: 'Berlin',
  depot: 'BER',
  countries: ['DE'],
  postcodes: ['10*'],
  latitude: 52.52,
  longitude: 13.4,
};
const VAN = { type: 'van', depot: 'BER', weightKg: 900, volumeM3: 9, costPerKm: 1, fixedCost: 10 };
export const everyDay = (from: string, to: string) => [
  { weekdays: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'], from, to },
];
const CREW = { depot: 'BER', shifts: everyDay('06:00', '20:00'), crew: 2, skills: ['installer'] };
const DRIVERS = { dana: 'VAN-1', erik: 'VAN-2', mia: 'VAN-3' };

interface Kind {
  readonly isBulky?: boolean;
  readonly packages?: number;
  readonly isReturn?: boolean;
  readonly exchange?: string;
  readonly details?: object;
}

/** 60 of all kinds. */
const KINDS: readonly Kind[] = [
  ...Array.from({ length: 18 }, (): Kind => ({})),
  ...Array.from({ length: 6 }, (): Kind => ({ packages: 3 })),
  ...Array.from({ length: 10 }, (): Kind => ({ isReturn: true })),
  ...Array.from({ length: 8 }, (): Kind => ({ isBulky: true })),
  ...Array.from({ length: 6 }, (): Kind => ({
    details: { paymentTobeCollected: { paymentMode: 'COD', amount: 20, currency: 'EUR' } },
  })),
  ...['SWAP-1', 'SWAP-2', 'SWAP-3', 'SWAP-4', 'SWAP-5', 'SWAP-6'].flatMap((exchange): Kind[] => [
    { exchange },
    { exchange, isReturn: true },
  ]),
];

const formatOf = (at: number): 'PDF' | 'ZPL' => (at % 2 === 0 ? 'PDF' : 'ZPL');

const orderOf = (reference: string, at: number, day: string): Any => {
  const { isBulky = false, packages = 1, isReturn = false, exchange, details } = KINDS[at] ?? {};
  const carrier = {
    code: isBulky ? 'own_bulky' : 'own_fleet',
    serviceType: 'Standard',
    settings: {},
    labelFormat: formatOf(at),
    from: BERLIN,
    to: BERLIN,
    statuses: 'push',
    ...(isBulky ? { bulky: true as const } : {}),
  } as const;
  const order = orderFor(carrier, reference, packages) as Any;
  // Spread over the town, so that there are ways to be saved; what is exchanged is at one door.
  const [latitude, longitude] =
    exchange === undefined ? [52.48 + (at % 8) / 100, 13.33 + Math.floor(at / 8) / 100] : [52.51, 13.36];
  Object.assign(order.shipTo.address, { latitude, longitude });
  const window = { deliveryStartDateTime: `${day} 09:00:00`, deliveryEndDateTime: `${day} 19:00:00` };
  if (!isReturn && (isBulky || at % 3 === 0)) Object.assign(order.shipTo, window);
  Object.assign(order.consignmentDetails, {
    shipByDate: day,
    ...details,
    ...(exchange === undefined ? {} : { additionalInformation: { exchangeOrderNumber: exchange } }),
  });
  Object.assign(order.shipFrom, { pickupStartDateTime: `${day} 06:00:00`, pickupEndDateTime: `${day} 19:00:00` });
  if (isBulky) order.routeDetails = { skills: ['installer'], serviceAreaCode: 'berlin', priority: 1 };
  if (!isReturn) return order;
  const { shipFrom, shipTo } = order;
  order.consignmentDetails.consignmentType = 'REVERSE';
  return {
    ...order,
    shipFrom: { ...shipFrom, contact: shipTo.contact, address: shipTo.address },
    shipTo: { contact: shipFrom.contact, address: shipFrom.address, timezone: shipFrom.timezone },
  };
};

/** Orders on their way together. */
const AT_ONCE = 10;
const PLANNED_WITHIN_MS = 60_000;
const TOLD_WITHIN_MS = 120_000;

const lookUntil = async (isDone: () => Promise<boolean> | boolean, limitMs: number): Promise<boolean> => {
  for (const untilMs = Date.now() + limitMs; Date.now() < untilMs; await sleep(50)) if (await isDone()) return true;
  return await isDone();
};

const tasksOf = (route: Any): Any[] => route.stops.flatMap((stop: Any) => stop.tasks);

/** Statuses of which one is the last that is told of a task. */
const LAST = {
  delivered: ['Order Delivered'],
  collected: ['Order Picked Up'],
  failed: ['Delivery Failed', 'Pickup Failed'],
};
type Outcome = keyof typeof LAST;

/** Checks every promise. Throws where the day cannot go on. */
export async function driveDay(town: Town): Promise<void> {
  const { story, received, readLabel, readText, download, asDriver } = town;
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const asking =
    (ask: Ask) =>
    async (...asked: Parameters<Ask>): Promise<Any> => {
      const reply = await ask(...asked);
      if (reply.status !== 200) throw new Error(`${asked[0]} ${asked[1]}: ${JSON.stringify(reply.body)}`);
      return reply.body;
    };
  const [admin, shop] = [asking(town.asAdmin), asking(town.asShop)];

  const put = async (kind: string, code: string, data: object) =>
    await admin('PUT', `/fleet/v1/resources/${kind}/${code}`, data);
  await put('depots', 'BER', DEPOT);
  await put('zones', 'berlin', ZONE);
  for (const [name, vehicle] of Object.entries(DRIVERS)) {
    await put('vehicles', vehicle, VAN);
    await put('drivers', name, { ...CREW, name: `${name} Example`, vehicle });
  }
  for (const carrierCode of CODES) {
    const { token: statusToken } = await admin('POST', `/admin/carriers/${carrierCode}/tokens`, {});
    const link = { name: `shop-${carrierCode}`, carrierCode, statusToken };
    const { token } = await admin('POST', '/fleet/v1/links', link);
    await town.openAccount(carrierCode, { token });
  }

  /** Tracking numbers by reference. */
  const numbers = new Map<string, readonly string[]>();
  const labels: string[] = [];
  const references = KINDS.map((_, at) => `DAY-${at}`);
  const create = async (reference: string, at: number): Promise<Any> =>
    (await shop('POST', '/v2/consignments', orderOf(reference, at, day))).data[0].trackingDetails;
  for (let from = 0; from < references.length; from += AT_ONCE) {
    const some = references.slice(from, from + AT_ONCE);
    const created = await Promise.all(some.map(async (reference, at) => await create(reference, from + at)));
    for (const [at, details] of created.entries()) {
      const reference = some[at] ?? '';
      numbers.set(
        reference,
        details.map(({ trackingNumber }: Any) => trackingNumber),
      );
      labels.push(String(details[0].label));
    }
  }
  const all = [...numbers.values()].flat();
  story.check('60 orders accepted, each package with a number of its own', new Set(all).size === all.length, all);
  for (const at of [0, 1]) {
    const read = await readLabel(await download(labels[at] ?? ''), formatOf(at));
    if (read === undefined) continue;
    story.check(`the ${formatOf(at)} label bears it`, read.join() === numbers.get(`DAY-${at}`)?.join(), read);
  }

  const plan = async (scope: 'all' | 'open'): Promise<Any> => {
    const { planId } = await admin('POST', '/fleet/v1/plans', { depot: 'BER', day, iterations: 60, scope });
    const isSolved = async () => (await admin('GET', `/fleet/v1/plans/${planId}`)).state === 'solved';
    story.check(`planned: ${scope}`, await lookUntil(isSolved, PLANNED_WITHIN_MS), planId);
    return await admin('POST', `/fleet/v1/plans/${planId}/adopt`, {});
  };
  const board = await plan('all');
  story.check('every task has a route', board.unassigned.length === 0, board.unassigned);
  story.check('60 of them', board.routes.flatMap(tasksOf).length === KINDS.length, board.routes.length);
  const violations = board.routes.flatMap((route: Any) => route.violations);
  story.check('no window, load or shift is broken', violations.length === 0, violations);
  const [first] = board.routes;
  const manifest = await readText(await download(`/fleet/v1/routes/${first.id}/manifest`));
  const missing = tasksOf(first).filter(({ packages }) => manifest?.includes(packages[0].trackingNumber) !== true);
  if (manifest !== undefined) story.check('the manifest has all tasks of the route', missing.length === 0, missing);

  const outcomes = new Map<string, Outcome>();
  const reportTo = (driver: string) => {
    const made = admin('POST', `/fleet/v1/resources/drivers/${driver}/token`, {});
    return async (events: readonly object[]): Promise<void> => {
      const timed = events.map((event) => ({ id: randomUUID(), at: new Date().toISOString(), ...event }));
      const { results } = (await asDriver((await made).token, 'POST', '/fleet/v1/driver/events', timed)).body as Any;
      if (results.some(({ result }: Any) => result !== 'recorded')) throw new Error(JSON.stringify(results));
    };
  };
  const finish = (stop: Any, isFailed: boolean): void => {
    for (const { referenceId, kind } of stop.tasks)
      outcomes.set(referenceId, isFailed ? 'failed' : kind === 'PICKUP' ? 'collected' : 'delivered');
  };
  const broken = board.routes.at(-1);
  const drive = async (route: Any): Promise<void> => {
    const report = reportTo(route.driver);
    await report([{ type: 'route_started', stopId: route.stops[0].id }]);
    for (const [at, stop] of (route === broken ? route.stops.slice(0, 2) : route.stops).entries()) {
      const isFailed = at % 7 === 3;
      await report([
        { type: 'en_route', stopId: stop.id },
        { type: 'arrived', stopId: stop.id },
        isFailed
          ? { type: 'failed', stopId: stop.id, reason: 'NOT_HOME' }
          : { type: 'delivered', stopId: stop.id, receivedBy: 'Erika Example', relation: 'Self' },
      ]);
      finish(stop, isFailed);
    }
    if (route !== broken) await report([{ type: 'route_finished', stopId: route.stops[0].id }]);
  };
  await Promise.all(board.routes.map(drive));
  await admin('POST', `/fleet/v1/routes/${broken.id}/break-down`, { comment: 'Engine' });
  await put('vehicles', broken.vehicle, { ...VAN, active: false });
  const again = await plan('open');
  const rest = again.routes.filter(({ state }: Any) => state === 'planned');
  const open = rest.flatMap(tasksOf);
  story.check('what the breakdown left is planned anew', open.length === KINDS.length - outcomes.size, open.length);
  for (const { driver, stops } of rest) {
    const report = reportTo(driver);
    for (const stop of stops) {
      await report([{ type: 'delivered', stopId: stop.id, receivedBy: 'Erika Example' }]);
      finish(stop, false);
    }
  }
  story.check('each of the 60 came to an end', outcomes.size === KINDS.length, [...outcomes.keys()]);

  const statusesOf = (reference: string, number: string): readonly string[] =>
    received.flatMap((one) => (one.referenceNumber === reference && one.trackingNumber === number ? one.status : []));
  const untold = (): readonly string[] =>
    [...numbers].flatMap(([reference, own]) => {
      const outcome = outcomes.get(reference) ?? 'failed';
      const wanted = [LAST[outcome], ...(outcome === 'delivered' ? [['Out for Delivery']] : [])];
      const isTold = (number: string): boolean =>
        wanted.every((some) => statusesOf(reference, number).some((status) => some.includes(status)));
      return own.every(isTold) ? [] : [`${reference}: ${outcome}`];
    });
  await lookUntil(() => untold().length === 0, TOLD_WITHIN_MS);
  story.check('the shop was told of each, package by package', untold().length === 0, untold());
  const proved = received.find(
    ({ status, carrierCode }) => status === 'Order Delivered' && CODES.includes(carrierCode),
  ) as Any;
  const isProved = proved?.extraInfo?.receivedBy === 'Erika Example' && proved.driverName?.includes('Example');
  story.check('and who took it, of which driver', isProved, proved);
  const { items } = await admin('GET', '/fleet/v1/links');
  const unsent = items.filter((link: Any) => link.unsent !== 0);
  story.check('nothing is left to be told', items.length === CODES.length && unsent.length === 0, items);
}
