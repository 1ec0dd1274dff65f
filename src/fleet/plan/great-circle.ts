/** Travel estimated from coordinates: for who has no map of the roads. */
import type { Place, TravelTable } from './problem.ts';

export interface GreatCircleOptions {
  /** How much longer roads are than the great circle; 1.3. */
  readonly detourFactor?: number | undefined;
  readonly speedKmh: number;
  /** By zone, instead of `speedKmh`; half of each leg is driven at the speed of either end. */
  readonly zoneSpeedsKmh?: Readonly<Record<string, number>> | undefined;
}

const EARTH_RADIUS_M = 6_371_008.8;
const DETOUR_FACTOR = 1.3;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** By the haversine formula. */
const greatCircleM = (a: Place, b: Place): number => {
  const sinLatitude = Math.sin(radians(b.latitude - a.latitude) / 2);
  const sinLongitude = Math.sin(radians(b.longitude - a.longitude) / 2);
  const chord = sinLatitude ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * sinLongitude ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(chord)));
};

export const greatCircleTable = (places: readonly Place[], options: GreatCircleOptions): TravelTable => {
  const { detourFactor = DETOUR_FACTOR, speedKmh, zoneSpeedsKmh = {} } = options;
  const secondsPerM = places.map(
    ({ zone }) => 3.6 / ((zone === undefined ? undefined : zoneSpeedsKmh[zone]) ?? speedKmh),
  );
  const durationsS = new Float64Array(places.length ** 2);
  const distancesM = new Float64Array(places.length ** 2);
  for (const [from, a] of places.entries()) {
    for (const [to, b] of places.entries()) {
      const distanceM = greatCircleM(a, b) * detourFactor;
      distancesM[from * places.length + to] = distanceM;
      durationsS[from * places.length + to] = (distanceM * ((secondsPerM[from] ?? 0) + (secondsPerM[to] ?? 0))) / 2;
    }
  }
  return { durationsS, distancesM };
};
