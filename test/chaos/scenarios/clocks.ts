/** Clocks that jump an hour to and fro, in two processes that do not agree, while work is under way. */
import { createHmac } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../../support/random.ts';
import { checkNights } from '../../engine/statuses/nights.ts';
import type { CarrierPush } from '../mock/carriers.ts';
import type { ReceiverEntry, ReceiversOptions } from '../mock/receivers.ts';
import { findUntold } from '../oracle/statuses.ts';
import { lifeOf, trackingNumberOf } from '../order.ts';
import type { Dose } from '../scenario.ts';
import { countBy, lookUntil } from '../world/call.ts';
import { readJournal } from '../world/journal.ts';
import type { Platform } from '../world/platform.ts';
import { contractProfile } from '../world/profiles.ts';
import { countUnderWay, readRecords } from '../world/records.ts';
import { type Trial, trialRow } from '../world/trial.ts';

interface Size {
  /** Creates between one jump and the next. */
  readonly creates: number;
  /** All jumps, so many times. */
  readonly rounds: number;
}

const SIZES: Readonly<Record<Dose, Size>> = {
  small: { creates: 4, rounds: 1 },
  quick: { creates: 12, rounds: 2 },
  full: { creates: 100, rounds: 10 },
};

const HOUR_MS = 3_600_000;
/** Of the process that serves and works, and of the one that only works. */
const JUMPS: readonly (readonly [number, number])[] = [
  [0, 0],
  [HOUR_MS, HOUR_MS],
  [0, 0],
  [-HOUR_MS, -HOUR_MS],
  [HOUR_MS, -HOUR_MS],
  [-HOUR_MS, HOUR_MS],
];
/** An hour after all of them: whatever waits for a time of any of these clocks is due. */
const AFTER_ALL_MS = 2 * HOUR_MS;
const QUIET_WITHIN_MS = 90_000;
const WEBHOOK_RETRIES = 3;
/** Of the notices' first tries: their next is due by a clock that may have jumped. */
const REFUSED_AT_FIRST = 0.2;
const SECRET = 'example-webhook-secret';
const REFERENCE = 'c02';
const PROMISES_NOTHING = 'c03';
const CARRIERS = [REFERENCE, PROMISES_NOTHING];

const profileOf = (code: string, url: string): string =>
  contractProfile(
    code,
    `${url}/${code}`,
    `credentials: { webhookSecret: { secret: true } }
limits: { concurrency: 32 }
${code === PROMISES_NOTHING ? 'operations: { create: { idempotency: none } }' : ''}
statuses:
  webhook:
    auth:
      signature:
        algorithm: hmac-sha256
        key: '\${credentials.webhookSecret}'
        over: '\${request.headers.\`x-timestamp\`}.\${request.text}'
        timestamp: '\${request.headers.\`x-timestamp\`}'
        tolerance: 10m
        header: X-Signature
        format: 'sha256=\${signature}'
    format: json
    events: request.body
`,
  );

