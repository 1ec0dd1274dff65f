import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orderFor } from '../../../simulator/demo/order.ts';
import { BERLIN, DEPOT, everyDay, ZONE } from '../../../simulator/demo/own-fleet.ts';
import { PNG } from '../../fleet/png.ts';
import { Random } from '../../support/random.ts';
import type { ReceiverEntry } from '../mock/receivers.ts';
import type { Dose, Scenario, ScenarioContext } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { call, callFor, inTurns, lookUntil, type Reply } from '../world/call.ts';
import { startPeer } from '../world/children.ts';
import { readJournal } from '../world/journal.ts';
import { type Platform, startPlatform } from '../world/platform.ts';

const SIZES: Readonly<Record<Dose, { readonly dispatches: number; readonly kills: number }>> = {
  small: { dispatches: 24, kills: 6 },
  quick: { dispatches: 60, kills: 15 },
  full: { dispatches: 600, kills: 120 },
};
const QUIET_WITHIN_S = 120;
const CODE = 'own_fleet';
const PROFILE = readFileSync(path.resolve(import.meta.dirname, '../../../carriers/own_fleet.yaml'), 'utf8');
const DAY = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const CARRIER = {
  code: CODE,
  serviceType: 'Standard',
  settings: {},
  labelFormat: 'PDF',
  from: BERLIN,
  to: BERLIN,
  statuses: 'push',
} as const;
const DRIVERS = ['dana', 'erik', 'mia'];

interface Stop {
  readonly id: string;
  readonly tasks: readonly { readonly referenceId: string }[];
}
interface Route {
  readonly driver: string;
  readonly stops: readonly Stop[];
}

const orderAt = (reference: string, at: number): object => {
  const order = orderFor(CARRIER, reference, 1 + (at % 2)) as {
    readonly consignmentDetails: object;
    readonly shipFrom: object;
    readonly shipTo: { readonly address: object };
  };
  Object.assign(order.shipFrom, { pickupStartDateTime: `${DAY} 06:00:00`, pickupEndDateTime: `${DAY} 19:00:00` });
  Object.assign(order.consignmentDetails, { shipByDate: DAY });
  Object.assign(order.shipTo.address, {
    latitude: 52.48 + (at % 8) / 100,
    longitude: 13.33 + (Math.floor(at / 8) % 10) / 100,
  });
  return order;
};

