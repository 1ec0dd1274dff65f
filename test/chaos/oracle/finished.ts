import type { Evidence } from './evidence.ts';

const FINISHED = new Set(['done', 'rejected', 'cancelled']);

/** I2: every dispatch is finished, or held with a reason. */
export const findUnfinished = ({ records }: Pick<Evidence, 'records'>): readonly string[] => [
  ...records.dispatches.flatMap(({ reference, operation, state, failure, attempt }) => {
    if (FINISHED.has(state)) return [];
    if (state === 'held' && failure !== null) return [];
    return [`I2: the ${operation} of ${reference} is ${state} after ${attempt} attempts`];
  }),
  ...(records.outboxRows === 0 ? [] : [`I2: ${records.outboxRows} rows are left in the outbox`]),
];
