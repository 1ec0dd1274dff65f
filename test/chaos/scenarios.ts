import type { Scenario } from './scenario.ts';
import { burst } from './scenarios/burst.ts';
import { diskFull } from './scenarios/disk-full.ts';
import { halfOpen } from './scenarios/half-open.ts';
import { kill } from './scenarios/kill.ts';
import { postgresRestart } from './scenarios/postgres-restart.ts';
import { redis } from './scenarios/redis.ts';
import { soak } from './scenarios/soak.ts';
import { twoRelays } from './scenarios/two-relays.ts';

/** All rows, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  kill,
  redis,
  postgresRestart,
  halfOpen,
  burst,
  twoRelays,
  diskFull,
  soak,
];
