import type { Dose, Scenario } from '../scenario.ts';
import { load } from '../world/load.ts';
import { answersOf, conclude, countStatuses, countsText } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const REQUESTS: Readonly<Record<Dose, number>> = { small: 300, quick: 600, full: 10_000 };
/** Of consignments in hand: each has one request under way. */
const AT_ONCE = 1_000;
/** Answers for good, and those to come back with. */
const ALLOWED = new Set([200, 409, 422, 429, 503]);
const QUIET_WITHIN_S = 600;

export const burst: Scenario = {
  name: 'burst',
  promise: 'a burst of requests, up to a thousand at once: none lost; 429 or 503 only, beside success',
  // It takes all that a machine has: how long answers take says nothing of us with another row beside it.
  weight: Number.POSITIVE_INFINITY,
  limitMinutes: { small: 4, quick: 8, full: 20 },
  run: async (context) => {
    await using world = await startWorld(context, { roles: ['api', 'worker'] });
    const count = context.sizes.dispatches ?? REQUESTS[context.dose];
    const beganMs = performance.now();
    await load(world, context, { prefix: 'B', count, atOnce: AT_ONCE });
    const seconds = Math.round((performance.now() - beganMs) / 100) / 10;
    const answers = answersOf(world);
    const statuses = countStatuses(answers);
    const figures = {
      'answered within s': seconds,
      'answers by status': countsText(statuses),
      'slowest request s': Math.round(answers.reduce((slowest, { ms }) => Math.max(slowest, ms), 0) / 100) / 10,
    };
    const violations = Object.entries(statuses)
      .filter(([status]) => !ALLOWED.has(Number(status)))
      .map(([status, times]) =>
        status === '0' ? `${times} requests got no answer` : `${times} requests got a ${status}`,
      );
    return await conclude(world, context, { quietWithinS: QUIET_WITHIN_S, figures, violations });
  },
};
