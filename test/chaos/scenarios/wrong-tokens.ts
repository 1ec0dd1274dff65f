/** Tokens that are none, by the thousand: nothing tells a known one from an unknown one, and whoever goes on is told 429. */
import { randomBytes } from 'node:crypto';
import { ADMIN, contractProfile, openHouse } from '../house/house.ts';
import { countBy, inTurns, type Reply } from '../world/call.ts';
import { randomOf, shuffled } from '../../support/random.ts';
import { partsOfToken } from '../../support/tokens.ts';
import type { Backend, Dose, Scenario, ScenarioContext } from '../scenario.ts';

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

const tokensAfter = (shop: string): Readonly<Record<Kind, () => string>> => {
  const { kind, id } = partsOfToken(shop);
  return {
    'known id': () => `wb_${kind}_${id}_${secret()}`,
    'unknown id': () => `wb_${kind}_${randomBytes(9).toString('hex').slice(0, id.length)}_${secret()}`,
    'no token of ours': () => secret(),
    'of the admin, one letter off': () => `${ADMIN.slice(0, -1)}?`,
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
const CARRIER_ROUTE = '/v2/carriers/c02/statuses';
const PROFILES = { c02: contractProfile('c02', 'https://carrier.example') };

type Timed = 'known id' | 'unknown id';

/** A door, and the tokens that are tried there. */
interface Door {
  readonly method: 'GET' | 'POST';
  readonly routes: readonly [string, ...string[]];
  readonly tokens: Readonly<Record<Kind, () => string>>;
  readonly ms: Readonly<Record<Timed, number[]>>;
}

const doorOf = (token: string, method: Door['method'], routes: Door['routes']): Door => ({
  method,
  routes,
  tokens: tokensAfter(token),
  ms: { 'known id': [], 'unknown id': [] },
});

const compare = async ({ seed, backend }: ScenarioContext, size: Size, violations: string[]) => {
  await using house = await openHouse({ profiles: PROFILES, backend, env: { RATE_LIMIT: '0' }, violations });
  const doors = {
    shipper: doorOf(await house.openShop([]), 'GET', ROUTES),
    carrier: doorOf(await house.carrierToken('c02'), 'POST', [CARRIER_ROUTE]),
  };
  for (const { method, routes, tokens } of Object.values(doors)) {
    for (const route of routes) {
      const told = new Set<string>();
      for (const token of Object.values(tokens)) told.add(toldBy(await house.call(method, route, token())));
      if (told.size > 1) violations.push(`${route} answers wrong tokens differently: ${[...told].join(' / ')}`);
    }
  }
  const random = randomOf(seed);
  const turns = Object.values(doors).flatMap((door) =>
    (['known id', 'unknown id'] as const).map((kind) => ({ door, kind })),
  );
  for (let turn = 0; turn < size.timed; turn += 1) {
    for (const { door, kind } of shuffled(turns, random)) {
      const token = door.tokens[kind]();
      const beganMs = performance.now();
      await house.call(door.method, door.routes[0], token);
      door.ms[kind].push(performance.now() - beganMs);
    }
  }
  const most = Math.min(STRAY_MOST, STRAYS * strayOf(size.timed));
  const figures: Record<string, string> = {};
  for (const [of, { ms }] of Object.entries(doors)) {
    const likelihood = likelihoodGreater(ms['known id'], ms['unknown id']);
    figures[`likelihood that a known id of a ${of} takes longer`] =
      `${likelihood.toFixed(3)} (0.5 ± ${most.toFixed(3)})`;
    if (Math.abs(likelihood - 0.5) > most)
      violations.push(
        `a known id of a ${of} takes longer than an unknown one with likelihood ${likelihood.toFixed(3)}`,
      );
  }
  return figures;
};

const flood = async (backend: Backend, size: Size, violations: string[]) => {
  await using house = await openHouse({ profiles: {}, backend, violations });
  const shop = await house.openShop([]);
  const tokens = tokensAfter(shop);
  const kinds = Object.keys(tokens) as Kind[];
  if ((await house.call('GET', ROUTES[0], shop)).status !== 200) violations.push('the right token is refused');
  const statuses: number[] = [];
  const told = new Set<string>();
  const beganMs = performance.now();
  await inTurns(16, Array(size.wrong).keys(), async (number) => {
    const kind = kinds[number % kinds.length] ?? 'known id';
    const reply = await house.call('GET', ROUTES[number % ROUTES.length] ?? '', tokens[kind]());
    statuses.push(reply.status);
    if (reply.status === 429) {
      if (!(Number(reply.headers.get('retry-after')) > 0)) violations.push('429 without Retry-After');
      told.add(`${kind}: ${reply.text.replace(/"timestamp":"[^"]*"|in \d+ s/g, '')}`.split(': ')[1] ?? '');
    }
  });
  const count = countBy(statuses);
  const minutes = (performance.now() - beganMs) / 60_000;
  const most = ALLOWED * (1 + minutes) + 1;
  if ((count['401'] ?? 0) > most)
    violations.push(`${count['401']} wrong tokens were judged, more than ${most.toFixed(0)}`);
  if ((count['429'] ?? 0) + (count['401'] ?? 0) !== size.wrong)
    violations.push(`other answers: ${JSON.stringify(count)}`);
  if (told.size > 1) violations.push(`429 says different things: ${[...told].join(' / ')}`);
  if ((await house.call('GET', ROUTES[0], shop)).status !== 200)
    violations.push('the right token, proven before, is refused for the wrong ones of its address');
  if ((await house.call('GET', '/admin/carriers', ADMIN)).status !== 200) violations.push('the admin is refused');
  return count;
};

const run = async (context: ScenarioContext) => {
  const size = SIZES[context.dose];
  const violations: string[] = [];
  const count = await flood(context.backend, size, violations);
  const likelihoods = await compare(context, size, violations);
  return {
    figures: {
      'wrong tokens': size.wrong,
      'answers by status': JSON.stringify(count),
      'timed, of each kind': size.timed,
      ...likelihoods,
    },
    violations,
  };
};

export const wrongTokens: Scenario = {
  name: 'wrong-tokens',
  promise: 'wrong tokens get 429 in time, and nothing tells a known from an unknown one',
  limitMinutes: { small: 10, quick: 15 },
  run,
};
