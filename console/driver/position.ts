/** Where the device is, where the driver lets it say so and the route has been started. */
import type { ReportedEvent } from '../../src/fleet/execution/events.ts';

interface Position {
  readonly latitude: number;
  readonly longitude: number;
}
const FRESH_MS = 120_000;
const EVERY_MS = 120_000;

let last: (Position & { readonly atMs: number }) | undefined;
let reportedMs = 0;
let watch: number | undefined;

/** Nothing where it is not known, or no longer. */
export const lastPosition = (): Position | object => {
  if (last === undefined || Date.now() - last.atMs > FRESH_MS) return {};
  return { latitude: last.latitude, longitude: last.longitude };
};

/** While it is followed, every two minutes at most are reported. */
export const followPosition = (isWanted: boolean, report: (event: Pick<ReportedEvent, 'type'>) => void): void => {
  if (!('geolocation' in navigator) || isWanted === (watch !== undefined)) return;
  if (watch !== undefined) {
    navigator.geolocation.clearWatch(watch);
    watch = undefined;
    last = undefined;
    return;
  }
  watch = navigator.geolocation.watchPosition(
    ({ coords: { latitude, longitude } }) => {
      const atMs = Date.now();
      last = { latitude, longitude, atMs };
      if (atMs - reportedMs < EVERY_MS) return;
      reportedMs = atMs;
      report({ type: 'position' });
    },
    () => undefined,
    { enableHighAccuracy: true, maximumAge: 30_000 },
  );
};
