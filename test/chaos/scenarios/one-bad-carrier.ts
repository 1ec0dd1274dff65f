/** One carrier of twenty hangs, answers 5xx or at great length, in rounds that alternate with rounds in which all are well. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dose } from '../scenario.ts';
import { countBy, lookUntil, median, percentile } from '../world/call.ts';
import { watchMemory } from '../world/memory.ts';
import type { Platform } from '../world/platform.ts';
import { CARRIERS, contractProfile, CREDENTIALS, WITH_TOKEN } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

interface Size {
  readonly roundMs: number;
  /** Of each fault. */
  readonly rounds: number;
  readonly createsPerSecond: number;
  readonly timeoutS: number;
  readonly breakerFailures: number;
  /** While it is open, one call tries each so often: shorter than the usual minute, so that healing can be waited for. */
  readonly pauseS: number;
  /** A p95 is worse than another above both: a few rounds on a machine with other work say little. */
  readonly ratio: number;
  readonly noiseMs: number;
}

const SIZES: Readonly<Record<Dose, Size>> = {
  small: {
    roundMs: 4_500,
    rounds: 1,
    createsPerSecond: 12,
    timeoutS: 3,
    breakerFailures: 4,
    pauseS: 2,
    ratio: 3,
    noiseMs: 1_500,
  },
  quick: {
    roundMs: 8_000,
    rounds: 1,
    createsPerSecond: 15,
    timeoutS: 4,
    breakerFailures: 6,
    pauseS: 5,
    ratio: 2,
    noiseMs: 150,
  },
  full: {
    roundMs: 25_000,
    rounds: 6,
    createsPerSecond: 20,
    timeoutS: 20,
    breakerFailures: 10,
    pauseS: 20,
    ratio: 1.5,
    noiseMs: 25,
  },
};

const CODES = CARRIERS.map(({ code }) => code);
const [BAD = ''] = CODES;
const ONCE = ['well', 'hangs', 'fails', 'huge', 'large'] as const;
const TURNS = ['well', 'hangs', 'well', 'fails', 'well', 'huge', 'well', 'large'] as const;
const BAD_MOODS = ['hangs', 'fails', 'huge', 'large'] as const;
/** Answers as long as they may be are read: its breaker stays closed. */
const OPENING: ReadonlySet<string> = new Set(['hangs', 'fails', 'huge']);
const MEMORY_BYTES = 400_000_000;
const OPENS_WITHIN_MS = 30_000;
const HEALS_WITHIN_MS = 30_000;
/** Of every four creates one is the bad carrier's, so that it has more work than its share. */
const BAD_EACH = 4;

const profileOf = (code: string, url: string, { timeoutS, breakerFailures, pauseS }: Size): string =>
  contractProfile(
    code,
    `${url}/${code}`,
    `${WITH_TOKEN}limits: { timeout: ${timeoutS}s, breaker: { failures: ${breakerFailures}, pause: ${pauseS}s } }
`,
  );

interface Round {
  /** Until the reply with the tracking number, of the other carriers. */
  readonly othersMs: readonly number[];
  readonly failed: readonly string[];
}

/** Creates at a steady rate, whatever becomes of them. */
const load = async (platform: Platform, shop: string, name: string, size: Size): Promise<Round> => {
  const othersMs: number[] = [];
  const failed: string[] = [];
  const create = async (number: number): Promise<void> => {
    const isBad = number % BAD_EACH === 0;
    const carrier = isBad ? BAD : (CODES[1 + (number % (CODES.length - 1))] ?? '');
    const reference = `${name}-${number}`;
    const beganMs = performance.now();
    const { status, text } = await platform.create(shop, carrier, reference, { isAsync: isBad });
    if (!isBad) othersMs.push(performance.now() - beganMs);
    if (isBad ? status !== 200 : !text.includes(`T-${reference}`))
      failed.push(`${reference}: ${status} ${text.slice(0, 200)}`);
  };
  const running: Promise<void>[] = [];
  const everyMs = 1_000 / size.createsPerSecond;
  const beganMs = performance.now();
  for (let number = 0; number * everyMs < size.roundMs; number += 1) {
    await sleep(Math.max(0, beganMs + number * everyMs - performance.now()));
    running.push(create(number));
  }
  await Promise.all(running);
  return { othersMs, failed };
};

/** Of what the breaker puts off. */
const PUT_OFF = 'failed too often in a row';

/** Looks until the breaker has put a dispatch of the bad carrier off; how long that took. */
const breakerOpens = async (platform: Platform, name: string, stop: AbortSignal): Promise<number | undefined> => {
  const sinceMs = Date.now();
  const isOpen = async () =>
    (await platform.dispatches(`${name}-%`)).some(
      ({ state, failure }) => state === 'waiting' && failure?.includes(PUT_OFF),
    );
  const opened = await lookUntil(Number.POSITIVE_INFINITY, isOpen, (is) => is || stop.aborted);
  return opened ? Date.now() - sinceMs : undefined;
};

