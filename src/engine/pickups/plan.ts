/** Pickups that come again: on which days, and what is booked for each. Pure. */
import { type Static, Type } from 'typebox';
import { Temporal } from 'temporal-polyfill';
import { WEEKDAYS } from '../profile/language/slots.ts';
import { instantOf, zonedAt } from '../time-zone.ts';
import { closedOn, pickedUp, type PickupPlace } from './request.ts';

const filled = (maxLength: number) => Type.String({ pattern: '\\S', maxLength, 'x-must': 'not be blank' });
const clock = (description: string) =>
  Type.String({
    pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
    'x-must': 'be a time written HH:MM',
    description,
    examples: ['14:00'],
  });
const closed = { additionalProperties: false } as const;

/** What is recurring. */
export const PickupPlan = Type.Object(
  {
    carrier: Type.Object({ code: filled(100) }, closed),
    originFacilityCode: filled(100),
    weekdays: Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, uniqueItems: true }),
    pickupStartTime: clock('When the window begins, local to `timezone`.'),
    pickupEndTime: clock('When it ends.'),
    timezone: Type.Optional(Type.String({ format: 'time-zone', description: 'Default: that of the facility.' })),
    holidays: Type.Optional(
      Type.Boolean({ description: 'Whether also on public holidays at the facility. Default: false.' }),
    ),
    noticeHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 240,
        description: 'How long before its window each is booked. Default: 12.',
      }),
    ),
    lastDay: Type.Optional(Type.String({ format: 'date', description: 'The last day. Default: none is.' })),
    ...pickedUp,
  },
  closed,
);
export type PickupPlan = Static<typeof PickupPlan>;

const HOUR_MS = 3_600_000;
/** Nobody is closed for longer. */
const DAYS_MAX = 400;

/** The next day after `after` whose window has not begun, and when its pickup is to be booked; undefined: there is none. */
export const nextPickup = (
  { weekdays, pickupStartTime, holidays = false, noticeHours = 12, lastDay = '9999-12-31' }: PickupPlan,
  {
    place,
    timeZone,
    after,
    nowMs,
  }: {
    readonly place: PickupPlace;
    readonly timeZone: string;
    readonly after?: string | undefined;
    readonly nowMs: number;
  },
): { readonly day: string; readonly dueAtMs: number } | undefined => {
  const today = zonedAt(nowMs, timeZone).toPlainDate();
  const following = after === undefined ? today : Temporal.PlainDate.from(after).add({ days: 1 });
  const first = Temporal.PlainDate.compare(following, today) > 0 ? following : today;
  const times = { ...place.times, holidays: holidays || place.times?.holidays === true };
  for (let at = 0; at < DAYS_MAX; at += 1) {
    const date = first.add({ days: at });
    const day = date.toString();
    if (day > lastDay) return undefined;
    const startsAtMs = instantOf(Date.parse(`${day}T${pickupStartTime}:00Z`), timeZone);
    const isWanted = weekdays.includes(WEEKDAYS[date.dayOfWeek - 1] ?? 'MON');
    if (
      !isWanted ||
      startsAtMs === undefined ||
      startsAtMs <= nowMs ||
      closedOn({ ...place, times }, day) !== undefined
    )
      continue;
    return { day, dueAtMs: startsAtMs - noticeHours * HOUR_MS };
  }
  return undefined;
};

/** What is asked for, for one day: the body of a booking. */
export const pickupOn = (plan: PickupPlan, day: string) => {
  const { carrier, originFacilityCode, pickupStartTime, pickupEndTime, timezone } = plan;
  const { totalQuantity, totalWeight, totalWeightUom, specialInstructions } = plan;
  const window = {
    pickupStartDateTime: `${day} ${pickupStartTime}:00`,
    pickupEndDateTime: `${day} ${pickupEndTime}:00`,
  };
  return JSON.parse(
    JSON.stringify({
      carrier,
      shipFrom: { originFacilityCode, timezone, ...window },
      totalQuantity,
      totalWeight,
      totalWeightUom,
      specialInstructions,
    }),
  ) as object;
};
