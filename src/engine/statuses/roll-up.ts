/**
 * A consignment's status out of its packages', first rule that applies:
 *
 * 1. Cancelled packages do not count, unless all are cancelled.
 * 2. One status for all is the consignment's.
 * 3. Some delivered, others not: `Partially Delivered`.
 * 4. All ended, none delivered: the worse of `Lost` and `Returned to Origin`.
 * 5. While any is under way, problem shows, the gravest first. A lost package shows as `Delivery Failed`, for a
 *    consignment has ended only when all of it has.
 * 6. Otherwise the package that is least far says how far the consignment is.
 */
import { isTerminal, type NormalisedStatus, parentOf, stageOf } from './status.ts';

const GRAVEST_FIRST: readonly NormalisedStatus[] = [
  'Damaged',
  'Delivery Failed',
  'Return Initiated',
  'Return in Transit',
  'Customs Hold',
  'On Hold',
  'Pickup Failed',
  'Delivery Rescheduled',
  'Delayed',
];

/** Within a stage, from the least far on. */
const WITHIN_STAGE: readonly NormalisedStatus[] = [
  'Unmapped',
  'Order Created',
  'Label Generated',
  'Pickup Scheduled',
  'In Transit',
  'Customs Cleared',
  'At Facility',
  'Out for Delivery',
  'Ready for Collection',
];

/** `statuses`: of each package, at least one. */
export const rollUp = (statuses: readonly NormalisedStatus[]): NormalisedStatus => {
  const counting = statuses.filter((status) => status !== 'Cancelled');
  const [first] = counting;
  if (first === undefined) return statuses.length === 0 ? 'Order Created' : 'Cancelled';
  if (counting.every((status) => status === first)) return first;
  if (counting.some((status) => status === 'Order Delivered' || status === 'Partially Delivered'))
    return 'Partially Delivered';
  if (counting.every((status) => isTerminal(status))) return 'Lost';
  const underWay = new Set(counting.map((status) => (status === 'Lost' ? parentOf(status) : status)));
  const problem = GRAVEST_FIRST.find((status) => underWay.has(status));
  if (problem !== undefined) return problem;
  const [least = first] = counting.filter((status) => !isTerminal(status)).sort(compareProgress);
  return least;
};

const compareProgress = (a: NormalisedStatus, b: NormalisedStatus): number =>
  stageOf(a) - stageOf(b) || WITHIN_STAGE.indexOf(a) - WITHIN_STAGE.indexOf(b);