const healed = async (platform: Platform, shop: string, name: string, limitMs: number): Promise<number | undefined> => {
  const sinceMs = Date.now();
  const reference = `${name}-heals`;
  await platform.create(shop, BAD, reference, { isAsync: true });
  const look = async () => (await platform.dispatches(reference)).some(({ state }) => state === 'done');
  return (await lookUntil(2 * limitMs, look, (isDone) => isDone)) ? Date.now() - sinceMs : undefined;
};

const act = async (trial: Trial): Promise<void> => {
  const { dose, patience, signal, log, figures, violations } = trial;
  const size = SIZES[dose];
  const healsWithinMs = HEALS_WITHIN_MS * patience;
  const carriers = await trial.peer('hostile/twenty.ts');
  const profiles = Object.fromEntries(CODES.map((code) => [code, profileOf(code, carriers.hello, size)]));
  const platform = await trial.open({ profiles });
  const shop = await platform.openShop({ carriers: CODES, credentials: () => CREDENTIALS });
  await load(platform, shop, 'warm', { ...size, roundMs: 2_000 });
  const p95: Record<string, number[]> = { well: [], hangs: [], fails: [], huge: [], large: [] };
  const opensMs: Record<string, number[]> = { hangs: [], fails: [], huge: [] };
  const healsMs: number[] = [];
  const grown = await watchMemory(platform);
  for (let round = 0; round < size.rounds; round += 1) {
    for (const mood of size.rounds === 1 ? ONCE : TURNS) {
      signal.throwIfAborted();
      carriers.tell(mood);
      const name = `${mood}-${round}-${p95['well']?.length ?? 0}`;
      const stop = new AbortController();
      const opening = OPENING.has(mood) ? breakerOpens(platform, name, stop.signal) : undefined;
      const { othersMs, failed } = await load(platform, shop, name, size);
      stop.abort();
      p95[mood]?.push(percentile(othersMs, 95));
      violations.push(...failed.slice(0, 5));
      log(`${name}: p95 of the others ${percentile(othersMs, 95).toFixed(0)} ms, n ${othersMs.length}`);
      if (mood === 'well') continue;
      const opened = await opening;
      if (opening !== undefined && opened === undefined) violations.push(`${name}: the breaker did not open`);
      else if (opened !== undefined) opensMs[mood]?.push(opened);
      carriers.tell('well');
      const heals = await healed(platform, shop, name, healsWithinMs);
      log(`${name}: opens after ${opened} ms, heals after ${heals} ms`);
      if (heals === undefined || heals > healsWithinMs) violations.push(`${name}: not healed: ${heals}`);
      else healsMs.push(heals);
    }
  }
  const baseMs = median(p95['well'] ?? []);
  figures['p95 of the others, all well (ms)'] = Math.round(baseMs);
  for (const mood of BAD_MOODS) {
    const badMs = median(p95[mood] ?? []);
    figures[`p95 of the others, one ${mood} (ms)`] = Math.round(badMs);
    figures[`ratio, one ${mood}`] = (badMs / baseMs).toFixed(2);
    if (badMs > baseMs * size.ratio && badMs > baseMs + size.noiseMs * patience)
      violations.push(`one ${mood}: p95 of the others ${badMs.toFixed(0)} ms against ${baseMs.toFixed(0)} ms`);
    if (!OPENING.has(mood)) continue;
    const worstMs = Math.max(...(opensMs[mood] ?? []));
    figures[`breaker opens, one ${mood} (s)`] = (worstMs / 1_000).toFixed(1);
    if (worstMs > OPENS_WITHIN_MS * patience)
      violations.push(`one ${mood}: the breaker opened only after ${worstMs} ms`);
  }
  const { growthBytes } = await grown();
  figures['memory at most, above the quiet server (MB)'] = Math.round(growthBytes / 1_000_000);
  if (growthBytes > MEMORY_BYTES) violations.push(`memory grew by ${growthBytes} bytes`);
  figures['heals (s)'] = (Math.max(...healsMs) / 1_000).toFixed(1);
  const bad = (await platform.dispatches()).filter(({ carrier }) => carrier === BAD);
  figures['dispatches of the bad one'] = JSON.stringify(countBy(bad.map(({ state }) => state)));
};

export const oneBadCarrier = trialRow(
  {
    name: 'one-bad-carrier',
    promise:
      'one carrier of twenty hangs, fails or answers at great length: the others keep their pace, its breaker opens and heals',
    // It compares times: whatever ran beside it would be measured.
    weight: Number.POSITIVE_INFINITY,
  },
  act,
);
