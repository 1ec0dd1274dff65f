import { Temporal } from 'temporal-polyfill';
import { instantOf } from '../time-zone.ts';
import { type Issue, issueAt } from '../validate.ts';
import type { Order } from './order.ts';

/** A local time of an order, its place in the request, and its moment where a zone is named. */
interface Time {
  readonly path: string;
  readonly local: string;
  readonly zone: string | undefined;
  readonly atMs: number | 'skipped' | undefined;
}

/**
 * Times that exist, windows in their order, and none over before `shipByDate`. Times of two places are compared as
 * moments where both name a zone, else as they are written. A start that comes twice is the earlier, an end the later,
 * so that a window never shrinks.
 */
export const windowRules = ({ consignmentDetails: { shipByDate }, shipFrom, shipTo }: Order): readonly Issue[] => {
  const pickupStart = time('shipFrom.pickupStartDateTime', shipFrom.pickupStartDateTime, shipFrom.timezone, 'earlier');
  const pickupEnd = time('shipFrom.pickupEndDateTime', shipFrom.pickupEndDateTime, shipFrom.timezone, 'later');
  const deliveryStart = time('shipTo.deliveryStartDateTime', shipTo.deliveryStartDateTime, shipTo.timezone, 'earlier');
  const deliveryEnd = time('shipTo.deliveryEndDateTime', shipTo.deliveryEndDateTime, shipTo.timezone, 'later');
  return [
    ...[pickupStart, pickupEnd, deliveryStart, deliveryEnd].flatMap(existing),
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
    : { path, local, zone, atMs: zone === undefined ? undefined : momentOf(local, zone, twice) };

const existing = (given: Time | undefined): Issue[] => {
  if (given?.atMs !== 'skipped') return [];
  const says = `${given.local} does not exist in ${given.zone}: the clocks jump over it`;
  return [issueAt(given.path, 'time_exists', says)];
};

const inOrder = (first: Time | undefined, second: Time | undefined): Issue[] =>
  first !== undefined && second !== undefined && compare(first, second) > 0
    ? [issueAt(second.path, 'window_order', `must not be before ${first.path}`)]
    : [];

const compare = (first: Time, second: Time): number =>
  typeof first.atMs === 'number' && typeof second.atMs === 'number'
    ? first.atMs - second.atMs
    : first.local.localeCompare(second.local);

const notOverBefore = (end: Time | undefined, shipByDate: string, zone: string | undefined): Issue[] => {
  if (end === undefined) return [];
  const before =
    typeof end.atMs === 'number' && zone !== undefined
      ? end.atMs < startOfDay(shipByDate, zone)
      : end.local.slice(0, 10) < shipByDate;
  return before ? [issueAt(end.path, 'window_after_ship_by', 'must not be before consignmentDetails.shipByDate')] : [];
};

/** The moment of a local time `YYYY-MM-DD HH:MM:SS` in a zone; `twice` as for `instantOf`. */
export const momentOf = (local: string, zone: string, twice: 'earlier' | 'later'): number | 'skipped' =>
  instantOf(Date.parse(`${local.replace(' ', 'T')}Z`), zone, twice) ?? 'skipped';

/** The first moment of a day `YYYY-MM-DD` in a zone: midnight, or where that is skipped, what follows it. */
export const startOfDay = (date: string, zone: string): number =>
  instantOf(Date.parse(`${date}T00:00:00Z`), zone) ??
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
