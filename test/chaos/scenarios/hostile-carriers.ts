/** Carriers that drip, flood, redirect, lie about who they are, or answer what nobody asked: many calls at once of each. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AttacksHello, AttacksSeen } from '../hostile/attacks.ts';
import type { Dose } from '../scenario.ts';
import { lookUntil } from '../world/call.ts';
import { watchMemory } from '../world/memory.ts';
import type { Platform } from '../world/platform.ts';
import { contractProfile, CREDENTIALS, WITH_TOKEN } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

interface Size {
  /** Dispatches of each attack. */
  readonly atOnce: number;
  readonly timeoutS: number;
}

const SIZES: Readonly<Record<Dose, Size>> = {
  small: { atOnce: 6, timeoutS: 4 },
  quick: { atOnce: 30, timeoutS: 5 },
  full: { atOnce: 50, timeoutS: 30 },
};

/** How a dispatch has to end: why it is held, and the code of its problem, or one of two. */
const ENDS: Readonly<Record<string, readonly [why: string, ...codes: string[]]>> = {
  drip: ['unknown_outcome', 'timeout'],
  // Large answers take turns, so that on a slow machine the last of them come to the limit of time first.
  big: ['unknown_outcome', 'too_large', 'timeout'],
  bomb: ['unknown_outcome', 'too_large', 'timeout'],
  loop: ['unknown_outcome', 'http_307'],
  elsewhere: ['unknown_outcome', 'http_302'],
  cut: ['unknown_outcome', 'body_cut'],
  truncated: ['unknown_outcome', 'body_not_readable'],
  nonsense: ['unknown_outcome', 'answer_inconsistent'],
  echo: ['unknown_outcome', 'answer_inconsistent'],
  packages: ['unknown_outcome', 'answer_inconsistent'],
  expired: ['fail', 'tls_certificate_expired'],
  selfSigned: ['fail', 'tls_certificate_untrusted'],
  wrongHost: ['fail', 'tls_wrong_host'],
};
/** Nothing of a request reaches who cannot prove itself. */
const UNASKED = new Set(['expired', 'selfSigned', 'wrongHost']);
/** Larger than what is taken: of each at least one is cut there, however slow the machine. */
const CUT_AT_THE_CAP = new Set(['big', 'bomb']);
const ATTACKS = Object.keys(ENDS);
/** One attack, above what was there before it. */
const MEMORY_BYTES = 200_000_000;
/**
 * All of them, above what was there before the first: what one leaves is given back only when there is need, so that the
 * next may come on top of it. What is never given back would be more by the third.
 */
const MEMORY_OF_ALL_BYTES = 2 * MEMORY_BYTES;
/** Beyond the limit: whose turn has come in time is unpacked to the end, and all is written down. */
const LATE_MS = 2_500;
const PACKAGES = 2;

/** One carrier gets 32 dispatches of a process at once: two share what is to come at once. */
const codesOf = (attack: string): readonly [string, string] => [
  `${attack.toLowerCase()}-1`,
  `${attack.toLowerCase()}-2`,
];

const profileOf = (code: string, url: string, { atOnce, timeoutS }: Size): string =>
  contractProfile(
    code,
    url,
    `${WITH_TOKEN}limits: { timeout: ${timeoutS}s, concurrency: ${atOnce / 2}, breaker: { failures: 10000 } }
retry: { attempts: 1, until: 0s }
operations: { create: { idempotency: none } }
`,
  );

const profilesOf = ({ url, tls }: AttacksHello, size: Size): Record<string, string> =>
  Object.fromEntries(
    ['well', ...ATTACKS].flatMap((attack) => {
      const where = attack in tls ? tls[attack as keyof typeof tls] : `${url}/${attack}`;
      return codesOf(attack).map((code) => [code, profileOf(code, where, size)]);
    }),
  );

/** A platform under attack, and who creates there. */
interface Attacked {
  readonly platform: Platform;
  readonly shop: string;
  readonly size: Size;
}

const createAll = async ({ platform, shop, size }: Attacked, attack: string): Promise<void> => {
  const create = async (_: unknown, number: number): Promise<void> => {
    const carrier = codesOf(attack)[number % 2 === 0 ? 0 : 1];
    const reply = await platform.create(shop, carrier, `${attack}-${number}`, { packages: PACKAGES, isAsync: true });
    if (reply.status !== 200) throw new Error(`${attack}-${number} was not accepted: ${reply.status} ${reply.text}`);
  };
  await Promise.all(Array.from({ length: size.atOnce }, create));
};

/** How its dispatches stand: each state, why and code once. */
interface Ended {
  readonly state: string;
  readonly why?: string;
  readonly code?: string;
}

const FINAL = new Set(['done', 'held', 'rejected', 'cancelled']);