/** Signed as of now, by the true clock. */
const pushSigned = async (platform: Platform, event: unknown): Promise<number> => {
  const text = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${text}`).digest('hex');
  const headers = { 'x-timestamp': timestamp, 'x-signature': `sha256=${signature}` };
  return (await platform.call('POST', `/v2/carriers/${REFERENCE}/webhook`, '', text, headers)).status;
};

const isQuiet = (counts: Readonly<Record<string, number>>): boolean =>
  Object.values(counts).every((count) => count === 0);

/** The clocks of two processes, an hour off as long as a file says so. */
const openClocks = async (folder: string) => {
  const files = [path.join(folder, 'one'), path.join(folder, 'other')];
  const set = async (...offs: readonly [number, number]): Promise<void> => {
    for (const [at, file] of files.entries()) {
      await writeFile(`${file}.new`, String(offs[at]));
      await rename(`${file}.new`, file);
    }
    await sleep(100);
  };
  await set(0, 0);
  return { ownEnv: files.map((file) => ({ CHAOS_CLOCK: file })), set };
};

const act = async (trial: Trial): Promise<void> => {
  const { seed, patience, signal, log, figures, violations } = trial;
  const size = SIZES[trial.dose];
  const random = randomOf(seed);
  const clocks = await openClocks(trial.folder);
  const carriers = await trial.peer('hostile/twenty.ts');
  const journal = path.join(trial.folder, 'receivers.jsonl');
  await writeFile(journal, '');
  const options: ReceiversOptions = { journal, seed, faults: REFUSED_AT_FIRST };
  const receivers = await trial.peer('mock/receivers.ts', options);
  const platform = await trial.open({
    profiles: Object.fromEntries(CARRIERS.map((code) => [code, profileOf(code, carriers.hello)])),
    roles: ['all', 'worker'],
    ownEnv: clocks.ownEnv,
    preload: 'clock.ts',
    env: { WEBHOOK_RETRIES: String(WEBHOOK_RETRIES), WEBHOOK_RETRY_MS: '1000' },
  });
  const accepted: string[] = [];
  const pushes: CarrierPush[] = [];
  const signed: string[] = [];
  const shop = await platform.openShop({ carriers: CARRIERS, credentials: () => ({ webhookSecret: SECRET }) });
  const token = await platform.carrierToken(REFERENCE);
  const secret = await platform.subscribe(shop, `${receivers.hello}/shop`);
  const pushWithToken = async (_platform: Platform, event: unknown): Promise<number> =>
    (await platform.call('POST', `/v2/carriers/${REFERENCE}/statuses`, token, event)).status;
  let round = 0;
  const step = async ([one, other]: readonly [number, number]): Promise<void> => {
    round += 1;
    await clocks.set(one, other);
    const creating = Array.from({ length: size.creates }, async (_, number) => {
      const reference = `K-${round}-${number}`;
      const carrier = CARRIERS[number % CARRIERS.length] ?? '';
      const reply = await platform.create(shop, carrier, reference, { isAsync: true });
      if (reply.status === 200) accepted.push(reference);
      else violations.push(`${reference}: ${reply.status} ${reply.text.slice(0, 200)}`);
    });
    const reference = `K-${round}-0`;
    const push = async (event: object, send: typeof pushSigned): Promise<number> => {
      const id = `${reference}/${pushes.length}`;
      const beganMs = performance.now();
      const status = await send(platform, { ...event, extraInfo: { comments: id } });
      pushes.push({ what: 'push', atMs: Date.now(), ms: performance.now() - beganMs, id, reference, status });
      return status;
    };
    for (const event of lifeOf(trackingNumberOf(reference), 4, random).events) await push(event, pushWithToken);
    const isOff = one !== 0;
    const event = {
      type: 'Tracking',
      value: trackingNumberOf(reference),
      carrierStatusCode: 'AT_HUB',
      statusReceivedAt: `2026-06-01 ${String(10 + (round % 10))}:${String(round % 60).padStart(2, '0')}:00`,
    };
    // Of another hour it is to be refused: no event may come of it.
    const status = isOff ? await pushSigned(platform, event) : await push(event, pushSigned);
    signed.push(`${isOff ? 'off' : 'right'}: ${status}`);
    if (isOff && status !== 401 && status !== 403)
      violations.push(`a signature of another hour was answered ${status}`);
    await Promise.all(creating);
  };
  for (let turn = 0; turn < size.rounds; turn += 1) {
    for (const jump of JUMPS) {
      signal.throwIfAborted();
      await step(jump);
    }
    log(`turn ${turn + 1}: ${accepted.length} accepted`);
  }
  await clocks.set(AFTER_ALL_MS, AFTER_ALL_MS);
  const look = async () => await countUnderWay(platform.databaseUrl);
  const left = await lookUntil(QUIET_WITHIN_MS * patience, look, isQuiet);
  if (!isQuiet(left)) violations.push(`not quiet: ${JSON.stringify(left)}`);
  const asked = await carriers.ask<Record<string, number>>('effects');
  const records = new Map((await platform.dispatches()).map((record) => [record.reference, record]));
  for (const reference of accepted) {
    const record = records.get(reference);
    const isRight =
      record?.state === 'done'
        ? record.trackingNumber !== null && asked[reference] !== undefined
        : record?.failure?.includes('unknown_outcome') === true;
    if (!isRight)
      violations.push(
        `${reference} ended as ${JSON.stringify(record)}, the carrier was asked ${asked[reference]} times`,
      );
  }
  for (const [reference, times] of Object.entries(asked)) {
    const isOnce = Number(reference.split('-')[2]) % CARRIERS.length === 1;
    if (isOnce && times > 1) violations.push(`${reference} was sent ${times} times to a carrier that promises nothing`);
  }
  for (const { id, status } of pushes) if (status !== 200) violations.push(`the push ${id} was answered ${status}`);
  const told = await readRecords(platform.databaseUrl);
  const received = readJournal(journal) as readonly ReceiverEntry[];
  violations.push(
    ...findUntold({
      carriers: pushes,
      receivers: received,
      records: told,
      webhookSecrets: { shop: secret },
      deliveryTries: WEBHOOK_RETRIES + 1,
    }),
    // Their receiver takes each when it comes again.
    ...told.deliveries.filter(({ state }) => state === 'failed').map(({ notice }) => `${notice} was given up`),
  );
  const nights = checkNights();
  violations.push(...nights.wrong);
  Object.assign(figures, {
    jumps: round,
    accepted: accepted.length,
    'dispatches by state': JSON.stringify(countBy(accepted.map((one) => records.get(one)?.state ?? 'lost'))),
    'sent more than once, to a carrier that promises to take it': Object.values(asked).filter((n) => n > 1).length,
    'status pushes, each one event and one notice': pushes.length,
    'notices, and how often one was sent': `${told.deliveries.length}, ${received.length}`,
    'signed pushes by clock and answer': JSON.stringify(countBy(signed)),
    'local times in nights when clocks change': nights.read,
  });
};

export const clocksJump = trialRow(
  {
    name: 'clocks',
    promise:
      'clocks that jump an hour, and do not agree, neither lose nor double anything, nor make a stale proof good',
  },
  act,
);
