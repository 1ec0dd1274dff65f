import { Temporal } from 'temporal-polyfill';
import type { Order } from './schema.ts';

/**
 * The moment, in milliseconds since 1970, of a local time `YYYY-MM-DD HH:MM:SS` in a zone. `skipped`: the clocks of
 * the zone jump over it. Where they are set back and it comes twice, `twice` says which one counts.
 */
export type Moment = { readonly ok: true; readonly atMs: number } | { readonly ok: false; readonly why: 'skipped' };

export const momentOf = (local: string, zone: string, twice: 'earlier' | 'later'): Moment => {
  const plain = Temporal.PlainDateTime.from(local.replace(' ', 'T'));
  try {
    return { ok: true, atMs: plain.toZonedDateTime(zone, { disambiguation: 'reject' }).epochMilliseconds };
  } catch {
    // Skipped, or there twice: only then does reading it back give the same local time.
    const read = plain.toZonedDateTime(zone, { disambiguation: twice });
    if (read.toPlainDateTime().equals(plain)) return { ok: true, atMs: read.epochMilliseconds };
    return { ok: false, why: 'skipped' };
  }
};

/** The first moment of a day `YYYY-MM-DD` in a zone: midnight, or where that is skipped, what follows it. */
export const startOfDay = (date: string, zone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;

/** The moments kept beside the local times of an order; missing without a time, a zone, or where it is skipped. */
export interface OrderMoments {
  readonly shipByMs: number | undefined;
  readonly pickupStartMs: number | undefined;
  readonly pickupEndMs: number | undefined;
  readonly deliveryStartMs: number | undefined;
  readonly deliveryEndMs: number | undefined;
}

/** A start that comes twice is the earlier, an end the later, so that a window never shrinks. */
export const momentsOf = ({ consignmentDetails, shipFrom, shipTo }: Order): OrderMoments => {
  return {
    shipByMs:
      shipFrom.timezone === undefined ? undefined : startOfDay(consignmentDetails.shipByDate, shipFrom.timezone),
    pickupStartMs: at(shipFrom.pickupStartDateTime, shipFrom.timezone, 'earlier'),
    pickupEndMs: at(shipFrom.pickupEndDateTime, shipFrom.timezone, 'later'),
    deliveryStartMs: at(shipTo.deliveryStartDateTime, shipTo.timezone, 'earlier'),
    deliveryEndMs: at(shipTo.deliveryEndDateTime, shipTo.timezone, 'later'),
  };
};

const at = (local: string | undefined, zone: string | undefined, twice: 'earlier' | 'later'): number | undefined => {
  if (local === undefined || zone === undefined) return undefined;
  const moment = momentOf(local, zone, twice);
  return moment.ok ? moment.atMs : undefined;
};