const untilEnded = async (platform: Platform, attack: string, limitMs: number): Promise<readonly Ended[]> => {
  const rows = await lookUntil(
    limitMs,
    async () => await platform.dispatches(`${attack}-%`),
    (found) => found.length > 0 && found.every(({ state }) => FINAL.has(state)),
  );
  const ends = rows.map(({ state, failure }) => {
    const { why, problem } = JSON.parse(failure ?? '{}') as { why?: string; problem?: { code?: string } };
    return JSON.stringify({ state, why, code: problem?.code });
  });
  return [...new Set(ends)].map((end) => JSON.parse(end) as Ended);
};

const longestCallMs = async (platform: Platform, attack: string): Promise<number> => {
  const { rows } = await platform.pool.query<{ longest: number | null }>(
    'select max(duration_ms) as longest from exchanges where carrier_code = any ($1)',
    [codesOf(attack)],
  );
  return rows[0]?.longest ?? 0;
};

const attackWith = async (attacked: Attacked, attack: string, { patience, violations }: Trial) => {
  const { platform, size } = attacked;
  const grown = await watchMemory(platform);
  await createAll(attacked, attack);
  // On a machine with other work not all go at once.
  const limitMs = (Math.ceil(size.atOnce / 16) * size.timeoutS + 20) * 1_000 * patience;
  const ends = await untilEnded(platform, attack, limitMs);
  const [{ peakBytes, growthBytes }, longestMs] = [await grown(), await longestCallMs(platform, attack)];
  const [why, ...codes] = ENDS[attack] ?? [''];
  const isRight = (end: Ended): boolean => end.state === 'held' && end.why === why && codes.includes(end.code ?? '');
  if (ends.length === 0 || !ends.every(isRight))
    violations.push(`${attack} ended as ${JSON.stringify(ends)}, not as held, ${why}, ${codes.join(' or ')}`);
  if (CUT_AT_THE_CAP.has(attack) && !ends.some(({ code }) => code === 'too_large'))
    violations.push(`${attack}: none was cut at the cap: ${JSON.stringify(ends)}`);
  if (longestMs > size.timeoutS * 1_000 + LATE_MS * patience) violations.push(`${attack}: a call took ${longestMs} ms`);
  if (growthBytes > MEMORY_BYTES) violations.push(`${attack}: memory grew by ${growthBytes} bytes`);
  return { peakBytes, growthBytes, longestMs };
};

const act = async (trial: Trial): Promise<void> => {
  const { patience, signal, log, figures, violations } = trial;
  const size = SIZES[trial.dose];
  const carriers = await trial.peer<AttacksHello>('hostile/attacks.ts');
  const authorityFile = path.join(trial.folder, 'authority.pem');
  await writeFile(authorityFile, carriers.hello.authority);
  const profiles = profilesOf(carriers.hello, size);
  const platform = await trial.open({ profiles, env: { NODE_EXTRA_CA_CERTS: authorityFile } });
  figures['of each'] = size.atOnce;
  const shop = await platform.openShop({ carriers: Object.keys(profiles), credentials: () => CREDENTIALS });
  const attacked = { platform, shop, size };
  await createAll(attacked, 'well');
  const [well] = await untilEnded(platform, 'well', 30_000 * patience);
  if (well?.state !== 'done') violations.push(`a carrier that is well ends as ${JSON.stringify(well)}`);
  const baseBytes = await platform.residentBytes();
  let [worstBytes, mostBytes] = [0, baseBytes];
  for (const attack of ATTACKS) {
    signal.throwIfAborted();
    const { growthBytes, peakBytes, longestMs } = await attackWith(attacked, attack, trial);
    worstBytes = Math.max(worstBytes, growthBytes);
    mostBytes = Math.max(mostBytes, peakBytes);
    const megabytes = (growthBytes / 1_000_000).toFixed(0);
    figures[attack] = `${ENDS[attack]?.join(', ')}; longest call ${longestMs} ms; memory +${megabytes} MB`;
    log(`${attack}: ${figures[attack]}`);
  }
  const seen = await carriers.ask<AttacksSeen>('seen');
  for (const attack of ATTACKS) {
    const expected = UNASKED.has(attack) ? 0 : size.atOnce;
    const asked = seen.requests[attack] ?? 0;
    if (asked !== expected) violations.push(`${attack} was asked ${asked} times, not ${expected}`);
  }
  if (mostBytes - baseBytes > MEMORY_OF_ALL_BYTES)
    violations.push(`over all attacks memory grew by ${mostBytes - baseBytes} bytes`);
  if (seen.followed > 0) violations.push(`${seen.followed} redirects were followed`);
  figures['redirects followed'] = seen.followed;
  figures['memory at most, of one attack (MB)'] = Math.round(worstBytes / 1_000_000);
  figures['memory at most, above that before all (MB)'] = Math.round((mostBytes - baseBytes) / 1_000_000);
  figures['most at once'] = Object.entries(seen.peaks)
    .map(([attack, peak]) => `${attack} ${peak}`)
    .join(', ');
};

export const hostileCarriers = trialRow(
  {
    name: 'hostile-carriers',
    promise: 'drips, floods, bombs, redirects, bad certificates and wrong answers end in time and in their class',
  },
  act,
);
