/** Pickups that shippers book: the request, what its rules are, and what the carrier is asked. Pure. */
import { type Static, Type } from 'typebox';
import { Temporal } from 'temporal-polyfill';
import { packagesOf, placeOf, rounded } from '../ask/handed-over.ts';
import type { Pickup } from '../ask/shapes.ts';
import type { Consignment } from '../consignment/consignment.ts';
import { type FacilityDetails, facilityProperties, type PickupTimes } from '../consignment/facility.ts';
import type { FindingCode } from '../error-codes.ts';
import type { Carrier } from '../profile/carrier.ts';
import { WEEKDAYS } from '../profile/language/slots.ts';
import { holidaysOf } from '../rates/holidays.ts';
import { KG_PER } from '../rates/price.ts';
import { worksOn } from '../rates/transit.ts';
import { instantOf } from '../time-zone.ts';
import { type Issue, issueAt } from '../validate.ts';

const filled = (maxLength: number, description?: string) =>
  Type.String({ pattern: '\\S', maxLength, 'x-must': 'not be blank', ...(description && { description }) });
const localTime = (description: string) =>
  Type.String({ format: 'local-date-time', description, examples: ['2026-05-04 14:00:00'] });
const closed = { additionalProperties: false } as const;

/** What is to be picked up. */
export const pickedUp = {
  totalQuantity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      description: 'Number of packages. Default, with the weight: those of the consignments.',
    }),
  ),
  totalWeight: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'Of all packages.' })),
  totalWeightUom: Type.Optional(Type.Enum(['KG', 'LB'], { description: 'Default: KG.' })),
  specialInstructions: Type.Optional(filled(500, 'For the driver.')),
};
type Totals = { readonly [Name in keyof typeof pickedUp]?: Static<(typeof pickedUp)[Name]> };

export const PickupRequest = Type.Object(
  {
    referenceNumber: Type.Optional(filled(100, 'Yours, unique among your pickups. Default: one of ours.')),
    carrier: Type.Object({ code: filled(100) }, closed),
    shipFrom: Type.Object(
      {
        originFacilityCode: Type.Optional(filled(100, 'Fills in what is missing of the rest.')),
        contact: Type.Unsafe<NonNullable<FacilityDetails['contact']>>(facilityProperties.contact),
        address: Type.Unsafe<FacilityDetails['address']>(facilityProperties.address),
        timezone: Type.Optional(Type.String({ format: 'time-zone', description: 'Default: that of the carrier.' })),
        pickupStartDateTime: localTime('When the window begins.'),
        pickupEndDateTime: localTime('When it ends, on the same day.'),
      },
      closed,
    ),
    consignments: Type.Optional(
      Type.Array(Type.Object({ referenceNumber: filled(100) }, closed), {
        minItems: 1,
        maxItems: 500,
        description: 'Which it is for. Default: those of the facility that ship on its day with the carrier.',
      }),
    ),
    ...pickedUp,
  },
  closed,
);
export type PickupRequest = Static<typeof PickupRequest>;

/** A consignment that waits to be picked up. */
export interface Waiting {
  readonly referenceNumber: string;
  readonly consignment: Pick<Consignment, 'itemList'>;
  readonly trackingNumbers: readonly (string | undefined)[];
  /** The carrier's code of its service. */
  readonly service: string | undefined;
}

const [START, END] = ['shipFrom.pickupStartDateTime', 'shipFrom.pickupEndDateTime'] as const;

const weekdayOf = (day: string): number => Temporal.PlainDate.from(day).dayOfWeek - 1;

/** Where and when parcels are picked up. */
export interface PickupPlace {
  readonly country: string;
  readonly region: string | undefined;
  readonly times: PickupTimes | undefined;
  readonly carrier: Pick<Carrier, 'code' | 'transit'>;
}

