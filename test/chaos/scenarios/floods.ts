/** Whoever has one token, or none, sends all that sixteen connections carry: another shipper and another carrier keep their pace. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGES_MAX, SKUS_MAX } from '../../../src/engine/consignment/order.ts';
import type { Flood } from '../hostile/flooder.ts';
import { orderTo, trackingNumberOf } from '../order.ts';
import type { Dose } from '../scenario.ts';
import { percentile, type Reply } from '../world/call.ts';
import { watchMemory } from '../world/memory.ts';
import type { Platform } from '../world/platform.ts';
import { contractProfile } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

const ROUND_MS: Readonly<Record<Dose, number>> = { small: 3_000, quick: 8_000, full: 20_000 };
const PER_SECOND = 10;
const RATIO = 2;
/** A p95 is worse than the quiet one above both: rounds of a few seconds on a machine with other work say little. */
const NOISE_MS: Readonly<Record<Dose, number>> = { small: 150, quick: 150, full: 20 };
const MEMORY_BYTES = 400_000_000;
const CONNECTIONS = 16;
const SLOW_MS = 2_000;
const SHIPPERS = '/v2/consignments';
const CARRIERS = '/v2/carriers/c03/statuses';

const keys = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
/** Each text is longer than one may be. */
const longStrings = (): string => {
  const order = orderTo('c03', 'FLOOD-NUMBER');
  return JSON.stringify({ ...order, notes: Array.from({ length: 65 }, () => 'x'.repeat(20_001)) });
};
/** As large as an order may be, and accepted. */
const largest = (): string => {
  const { consignmentDetails, ...order } = orderTo('c03', 'FLOOD-NUMBER', PACKAGES_MAX);
  const skuDetails = Array.from({ length: SKUS_MAX }, (_, at) => ({
    code: `SKU-${at}`,
    name: 'Example book, hard cover, in two volumes',
    quantity: 1,
    unitPrice: 10.5,
    value: 10.5,
    packageIds: [`PKG-${1 + (at % PACKAGES_MAX)}`],
    lineItemNo: String(at + 1),
    description: 'some words on what it is, '.repeat(12),
    category: 'Books',
    hsnName: '4901',
    originCountry: 'DE',
    weight: 0.75,
    weightUom: 'KG',
  }));
  return JSON.stringify({ ...order, consignmentDetails: { ...(consignmentDetails as object), skuDetails } });
};
/** Accepted too: nearly all of it are texts that no field of ours takes. */
const longTexts = (): string =>
  JSON.stringify({ ...orderTo('c03', 'FLOOD-NUMBER'), notes: Array.from({ length: 65 }, () => 'x'.repeat(19_999)) });
const updates = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => ({
      type: 'Tracking',
      value: `NOBODY-NUMBER-${at}`,
      carrierStatusCode: 'IN_TRANSIT',
      statusReceivedAt: '2026-05-01 10:00:00',
      eventTimezone: 'Europe/Berlin',
    })),
  );

interface Kind extends Pick<Flood, 'body' | 'overMs'> {
  readonly name: string;
  readonly to: string;
  readonly isWithoutToken?: boolean;
}

const floods = (): readonly Kind[] => {
  const manyKeys = keys(120_000);
  return [
    { name: 'keys, of a shipper', to: SHIPPERS, body: manyKeys },
    { name: 'long strings, of a shipper', to: SHIPPERS, body: longStrings() },
    { name: 'orders as large as may be, accepted', to: SHIPPERS, body: largest() },
    { name: 'long texts, accepted', to: SHIPPERS, body: longTexts() },
    { name: 'keys, of a carrier', to: CARRIERS, body: manyKeys },
    { name: 'arrays of 900 pushes', to: CARRIERS, body: updates(900) },
    { name: 'arrays of 9,000 pushes', to: CARRIERS, body: updates(9_000) },
    { name: 'no token', to: SHIPPERS, body: manyKeys, isWithoutToken: true },
    { name: 'large bodies that come slowly', to: SHIPPERS, body: manyKeys, overMs: SLOW_MS },
  ];
};

interface Round {
  readonly createMs: readonly number[];
  readonly pushMs: readonly number[];
  readonly wrong: readonly string[];
}

/** The tokens of who behaves. */
interface Good {
  readonly shop: string;
  readonly carrier: string;
}

