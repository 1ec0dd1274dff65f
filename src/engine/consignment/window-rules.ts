import type { Issue } from '../validate.ts';
import { type Moment, momentOf, startOfDay } from './instant.ts';
import type { Order } from './schema.ts';

/** A local time of an order, its place in the request, and its moment where a zone is named. */
interface Time {
  readonly path: string;
  readonly local: string;
  readonly zone: string | undefined;
  readonly moment: Moment | undefined;
}

/**
 * Times that exist, windows in their order, and none over before `shipByDate`. Times of two places are compared as
 * moments where both name a zone, else as they are written.
 */
export const windowRules = ({ consignmentDetails: { shipByDate }, shipFrom, shipTo }: Order): readonly Issue[] => {
  const pickupStart = time('shipFrom.pickupStartDateTime', shipFrom.pickupStartDateTime, shipFrom.timezone, 'earlier');
  const pickupEnd = time('shipFrom.pickupEndDateTime', shipFrom.pickupEndDateTime, shipFrom.timezone, 'later');
  const deliveryStart = time('shipTo.deliveryStartDateTime', shipTo.deliveryStartDateTime, shipTo.timezone, 'earlier');
  const deliveryEnd = time('shipTo.deliveryEndDateTime', shipTo.deliveryEndDateTime, shipTo.timezone, 'later');

  const skipped = [pickupStart, pickupEnd, deliveryStart, deliveryEnd].flatMap((given) =>
    given && isSkipped(given) ? [given] : [],
  );
  return [
    ...skipped.map(({ path, local, zone }) =>
      finding(path, 'time_exists', `${local} does not exist in ${zone}: the clocks jump over it`),
    ),
    ...inOrder(pickupStart, pickupEnd),
    ...inOrder(deliveryStart, deliveryEnd),
    ...inOrder(pickupStart, deliveryEnd),
    ...notOverBefore(pickupEnd ?? pickupStart, shipByDate, shipFrom.timezone),
    ...notOverBefore(deliveryEnd ?? deliveryStart, shipByDate, shipFrom.timezone),
  ];
};

const time = (
  path: string,
  local: string | undefined,
  zone: string | undefined,
  twice: 'earlier' | 'later',
): Time | undefined =>
  local === undefined
    ? undefined
    : { path, local, zone, moment: zone === undefined ? undefined : momentOf(local, zone, twice) };

const inOrder = (first: Time | undefined, second: Time | undefined): Issue[] =>
  first !== undefined && second !== undefined && compare(first, second) > 0
    ? [finding(second.path, 'window_order', `must not be before ${first.path}`)]
    : [];

const notOverBefore = (end: Time | undefined, shipByDate: string, zone: string | undefined): Issue[] => {
  if (end === undefined) return [];
  const before =
    end.moment?.ok && zone !== undefined
      ? end.moment.atMs < startOfDay(shipByDate, zone)
      : end.local.slice(0, 10) < shipByDate;
  return before ? [finding(end.path, 'window_after_ship_by', 'must not be before consignmentDetails.shipByDate')] : [];
};

const compare = (first: Time, second: Time): number =>
  first.moment?.ok && second.moment?.ok
    ? first.moment.atMs - second.moment.atMs
    : first.local.localeCompare(second.local);

const isSkipped = ({ moment }: Time): boolean => moment?.ok === false;

const finding = (path: string, rule: string, says: string): Issue => ({ path, message: `${path} ${says}`, rule });
