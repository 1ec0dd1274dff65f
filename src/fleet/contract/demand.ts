/** What a consignment of the contract asks of drivers and vehicles. Pure. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { type Issue, issueAt } from '../../engine/validate.ts';
import { isMap, textAt, valueAt } from '../../engine/value.ts';
import { centreOf, distanceKm, zoneAt } from '../resources/place.ts';
import { dayAt, momentAt } from '../resources/shifts.ts';
import type { Resources } from '../resources/shapes.ts';

export interface Demand {
  readonly latitude: number;
  readonly longitude: number;
  /** In which the visit begins; undefined: at any time of its days. */
  readonly window?: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly serviceMinutes: number;
  readonly weightKg: number;
  readonly volumeM3: number;
  readonly pallets: number;
  /** People needed at the door. */
  readonly crew: number;
  /** In lower case, as all comparisons of skills and vehicle types are. */
  readonly skills: readonly string[];
  readonly vehicleType?: string | undefined;
  /** Higher is earlier. */
  readonly priority: number;
  readonly slotToken?: string | undefined;
}

export interface Asked {
  readonly kind: 'DELIVERY' | 'PICKUP';
  readonly depot: string;
  readonly zone: string | undefined;
  /** The parts of an exchange have the same. */
  readonly exchange: string | undefined;
  readonly firstDay: string;
  readonly lastDay: string | undefined;
  readonly demand: Demand;
}

/** The end of a consignment where the customer is. */
export const customerEnd = ({ typeOfOrder }: Pick<Consignment, 'typeOfOrder'>): 'destination' | 'origin' =>
  typeOfOrder === 'REVERSE' ? 'origin' : 'destination';

const KG = { KG: 1, LB: 0.453_592_37 } as const;
const CM = { CM: 1, IN: 2.54 } as const;
const M3_OF_CFT = 0.028_316_846_592;

export const readDemand = (
  consignment: Consignment,
  resources: Resources,
  nowMs: number,
): { readonly ok: true; readonly asked: Asked } | { readonly ok: false; readonly issues: readonly Issue[] } => {
  const end = customerEnd(consignment);
  const other = end === 'origin' ? 'destination' : 'origin';
  const issues: Issue[] = [];
  const route = routeDetailsOf(consignment);
  const written = {
    latitude: coordinateOf(consignment[`${end}Latitude`], 90),
    longitude: coordinateOf(consignment[`${end}Longitude`], 180),
  };
  for (const [name, value] of Object.entries({ Latitude: written.latitude, Longitude: written.longitude }))
    if (value === null) issues.push(issueAt(`${end}${name}`, 'on_earth', 'is none'));
  const [latitude, longitude] = [written.latitude ?? undefined, written.longitude ?? undefined];
  const place = {
    country: consignment[`${end}Country`],
    postcode: consignment[`${end}PostalCode`],
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
  };
  const facility = consignment[`${other}Code`];
  const own = facility !== undefined && resources.depots.has(facility) ? facility : undefined;
  const zone = route.serviceAreaCode ?? zoneAt(resources, place, own) ?? zoneAt(resources, place);
  if (zone !== undefined && !resources.zones.has(zone))
    issues.push(
      issueAt('info.routeDetails.serviceAreaCode', 'not_one_of', `names ${zone}, which is no zone of the fleet`),
    );
  if (zone === undefined && resources.zones.size > 0)
    issues.push(
      issueAt(`${end}PostalCode`, 'capability', `${place.postcode} (${place.country}) lies in no zone of the fleet`),
    );
  const area = zone === undefined ? undefined : resources.zones.get(zone);
  const at = latitude !== undefined && longitude !== undefined ? { latitude, longitude } : centreOf(area);
  if (at === undefined && issues.length === 0)
    issues.push(issueAt(`${end}Latitude`, 'required', 'is needed with the longitude: the zone has no middle to go by'));
  const depot = own ?? area?.depot ?? (at && nearestDepot(resources, at));
  const { timeZone = 'UTC' } = (depot === undefined ? undefined : resources.depots.get(depot)) ?? {};
  if (depot === undefined && issues.length === 0)
    issues.push(issueAt(`${other}Code`, 'capability', 'the fleet has no depot'));
  const window = windowOf(consignment, end, timeZone, nowMs, issues);
  const size = sizeOf(consignment, issues);
  const crewAndTime = serviceOf(consignment, end, resources, issues);
  if (issues.length > 0 || at === undefined || depot === undefined) return { ok: false, issues };
  const readyMs = localMs(consignment.shippingDateTime, consignment.originTimezone ?? timeZone) ?? nowMs;
  const firstDay = dayAt(Math.max(window?.fromMs ?? readyMs, nowMs), timeZone);
  const demand: Demand = {
    ...at,
    window,
    ...size,
    serviceMinutes: crewAndTime.minutes,
    crew: crewAndTime.crew,
    skills: [...new Set([...route.skills, ...crewAndTime.skills].map((skill) => skill.trim().toLowerCase()))],
    vehicleType: route.vehicleType,
    priority: route.priority,
    slotToken: consignment.slotToken,
  };
  return {
    ok: true,
    asked: {
      kind: end === 'origin' ? 'PICKUP' : 'DELIVERY',
      depot,
      zone,
      exchange: consignment.exchangeOrderNumber,
      firstDay,
      lastDay: window && dayAt(window.toMs, timeZone),
      demand,
    },
  };
};

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** As the platform hands on what has no field of its own: under its own path. */
const routeDetailsOf = ({ info }: Consignment) => {
  const found = valueAt(info, 'routeDetails');
  const given = isMap(found) ? found : {};
  return {
    skills: [given['skills']].flat().flatMap((skill) => text(skill) ?? []),
    serviceAreaCode: text(given['serviceAreaCode']),
    vehicleType: text(given['vehicleType'])?.toLowerCase(),
    priority: Number(given['priority'] ?? 0) || 0,
  };
};