/** Why nothing is picked up on a day, `YYYY-MM-DD`; undefined: it may be. */
export const closedOn = ({ country, region, times, carrier }: PickupPlace, day: string): string | undefined => {
  const { weekdays, closed: days = [], holidays = false } = times ?? {};
  const weekday = WEEKDAYS[weekdayOf(day)] ?? 'MON';
  if (weekdays?.includes(weekday) === false || days.includes(day)) return 'the facility hands nothing over';
  if (times !== undefined && !holidays && holidaysOf(country, region, Number(day.slice(0, 4))).has(day))
    return 'there is a public holiday at the facility';
  const { transit } = carrier;
  if (transit === undefined) return undefined;
  const rests = transit.cutOffs[weekdayOf(day)] === undefined && !transit.open.has(day);
  return rests || !worksOn(transit, day, { country, region }) ? `${carrier.code} picks nothing up` : undefined;
};

/** What its window breaks. */
export const windowIssues = (
  { shipFrom }: Pick<PickupRequest, 'shipFrom'>,
  { place, timeZone, nowMs }: { readonly place: PickupPlace; readonly timeZone: string; readonly nowMs: number },
): readonly Issue[] => {
  const { pickupStartDateTime: from, pickupEndDateTime: to } = shipFrom;
  const day = from.slice(0, 10);
  const [startMs, endMs] = [from, to].map((at) => instantOf(Date.parse(`${at.replace(' ', 'T')}Z`), timeZone));
  const { times } = place;
  const closedFor = closedOn(place, day);
  const rules: readonly (readonly [isKept: boolean, path: string, code: FindingCode, says: string])[] = [
    [startMs !== undefined, START, 'time_exists', `is a time that clocks in ${timeZone} jump over`],
    [endMs !== undefined, END, 'time_exists', `is a time that clocks in ${timeZone} jump over`],
    [from < to, END, 'window_order', 'must be after pickupStartDateTime'],
    [day === to.slice(0, 10), END, 'window_one_day', 'must be on the day of pickupStartDateTime'],
    [startMs === undefined || startMs > nowMs, START, 'window_past', `is over already in ${timeZone}`],
    [closedFor === undefined, START, 'window_closed', `is on a day on which ${closedFor}`],
    [
      from.slice(11, 16) >= (times?.from ?? ''),
      START,
      'window_closed',
      `is before ${times?.from}, when the facility opens`,
    ],
    [
      to.slice(11) <= `${times?.to ?? '99:99'}:00`,
      END,
      'window_closed',
      `is after ${times?.to}, when the facility closes`,
    ],
  ];
  return rules.flatMap(([isKept, path, code, says]) => (isKept ? [] : [issueAt(path, code, says)]));
};

/** What there is to pick up: as it is given, else of the consignments. */
export const packagesToPickUp = (
  { totalQuantity, totalWeight, totalWeightUom = 'KG' }: Totals,
  waiting: readonly Waiting[],
): Pickup['packages'] | readonly Issue[] => {
  if (totalQuantity !== undefined && totalWeight !== undefined) {
    const weightKg = rounded((totalWeight * KG_PER[totalWeightUom]) / totalQuantity);
    return Array.from({ length: totalQuantity }, () => ({ weightKg }));
  }
  const isHalf = totalQuantity !== undefined || totalWeight !== undefined;
  const packages = waiting.flatMap(({ consignment, trackingNumbers, service }) =>
    packagesOf(consignment, trackingNumbers).map((one) => (service === undefined ? one : { ...one, service })),
  );
  if (!isHalf && packages.length > 0) return packages;
  const says = isHalf
    ? 'goes with the other of totalQuantity and totalWeight: give both'
    : 'is needed, with totalWeight: no consignment of the facility waits for this carrier on that day';
  return [issueAt(totalQuantity === undefined ? 'totalQuantity' : 'totalWeight', 'required', says)];
};

/** The root `pickup`: what the carrier is asked. */
export const pickupOf = (
  referenceNumber: string,
  { shipFrom, specialInstructions }: Pick<PickupRequest, 'shipFrom' | 'specialInstructions'>,
  packages: Pickup['packages'],
  timeZone: string,
): Pickup => ({
  reference: referenceNumber,
  window: { from: shipFrom.pickupStartDateTime, to: shipFrom.pickupEndDateTime },
  address: { ...placeOf(shipFrom), timezone: timeZone },
  packages,
  totalWeightKg: rounded(packages.reduce((sum, { weightKg }) => sum + weightKg, 0)),
  ...(specialInstructions !== undefined && { instructions: specialInstructions }),
});
