import type { ClientAnswer } from '../world/load.ts';
import { MAYBE_DONE } from './effects.ts';
import type { Evidence } from './evidence.ts';
import { isMadeToBeRefused } from './finished.ts';

/** What a client may hear at last; all else means that something broke on our side. */
const isExpected = ({ operation, reference, status }: ClientAnswer): boolean => {
  if (status === 409) return operation !== 'cancel';
  if (status === 422) return operation === 'create' && isMadeToBeRefused(reference);
  return status === 200;
};

/**
 * I1: all that was accepted is in the records; nobody heard of it by an answer that says nothing; whoever asked long
 * enough has an answer; and who was told to come back does not find then that it was accepted.
 */
export const findLost = ({ answers, records }: Evidence): readonly string[] => {
  const known = new Set(records.consignments.map(({ reference }) => reference));
  const dispatched = new Set(records.dispatches.map(({ reference, operation }) => `${reference}/${operation}`));
  // A create that no carrier had seen yet is called off without asking anybody.
  for (const { reference, acceptance } of records.consignments) {
    if (acceptance === 'cancelled') dispatched.add(`${reference}/cancel`);
  }
  for (const reference of findChangedInPlace(records)) dispatched.add(`${reference}/update`);
  const requests = Map.groupBy(answers, ({ reference, operation }) => `${operation} of ${reference}`);
  const unanswered = [...requests].flatMap(([what, own]) =>
    own.some(({ definite }) => definite)
      ? []
      : [`I1: the ${what} never got its answer, at last a ${own.at(-1)?.status}`],
  );
  const contradicted = [...requests].flatMap(([what, own]) => {
    const before = own.slice(0, -1);
    const isSentAway = before.length > 0 && before.every(({ status }) => status === 503 || status === 429);
    return isSentAway && own[0]?.operation === 'create' && own.at(-1)?.status === 409
      ? [`I1: the ${what} was answered ${before.at(-1)?.status}, and its repeat 409`]
      : [];
  });
  const untrue = answers.flatMap((answer) => {
    const { operation, reference, status, text, definite } = answer;
    if (!definite) return [];
    if (!isExpected(answer))
      return [`I1: the ${operation} of ${reference} was answered ${status}: ${text.slice(0, 200)}`];
    if (!known.has(reference))
      return [`I1: ${reference} was answered ${status} to its ${operation} and is not recorded`];
    const isTaken = status === 200 && (operation !== 'cancel' || isCancelled(text));
    if (isTaken && !dispatched.has(`${reference}/${operation}`))
      return [`I1: the ${operation} of ${reference} was accepted and has no dispatch`];
    return operation === 'cancel' ? cancelProblem(reference, text, records) : [];
  });
  return [...unanswered, ...contradicted, ...untrue];
};

/** Consignments whose create had to wait, as their carrier had certainly done nothing: it takes an update up itself. */
const findChangedInPlace = ({ dispatches, exchanges }: Evidence['records']): readonly string[] => {
  const calls = Map.groupBy(
    exchanges.filter(({ operation }) => operation === 'create'),
    ({ reference }) => reference,
  );
  return dispatches.flatMap(({ reference, operation, attempt }) => {
    const earlier = calls.get(reference)?.slice(0, -1) ?? [];
    const hasWaited = operation === 'create' && attempt > 1;
    return hasWaited && earlier.every(({ outcome }) => !MAYBE_DONE.has(outcome)) ? [reference] : [];
  });
};

const isCancelled = (text: string): boolean => text.includes('"failedCount":0');

/** The reasons for which a cancel of the load may fail, and what the records must then say. */
const NOT_CANCELLED: readonly (readonly [RegExp, (standing: Standing) => boolean])[] = [
  [/already cancelled/, ({ acceptance }) => acceptance === 'cancelled'],
  [/still under way|has not confirmed/, () => true],
  [/Nobody knows whether|cancellation is held/, ({ isHeld }) => isHeld],
];

interface Standing {
  readonly acceptance: string | undefined;
  readonly isHeld: boolean;
}

const cancelProblem = (
  reference: string,
  text: string,
  { consignments, dispatches }: Evidence['records'],
): string[] => {
  const acceptance = consignments.find((one) => one.reference === reference)?.acceptance;
  const isHeld = dispatches.some((one) => one.reference === reference && one.state === 'held');
  if (isCancelled(text))
    return acceptance === 'cancelled' ? [] : [`I1: ${reference} was said to be cancelled and is ${acceptance}`];
  return NOT_CANCELLED.some(([said, holds]) => said.test(text) && holds({ acceptance, isHeld }))
    ? []
    : [`I1: ${reference} is ${acceptance}, and its cancel failed: ${text.slice(0, 300)}`];
};