/** Null: it is written and is none. */
const coordinateOf = (text: string | undefined, most: number): number | null | undefined => {
  if (text === undefined || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && Math.abs(number) <= most ? number : null;
};

const nearestDepot = ({ depots }: Resources, at: { latitude: number; longitude: number }): string | undefined =>
  [...depots].toSorted(([, one], [, other]) => distanceKm(one, at) - distanceKm(other, at))[0]?.[0];

/** `YYYY-MM-DD HH:MM:SS`, local. */
const localMs = (text: string | undefined, timeZone: string): number | undefined => {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)/.exec(text ?? '') ?? [];
  return day === undefined || clock === undefined ? undefined : momentAt(day, clock, timeZone);
};

/** Whether anybody could do it is looked at day by day. */
const AHEAD_MAX_MS = 366 * 86_400_000;

const windowOf = (
  consignment: Consignment,
  end: 'origin' | 'destination',
  depotZone: string,
  nowMs: number,
  issues: Issue[],
): Demand['window'] => {
  const timeZone = consignment[`${end}Timezone`] ?? depotZone;
  const fromMs = localMs(consignment[`${end}PreferredStartTime`], timeZone);
  const toMs = localMs(consignment[`${end}PreferredEndTime`], timeZone);
  if (fromMs === undefined && toMs === undefined) return undefined;
  const field = `${end}Preferred${toMs === undefined ? 'Start' : 'End'}Time`;
  const window = {
    fromMs: fromMs ?? nowMs,
    toMs: toMs ?? momentAt(dayAt(fromMs ?? nowMs, timeZone), '23:59', timeZone),
  };
  if (window.toMs <= window.fromMs)
    issues.push(issueAt(field, 'window_order', 'is not after the beginning of the window'));
  else if (window.toMs <= nowMs) issues.push(issueAt(field, 'not_allowed', 'is over already'));
  else if (window.toMs > nowMs + AHEAD_MAX_MS) issues.push(issueAt(field, 'not_allowed', 'is more than a year ahead'));
  return window;
};