/** Creates and pushes of who behaves, at a steady rate. */
const behave = async (platform: Platform, { shop, carrier }: Good, name: string, forMs: number) => {
  const [createMs, pushMs, wrong]: [number[], number[], string[]] = [[], [], []];
  const note = (what: string, { status, text }: Reply): void => {
    if (status !== 200) wrong.push(`${name}: ${what} got ${status} ${text.slice(0, 200)}`);
  };
  const act = async (number: number): Promise<void> => {
    const reference = `GOOD-${name}-${number}`;
    const created = await platform.create(shop, 'c02', reference);
    createMs.push(created.ms);
    note('a create', created);
    const pushed = await platform.call('POST', '/v2/carriers/c02/statuses', carrier, {
      type: 'Tracking',
      value: trackingNumberOf(reference),
      carrierStatusCode: 'IN_TRANSIT',
      statusReceivedAt: '2026-05-01 10:00:00',
      eventTimezone: 'Europe/Berlin',
    });
    pushMs.push(pushed.ms);
    note('a push', pushed);
  };
  const running: Promise<void>[] = [];
  const beganMs = performance.now();
  for (let number = 0; number < (forMs / 1_000) * PER_SECOND; number += 1) {
    await sleep(Math.max(0, beganMs + (number * 1_000) / PER_SECOND - performance.now()));
    running.push(act(number));
  }
  await Promise.all(running);
  return { createMs, pushMs, wrong } satisfies Round;
};

const act = async (trial: Trial): Promise<void> => {
  const { dose, patience, signal, log, figures, violations } = trial;
  const carriers = await trial.peer('hostile/twenty.ts');
  const flooder = await trial.peer('hostile/flooder.ts');
  const profiles = Object.fromEntries(
    ['c02', 'c03'].map((code) => [code, contractProfile(code, `${carriers.hello}/${code}`)]),
  );
  // With the limits that a server has of itself.
  const platform = await trial.open({ profiles, env: { RATE_LIMIT: '' } });
  const good = { shop: await platform.openShop({ carriers: ['c02'] }), carrier: await platform.carrierToken('c02') };
  /** None has another's limits used up. */
  const newToken = async (to: string, code: string): Promise<string> =>
    to === SHIPPERS ? await platform.openShop({ carriers: ['c03'], code }) : await platform.carrierToken('c03');
  const round = async (name: string, forMs = ROUND_MS[dose]) => {
    const { createMs, pushMs, wrong } = await behave(platform, good, name, forMs);
    violations.push(...wrong.slice(0, 5));
    return { create: percentile(createMs, 95), push: percentile(pushMs, 95) };
  };
  await round('warm');
  const quiet = await round('quiet');
  figures['p95 of others, quiet (ms)'] = `create ${quiet.create}, push ${quiet.push}`;
  const grown = await watchMemory(platform);
  for (const [number, { name, to, isWithoutToken = false, ...flood }] of floods().entries()) {
    signal.throwIfAborted();
    const token = isWithoutToken ? '' : await newToken(to, `bad-${number}`);
    flooder.tell({ ...flood, url: `${platform.url}${to}`, token, connections: CONNECTIONS } satisfies Flood);
    const p95 = await round(`${number}`);
    const answers = await flooder.ask<Record<string, number>>('stop');
    figures[name] = `create ${p95.create}, push ${p95.push}; the flood got ${JSON.stringify(answers)}`;
    log(`${name}: ${figures[name]}`);
    for (const what of ['create', 'push'] as const) {
      if (p95[what] > RATIO * quiet[what] && p95[what] > quiet[what] + NOISE_MS[dose] * patience)
        violations.push(`${name}: p95 of another's ${what} ${p95[what]} ms against ${quiet[what]} ms`);
    }
    if (Object.keys(answers).some((status) => Number(status) >= 500))
      violations.push(`${name}: the flood was answered ${JSON.stringify(answers)}`);
  }
  const { growthBytes } = await grown();
  figures['memory at most, above the quiet server (MB)'] = Math.round(growthBytes / 1_000_000);
  if (growthBytes > MEMORY_BYTES) violations.push(`memory grew by ${growthBytes} bytes`);
};

export const floodsRow = trialRow(
  {
    name: 'floods',
    promise: 'one token, or none, floods the server with large requests: others keep their pace',
    // It compares times: whatever ran beside it would be measured.
    weight: Number.POSITIVE_INFINITY,
  },
  act,
);
