/** Tokens that are none, by the thousand: nothing tells a known one from an unknown one, and whoever goes on is told 429. */
import { randomBytes } from 'node:crypto';
import { randomOf, shuffled } from '../../support/random.ts';
import { partsOfToken } from '../../support/tokens.ts';
import type { Dose } from '../scenario.ts';
import { countBy, inTurns, type Reply } from '../world/call.ts';
import { contractProfile } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

interface Size {
  readonly wrong: number;
  /** Of each kind, for the comparison of times. */
  readonly timed: number;
}

const SIZES: Readonly<Record<Dose, Size>> = {
  small: { wrong: 400, timed: 150 },
  quick: { wrong: 2_000, timed: 500 },
  full: { wrong: 10_000, timed: 3_000 },
};

/** `WRONG_TOKENS_PER_MINUTE` of the API. */
const ALLOWED = 120;
/** How far from a half, by which nothing tells them apart, a likelihood out of n of each strays by chance: √(1 / 6n). */
const strayOf = (n: number): number => 0.41 / Math.sqrt(n);
/** So many strays hardly any run reaches by chance, and a difference that helps anybody soon does. */
const STRAYS = 6;
/** Of a half, however few were timed. */
const STRAY_MOST = 0.15;

const secret = (): string => randomBytes(32).toString('base64url');

type Kind = 'known id' | 'unknown id' | 'no token of ours' | 'of the admin, one letter off';

const tokensAfter = (token: string, adminToken: string): Readonly<Record<Kind, () => string>> => {
  const { kind, id } = partsOfToken(token);
  return {
    'known id': () => `wb_${kind}_${id}_${secret()}`,
    'unknown id': () => `wb_${kind}_${randomBytes(9).toString('hex').slice(0, id.length)}_${secret()}`,
    'no token of ours': () => secret(),
    'of the admin, one letter off': () => `${adminToken.slice(0, -1)}?`,
  };
};

/** All that an answer tells, but for when it was given and its number. */
const toldBy = ({ status, headers, text }: Reply): string => {
  const shown = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return JSON.stringify([status, shown, text.replace(/"timestamp":"[^"]*"/, '')]);
};

/** P(a > b) + P(a = b) / 2 for values taken at random from each. */
const likelihoodGreater = (a: readonly number[], b: readonly number[]): number => {
  const ranked = [...a.map((value) => ({ value, own: 1 })), ...b.map((value) => ({ value, own: 0 }))];
  ranked.sort((x, y) => x.value - y.value);
  let below = 0;
  let wins = 0;
  for (const { own } of ranked) {
    if (own === 1) wins += below;
    else below += 1;
  }
  return wins / (a.length * b.length);
};

const ROUTES = ['/v2/webhooks', '/v2/consignments?referenceNumber=X', '/admin/carriers'] as const;
const PROFILES = { c02: contractProfile('c02', 'https://carrier.example') };

const TIMED = ['known id', 'unknown id'] as const;

const compare = async ({ seed, figures, violations, open }: Trial, { timed }: Size): Promise<void> => {
  const platform = await open({ profiles: PROFILES });
  /** Where tokens are tried: what they look like there, and how long each took. */
  const doorOf = (token: string, method: string, routes: readonly [string, ...string[]]) => {
    const ms: Readonly<Record<(typeof TIMED)[number], number[]>> = { 'known id': [], 'unknown id': [] };
    return { method, routes, tokens: tokensAfter(token, platform.adminToken), ms };
  };
  const doors = {
    shipper: doorOf(await platform.openShop(), 'GET', ROUTES),
    carrier: doorOf(await platform.carrierToken('c02'), 'POST', ['/v2/carriers/c02/statuses']),
  };
  for (const { method, routes, tokens } of Object.values(doors)) {
    for (const route of routes) {
      const told = new Set<string>();
      for (const token of Object.values(tokens)) told.add(toldBy(await platform.call(method, route, token())));
      if (told.size > 1) violations.push(`${route} answers wrong tokens differently: ${[...told].join(' / ')}`);
    }
  }
  const random = randomOf(seed);
  const turns = Object.values(doors).flatMap((door) => TIMED.map((kind) => ({ door, kind })));
  for (let turn = 0; turn < timed; turn += 1) {
    for (const { door, kind } of shuffled(turns, random)) {
      const token = door.tokens[kind]();
      const beganMs = performance.now();
      await platform.call(door.method, door.routes[0], token);
      door.ms[kind].push(performance.now() - beganMs);
    }
  }
  const most = Math.min(STRAY_MOST, STRAYS * strayOf(timed));
  for (const [of, { ms }] of Object.entries(doors)) {
    const likelihood = likelihoodGreater(ms['known id'], ms['unknown id']);
    const figure = `likelihood that a known id of a ${of} takes longer`;
    figures[figure] = `${likelihood.toFixed(3)} (0.5 ± ${most.toFixed(3)})`;
    if (Math.abs(likelihood - 0.5) > most) violations.push(`${figure} than an unknown one: ${likelihood.toFixed(3)}`);
  }
};

const flood = async ({ figures, violations, open }: Trial, { wrong }: Size): Promise<void> => {
  // With the limit of requests that a server has of itself.
  const platform = await open({ profiles: {}, env: { RATE_LIMIT: '' } });
  const shop = await platform.openShop();
  const tokens = tokensAfter(shop, platform.adminToken);
  const kinds = Object.keys(tokens) as Kind[];
  const isTaken = async (route: string, token: string) => (await platform.call('GET', route, token)).status === 200;
  if (!(await isTaken(ROUTES[0], shop))) violations.push('the right token is refused');
  const statuses: number[] = [];
  const told = new Set<string>();
  const beganMs = performance.now();
  await inTurns(16, Array(wrong).keys(), async (number) => {
    const kind = kinds[number % kinds.length] ?? 'known id';
    const reply = await platform.call('GET', ROUTES[number % ROUTES.length] ?? '', tokens[kind]());
    statuses.push(reply.status);
    if (reply.status !== 429) return;
    if (!(Number(reply.headers.get('retry-after')) > 0)) violations.push('429 without Retry-After');
    told.add(reply.text.replace(/"timestamp":"[^"]*"|in \d+ s/g, ''));
  });
  const count = countBy(statuses);
  const { 401: judged = 0, 429: sentAway = 0 } = count;
  const minutes = (performance.now() - beganMs) / 60_000;
  const most = ALLOWED * (1 + minutes) + 1;
  if (judged > most) violations.push(`${judged} wrong tokens were judged, more than ${most.toFixed(0)}`);
  if (judged + sentAway !== wrong) violations.push(`other answers: ${JSON.stringify(count)}`);
  if (told.size > 1) violations.push(`429 says different things: ${[...told].join(' / ')}`);
  if (!(await isTaken(ROUTES[0], shop)))
    violations.push('the right token, proven before, is refused for the wrong ones of its address');
  if (!(await isTaken('/admin/carriers', platform.adminToken))) violations.push('the admin is refused');
  figures['answers by status'] = JSON.stringify(count);
};

export const wrongTokens = trialRow(
  { name: 'wrong-tokens', promise: 'wrong tokens get 429 in time, and nothing tells a known from an unknown one' },
  async (trial) => {
    const size = SIZES[trial.dose];
    Object.assign(trial.figures, { 'wrong tokens': size.wrong, 'timed, of each kind': size.timed });
    await flood(trial, size);
    await compare(trial, size);
  },
);
