/** What most rows have in common: load on a world, and its end. */
import type { Outcome, ScenarioContext } from '../scenario.ts';
import { openJournal } from './journal.ts';
import { figuresOf, judge } from './judge.ts';
import { type ClientAnswer, type Load, runLoad } from './load.ts';
import { untilQuiet } from './quiet.ts';
import { givesUpAfter, type World } from './world.ts';

export type LoadOptions = Pick<Load, 'prefix' | 'count' | 'atOnce'> &
  Partial<Pick<Load, 'everyMs' | 'enough' | 'onBegun' | 'seed'>>;

/** Brings a load of consignments upon the world; yields how many were begun. */
export const load = async (world: World, context: ScenarioContext, options: LoadOptions): Promise<number> =>
  await runLoad({
    urls: world.fleet.urls,
    shippers: world.shippers,
    giveUpMs: givesUpAfter(world),
    journal: openJournal<ClientAnswer>(world.journals.client),
    seed: context.seed,
    signal: context.signal,
    ...options,
  });

/** Load until it is stopped. */
export const steadyLoad = (
  world: World,
  context: ScenarioContext,
  options: Omit<LoadOptions, 'count' | 'enough'>,
): { stop(): Promise<void> } => {
  const enough = new AbortController();
  const running = load(world, context, { ...options, count: Number.POSITIVE_INFINITY, enough: enough.signal });
  // Whoever stops it hears of it.
  running.catch(() => undefined);
  return {
    stop: async () => {
      enough.abort();
      await running;
    },
  };
};

export interface End {
  readonly quietWithinS: number;
  /** When the last fault ended, as `performance.now()`. */
  readonly sinceMs?: number;
  readonly figures?: Outcome['figures'];
  readonly violations?: readonly string[];
}

/** Waits for quiet and asks the oracle. */
export const conclude = async (
  world: World,
  context: ScenarioContext,
  { quietWithinS, sinceMs, figures = {}, violations = [] }: End,
): Promise<Outcome> => {
  context.log('waiting for quiet');
  const quiet = await untilQuiet(world, quietWithinS * context.patience, sinceMs);
  context.log(`quiet after ${quiet.afterS} s`);
  const judged = await judge(world);
  return {
    figures: { ...figuresOf(judged.evidence), ...figures, 'quiet after s': quiet.afterS },
    violations: [...violations, ...quiet.violations, ...judged.violations],
  };
};

/** Answers between two moments (`Date.now()`), by status; 0: none came. */
export const countStatuses = (
  answers: readonly ClientAnswer[],
  fromMs = 0,
  toMs = Number.POSITIVE_INFINITY,
): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { atMs, status } of answers)
    if (atMs >= fromMs && atMs <= toMs) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
