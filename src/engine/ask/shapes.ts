/**
 * What operations that are asked for by themselves are asked about, and what they yield. Weights are kilograms, lengths
 * centimetres, distances kilometres, coordinates degrees; times are local to the place they are about.
 */
import { type Static, Type } from 'typebox';
import { Label } from '../consignment/answer.ts';

const closed = { additionalProperties: false } as const;
const text = (description: string) => Type.String({ description, minLength: 1 });
const maybe = (description: string) => Type.Optional(text(description));
const measure = (description: string) => Type.Optional(Type.Number({ description, minimum: 0 }));
const localTime = (description: string) => Type.String({ description, format: 'local-date-time' });
const day = (description: string) => Type.String({ description, format: 'date' });
const memo = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'What later operations on it need, by names of the profile’s memo.',
  }),
);
const price = {
  total: measure('What is to be paid, tax included.'),
  currency: Type.Optional(Type.String({ description: 'ISO 4217.', format: 'currency' })),
};

const placeFields = {
  addressLine1: maybe('Street and number.'),
  addressLine2: maybe('More of it.'),
  addressLine3: maybe('More of it.'),
  city: maybe('City.'),
  stateProvince: maybe('State or province, by its usual code.'),
  postalCode: maybe('Postcode.'),
  country: Type.String({ description: 'ISO 3166-1 alpha-2.', format: 'country' }),
  type: Type.Optional(Type.Enum(['BUSINESS', 'RESIDENTIAL'])),
  latitude: Type.Optional(Type.Number({ description: 'Degrees.' })),
  longitude: Type.Optional(Type.Number({ description: 'Degrees.' })),
};
const partyFields = {
  name: maybe('Of the person or company.'),
  companyName: maybe('Company.'),
  contactNumber: maybe('Telephone number.'),
  email: maybe('Email address.'),
  timezone: Type.Optional(Type.String({ description: 'IANA time zone.', format: 'time-zone' })),
};

/** Where something is: its country, and as much more as is known. */
const Place = Type.Object(placeFields, closed);
export type Place = Static<typeof Place>;
export const Address = Type.Object({ ...partyFields, ...placeFields }, closed);
export type Address = Static<typeof Address>;

const Window = Type.Object({ from: localTime('Its begin.'), to: localTime('Its end.') }, closed);

const packageFields = {
  itemReferenceNumber: maybe('The shipper’s number of the package.'),
  trackingNumber: maybe('The carrier’s number.'),
  weightKg: Type.Number({ description: 'Weight, kg.', minimum: 0 }),
  lengthCm: measure('Length, cm.'),
  widthCm: measure('Width, cm.'),
  heightCm: measure('Height, cm.'),
};

export const Pickup = Type.Object(
  {
    reference: text('Our number of the pickup.'),
    window: Window,
    address: Address,
    packages: Type.Array(Type.Object({ ...packageFields, service: maybe('Code of its service.') }, closed)),
    totalWeightKg: Type.Number({ description: 'Of all packages, kg.', minimum: 0 }),
    instructions: maybe('For the driver.'),
    number: maybe('The carrier’s number of it, once booked.'),
    memo,
  },
  closed,
);
export type Pickup = Static<typeof Pickup>;

export const BookedPickup = Type.Object(
  {
    number: text('The carrier’s number of the pickup.'),
    window: Type.Optional(Window),
    ...price,
    memo,
  },
  closed,
);
export type BookedPickup = Static<typeof BookedPickup>;

export const Manifest = Type.Object(
  {
    reference: text('Our number of the manifest.'),
    day: day('The day that it closes, local to the facility.'),
    facility: Type.Object({ code: maybe('The shipper’s code of it.'), address: Address }, closed),
    shipments: Type.Array(
      Type.Object(
        {
          referenceId: text('The consignment’s.'),
          trackingNumber: maybe('The carrier’s number.'),
          service: maybe('Code of its service.'),
          memo,
          packages: Type.Array(Type.Object({ ...packageFields, memo }, closed)),
        },
        closed,
      ),
      { minItems: 1 },
    ),
  },
  closed,
);
export type Manifest = Static<typeof Manifest>;

export const ClosedManifest = Type.Object(
  {
    number: maybe('The carrier’s number of the manifest.'),
    document: Type.Optional(Label),
    trackingNumbers: Type.Optional(
      Type.Array(Type.String(), { description: 'Of what is on it; default: all that it was asked for.' }),
    ),
    memo,
  },
  closed,
);

export const Search = Type.Object(
  {
    near: Place,
    radiusKm: measure('How far from there.'),
    limit: Type.Optional(Type.Integer({ description: 'How many at most.', minimum: 1 })),
    kind: Type.Optional(Type.Enum(['DROP_OFF', 'COLLECTION'], { description: 'What it is for; default: either.' })),
  },
  closed,
);
export type Search = Static<typeof Search>;

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
const clock = (description: string) =>
  Type.String({ description, pattern: '^([01]\\d|2[0-4]):[0-5]\\d$', 'x-must': 'be a time written HH:MM' });

export const Location = Type.Object(
  {
    id: text('The carrier’s number of the place, which a consignment names.'),
    name: text('What stands above its door.'),
    kind: Type.Optional(Type.Enum(['SHOP', 'LOCKER', 'DEPOT', 'POST_OFFICE'])),
    address: Place,
    contactNumber: maybe('Telephone number.'),
    distanceKm: measure('From where it was looked for, km.'),
    openingHours: Type.Optional(
      Type.Array(Type.Object({ day: Type.Enum([...DAYS]), from: clock('Opens.'), to: clock('Closes.') }, closed), {
        description: 'Several a day where it closes in between.',
      }),
    ),
  },
  closed,
);
export type Location = Static<typeof Location>;

export const CheckedAddress = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the carrier can deliver to it as it is written.' }),
    messages: Type.Optional(Type.Array(Type.String(), { description: 'What is wrong with it.' })),
    suggestions: Type.Optional(Type.Array(Place, { description: 'What may be meant, the best first.' })),
  },
  closed,
);

export const SlotQuery = Type.Object(
  {
    kind: Type.Enum(['DELIVERY', 'PICKUP']),
    from: day('The first day.'),
    to: day('The last day.'),
  },
  closed,
);
export type SlotQuery = Static<typeof SlotQuery>;

const slotFields = {
  id: text('The carrier’s number of the slot.'),
  from: localTime('Its begin.'),
  to: localTime('Its end.'),
  memo,
};

export const OfferedSlot = Type.Object({ ...slotFields, ...price }, closed);

export const Slot = Type.Object(
  { ...slotFields, reservation: maybe('The carrier’s number of the reservation, once reserved.') },
  closed,
);
export type Slot = Static<typeof Slot>;

export const Reservation = Type.Object(
  {
    reservation: text('The carrier’s number of the reservation.'),
    expiresAt: Type.Optional(Type.String({ description: 'Until when it holds.', format: 'date-time' })),
    memo,
  },
  closed,
);
