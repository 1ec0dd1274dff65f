/** Crews: which driver takes which vehicle on a day, and what each of them can do. Pure. */
import { mayDrive } from '../contract/feasible.ts';
import { breaksOf, shiftOf, type Span, vehicleWorks } from '../resources/shifts.ts';
import type { Driver, Resources, Vehicle } from '../resources/shapes.ts';

export interface Crew {
  readonly driver: string;
  readonly vehicle: string;
  readonly who: Driver;
  readonly what: Vehicle;
  readonly shift: Span;
  readonly breaks: readonly (Span & { readonly minutes: number })[];
}

export interface Assignment {
  readonly driver: string;
  readonly vehicle: string;
}

/** Undefined: one of them is none of the depot's, or does not work that day. */
const crewOf = (resources: Resources, { driver, vehicle }: Assignment, day: string): Crew | undefined => {
  const [who, what] = [resources.drivers.get(driver), resources.vehicles.get(vehicle)];
  const shift = shiftOf(resources, driver, day);
  const depot = who && resources.depots.get(who.depot);
  if (who === undefined || what === undefined || shift === undefined || depot === undefined) return undefined;
  return { driver, vehicle, who, what, shift, breaks: breaksOf(who, day, depot.timeZone) };
};

/**
 * The crews of a depot on a day. What routes say already stays; of the others, drivers with the least choice choose
 * first, the largest vehicle that they may drive.
 */
export const crewsOf = (
  resources: Resources,
  depot: string,
  day: string,
  taken: readonly Assignment[],
): readonly Crew[] => {
  const busy = new Set(taken.map(({ driver }) => driver));
  const used = new Set(taken.map(({ vehicle }) => vehicle));
  const vehicles = [...resources.vehicles]
    .filter(([code, { depot: home }]) => home === depot && !used.has(code) && vehicleWorks(resources, code, day))
    .toSorted(([, one], [, other]) => other.weightKg - one.weightKg);
  const choices = [...resources.drivers]
    .filter(([code, who]) => who.depot === depot && !busy.has(code) && shiftOf(resources, code, day) !== undefined)
    .map(([driver, who]) => ({
      driver,
      options: vehicles.filter(([code, what]) => mayDrive(who, code, what)).map(([code]) => code),
      isFixed: who.vehicle !== undefined,
    }))
    .toSorted((one, other) => Number(other.isFixed) - Number(one.isFixed) || one.options.length - other.options.length);
  const assigned: Assignment[] = [...taken];
  for (const { driver, options } of choices) {
    const vehicle = options.find((code) => !used.has(code));
    if (vehicle === undefined) continue;
    used.add(vehicle);
    assigned.push({ driver, vehicle });
  }
  return assigned.flatMap((one) => crewOf(resources, one, day) ?? []);
};