/** Whatever is asked is asked again, at another process, until it is answered for good. */
const persistently = ({ fleet, adminToken }: Platform, context: ScenarioContext) => {
  let turn = 0;
  const ask = async (
    method: string,
    where: string,
    body?: unknown,
    { token = adminToken, headers = {} }: { readonly token?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<Reply> => {
    for (;;) {
      context.signal.throwIfAborted();
      turn += 1;
      const url = `${fleet.urls[turn % fleet.urls.length]}${where}`;
      const reply = await call({ method, url, token, body, headers, timeoutMs: 20_000 });
      if (reply.status !== 0 && reply.status < 500) return reply;
      await sleep(200);
    }
  };
  const good = async (...given: Parameters<typeof ask>): Promise<Reply['json']> => {
    const { status, json, text } = await ask(...given);
    if (status !== 200) throw new Error(`${given[0]} ${given[1]} was answered ${status}: ${text.slice(0, 300)}`);
    return json;
  };
  return { ask, good };
};
type Asking = ReturnType<typeof persistently>;

const furnish = async (platform: Platform): Promise<string> => {
  const { url, adminToken: token } = platform;
  const admin = async <Body>(method: string, where: string, body: object): Promise<Body> =>
    await callFor<Body>({ method, url: `${url}${where}`, token, body });
  const put = async (kind: string, code: string, body: object): Promise<void> =>
    await admin('PUT', `/fleet/v1/resources/${kind}/${code}`, body);
  await put('depots', 'BER', DEPOT);
  await put('zones', 'berlin', ZONE);
  for (const [at, driver] of DRIVERS.entries()) {
    const vehicle = `VAN-${at + 1}`;
    await put('vehicles', vehicle, { type: 'van', depot: 'BER', weightKg: 20_000, volumeM3: 200, fixedCost: 10 });
    await put('drivers', driver, {
      name: `${driver} Example`,
      depot: 'BER',
      shifts: everyDay('06:00', '20:00'),
      vehicle,
    });
  }
  const statusToken = await platform.carrierToken(CODE);
  const link = { name: 'shop', statusToken, statusUrl: `${url}/v2/carriers/${CODE}/statuses` };
  return (await admin<{ token: string }>('POST', '/fleet/v1/links', link)).token;
};

/** Until it is accepted, in the words that the shipper reads. */
const order = async (asking: Asking, shop: string, reference: string, at: number): Promise<void> => {
  await asking.ask('POST', '/v2/consignments', orderAt(reference, at), { token: shop });
  await lookUntil(
    QUIET_WITHIN_S * 1_000,
    async () =>
      (await asking.good('GET', `/v2/consignments/${reference}`, undefined, { token: shop })).data[0]
        .acceptance as string,
    (acceptance) => acceptance === 'accepted',
  );
};

/** A plan dies with its process: it is made again then. */
const plan = async ({ ask, good }: Asking): Promise<readonly Route[]> => {
  for (;;) {
    const request = { depot: 'BER', day: DAY, iterations: 300, objective: 'balanced' };
    const { planId } = await good('POST', '/fleet/v1/plans', request);
    const state = await lookUntil(
      60_000,
      async () => (await good('GET', `/fleet/v1/plans/${planId}`)).state as string,
      (seen) => seen !== 'solving',
    );
    if (state !== 'solved') continue;
    // A repeat of what was adopted unheard conflicts, and the board shows it.
    await ask('POST', `/fleet/v1/plans/${planId}/adopt`, {});
    const { routes, unassigned } = await good('GET', `/fleet/v1/board?depot=BER&day=${DAY}`);
    if (routes.length === 0 || unassigned.length > 0)
      throw new Error(`a plan of ${routes.length} routes leaves ${unassigned.length} tasks out`);
    return routes;
  }
};

/** What processes that are killed all the time find to do. */
const EVERY_MS = 200;

/** Reports each stop, some with a signature; yields the ids of what was heard. */
const drive = async ({ good }: Asking, { driver, stops }: Route) => {
  const heard = { events: [] as string[], proofs: [] as string[] };
  const { token } = await good('POST', `/fleet/v1/resources/drivers/${driver}/token`, {});
  const report = async (event: object): Promise<void> => {
    const id = randomUUID();
    const body = [{ id, at: new Date().toISOString(), ...event }];
    const { results } = await good('POST', '/fleet/v1/driver/events', body, { token });
    if (results[0].result === 'refused') throw new Error(`${driver}: ${JSON.stringify(results[0])}`);
    heard.events.push(id);
    await sleep(EVERY_MS);
  };
  await report({ type: 'route_started', stopId: stops[0]?.id });
  for (const [at, { id: stopId }] of stops.entries()) {
    await report({ type: 'arrived', stopId });
    const proof = randomUUID();
    const headers = { 'content-type': 'image/png' };
    if (at % 3 === 0) {
      await good('PUT', `/fleet/v1/driver/proofs/${proof}?stopId=${stopId}&kind=signature`, PNG, { token, headers });
      heard.proofs.push(proof);
    }
    const proofs = at % 3 === 0 ? { proofs: [proof] } : {};
    await report({ type: 'delivered', stopId, receivedBy: 'Erika Example', relation: 'Self', ...proofs });
  }
  return heard;
};

interface Told {
  readonly referenceNumber: string;
  readonly trackingNumber: string;
  readonly status: string;
}

const isToldOf = (told: readonly Told[], number: string): boolean =>
  told.some((one) => one.trackingNumber === number && one.status === 'Order Delivered');

export const ownFleet: Scenario = {
  name: 'own-fleet',
  promise:
    'processes killed from the order to the proof of delivery: no task, number, event, proof or webhook is lost or doubled',
  limitMinutes: { small: 6, quick: 10, full: 60 },
  run: async (context) => {
    const { dispatches, kills } = { ...SIZES[context.dose], ...context.sizes };
    const random = new Random(context.seed);
    const journal = path.join(context.folder, 'receivers.jsonl');
    writeFileSync(journal, '');
    await using receivers = await startPeer<string>('mock/receivers.ts', { journal, seed: context.seed, faults: 0.05 });
    await using platform = await startPlatform(context, {
      profiles: { [CODE]: PROFILE },
      roles: ['all', 'all'],
      patches: leases(context),
      env: { CREATE_WAIT_MS: '2000', WEBHOOK_RETRIES: '4', WEBHOOK_RETRY_MS: '1000', LOG_LEVEL: 'info' },
    });
    const { fleet, pool } = platform;
    const link = await furnish(platform);
    const shop = await platform.openShop({ carriers: [CODE], credentials: () => ({ token: link }) });
    await platform.subscribe(shop, `${receivers.hello}/shop`);
    const asking = persistently(platform, context);

    const killing = new AbortController();
    // A third of the kills while orders come, the rest while they are planned and driven; each process works on for a while.
    let most = Math.ceil(kills / 3);
    const killer = (async () => {
      while (!killing.signal.aborted) {
        await sleep(1_500 + random.below(2_500));
        if (!killing.signal.aborted && fleet.killed() < most) fleet.kill(random.pick(fleet.members));
      }
    })();
    const references = Array.from({ length: dispatches }, (_, at) => `F-${at}`);
    await inTurns(8, references.entries(), async ([at, reference]) => await order(asking, shop, reference, at));
    context.log(`${dispatches} ordered after ${fleet.killed()} kills`);
    most = kills;
    const routes = await plan(asking);
    context.log(`${routes.length} routes after ${fleet.killed()} kills`);
    const heard = await Promise.all(routes.map(async (route) => await drive(asking, route)));
    context.log(`driven after ${fleet.killed()} kills`);
    killing.abort();
    await killer;
    await fleet.settle();

    const said = (): readonly Told[] =>
      (readJournal(journal) as readonly ReceiverEntry[])
        .filter(({ status }) => status === 200)
        .map(({ body }) => JSON.parse(body) as Told);
    const numbers = (
      await pool.query<{ number: string; reference: string }>(
        `select p.tracking_number as number, t.reference_id as reference
       from fleet.packages p join fleet.tasks t on t.id = p.task_id where t.state <> 'cancelled'`,
      )
    ).rows;
    const sinceMs = performance.now();
    const told = await lookUntil(
      QUIET_WITHIN_S * context.patience * 1_000,
      async () => await Promise.resolve(said()),
      (seen) => numbers.every(({ number }) => isToldOf(seen, number)),
    );
    const quietAfterS = Math.round((performance.now() - sinceMs) / 100) / 10;
    return {
      figures: {
        orders: dispatches,
        kills: fleet.killed(),
        routes: routes.length,
        'events heard': heard.flatMap(({ events }) => events).length,
        proofs: heard.flatMap(({ proofs }) => proofs).length,
        'webhooks received': told.length,
        'quiet after s': quietAfterS,
      },
      violations: [
        ...fleet.crashes,
        ...(await violationsOf(platform, { references, numbers, heard })),
        ...numbers.flatMap(({ number }) =>
          isToldOf(told, number) ? [] : [`no webhook says that ${number} was delivered`],
        ),
      ],
    };
  },
};

const missing = (wanted: readonly string[], there: readonly string[], what: string): readonly string[] => {
  const all = new Set(there);
  return wanted.flatMap((one) => (all.has(one) ? [] : [`${what}: ${one}`]));
};

/** What the records of the fleet and of the platform do not agree on with what was heard. */
const violationsOf = async (
  { pool }: Platform,
  {
    references,
    numbers,
    heard,
  }: {
    readonly references: readonly string[];
    readonly numbers: readonly { readonly number: string; readonly reference: string }[];
    readonly heard: readonly { readonly events: readonly string[]; readonly proofs: readonly string[] }[];
  },
): Promise<readonly string[]> => {
  const texts = async (sql: string, given: readonly unknown[] = []): Promise<readonly string[]> =>
    (await pool.query<{ text: string }>(sql, [...given])).rows.map(({ text }) => text);
  const tasks = await texts(`select reference_id as text from fleet.tasks where state = 'delivered'`);
  const known = await texts(`select p.tracking_number as text from packages p where p.tracking_number is not null`);
  const empty = await texts(`select link_key as text from fleet.proofs where content is null`);
  const kept = await texts(`select id::text as text from fleet.events union all select id::text from fleet.proofs`);
  const unsent = await texts(`select body::text as text from fleet.outbox where sent_at is null`);
  const twice = await texts(
    `select reference_id || ' × ' || count(*) as text from fleet.tasks where state <> 'cancelled'
     group by reference_id having count(*) > 1`,
  );
  const ends = await texts(
    `select p.tracking_number || ' × ' || count(*) as text from notices n
     join packages p on p.tracking_number = n.body::json->>'trackingNumber'
     where n.body::json->>'status' = 'Order Delivered' group by p.tracking_number having count(*) > 1`,
  );
  return [
    ...missing(references, tasks, 'no task was delivered'),
    ...missing(
      numbers.map(({ number }) => number),
      known,
      'the platform does not know the tracking number',
    ),
    ...missing(
      heard.flatMap(({ events, proofs }) => [...events, ...proofs]),
      kept,
      'an event or proof was heard and is gone',
    ),
    ...empty.map((one) => `a proof has no image: ${one}`),
    ...unsent.map((one) => `a status was not pushed: ${one.slice(0, 200)}`),
    ...twice.map((one) => `an order has several tasks: ${one}`),
    ...ends.map((one) => `a delivery was told of several times: ${one}`),
  ];
};
