/** Profiles that mean harm, and requests to every route that nobody who means well would send. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HARMLESS, HOSTILE_PROFILES } from '../../engine/profile/hostile-profiles.ts';
import { randomOf } from '../../support/random.ts';
import { type Nasty, nastyRequest, type Operation } from '../hostile/nasty.ts';
import { dribble } from '../hostile/slow-request.ts';
import { trackingNumberOf } from '../order.ts';
import type { Dose } from '../scenario.ts';
import { countBy, inTurns, lookUntil, percentile, type Reply } from '../world/call.ts';
import type { Platform } from '../world/platform.ts';
import { contractProfile } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

const REQUESTS: Readonly<Record<Dose, number>> = { small: 600, quick: 2_000, full: 100_000 };
const WITHIN_MS = 1_000;
const AT_ONCE = 12;
/** Once nobody asks for anything any more. */
const QUIET_WITHIN_MS = 60_000;
/** What was slow is asked again, alone: only what is slow each time is slow by itself. */
const AGAIN = 3;

const EVENTS = `format: json
    events: 'request.body.events.{ "value": order, "carrierStatusCode": code, "statusReceivedAt": at }'
`;

const profiles = (url: string): Record<string, string> => ({
  c02: contractProfile('c02', `${url}/c02`).replace(/production: (.*?) }\n/, 'production: $1, sandbox: $1 }\n'),
  hook: contractProfile(
    'hook',
    `${url}/hook`,
    `credentials: { webhookSecret: { secret: true } }
statuses:
  webhook:
    auth:
      signature:
        algorithm: hmac-sha256
        key: '\${credentials.webhookSecret}'
        over: '\${request.text}'
        header: X-Signature
        format: 'sha256=\${signature}'
    ${EVENTS}`,
  ),
  open: contractProfile(
    'open',
    `${url}/open`,
    `statuses:
  webhook:
    auth: none
    allow: [127.0.0.0/8]
    ${EVENTS}`,
  ),
});

const operationsOf = async (platform: Platform): Promise<readonly Operation[]> => {
  const { json } = await platform.call('GET', '/openapi.json', '');
  const paths = json.paths as Record<string, Record<string, unknown>>;
  return Object.entries(paths).flatMap(([where, operations]) =>
    Object.keys(operations)
      // Reading all profiles anew is a row of its own.
      .filter((method) => !(where === '/admin/reload' && method === 'post'))
      .map((method) => ({ method: method.toUpperCase(), path: where })),
  );
};

/** A profile's own mapping of events, behind a door that anyone may pass: one path of many would get there too seldom. */
const TO_MAPPING: Operation = { method: 'POST', path: '/v2/carriers/open/webhook' };

/** Sends it with the token that is good there; where no answer comes, the status is 0. */
type Send = (nasty: Nasty) => Promise<Reply>;

const sender =
  (platform: Platform, shipper: string, carrier: string): Send =>
  async ({ method, url, body, headers }) => {
    const isCarriers = /^\/v2\/carriers\/[^/]*\/statuses/;
    const token = url.startsWith('/admin') ? platform.adminToken : isCarriers.test(url) ? carrier : shipper;
    // The carrier's own path, where its token is good: elsewhere all would end at the door.
    const where = url.replace(isCarriers, '/v2/carriers/c02/statuses');
    return await platform.call(method, where, token, body, headers);
  };

const fuzz = async (platform: Platform, send: Send, trial: Trial): Promise<void> => {
  const { dose, seed, signal, log, violations } = trial;
  const [statuses, tookMs]: [number[], number[]] = [[], []];
  const slow: Nasty[] = [];
  const withinMs = WITHIN_MS * trial.patience;
  const routes = await operationsOf(platform);
  const operations = [...routes, TO_MAPPING, TO_MAPPING, TO_MAPPING, TO_MAPPING];
  await inTurns(AT_ONCE, Array(REQUESTS[dose]).keys(), async (number) => {
    signal.throwIfAborted();
    const random = randomOf(seed * 1_000_003 + number);
    const operation = operations[Math.floor(random() * operations.length)];
    if (operation === undefined) throw new Error('there are no routes');
    const nasty = nastyRequest(operation, number, random);
    const sent = await send(nasty);
    statuses.push(sent.status);
    tookMs.push(sent.ms);
    if (sent.status === 0 || sent.status >= 500)
      violations.push(
        `request ${number}: ${nasty.method} ${nasty.url.slice(0, 80)} got ${sent.status} ${sent.text.slice(0, 200)}`,
      );
    if (sent.ms > withinMs) slow.push(nasty);
    if (number % 10_000 === 9_999) log(`${number + 1} requests: ${JSON.stringify(countBy(statuses))}`);
  });
  for (const nasty of slow) {
    const again: number[] = [];
    for (let time = 0; time < AGAIN; time += 1) again.push((await send(nasty)).ms);
    if (Math.min(...again) > withinMs)
      violations.push(`${nasty.method} ${nasty.url.slice(0, 80)} takes ${Math.min(...again).toFixed(0)} ms by itself`);
  }
  Object.assign(trial.figures, {
    requests: tookMs.length,
    routes: routes.length,
    'answers by status': JSON.stringify(countBy(statuses)),
    'p99 (ms)': Math.round(percentile(tookMs, 99)),
    'slow at first, and asked again alone': slow.length,
  });
};

