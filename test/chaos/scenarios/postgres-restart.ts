import { setTimeout as sleep } from 'node:timers/promises';
import type { Dose, Scenario } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { isReady } from '../world/children.ts';
import { startPostgres } from '../world/postgres.ts';
import { steadyLoad } from '../world/load.ts';
import { answersOf, conclude, countStatuses } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const TIMES: Readonly<Record<Dose, number>> = { small: 2, quick: 3, full: 20 };
const READY_WITHIN_MS = 10_000;
const QUIET_WITHIN_S = 90;

export const postgresRestart: Scenario = {
  name: 'postgres-restart',
  promise: 'PostgreSQL restarted at once under load: I1 to I5; clean 503s; ready within 10 s',
  weight: 2,
  limitMinutes: { small: 4, quick: 8, full: 20 },
  run: async (context) => {
    const isFull = context.dose === 'full';
    await using postgres = await startPostgres();
    await using world = await startWorld(context, {
      roles: isFull ? ['api', 'api', 'worker', 'worker'] : ['api', 'worker'],
      patches: leases(context),
      faults: 0.04,
      postgres,
    });
    const client = steadyLoad(world, context, { prefix: 'P', atOnce: 8, everyMs: isFull ? 50 : 100 });
    const readyMs: number[] = [];
    for (let time = 0; time < TIMES[context.dose] && !context.signal.aborted; time += 1) {
      await sleep(2_000);
      const beganMs = performance.now();
      await postgres.restartImmediately();
      await Promise.all(world.fleet.urls.map(untilReady));
      readyMs.push(Math.round(performance.now() - beganMs));
      context.log(`ready after ${readyMs.at(-1)} ms`);
    }
    const sinceMs = performance.now();
    await client.stop();
    const statuses = countStatuses(answersOf(world));
    const longest = Math.max(...readyMs);
    const figures = {
      restarts: readyMs.length,
      'longest until ready ms': longest,
      '503 answers': statuses[503] ?? 0,
      'requests without an answer': statuses[0] ?? 0,
    };
    const violations = [
      ...(longest > READY_WITHIN_MS * context.patience ? [`ready only after ${longest} ms`] : []),
      ...(statuses[0] === undefined ? [] : [`${statuses[0]} requests got no answer, though no API was touched`]),
    ];
    return await conclude(world, context, { quietWithinS: QUIET_WITHIN_S, sinceMs, figures, violations });
  },
};

/** It may still answer from before: not ready first, ready then, or ready for half a second. */
const untilReady = async (url: string): Promise<void> => {
  let readyFor = 0;
  for (;;) {
    readyFor = (await isReady(url)) ? readyFor + 1 : 0;
    if (readyFor === 5) return;
    await sleep(100);
  }
};
