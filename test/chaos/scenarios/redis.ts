import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import type { Dose, Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { answersOf } from '../world/judge.ts';
import { asClient, keepCommands } from '../world/redis.ts';
import { conclude, countStatuses, steadyLoad } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const TIMES: Readonly<Record<Dose, number>> = { small: 1, quick: 2, full: 5 };
const QUIET_WITHIN_S = 60;
const BETWEEN_MS = 2_000;
const AWAY_MS = 6_000;

export const redis: Scenario = {
  name: 'redis',
  promise: 'Redis flushed, stopped, frozen: I1 to I5; accepts go on; caught up within 60 s',
  onlyOn: 'redis',
  limitMinutes: { small: 4, quick: 8, full: 15 },
  run: async (context) => await run(context),
};

type Fault = (server: RedisServer) => Promise<RedisServer>;

const FAULTS: Readonly<Record<string, Fault>> = {
  flushed: async (server) => {
    await asClient(server.url, async (client) => await client.flushall());
    return server;
  },
  stopped: async (server) => {
    await server.stop();
    await sleep(AWAY_MS);
    const again = await startRedisServer(server.port);
    await keepCommands(again.url);
    return again;
  },
  frozen: async (server) => {
    process.kill(server.pid, 'SIGSTOP');
    await sleep(AWAY_MS);
    process.kill(server.pid, 'SIGCONT');
    return server;
  },
};

const run = async (context: ScenarioContext): Promise<Outcome> => {
  const isSmall = context.dose === 'small';
  const world = await startWorld(context, {
    roles: isSmall ? ['api', 'worker'] : ['api', 'api', 'worker', 'worker'],
    patches: leases(context),
    faults: 0.04,
  });
  let server = world.redis;
  if (server === undefined) throw new Error('this row is about Redis');
  try {
    const client = steadyLoad(world, context, { prefix: 'R', atOnce: 6, everyMs: isSmall ? 100 : 50 });
    const violations: string[] = [];
    const figures: Record<string, number> = {};
    for (let time = 0; time < TIMES[context.dose] && !context.signal.aborted; time += 1) {
      for (const [name, fault] of Object.entries(FAULTS)) {
        await sleep(BETWEEN_MS);
        const fromMs = Date.now();
        server = await fault(server);
        const statuses = countStatuses(answersOf(world), fromMs);
        const accepted = statuses[200] ?? 0;
        context.log(`${name}: ${JSON.stringify(statuses)}`);
        figures[name] = (figures[name] ?? 0) + 1;
        if (name === 'flushed') continue;
        figures[`accepted while ${name}`] = (figures[`accepted while ${name}`] ?? 0) + accepted;
        if (accepted === 0) violations.push(`nothing was accepted while Redis was ${name}`);
        if (statuses[503] !== undefined) violations.push(`${statuses[503]} × 503 while Redis was ${name}`);
      }
    }
    await client.stop();
    return await conclude(world, context, { quietWithinS: QUIET_WITHIN_S, figures, violations });
  } finally {
    await world.close();
    await server.stop();
  }
};
