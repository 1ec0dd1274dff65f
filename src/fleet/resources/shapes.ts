/** What a fleet has: depots, zones, vehicles, drivers, and the tables beside them. One definition checks and types each. */
import { type Static, Type } from 'typebox';
import { REASONS } from '../../engine/statuses/status.ts';

export const closed = { additionalProperties: false } as const;
const text = (max = 200) => Type.String({ minLength: 1, maxLength: max, pattern: '\\S', 'x-must': 'not be blank' });
const code = () => Type.String({ pattern: '^[\\w.@+-]{1,100}$', 'x-must': 'be 1 to 100 letters, digits and _.@+-' });
const clock = () =>
  Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', 'x-must': 'be a time of day written HH:MM, such as 08:30' });
export const DAY = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', 'x-must': 'be a day written YYYY-MM-DD' });
export const ID = Type.String({ pattern: '^[1-9]\\d{0,14}$', 'x-must': 'be an id' });
const amount = () => Type.Number({ minimum: 0, maximum: 1_000_000 });
const latitude = () => Type.Number({ minimum: -90, maximum: 90 });
const longitude = () => Type.Number({ minimum: -180, maximum: 180 });
const optional = Type.Optional;
const codes = () => optional(Type.Array(code(), { maxItems: 200 }));

export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

const Depot = Type.Object(
  {
    name: text(),
    address: Type.Object(
      { addressLine1: text(), city: text(), postalCode: text(20), country: Type.String({ format: 'country' }) },
      closed,
    ),
    latitude: latitude(),
    longitude: longitude(),
    timeZone: Type.String({ format: 'time-zone' }),
    opens: clock(),
    closes: clock(),
    /** Windows that shippers may reserve. */
    slots: optional(Type.Array(Type.Object({ from: clock(), to: clock() }, closed), { maxItems: 48 })),
  },
  closed,
);
const Zone = Type.Object(
  {
    name: text(),
    depot: code(),
    countries: optional(Type.Array(Type.String({ format: 'country' }))),
    postcodes: optional(Type.Array(text(40), { maxItems: 2_000 })),
    polygon: optional(
      Type.Array(Type.Array(Type.Number({ minimum: -180, maximum: 180 }), { minItems: 2, maxItems: 2 }), {
        minItems: 3,
        maxItems: 2_000,
      }),
    ),
    latitude: optional(latitude()),
    longitude: optional(longitude()),
    speedKmh: optional(Type.Number({ minimum: 1, maximum: 150 })),
  },
  closed,
);
const Vehicle = Type.Object(
  {
    type: text(100),
    depot: code(),
    plate: optional(text(20)),
    weightKg: amount(),
    volumeM3: optional(amount()),
    pallets: optional(amount()),
    costPerKm: optional(amount()),
    costPerHour: optional(amount()),
    fixedCost: optional(amount()),
    active: optional(Type.Boolean()),
  },
  closed,
);
const Driver = Type.Object(
  {
    name: text(),
    depot: code(),
    phone: optional(text(50)),
    skills: codes(),
    zones: codes(),
    vehicleTypes: optional(Type.Array(text(100), { maxItems: 200 })),
    crew: optional(Type.Integer({ minimum: 1, maximum: 4 })),
    shifts: Type.Array(
      Type.Object(
        { weekdays: Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1 }), from: clock(), to: clock() },
        closed,
      ),
      { maxItems: 30 },
    ),
    breaks: optional(
      Type.Array(
        Type.Object({ from: clock(), to: clock(), minutes: Type.Number({ minimum: 1, maximum: 480 }) }, closed),
        { maxItems: 5 },
      ),
    ),
    vehicle: optional(code()),
    active: optional(Type.Boolean()),
  },
  closed,
);
const Calendar = Type.Object(
  {
    closed: Type.Array(DAY, { maxItems: 2_000 }),
    depot: optional(code()),
    driver: optional(code()),
    vehicle: optional(code()),
  },
  closed,
);
const ServiceTime = Type.Object(
  {
    stopMinutes: optional(Type.Number({ minimum: 0, maximum: 1_440 })),
    packageMinutes: optional(Type.Number({ minimum: 0, maximum: 1_440 })),
    /** What a value-added service asks of whoever does it. */
    skills: codes(),
    crew: optional(Type.Integer({ minimum: 1, maximum: 4 })),
  },
  closed,
);
const Reason = Type.Object({ description: text(), reason: Type.Enum([...REASONS]) }, closed);

/** By the names that routes have. */
export const SHAPES = {
  depots: Depot,
  zones: Zone,
  vehicles: Vehicle,
  drivers: Driver,
  calendars: Calendar,
  'service-times': ServiceTime,
  reasons: Reason,
} as const;
export type Kind = keyof typeof SHAPES;
export const isKind = (text: string | undefined): text is Kind => text !== undefined && Object.hasOwn(SHAPES, text);
export const CODE = code();

export type Depot = Static<typeof Depot>;
export type Zone = Static<typeof Zone>;
export type Vehicle = Static<typeof Vehicle>;
export type Driver = Static<typeof Driver>;

/** All of a kind, by their codes. */
type All<Shape> = ReadonlyMap<string, Shape>;
export interface Resources {
  readonly depots: All<Depot>;
  readonly zones: All<Zone>;
  readonly vehicles: All<Vehicle>;
  readonly drivers: All<Driver>;
  readonly calendars: All<Static<typeof Calendar>>;
  readonly 'service-times': All<Static<typeof ServiceTime>>;
  readonly reasons: All<Static<typeof Reason>>;
}
