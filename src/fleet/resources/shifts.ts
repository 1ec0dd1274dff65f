/** When drivers work: shifts and breaks of a day as instants, by the depot's clock. Pure. */
import { Temporal } from 'temporal-polyfill';
import { instantOf, zonedAt } from '../../engine/time-zone.ts';
import { type Driver, type Resources, WEEKDAYS } from './shapes.ts';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** `day` as YYYY-MM-DD and a time of day as HH:MM; what the clocks skip is taken as an hour later. */
export const momentAt = (day: string, clock: string, timeZone: string): number => {
  const localMs = Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}Z`);
  return instantOf(localMs, timeZone) ?? instantOf(localMs + 3_600_000, timeZone) ?? localMs;
};

/** As the contract writes it. */
export const localAt = (ms: number, timeZone: string): string =>
  zonedAt(ms, timeZone).toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ');
export const dayAt = (atMs: number, timeZone: string): string => zonedAt(atMs, timeZone).toPlainDate().toString();
export const dayAfter = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString();

const isClosed = (
  { calendars }: Resources,
  day: string,
  of: { readonly depot: string; readonly driver?: string; readonly vehicle?: string },
): boolean =>
  [...calendars.values()].some(
    (calendar) =>
      calendar.closed.includes(day) &&
      (['depot', 'driver', 'vehicle'] as const).every(
        (name) => calendar[name] === undefined || calendar[name] === of[name],
      ),
  );

export const vehicleWorks = (resources: Resources, code: string, day: string): boolean => {
  const vehicle = resources.vehicles.get(code);
  return (
    vehicle !== undefined &&
    vehicle.active !== false &&
    !isClosed(resources, day, { depot: vehicle.depot, vehicle: code })
  );
};

/** The shift of a driver on a day, within the hours of the depot; undefined: no shift. The first of several. */
export const shiftOf = (resources: Resources, code: string, day: string): Span | undefined => {
  const driver = resources.drivers.get(code);
  const depot = driver && resources.depots.get(driver.depot);
  if (driver === undefined || depot === undefined || driver.active === false) return undefined;
  if (isClosed(resources, day, { depot: driver.depot, driver: code })) return undefined;
  const weekday = WEEKDAYS[Temporal.PlainDate.from(day).dayOfWeek - 1] ?? 'MON';
  const shift = driver.shifts.find(({ weekdays }) => weekdays.includes(weekday));
  if (shift === undefined) return undefined;
  const from = shift.from > depot.opens ? shift.from : depot.opens;
  const to = shift.to < depot.closes ? shift.to : depot.closes;
  if (to <= from) return undefined;
  return { fromMs: momentAt(day, from, depot.timeZone), toMs: momentAt(day, to, depot.timeZone) };
};

export const breaksOf = (
  { breaks = [] }: Driver,
  day: string,
  timeZone: string,
): readonly (Span & { readonly minutes: number })[] =>
  breaks.map(({ from, to, minutes }) => ({
    fromMs: momentAt(day, from, timeZone),
    toMs: momentAt(day, to, timeZone),
    minutes,
  }));
