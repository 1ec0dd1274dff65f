import { REFUSED } from '../order.ts';
import type { DispatchRow, Evidence } from './evidence.ts';

/** I2: every dispatch is finished, or explicitly unknown; what the carrier refused is what it was made to refuse. */
export const findUnfinished = ({ carriers, records }: Evidence): readonly string[] => {
  const asked = Map.groupBy(
    carriers.filter((entry) => entry.what === 'request'),
    ({ reference, action }) => `${reference}/${action.toLowerCase()}`,
  );
  /** The carrier answered that it did nothing, and never anything else. */
  const isSaid = ({ reference, operation }: DispatchRow): boolean => {
    const own = asked.get(`${reference}/${operation}`) ?? [];
    return own.length > 0 && own.every(({ effect, ambiguous }) => !effect && !ambiguous);
  };
  /** By events that are matched with them, or are theirs at least. */
  const spokenOf = new Set(records.events.map(({ reference }) => reference));
  const isLegitimate = (row: DispatchRow): boolean => {
    switch (row.state) {
      case 'done':
      case 'cancelled':
        return true;
      case 'rejected':
        return row.operation === 'create' && isMadeToBeRefused(row.reference) && asked.has(`${row.reference}/create`);
      case 'held': {
        const why = failureOf(row)?.why;
        // A status of it proves that its carrier has it.
        const isProved = row.operation === 'create' && spokenOf.has(row.reference);
        return (why === 'unknown_outcome' && !isProved) || (why === 'fail' && isSaid(row));
      }
      default:
        return false;
    }
  };
  return records.dispatches.flatMap((row) => (isLegitimate(row) ? [] : [`I2: ${describe(row)}`]));
};

/** By its letter: see the load. */
export const isMadeToBeRefused = (reference: string): boolean => reference.endsWith(REFUSED);

interface RecordedFailure {
  readonly why: string;
  readonly problem?: { readonly messages: readonly string[] };
}

const failureOf = ({ failure }: DispatchRow): RecordedFailure | undefined =>
  failure === null ? undefined : (JSON.parse(failure) as RecordedFailure);

const describe = (row: DispatchRow): string => {
  const { reference, operation, state, attempt } = row;
  const failure = failureOf(row);
  const why = failure === undefined ? '' : `: ${failure.why}, ${failure.problem?.messages.join('; ')}`;
  return `the ${operation} of ${reference} is ${state} after ${attempt} attempts${why}`;
};
