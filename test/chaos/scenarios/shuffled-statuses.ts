/** Status pushes, each five times and shuffled; and the same story in many orders. */
import { differsByOrder } from '../../platform/records/status-orders.ts';
import { randomOf, shuffled } from '../../support/random.ts';
import { lifeOf } from '../order.ts';
import type { Dose } from '../scenario.ts';
import { inTurns, lookUntil } from '../world/call.ts';
import type { Platform } from '../world/platform.ts';
import { openDatabase } from '../world/postgres.ts';
import { contractProfile } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

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

const createAll = async (platform: Platform, shop: string, count: number): Promise<void> => {
  await inTurns(AT_ONCE, Array(count).keys(), async (number) => {
    const { status, text } = await platform.create(shop, 'c02', `S-${number}`);
    if (!text.includes(`T-S-${number}-PKG-1`)) throw new Error(`S-${number}: ${status} ${text}`);
  });
};

const pushAll = async (platform: Platform, { patience, seed, signal, violations }: Trial, size: Size) => {
  const random = randomOf(seed);
  const token = await platform.carrierToken('c02');
  const lives = Array.from({ length: size.consignments }, (_, number) =>
    lifeOf(`T-S-${number}-PKG-1`, size.eventsEach, random),
  );
  const events = lives.flatMap((life) => life.events);
  const pushes = shuffled(Array.from({ length: TIMES }, () => events).flat(), random);
  const refused: string[] = [];
  await inTurns(AT_ONCE, pushes, async (event) => {
    signal.throwIfAborted();
    const { status, text } = await platform.call('POST', '/v2/carriers/c02/statuses', token, event);
    if (status !== 200) refused.push(`${status} ${text}`);
  });
  const pending = async () => await platform.pool.query(`select 1 from pushes where state = 'pending' limit 1`);
  await lookUntil(QUIET_WITHIN_MS * patience, pending, ({ rowCount }) => rowCount === 0);
  if (refused.length > 0) violations.push(`${refused.length} pushes were refused, the first with ${refused[0]}`);
  return { lives, events: events.length, pushes: pushes.length };
};

/** The queue has no part in these, so they are told once. */
const tellStories = async ({ seed, violations, log }: Trial, { seeds }: Size): Promise<number> => {
  await using records = await openDatabase();
  for (let number = 0; number < seeds; number += 1) {
    const differs = await differsByOrder(records.pool, seed * 1_000_003 + number);
    if (differs !== undefined) violations.push(differs);
    if (number % 100 === 99) log(`${number + 1} stories`);
  }
  return seeds;
};

const act = async (trial: Trial): Promise<void> => {
  const { figures, violations } = trial;
  const size = SIZES[trial.dose];
  const carriers = await trial.peer('hostile/twenty.ts');
  const platform = await trial.open({ profiles: { c02: contractProfile('c02', `${carriers.hello}/c02`) } });
  await createAll(platform, await platform.openShop({ carriers: ['c02'] }), size.consignments);
  const { lives, events, pushes } = await pushAll(platform, trial, size);
  trial.log(`${pushes} pushes are processed`);
  const { rows } = await platform.pool.query<{ all: number; matched: number; identities: number }>(
    `select count(*) as all, count(*) filter (where match = 'matched') as matched,
       count(distinct identity) as identities from events`,
  );
  const [recorded] = rows;
  if (recorded?.all !== events || recorded.matched !== events)
    violations.push(`${events} events were pushed, recorded are ${JSON.stringify(recorded)}`);
  const { rows: consignments } = await platform.pool.query<{ reference: string; status: string }>(
    'select reference_number as reference, status from consignments',
  );
  const statusOf = new Map(consignments.map(({ reference, status }) => [reference, status]));
  for (const [number, { endsAs }] of lives.entries()) {
    const status = statusOf.get(`S-${number}`);
    if (status !== endsAs) violations.push(`S-${number} is ${status}, not ${endsAs}`);
  }
  Object.assign(figures, { pushes, events, recorded: recorded?.all ?? 0 });
  if (trial.backend === 'postgres') figures['stories in two orders each'] = await tellStories(trial, size);
};

export const shuffledStatuses = trialRow(
  {
    name: 'shuffled-statuses',
    promise: 'a status that is pushed five times, in any order, is one event, and the final state is the same',
  },
  act,
);
