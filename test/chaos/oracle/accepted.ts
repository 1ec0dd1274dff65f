import type { ClientAnswer } from '../world/load.ts';
import type { Evidence } from './evidence.ts';

/** What a client may hear at last; all else means that something broke on our side. */
const EXPECTED: Readonly<Record<ClientAnswer['operation'], readonly number[]>> = {
  create: [200, 409, 422],
  update: [200, 409, 422],
  cancel: [200],
};

/**
 * I1: all that was accepted is in the records; nobody heard of it by an answer that says nothing; and whoever asked
 * long enough has an answer.
 */
export const findLost = ({ answers, records }: Pick<Evidence, 'answers' | 'records'>): readonly string[] => {
  const known = new Set(records.consignments.map(({ reference }) => reference));
  const dispatched = new Set(records.dispatches.map(({ reference, operation }) => `${reference}/${operation}`));
  // A create that no carrier had seen yet is called off without asking anybody.
  for (const { reference, acceptance } of records.consignments) {
    if (acceptance === 'cancelled') dispatched.add(`${reference}/cancel`);
  }
  const requests = Map.groupBy(answers, ({ reference, operation }) => `${operation} of ${reference}`);
  const unanswered = [...requests].flatMap(([what, own]) =>
    own.some(({ definite }) => definite)
      ? []
      : [`I1: the ${what} never got its answer, at last a ${own.at(-1)?.status}`],
  );
  const untrue = answers.flatMap(({ operation, reference, status, text, definite }) => {
    if (!definite) return [];
    if (!EXPECTED[operation].includes(status))
      return [`I1: the ${operation} of ${reference} was answered ${status}: ${text.slice(0, 200)}`];
    if (!known.has(reference))
      return [`I1: ${reference} was answered ${status} to its ${operation} and is not recorded`];
    const isTaken = status === 200 && (operation !== 'cancel' || text.includes('"failedCount":0'));
    return isTaken && !dispatched.has(`${reference}/${operation}`)
      ? [`I1: the ${operation} of ${reference} was accepted and has no dispatch`]
      : [];
  });
  return [...unanswered, ...untrue];
};
