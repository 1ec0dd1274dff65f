/** The suite must be able to fail: each rule is switched off in turn, and the oracle has to see it. */
import { Random } from '../support/random.ts';
import type { Outcome, Scenario, ScenarioContext } from './scenario.ts';
import { runPoison } from './scenarios/poison.ts';
import { type Patch, shortLeases } from './seam/patches.ts';
import { type Point, pointText } from './seam/points.ts';
import { load } from './world/load.ts';
import { conclude } from './world/row.ts';
import { startWorld } from './world/world.ts';

interface Mutation {
  readonly name: string;
  /** What of the oracle's findings shows it. */
  readonly seenBy: RegExp;
  readonly patches: readonly Patch[];
  /** What is run with them; else a load that the oracle judges. */
  readonly run?: (context: ScenarioContext, patches: readonly Patch[]) => Promise<Outcome>;
  /** How often the process is killed, and where. */
  readonly kills?: { readonly times: number; readonly at: Point };
}

export const MUTATIONS: readonly Mutation[] = [
  // The longest first: the others run beside it.
  {
    name: 'without-takeover',
    seenBy: /^not quiet within .* deliveries/,
    patches: [
      {
        file: 'platform/records/deliveries.ts',
        find: `state = 'sending' and lease_until < now()`,
        put: `state = 'sending' and false`,
      },
    ],
    kills: { times: 4, at: 'after-conclude' },
  },
  {
    name: 'without-handing-on',
    seenBy: /^I2: the create of \S+ is pending/,
    patches: [
      {
        file: 'platform/processes/dispatching.ts',
        find: 'taken: (one: HandedOn) => void = () => undefined): void => {',
        put: 'taken: (one: HandedOn) => void = () => undefined): void => { return;',
      },
      {
        file: 'platform/processes/dispatching.ts',
        find: 'const isLooking = handed.length === 0 || uptimeMs() >= lookAtMs;',
        put: 'const isLooking = false;',
      },
    ],
  },
  {
    name: 'without-fence',
    seenBy: /^I3: .*(?:effects of|sent again)/,
    patches: [
      {
        file: 'platform/records/attempt-log.ts',
        find: 'fence: async (key, attempt, firstSentAtMs, forMs) => {',
        put: 'fence: async () => {}, unused: async (key, attempt, firstSentAtMs, forMs) => {',
      },
    ],
    kills: { times: 9, at: 'after-send' },
  },
  {
    name: 'without-deduplication',
    seenBy: /^I4: the push \S+ was answered 200 and is [2-9] events/,
    patches: [
      {
        file: 'engine/statuses/normalise.ts',
        find: `JSON.stringify(canonical(said)) ?? ''`,
        put: 'String(Math.random())',
      },
    ],
  },
  {
    name: 'without-masking',
    seenBy: /^I5: the credential of .* is in the table public\.exchanges/,
    patches: [
      {
        file: 'engine/transport/masking.ts',
        find: 'if (value.length < minLength) return false;',
        put: 'return false;',
      },
    ],
  },
  {
    name: 'without-halving',
    seenBy: /^\d+ other creates were not accepted/,
    patches: [
      {
        file: 'platform/records/batch.ts',
        find: 'if (batch.length > 1 && isUnrecordable(error)) {',
        put: 'if (batch.length > 1_000 && isUnrecordable(error)) {',
      },
    ],
    run: runPoison,
  },
];

const CONSIGNMENTS = 40;

/** As rows of the table: green when the oracle saw what was switched off. */
export const MUTATION_ROWS: readonly Scenario[] = MUTATIONS.map((mutation) => ({
  name: mutation.name,
  promise: `the suite turns red ${mutation.name.replace('-', ' ')}`,
  limitMinutes: { small: 4, quick: 4, full: 4 },
  run: async (context) => {
    const { figures, violations } = await runMutated(context, mutation);
    const seen = violations.filter((violation) => mutation.seenBy.test(violation));
    return {
      figures: { ...figures, 'seen by': seen[0] ?? 'nothing', 'seen times': seen.length },
      violations: seen.length > 0 ? [] : [`nothing of the oracle saw it; it said: ${violations[0] ?? 'nothing'}`],
    };
  },
}));

const runMutated = async (context: ScenarioContext, { patches, kills, run }: Mutation): Promise<Outcome> => {
  if (run !== undefined) return await run(context, patches);
  const random = new Random(context.seed);
  let left = kills?.times ?? 0;
  await using world = await startWorld(context, {
    roles: ['all'],
    patches: [...shortLeases(context.patience), ...patches],
    point: () => {
      left -= 1;
      return kills === undefined || left < 0 ? undefined : pointText(kills.at, 2 + random.below(3));
    },
  });
  if (kills !== undefined) {
    world.fleet.arm();
    for (const member of world.fleet.members) world.fleet.kill(member);
  }
  await load(world, context, { prefix: 'X', count: CONSIGNMENTS, atOnce: 10 });
  return await conclude(world, context, { quietWithinS: kills === undefined ? 12 : 30 });
};
