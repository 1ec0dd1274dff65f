/** Pickups as errands: what carriers' answers make of them. */
import type { Pickup, BookedPickup } from '../../engine/ask/shapes.ts';
import type { PickupRequest } from '../../engine/pickups/request.ts';
import type { Errand, ErrandKind } from './errands.ts';

/** `request` of a pickup. */
export interface WantedPickup {
  /** Of the request: a repeat of it has the same. */
  readonly gist: string;
  /** As the shipper wants it, with what its facility knows. */
  readonly asked: Omit<PickupRequest, 'referenceNumber'>;
  /** Which it is for, by their references, as far as it was known when it was asked for. */
  readonly consignments: readonly string[];
  readonly pickup: Pickup;
}
export interface PickupErrand extends Errand {
  readonly request: WantedPickup;
  /** What the carrier said; undefined: it has nothing of it. */
  readonly result: BookedPickup | undefined;
}

/** The root `pickup` of one that the carrier has. */
export const bookedOf = ({ request: { pickup }, result }: PickupErrand): Pickup => ({
  ...pickup,
  ...(result && { number: result.number, memo: result.memo, window: result.window ?? pickup.window }),
});

export const PICKUP: ErrandKind = {
  begins: 'pickup',
  ended: (_, { request: booked }, { operation, state, request, result, oldCancelled }) => {
    if (operation === 'cancelPickup') return state === 'done' ? { acceptance: 'cancelled' } : undefined;
    const wanted = (request ?? booked) as WantedPickup;
    const adopted = { request: wanted, day: wanted.pickup.window.from.slice(0, 10) };
    const facilityCode = wanted.asked.shipFrom.originFacilityCode;
    if (state === 'done') return { ...adopted, facilityCode, acceptance: 'accepted', result };
    // What is left to do is to book it, as it was to become.
    return oldCancelled ? { ...adopted, facilityCode, acceptance: 'pending', result: undefined } : undefined;
  },
  resultOf: (_, operation, number) => {
    if (operation === 'cancelPickup') return { result: undefined };
    return number === undefined ? undefined : { result: { number } };
  },
};
