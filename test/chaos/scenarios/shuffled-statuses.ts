/** Status pushes, each five times and shuffled; and the same story in many orders. */
import { differsByOrder } from '../../platform/records/status-orders.ts';
import { randomOf, shuffled } from '../../support/random.ts';
import { startPeer } from '../world/children.ts';
import { lifeOf } from '../house/events.ts';
import { contractProfile, type House, openHouse } from '../house/house.ts';
import { inTurns, lookUntil } from '../world/call.ts';
import { openDatabase } from '../world/postgres.ts';
import type { Dose, Scenario, ScenarioContext } from '../scenario.ts';

interface Size {
  readonly consignments: number;
  readonly eventsEach: number;
  /** Of the property test. */
  readonly seeds: number;
}

const SIZES: Readonly<Record<Dose, Size>> = {
  small: { consignments: 8, eventsEach: 5, seeds: 3 },
  quick: { consignments: 40, eventsEach: 5, seeds: 20 },
  full: { consignments: 2_000, eventsEach: 5, seeds: 1_000 },
};
const TIMES = 5;
const AT_ONCE = 16;
const QUIET_WITHIN_MS = 300_000;

const createAll = async (house: House, shop: string, count: number): Promise<void> => {
  const references = Array.from({ length: count }, (_, number) => `S-${number}`);
  await inTurns(AT_ONCE, references, async (reference) => {
    const reply = await house.create(shop, 'c02', reference);
    if (!reply.text.includes(`T-${reference}-PKG-1`)) throw new Error(`${reference}: ${reply.status} ${reply.text}`);
  });
};

const pushAll = async (
  house: House,
  size: Size,
  random: () => number,
  { patience, signal }: Pick<ScenarioContext, 'patience' | 'signal'>,
) => {
  const token = await house.carrierToken('c02');
  const lives = Array.from({ length: size.consignments }, (_, number) =>
    lifeOf(`T-S-${number}-PKG-1`, size.eventsEach, random),
  );
  const events = lives.flatMap((life) => life.events);
  const pushes = shuffled(Array.from({ length: TIMES }, () => events).flat(), random);
  const refused: string[] = [];
  await inTurns(AT_ONCE, pushes, async (event) => {
    if (signal.aborted) throw signal.reason;
    const reply = await house.call('POST', '/v2/carriers/c02/statuses', token, event);
    if (reply.status !== 200) refused.push(`${reply.status} ${reply.text}`);
  });
  const pending = async () => await house.pool.query(`select 1 from pushes where state = 'pending' limit 1`);
  await lookUntil(QUIET_WITHIN_MS * patience, pending, ({ rowCount }) => rowCount === 0);
  return { lives, events, pushes, refused };
};

const run = async (context: ScenarioContext) => {
  const { dose, seed, backend, log } = context;
  const size = SIZES[dose];
  const random = randomOf(seed);
  const violations: string[] = [];
  await using carriers = await startPeer<string>('hostile/twenty.ts');
  await using house = await openHouse({
    profiles: { c02: contractProfile('c02', `${carriers.hello}/c02`) },
    backend,
    env: { RATE_LIMIT: '0' },
    violations,
  });
  const figures: Record<string, number> = {};
  const shop = await house.openShop(['c02'], {});
  await createAll(house, shop, size.consignments);
  const { lives, events, pushes, refused } = await pushAll(house, size, random, context);
  log(`${pushes.length} pushes are processed`);
  if (refused.length > 0) violations.push(`${refused.length} pushes were refused, the first with ${refused[0]}`);
  const { rows } = await house.pool.query<{ all: number; matched: number; identities: number }>(
    `select count(*) as all, count(*) filter (where match = 'matched') as matched,
       count(distinct identity) as identities from events`,
  );
  const [recorded] = rows;
  if (recorded?.all !== events.length || recorded.matched !== events.length)
    violations.push(`${events.length} events were pushed, recorded are ${JSON.stringify(recorded)}`);
  const { rows: consignments } = await house.pool.query<{ reference: string; status: string }>(
    'select reference_number as reference, status from consignments',
  );
  const statusOf = new Map(consignments.map(({ reference, status }) => [reference, status]));
  for (const [number, { endsAs }] of lives.entries()) {
    const status = statusOf.get(`S-${number}`);
    if (status !== endsAs) violations.push(`S-${number} is ${status}, not ${endsAs}`);
  }
  Object.assign(figures, { pushes: pushes.length, events: events.length, recorded: recorded?.all ?? 0 });
  if (backend === 'postgres') figures['stories in two orders each'] = await tellStories(size, seed, violations, log);
  return { figures, violations };
};

/** The queue has no part in these, so they are told once. */
const tellStories = async (
  { seeds }: Size,
  seed: number,
  violations: string[],
  log: (line: string) => void,
): Promise<number> => {
  await using records = await openDatabase();
  for (let number = 0; number < seeds; number += 1) {
    const differs = await differsByOrder(records.pool, seed * 1_000_003 + number);
    if (differs !== undefined) violations.push(differs);
    if (number % 100 === 99) log(`${number + 1} stories`);
  }
  return seeds;
};

export const shuffledStatuses: Scenario = {
  name: 'shuffled-statuses',
  promise: 'a status that is pushed five times, in any order, is one event, and the final state is the same',
  limitMinutes: { small: 10, quick: 15 },
  run,
};
