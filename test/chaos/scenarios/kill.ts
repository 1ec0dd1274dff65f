import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../support/random.ts';
import type { Dose, Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { POINTS, pointText } from '../seam/points.ts';
import { conclude, load } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const SIZES: Readonly<Record<Dose, { readonly dispatches: number; readonly kills: number }>> = {
  small: { dispatches: 80, kills: 6 },
  quick: { dispatches: 250, kills: 12 },
  full: { dispatches: 10_000, kills: 200 },
};
const QUIET_WITHIN_S = 90;
/** What processes that are killed all the time can keep up with: a backlog would take its own time after the last kill. */
const EVERY_MS = 100;

export const kill: Scenario = {
  name: 'kill',
  promise: 'API and workers killed at random and at named points: I1 to I5; quiet within 90 s of the last kill',
  limitMinutes: { small: 6, quick: 10, full: 120 },
  run: async (context) => await run(context),
};

const run = async (context: ScenarioContext): Promise<Outcome> => {
  const { dispatches, kills } = { ...SIZES[context.dose], ...context.sizes };
  const random = new Random(context.seed);
  const isSmall = context.dose === 'small';
  const world = await startWorld(context, {
    roles: isSmall ? ['api', 'worker'] : ['api', 'api', 'worker', 'worker'],
    patches: leases(context),
    faults: 0.08,
    point: (role) =>
      role === 'all' || random.chance(0.3)
        ? undefined
        : pointText(random.pick(POINTS[role]), 1 + random.below(Math.ceil((2 * dispatches) / Math.max(1, kills)))),
  });
  try {
    const { fleet } = world;
    const killing = new AbortController();
    fleet.arm();
    let begun = 0;
    // Up to the end of the load: what points kill is counted, what they leave is killed at random.
    const killer = (async () => {
      while (!killing.signal.aborted && fleet.killed() < kills) {
        await sleep(500 + random.below(1_000));
        if (fleet.killed() < (kills * begun) / dispatches) fleet.kill(random.pick(fleet.members));
      }
    })();
    const atOnce = isSmall ? 12 : 24;
    const onBegun = (count: number): void => {
      begun = count;
      if (count % 500 === 0) context.log(`${count} begun, ${fleet.killed()} kills`);
    };
    await load(world, context, { prefix: 'K', count: dispatches, atOnce, everyMs: isSmall ? 0 : EVERY_MS, onBegun });
    context.log(`load is through after ${fleet.killed()} kills`);
    // Kills that are left find some work, too.
    for (let more = 1; fleet.killed() < kills && !context.signal.aborted; more += 1)
      await load(world, context, { prefix: `M${more}`, count: 20, atOnce, seed: context.seed + more });
    killing.abort();
    await killer;
    await fleet.settle();
    const figures = { kills: fleet.killed() };
    return await conclude(world, context, { quietWithinS: QUIET_WITHIN_S, sinceMs: fleet.lastKillMs(), figures });
  } finally {
    await world.close();
  }
};