/** Another shipper who behaves goes on meanwhile; yields what went wrong for it. */
const watchOthers = (platform: Platform, shop: string) => {
  const stop = new AbortController();
  const wrong: string[] = [];
  let asked = 0;
  const watching = (async () => {
    while (!stop.signal.aborted) {
      asked += 1;
      const reference = `GOOD-${asked}`;
      const reply = await platform.create(shop, 'c02', reference);
      // Its carrier's answer may come later than this server waits for it.
      if (reply.status !== 200) wrong.push(`${reference}: ${reply.status} ${reply.text.slice(0, 200)}`);
      await sleep(250);
    }
  })();
  return async (limitMs: number) => {
    stop.abort();
    await watching;
    const isDone = async () => (await goodDone(platform)) === asked && (await pushesOf(platform)).pending === 0;
    await lookUntil(limitMs, isDone, (is) => is);
    const done = await goodDone(platform);
    if (done !== asked) wrong.push(`${done} of ${asked} creates are done, with a number`);
    return { asked, wrong };
  };
};

const goodDone = async (platform: Platform): Promise<number> =>
  (await platform.dispatches('GOOD-%')).filter(
    ({ reference, state, trackingNumber }) => state === 'done' && trackingNumber === trackingNumberOf(reference),
  ).length;

interface Pushes {
  readonly pending: number;
  /** Bodies that the mapping of `open` has been tried on; of these, what it made events of, and what it could not. */
  readonly tried: number;
  readonly mapped: number;
  readonly failed: number;
}

const pushesOf = async (platform: Platform): Promise<Pushes> => {
  const { rows } = await platform.pool.query<Pushes>(
    `select count(*) filter (where state = 'pending') as pending,
       count(*) filter (where source = 'webhook' and state <> 'pending') as tried,
       count(*) filter (where source = 'webhook' and exists (select 1 from events e where e.push_id = p.id)) as mapped,
       count(*) filter (where source = 'webhook' and state = 'failed') as failed from pushes p`,
  );
  return rows[0] ?? { pending: -1, tried: 0, mapped: 0, failed: 0 };
};

const loadProfiles = async (platform: Platform, { patience, figures, violations }: Trial): Promise<void> => {
  const withinMs = WITHIN_MS * patience;
  let slowestMs = 0;
  for (const [code, text] of Object.entries(HOSTILE_PROFILES)) {
    await writeFile(path.join(platform.home, 'carriers', `${code}.yaml`), text);
    const tookMs: number[] = [];
    let loaded = false;
    for (let time = 0; time < AGAIN && (tookMs.at(-1) ?? withinMs + 1) > withinMs; time += 1) {
      const beganMs = performance.now();
      const reply = await platform.call('POST', '/admin/reload', platform.adminToken);
      tookMs.push(performance.now() - beganMs);
      if (reply.status !== (HARMLESS.has(code) ? 200 : 422))
        violations.push(`reload with ${code}: ${reply.status} ${reply.text.slice(0, 200)}`);
      const { json } = await platform.call('GET', '/admin/carriers', platform.adminToken);
      const carriers = (json?.carriers ?? []) as { code: string }[];
      loaded = carriers.some((one) => one.code === code);
      if (!carriers.some((one) => one.code === 'c02')) violations.push(`${code} took c02 away`);
    }
    slowestMs = Math.max(slowestMs, Math.min(...tookMs));
    if (Math.min(...tookMs) > withinMs) violations.push(`${code} takes ${Math.min(...tookMs).toFixed(0)} ms to refuse`);
    if (loaded !== HARMLESS.has(code)) violations.push(`${code} was ${loaded ? 'loaded' : 'refused'}`);
    await rm(path.join(platform.home, 'carriers', `${code}.yaml`));
  }
  figures['slowest to refuse (ms)'] = Math.round(slowestMs);
};

const credentials = (carrier: string): Record<string, string> =>
  carrier === 'hook' ? { webhookSecret: 'example-secret-1' } : {};

const act = async (trial: Trial): Promise<void> => {
  const { figures, violations, patience } = trial;
  const carriers = await trial.peer('hostile/twenty.ts');
  const platform = await trial.open({
    profiles: profiles(carriers.hello),
    preload: 'prototypes.ts',
    env: { CREATE_WAIT_MS: '500' },
  });
  const shop = await platform.openShop({ carriers: ['c02', 'open', 'hook'], credentials });
  const other = await platform.openShop({ carriers: ['c02'], code: 'good' });
  const send = sender(platform, shop, await platform.carrierToken('c02'));
  const others = watchOthers(platform, other);
  const attack = async (): Promise<void> => {
    await fuzz(platform, send, trial);
    await loadProfiles(platform, trial);
  };
  await Promise.all([attack(), dribble(platform.url, other, trial)]);
  const { asked, wrong } = await others(QUIET_WITHIN_MS * patience);
  violations.push(...wrong.map((text) => `another shipper: ${text}`));
  const pushes = await pushesOf(platform);
  if (pushes.pending > 0) violations.push(`${pushes.pending} status pushes are still pending`);
  if (pushes.tried === 0) violations.push('no hostile body has reached the mapping of a webhook');
  const log = await platform.log();
  if (log.includes('PROTOTYPE CHANGED')) violations.push(log.slice(log.indexOf('PROTOTYPE CHANGED')).slice(0, 300));
  Object.assign(figures, {
    'hostile profiles': Object.keys(HOSTILE_PROFILES).length,
    'creates of another shipper meanwhile': asked,
    'bodies that reached the mapping of a webhook': `${pushes.tried}; ${pushes.mapped} had events, ${pushes.failed} failed`,
  });
};

export const hostileInputs = trialRow(
  {
    name: 'hostile-inputs',
    promise: 'hostile profiles and payloads are refused in time, never with a 500, and touch nobody else',
  },
  act,
);
