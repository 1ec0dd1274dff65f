/** Whether anybody of the fleet could ever do what is asked, and if not, why. Pure. */
import { type Issue, issueAt } from '../../engine/validate.ts';
import { dayAfter, shiftOf, vehicleWorks } from '../resources/shifts.ts';
import type { Driver, Resources, Vehicle } from '../resources/shapes.ts';
import type { Asked, Demand } from './demand.ts';

/** How far ahead a day is looked for, of what has no window. */
const DAYS_AHEAD = 14;

export const lower = (texts: readonly string[] = []): readonly string[] => texts.map((text) => text.toLowerCase());

/** Why a driver cannot do it, whatever the day; undefined: can. */
const whyNotDriver = (
  driver: Driver,
  { skills, crew }: Pick<Demand, 'skills' | 'crew'>,
  zone: string | undefined,
): string | undefined => {
  const lacking = skills.filter((skill) => !lower(driver.skills).includes(skill));
  if (lacking.length > 0) return `has no skill ${lacking.join(', ')}`;
  if ((driver.crew ?? 1) < crew) return `is ${driver.crew ?? 1}, and ${crew} people are needed`;
  const { zones = [] } = driver;
  if (zone !== undefined && zones.length > 0 && !zones.includes(zone)) return `does not drive in zone ${zone}`;
  return undefined;
};

/** Why a vehicle cannot carry it alone; undefined: can. */
const whyNotVehicle = (
  { type, weightKg, volumeM3 = Infinity, pallets = Infinity }: Vehicle,
  demand: Pick<Demand, 'weightKg' | 'volumeM3' | 'pallets' | 'vehicleType'>,
): string | undefined => {
  if (demand.vehicleType !== undefined && type.toLowerCase() !== demand.vehicleType)
    return `is a ${type}, not a ${demand.vehicleType}`;
  if (demand.weightKg > weightKg) return `carries ${weightKg} kg, and ${round(demand.weightKg)} kg are to be carried`;
  if (demand.volumeM3 > volumeM3) return `holds ${volumeM3} m³, and ${round(demand.volumeM3)} m³ are to be carried`;
  if (demand.pallets > pallets) return `holds ${pallets} pallets, and ${demand.pallets} are to be carried`;
  return undefined;
};
const round = (value: number): number => Number(value.toFixed(3));

export const mayDrive = ({ vehicleTypes = [], vehicle: own }: Driver, code: string, { type }: Vehicle): boolean =>
  own === undefined ? vehicleTypes.length === 0 || lower(vehicleTypes).includes(type.toLowerCase()) : own === code;

const none = (field: string, says: string): readonly Issue[] => [issueAt(field, 'capability', says)];

/** Nothing: somebody could. Otherwise the fields of the consignment that nobody can fulfil, each with the reason. */
export const impossible = (
  { kind, depot, zone, firstDay, lastDay, demand }: Asked,
  resources: Resources,
): readonly Issue[] => {
  const end = kind === 'PICKUP' ? 'origin' : 'destination';
  const drivers = [...resources.drivers].filter(([, driver]) => driver.depot === depot && driver.active !== false);
  const vehicles = [...resources.vehicles].filter(([, vehicle]) => vehicle.depot === depot && vehicle.active !== false);
  if (drivers.length === 0) return none(`${end}PostalCode`, `depot ${depot} has no driver`);
  const skilled = drivers.filter(
    ([, driver]) => whyNotDriver(driver, { skills: demand.skills, crew: 1 }, undefined) === undefined,
  );
  if (skilled.length === 0)
    return none('info.routeDetails.skills', `no driver of depot ${depot} has all of: ${demand.skills.join(', ')}`);
  const crewed = skilled.filter(([, driver]) => whyNotDriver(driver, demand, undefined) === undefined);
  if (crewed.length === 0) return none('vas', `no crew of ${demand.crew} at depot ${depot} has the skills asked for`);
  const near = crewed.filter(([, driver]) => whyNotDriver(driver, demand, zone) === undefined);
  if (near.length === 0) return none(`${end}PostalCode`, `no driver who could do it drives in zone ${zone}`);
  const large = vehicles.filter(([, vehicle]) => whyNotVehicle(vehicle, demand) === undefined);
  if (large.length === 0) {
    const whys = vehicles.map(([code, vehicle]) => `${code} ${whyNotVehicle(vehicle, demand)}`);
    const ofType = vehicles.some(([, { type }]) => type.toLowerCase() === (demand.vehicleType ?? type.toLowerCase()));
    return none(
      ofType ? 'totalWeight' : 'info.routeDetails.vehicleType',
      `no vehicle of depot ${depot} can carry it: ${whys.slice(0, 5).join('; ') || 'there is none'}`,
    );
  }
  const pairs = near.flatMap(([driver, who]) =>
    large.flatMap(([vehicle, what]) => (mayDrive(who, vehicle, what) ? [{ driver, vehicle }] : [])),
  );
  if (pairs.length === 0)
    return none('info.routeDetails.vehicleType', 'no driver who could do it may drive a vehicle that could carry it');
  const last = lastDay ?? dayAfter(firstDay, DAYS_AHEAD);
  for (let day = firstDay; day <= last; day = dayAfter(day, 1))
    for (const { driver, vehicle } of pairs) {
      const shift = shiftOf(resources, driver, day);
      if (shift === undefined || !vehicleWorks(resources, vehicle, day)) continue;
      const { fromMs, toMs } = demand.window ?? shift;
      const beginMs = Math.max(fromMs, shift.fromMs);
      if (beginMs <= toMs && beginMs + demand.serviceMinutes * 60_000 <= shift.toMs) return [];
    }
  const field = demand.window === undefined ? 'shippingDateTime' : `${end}PreferredStartTime`;
  return none(field, 'no driver who could do it works long enough in this time');
};
