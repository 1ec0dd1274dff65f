import type { Dose, Scenario } from '../scenario.ts';
import { EAGER } from '../seam/patches.ts';
import { load } from '../world/load.ts';
import { conclude } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const DISPATCHES: Readonly<Record<Dose, number>> = { small: 80, quick: 120, full: 2_000 };

export const twoRelays: Scenario = {
  name: 'two-relays',
  promise: 'several processes that look for the same work all the time: I1 to I5',
  limitMinutes: { small: 4, quick: 6, full: 20 },
  run: async (context) => {
    await using world = await startWorld(context, { roles: ['all', 'all'], patches: EAGER, faults: 0.08 });
    const count = context.sizes.dispatches ?? DISPATCHES[context.dose];
    await load(world, context, { prefix: 'T', count, atOnce: 16, everyMs: 50 });
    return await conclude(world, context, { quietWithinS: 90 });
  },
};
