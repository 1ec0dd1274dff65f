/** Travel times of a day's places: by the speeds of its zones, unless a routing service is configured. */
import { greatCircleTable } from '../plan/great-circle.ts';
import type { TravelSource } from '../plan/problem.ts';
import type { FleetDeps } from '../ports.ts';
import type { Resources } from '../resources/shapes.ts';

const SPEED_KMH = 40;

export const travelSourceOf = ({ travelOf }: Pick<FleetDeps, 'travelOf'>, { zones }: Resources): TravelSource => {
  if (travelOf !== undefined) return travelOf;
  const zoneSpeedsKmh = Object.fromEntries(
    [...zones].flatMap(([code, { speedKmh }]) => (speedKmh === undefined ? [] : [[code, speedKmh]])),
  );
  return async (places) => await Promise.resolve(greatCircleTable(places, { speedKmh: SPEED_KMH, zoneSpeedsKmh }));
};
