import type { Scenario } from './scenario.ts';
import { burst } from './scenarios/burst.ts';
import { clocksJump } from './scenarios/clocks.ts';
import { diskFull } from './scenarios/disk-full.ts';
import { floodsRow } from './scenarios/floods.ts';
import { forbiddenAddresses } from './scenarios/forbidden-addresses.ts';
import { halfOpen } from './scenarios/half-open.ts';
import { hostileCarriers } from './scenarios/hostile-carriers.ts';
import { hostileInputs } from './scenarios/hostile-inputs.ts';
import { kill } from './scenarios/kill.ts';
import { oneBadCarrier } from './scenarios/one-bad-carrier.ts';
import { ownFleet } from './scenarios/own-fleet.ts';
import { poison } from './scenarios/poison.ts';
import { postgresRestart } from './scenarios/postgres-restart.ts';
import { redis } from './scenarios/redis.ts';
import { shuffledStatuses } from './scenarios/shuffled-statuses.ts';
import { soak } from './scenarios/soak.ts';
import { twoRelays } from './scenarios/two-relays.ts';
import { wrongTokens } from './scenarios/wrong-tokens.ts';

/** All rows, in the order in which they run, but for the heavy ones, which come first: those that mostly wait before others. */
export const SCENARIOS: readonly Scenario[] = [
  halfOpen,
  clocksJump,
  kill,
  redis,
  postgresRestart,
  burst,
  twoRelays,
  diskFull,
  soak,
  oneBadCarrier,
  floodsRow,
  hostileCarriers,
  forbiddenAddresses,
  shuffledStatuses,
  hostileInputs,
  poison,
  ownFleet,
  wrongTokens,
];
