/** Where a place belongs: the zone that covers it, and the depot that serves it. Pure. */
import { isInZone, parsePostcodes } from '../../engine/rates/zones.ts';
import { type Coordinates, greatCircleM, pointOf } from '../plan/great-circle.ts';
import type { Resources, Zone } from './shapes.ts';

export interface Place {
  readonly country: string;
  readonly postcode: string;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}

const covers = ({ countries, postcodes, polygon }: Zone, place: Place): boolean => {
  const ranges = postcodes?.flatMap((written) => parsePostcodes(written) ?? []);
  if (!isInZone({ countries, postcodes: ranges }, place.country, place.postcode)) return false;
  if (polygon === undefined) return true;
  const { latitude, longitude } = place;
  return latitude !== undefined && longitude !== undefined && isInPolygon(polygon, latitude, longitude);
};

/** By how often a ray to the east crosses the border. */
const isInPolygon = (polygon: NonNullable<Zone['polygon']>, latitude: number, longitude: number): boolean => {
  let isInside = false;
  for (const [at, [lat = 0, lon = 0]] of polygon.entries()) {
    const [beforeLat = lat, beforeLon = lon] = polygon.at(at - 1) ?? [];
    const crosses = lat > latitude !== beforeLat > latitude;
    if (crosses && longitude < ((beforeLon - lon) * (latitude - lat)) / (beforeLat - lat) + lon) isInside = !isInside;
  }
  return isInside;
};

/** The first zone, in the order of codes, that covers the place; `depot`: of this one only. */
export const zoneAt = ({ zones }: Resources, place: Place, depot?: string): string | undefined =>
  [...zones].find(([, zone]) => (depot === undefined || zone.depot === depot) && covers(zone, place))?.[0];

/** The middle of a zone, where an address has no coordinates. */
export const centreOf = (zone: Zone | undefined): Coordinates | undefined => {
  if (zone?.latitude !== undefined && zone.longitude !== undefined)
    return { latitude: zone.latitude, longitude: zone.longitude };
  const { polygon } = zone ?? {};
  if (polygon === undefined) return undefined;
  const sum = (index: 0 | 1): number =>
    polygon.reduce((total, point) => total + (point[index] ?? 0), 0) / polygon.length;
  return { latitude: sum(0), longitude: sum(1) };
};

/** As the crow flies. */
export const distanceKm = (from: Coordinates, to: Coordinates): number =>
  greatCircleM(pointOf(from), pointOf(to)) / 1_000;
