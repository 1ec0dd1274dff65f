/** Groups tracking numbers into batches for `track`. */
import type { EvaluationContext } from '../mapping/mapping.ts';
import type { Run } from './ports.ts';
import { evaluateEnvironment } from './scope.ts';

/** So many at most, all alike in what `batchBy` yields of each as `itemOf` shows it, in their order. */
export const batchesOf = async <Tracked>(
  { operation, carrier, account, environment: name }: Pick<Run, 'operation' | 'carrier' | 'account' | 'environment'>,
  tracked: readonly Tracked[],
  itemOf: (one: Tracked) => unknown,
  nowMs: number,
): Promise<readonly (readonly Tracked[])[]> => {
  const { batch, batchBy } = operation;
  const keys = new Map<Tracked, string>();
  if (batchBy !== undefined) {
    const { tables, time } = carrier;
    const context: EvaluationContext = { tables, time, nowMs, drawn: () => '' };
    const environment = await evaluateEnvironment({ carrier, account, environment: name }, context, false);
    const roots = { settings: account.settings, environment, tables, now: new Date(nowMs).toISOString() };
    for (const one of tracked)
      keys.set(one, JSON.stringify(await batchBy.evaluate({ ...roots, item: itemOf(one) }, context)));
  }
  return [...Map.groupBy(tracked, (one) => keys.get(one)).values()].flatMap((alike) =>
    Array.from({ length: Math.ceil(alike.length / batch) }, (_, at) => alike.slice(at * batch, (at + 1) * batch)),
  );
};
