import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { type Span, tellOf } from '../oracle/accepting.ts';
import type { Dose, Scenario } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { flushJobs, keepCommands } from '../world/redis.ts';
import { steadyLoad } from '../world/load.ts';
import { answersOf, conclude, countStatuses } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const TIMES: Readonly<Record<Dose, number>> = { small: 1, quick: 2, full: 5 };
const QUIET_WITHIN_S = 60;
const BETWEEN_MS = 2_000;
const AWAY_MS = 6_000;
/** So many that half of what they can do is not missed by chance: six were, once in some thirty runs. */
const AT_ONCE = 12;

type Fault = (
  server: RedisServer,
  jobsWithinMs: number,
) => Promise<{ readonly server: RedisServer; readonly jobs?: number }>;

const FAULTS: Readonly<Record<string, Fault>> = {
  flushed: async (server, jobsWithinMs) => ({ server, jobs: await flushJobs(server.url, jobsWithinMs) }),
  stopped: async ({ stop, port }) => {
    await stop();
    await sleep(AWAY_MS);
    const server = await startRedisServer(port);
    await keepCommands(server.url);
    return { server };
  },
  frozen: async (server) => {
    process.kill(server.pid, 'SIGSTOP');
    await sleep(AWAY_MS);
    process.kill(server.pid, 'SIGCONT');
    return { server };
  },
};

export const redis: Scenario = {
  name: 'redis',
  promise: 'Redis flushed, stopped, frozen: I1 to I5; accepts go on; caught up within 60 s',
  onlyOn: 'redis',
  limitMinutes: { small: 4, quick: 8, full: 15 },
  run: async (context) => {
    const { patience, signal } = context;
    const isFull = context.dose === 'full';
    await using ending = new AsyncDisposableStack();
    await using world = await startWorld(context, {
      roles: isFull ? ['api', 'api', 'worker', 'worker'] : ['api', 'worker'],
      patches: leases(context),
      faults: 0.04,
    });
    let server = world.redis;
    if (server === undefined) throw new Error('this row is about Redis');
    ending.defer(async () => await server?.stop());
    const everyMs = isFull ? 50 : 100;
    const client = steadyLoad(world, context, { prefix: 'R', atOnce: AT_ONCE, everyMs });
    const spans: Span[] = [];
    let jobsFlushed = 0;
    for (let time = 0; time < TIMES[context.dose] && !signal.aborted; time += 1) {
      for (const [name, fault] of Object.entries(FAULTS)) {
        await sleep(BETWEEN_MS);
        const fromMs = Date.now();
        const { jobs = 0, ...after } = await fault(server, AWAY_MS * patience);
        ({ server } = after);
        jobsFlushed += jobs;
        spans.push({ name, fromMs, toMs: Date.now() });
        context.log(name);
      }
    }
    const sinceMs = performance.now();
    await client.stop();
    const answers = answersOf(world);
    const { 0: unanswered = 0 } = countStatuses(answers);
    const told = spans.map((span) => ({ ...span, ...tellOf(span, answers, { everyMs, atOnce: AT_ONCE, patience }) }));
    const figures: Record<string, number> = { 'times each': TIMES[context.dose], 'jobs flushed': jobsFlushed };
    for (const { name, accepted } of told) {
      const figure = `accepted while ${name}`;
      if (name !== 'flushed') figures[figure] = (figures[figure] ?? 0) + accepted;
    }
    const violations = [
      ...told.flatMap((one) => one.violations),
      ...(unanswered === 0 ? [] : [`${unanswered} requests got no answer, though no API was touched`]),
    ];
    return await conclude(world, context, { quietWithinS: QUIET_WITHIN_S, sinceMs, figures, violations });
  },
};
