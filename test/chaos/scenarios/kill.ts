import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../support/random.ts';
import type { Dose, Scenario } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { type Point, POINTS, pointText } from '../seam/points.ts';
import { type MemberRole, pointKey } from '../world/fleet.ts';
import { load } from '../world/load.ts';
import { conclude } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const SIZES: Readonly<Record<Dose, { readonly dispatches: number; readonly kills: number }>> = {
  small: { dispatches: 80, kills: 6 },
  quick: { dispatches: 150, kills: 12 },
  full: { dispatches: 10_000, kills: 200 },
};
const QUIET_WITHIN_S = 90;
/** What processes that are killed all the time can keep up with: a backlog would take its own time after the last kill. */
const EVERY_MS = 100;
/** Points that nobody has died at yet are not waited for long. */
const SOON = 8;
const [WORKS_ON_MS, LOOK_EVERY_MS] = [4_000, 100];

export const kill: Scenario = {
  name: 'kill',
  promise: 'API and workers killed at random and at named points: I1 to I5; quiet within 90 s of the last kill',
  limitMinutes: { small: 6, quick: 10, full: 120 },
  run: async (context) => {
    const { dispatches, kills } = { ...SIZES[context.dose], ...context.sizes };
    const random = new Random(context.seed);
    const isSmall = context.dose === 'small';
    // Of the points, all have their turn; the small dose has no time for each.
    let turn = 0;
    const untriedOf = (role: MemberRole): readonly Point[] =>
      role === 'all' || isSmall
        ? []
        : POINTS[role].filter((point) => fleet.killedAt[pointKey(role, point)] === undefined);
    await using world = await startWorld(context, {
      roles: isSmall ? ['api', 'worker'] : ['api', 'api', 'worker', 'worker'],
      patches: leases(context),
      faults: 0.08,
      point: (role) => {
        if (role === 'all') return undefined;
        const untried = untriedOf(role);
        turn += 1;
        const next = untried[turn % untried.length];
        if (next !== undefined) return pointText(next, 1 + random.below(SOON));
        if (random.chance(0.3)) return undefined;
        return pointText(random.pick(POINTS[role]), 1 + random.below(Math.ceil((2 * dispatches) / Math.max(1, kills))));
      },
    });
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
    const isLeft = (): boolean =>
      fleet.killed() < kills || fleet.members.some(({ role }) => untriedOf(role).length > 0);
    for (let more = 1; isLeft() && !context.signal.aborted; more += 1) {
      // Whoever waits for another point gives way to one that waits for this.
      for (const member of fleet.members) if (untriedOf(member.role).length > 0) fleet.kill(member);
      // Or, on a slow machine, it would be killed again before it came to any work.
      await fleet.up();
      await load(world, context, { prefix: `M${more}`, count: 20, atOnce, seed: context.seed + more });
      // What that began is worked on for a while yet.
      for (let waitedMs = 0; waitedMs < WORKS_ON_MS && isLeft(); waitedMs += LOOK_EVERY_MS) await sleep(LOOK_EVERY_MS);
    }
    killing.abort();
    await killer;
    await fleet.settle();
    const points = Object.entries(fleet.killedAt).map(([point, times]) => `${times} × ${point}`);
    const figures = { kills: fleet.killed(), 'of these at points': points.toSorted().join(', ') };
    const violations = fleet.members.flatMap(({ role }) =>
      untriedOf(role).map((point) => `no ${role} died at ${point}`),
    );
    return await conclude(world, context, {
      quietWithinS: QUIET_WITHIN_S,
      sinceMs: fleet.lastKillMs(),
      figures,
      violations: [...new Set(violations)],
    });
  },
};