/** What is added up for a vehicle is never less than nothing: it would make room for others. */
const within = (issues: Issue[], field: string, value: number | undefined, most: number, unit = ''): void => {
  if (value !== undefined && !(value >= 0 && value <= most))
    issues.push(issueAt(field, 'too_large', `must be between 0 and ${most}${unit}`));
};
const AMOUNT_MAX = 1_000_000;
const AMOUNTS = ['itemQuantity', 'itemLength', 'itemWidth', 'itemHeight'] as const;

const sizeOf = (
  { itemList, totalWeight, uomTotalWeight, totalVolume, totalVolumeUom, info }: Consignment,
  issues: Issue[],
) => {
  const boxesM3 = itemList.reduce((sum, item) => {
    const { itemLength = 0, itemWidth = 0, itemHeight = 0, itemDimensionUom = 'CM' } = item;
    return sum + (itemLength * itemWidth * itemHeight * CM[itemDimensionUom] ** 3 * item.itemQuantity) / 1e6;
  }, 0);
  const pallets =
    Number(valueAt(info, 'consignmentDetails', 'totalPalletQuantity') ?? 0) ||
    itemList.filter((_, at) => /pallet/i.test(packageTypeOf(info, at))).length;
  within(issues, 'totalWeight', totalWeight, AMOUNT_MAX);
  within(issues, 'totalVolume', totalVolume, AMOUNT_MAX);
  within(issues, 'info.consignmentDetails.totalPalletQuantity', pallets, AMOUNT_MAX);
  for (const [at, item] of itemList.entries())
    for (const name of AMOUNTS) within(issues, `itemList[${at}].${name}`, item[name], AMOUNT_MAX);
  const volumeM3 = totalVolume === undefined ? boxesM3 : totalVolume * (totalVolumeUom === 'CFT' ? M3_OF_CFT : 1);
  return { weightKg: totalWeight * KG[uomTotalWeight], volumeM3, pallets };
};

const packageTypeOf = (info: unknown, at: number): string =>
  textAt(info, 'consignmentDetails', 'packageDetails', String(at), 'type');

/** Value-added services that need two where nothing else is configured. */
const TWO_PEOPLE: ReadonlySet<string> = new Set(['TWO_MAN_DELIVERY']);
const STOP_MINUTES = 5;

/** How long the visit takes, with how many people and which skills. */
const serviceOf = (
  consignment: Consignment,
  end: 'origin' | 'destination',
  { 'service-times': times }: Resources,
  issues: Issue[],
) => {
  const { itemList, skuList = [], vas = [], info } = consignment;
  const { stopMinutes = STOP_MINUTES, packageMinutes = 0 } = times.get('DEFAULT') ?? {};
  let minutes = stopMinutes;
  let crew = 1;
  const skills: string[] = [];
  const bound = (field: string, value: number | undefined): void => within(issues, field, value, 24 * 60, ' minutes');
  for (const [at, item] of itemList.entries()) {
    const own = times.get(packageTypeOf(info, at));
    bound(`itemList[${at}].itemDeliveryServiceTime`, item.itemDeliveryServiceTime);
    minutes +=
      item.itemDeliveryServiceTime ??
      (own?.stopMinutes ?? 0) + (own?.packageMinutes ?? packageMinutes) * item.itemQuantity;
    crew = Math.max(crew, own?.crew ?? 1);
    skills.push(...(own?.skills ?? []));
  }
  const ofSku = end === 'origin' ? 'skuPickupServiceTime' : 'skuDeliveryServiceTime';
  for (const [at, sku] of skuList.entries()) {
    bound(`skuList[${at}].${ofSku}`, sku[ofSku]);
    minutes += sku[ofSku] ?? 0;
  }
  for (const [at, { vasCode = '', serviceTime, targetIds = [] }] of vas.entries()) {
    const own = times.get(vasCode);
    const targets = Math.max(1, targetIds.length);
    bound(`vas[${at}].serviceTime`, serviceTime);
    minutes += serviceTime ?? (own?.stopMinutes ?? 0) + (own?.packageMinutes ?? 0) * targets;
    crew = Math.max(crew, own?.crew ?? (TWO_PEOPLE.has(vasCode) ? 2 : 1));
    skills.push(...(own?.skills ?? []));
  }
  return { minutes, crew, skills };
};
