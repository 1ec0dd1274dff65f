import { median } from '../world/call.ts';

/** What is to stay as it is. The largest process counts, but for connections, the queue and Redis. */
export interface Sample {
  readonly 'memory MB': number;
  readonly descriptors: number;
  readonly connections: number;
  /** Of PostgreSQL: the index of dispatches that are unfinished, which is the queue. */
  readonly 'queue MB': number;
  readonly 'Redis MB': number;
  readonly 'Redis keys': number;
}

interface Allowance {
  /** In the first ten minutes: whatever begins grows. */
  readonly warmingUp: number;
  /** What comes and goes. */
  readonly steady: number;
  readonly perHour: number;
}

const ALLOWED: Readonly<Record<keyof Sample, Allowance>> = {
  'memory MB': { warmingUp: 120, steady: 25, perHour: 60 },
  descriptors: { warmingUp: 150, steady: 40, perHour: 0 },
  connections: { warmingUp: 70, steady: 6, perHour: 0 },
  'queue MB': { warmingUp: 16, steady: 16, perHour: 16 },
  'Redis MB': { warmingUp: 16, steady: 8, perHour: 8 },
  'Redis keys': { warmingUp: 500, steady: 200, perHour: 0 },
};
const WARM_AFTER_MINUTES = 10;

/** From the middle third of a run to its last, by medians: these are a third of its time apart. */
export const findGrowth = (
  samples: readonly Sample[],
  minutes: number,
): { readonly figures: Readonly<Record<string, string>>; readonly violations: readonly string[] } => {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(-third)];
  const figures: Record<string, string> = {};
  const violations: string[] = [];
  for (const name of Object.keys(ALLOWED) as (keyof Sample)[]) {
    const { warmingUp, steady, perHour } = ALLOWED[name];
    const [before, after] = [median(middle.map((one) => one[name])), median(last.map((one) => one[name]))];
    const allowed = Math.max(minutes < WARM_AFTER_MINUTES ? warmingUp : steady, (perHour * minutes) / 3 / 60);
    figures[name] = `${before} → ${after}`;
    if (after - before > allowed) violations.push(`${name} grew from ${before} to ${after}`);
  }
  return { figures, violations };
};
