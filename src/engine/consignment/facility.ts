import { type Static, Type } from 'typebox';
import { type CutOff, CutOffs } from '../ask/cut-offs.ts';
import { WEEKDAYS } from '../profile/language/slots.ts';
import { isMap, valueAt } from '../value.ts';
import type { LevelledSchema } from './levels.ts';
import { createSchema, type Order, text } from './order.ts';

type ShipFrom = Order['shipFrom'];
type Fields = Readonly<Record<string, unknown>>;

/** A facility as its shipper registers it: address, contact and time zone as an order's `shipFrom` has them. */
export interface FacilityDetails {
  readonly name?: string;
  readonly contact?: ShipFrom['contact'];
  readonly address: ShipFrom['address'];
  readonly timezone?: string;
  readonly pickupTimes?: PickupTimes;
  readonly manifests?: readonly CutOff[];
}

const clock = (description: string) =>
  Type.Optional(
    Type.String({
      description,
      pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
      'x-must': 'be a time written HH:MM',
      examples: ['08:00'],
    }),
  );
const PickupTimes = Type.Object(
  {
    weekdays: Type.Optional(Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, description: 'Default: every day.' })),
    from: clock('Nothing is picked up earlier in the day.'),
    to: clock('Nothing is picked up later in the day.'),
    closed: Type.Optional(
      Type.Array(Type.String({ format: 'date' }), {
        maxItems: 500,
        description: 'Days on which nothing is picked up.',
      }),
    ),
    holidays: Type.Optional(
      Type.Boolean({ description: 'Whether parcels are picked up on public holidays. Default: false.' }),
    ),
  },
  { additionalProperties: false, description: 'When carriers find somebody there, local to the facility.' },
);
export type PickupTimes = Static<typeof PickupTimes>;

const { contact, address, timezone } = (createSchema('OP').properties?.['shipFrom']?.properties ?? {}) as Readonly<
  Record<'contact' | 'address' | 'timezone', LevelledSchema>
>;
export const facilityProperties = {
  name: { ...text(), description: 'For people.' },
  contact,
  address,
  timezone,
  pickupTimes: PickupTimes,
  manifests: CutOffs,
};

export const FacilityBody = {
  type: 'object',
  properties: facilityProperties,
  required: ['address'],
  // What is misspelt here would be missing in every order.
  additionalProperties: false,
} as const satisfies Fields;

export const FacilityCode = Type.String({ pattern: '\\S', maxLength: 100, 'x-must': 'not be blank' });
export type FacilityCode = Static<typeof FacilityCode>;

/** The parties of an order that may name a facility, and in which field. */
export const FACILITY_CODES = {
  origin: ['shipFrom', 'originFacilityCode'],
  destination: ['shipTo', 'destinationFacilityCode'],
  return: ['returnTo', 'returnFacilityCode'],
} as const;
type End = keyof typeof FACILITY_CODES;
const ENDS = Object.entries(FACILITY_CODES) as [End, (typeof FACILITY_CODES)[End]][];

/** What is registered for a facility code, in the shipper's form. */
export interface Facility {
  readonly contact?: Fields | undefined;
  readonly address?: Fields | undefined;
  readonly timezone?: string | undefined;
}

/** The facilities that an order's codes stand for; a code that is not known is simply missing here. */
export type Facilities = Readonly<Partial<Record<End, Facility | undefined>>>;
export type FacilityCodes = Readonly<Record<End, string | undefined>>;

/** The facility codes of a request, before it is checked: their addresses may be what makes it complete. */
export const facilityCodesOf = (body: unknown): FacilityCodes =>
  Object.fromEntries(
    ENDS.map(([end, path]) => {
      const code = valueAt(body, ...path);
      return [end, isCode(code) ? code : undefined];
    }),
  ) as FacilityCodes;

// Looked for before the request is checked, so it has to be one that the records can hold.
const isCode = (code: unknown): code is string =>
  typeof code === 'string' && code.trim() !== '' && code.length <= 100 && code.isWellFormed() && !code.includes('\0');

/**
 * The request with what its facilities know filled in. An address or contact of the shipper's own that differs from
 * the facility's in its first line or name is left alone: two halves do not make one address. Leaves alone what is
 * not an object; idempotent.
 */
export const withFacilities = <T>(body: T, facilities: Facilities): T => {
  if (!isMap(body)) return body;
  let filled: Fields = body;
  for (const [end, [key]] of ENDS) {
    const [party, facility] = [valueAt(body, key), facilities[end]];
    if (facility === undefined || !isMap(party)) continue;
    const parts = PARTS.filter((part) => isFilledBy(facility, party, part));
    const completed = {
      ...(facility.timezone === undefined ? {} : { timezone: facility.timezone }),
      ...party,
      ...Object.fromEntries(parts.map((part) => [part, { ...facility[part], ...(party[part] as Fields | undefined) }])),
    };
    filled = { ...filled, [key]: completed };
  }
  return filled as T;
};

const IDENTITIES = { address: 'line1', contact: 'name' } as const;
export const PARTS = ['address', 'contact'] as const;

/** Whether the facility's part belongs into the party: it has none, or one without or with the same first line or name. */
export const isFilledBy = (facility: Facility, party: Fields, part: (typeof PARTS)[number]): boolean => {
  const [known, own] = [facility[part], valueAt(party, part) ?? {}];
  if (known === undefined || !isMap(own)) return false;
  const identity = valueAt(own, IDENTITIES[part]);
  return identity === undefined || identity === known[IDENTITIES[part]];
};
