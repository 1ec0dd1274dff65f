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

export type Coordinates = Pick<Place, 'latitude' | 'longitude'>;

/** In radians, with the cosine of the latitude. */
interface Point {
  readonly latitude: number;
  readonly longitude: number;
  readonly cosine: number;
}
export const pointOf = ({ latitude, longitude }: Coordinates): Point => ({
  latitude: radians(latitude),
  longitude: radians(longitude),
  cosine: Math.cos(radians(latitude)),
});
/** By the haversine formula. */
export const greatCircleM = (a: Point, b: Point): number => {
  const sinLatitude = Math.sin((b.latitude - a.latitude) / 2);
  const sinLongitude = Math.sin((b.longitude - a.longitude) / 2);
  const chord = sinLatitude ** 2 + a.cosine * b.cosine * sinLongitude ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(chord)));
};

export const greatCircleTable = (places: readonly Place[], options: GreatCircleOptions): TravelTable => {
  const { detourFactor = DETOUR_FACTOR, speedKmh, zoneSpeedsKmh = {} } = options;
  const secondsPerM = places.map(
    ({ zone }) => 3.6 / ((zone === undefined ? undefined : zoneSpeedsKmh[zone]) ?? speedKmh),
  );
  const points = places.map(pointOf);
  const size = places.length;
  const durationsS = new Float64Array(size ** 2);
  const distancesM = new Float64Array(size ** 2);
  for (const [from, a] of points.entries()) {
    for (const [to, b] of points.entries()) {
      if (to <= from) continue;
      const [way, back] = [from * size + to, to * size + from];
      distancesM[way] = greatCircleM(a, b) * detourFactor;
      distancesM[back] = distancesM[way];
      durationsS[way] = (distancesM[way] * ((secondsPerM[from] ?? 0) + (secondsPerM[to] ?? 0))) / 2;
      durationsS[back] = durationsS[way];
    }
  }
  return { durationsS, distancesM };
};
