import type { Evidence } from './evidence.ts';

/** Nobody waits longer than was promised: no client, and no carrier with a status. */
export const findHung = ({
  answers,
  carriers,
  answerWithinMs,
}: Pick<Evidence, 'answers' | 'carriers' | 'answerWithinMs'>): readonly string[] => [
  ...answers
    .filter(({ ms }) => ms > answerWithinMs)
    .map(({ operation, reference, ms }) => `the ${operation} of ${reference} hung for ${ms} ms`),
  ...carriers
    .filter((entry) => entry.what === 'push')
    .filter(({ ms }) => ms > answerWithinMs)
    .map(({ id, ms }) => `the push ${id} hung for ${ms} ms`),
];
