import { Decimal } from 'decimal.js';
import { type Static, Type } from 'typebox';

/**
 * What a carrier would take for a consignment and when it would bring it, in one of its services. Amounts are decimal
 * numbers of `currency`, rounded to its minor units; `tax` and `surcharges` lie within `total`.
 */

const closed = { additionalProperties: false } as const;
const text = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }));
const amount = (description: string) => Type.Number({ description });
const localTime = (description: string) => Type.Optional(Type.String({ description, format: 'local-date-time' }));

const Surcharge = Type.Object(
  {
    code: Type.String({ description: 'The carrier’s code.', minLength: 1 }),
    name: text('In words.'),
    amount: amount('Below 0: a discount.'),
  },
  closed,
);

export const Offer = Type.Object(
  {
    service: Type.String({ description: 'A service of the profile, by its name there.', minLength: 1 }),
    name: text('In words.'),
    total: Type.Number({ description: 'What is to be paid, tax included.', minimum: 0 }),
    currency: Type.String({ description: 'ISO 4217.', format: 'currency' }),
    tax: Type.Optional(amount('Within the total.')),
    surcharges: Type.Optional(Type.Array(Surcharge, { description: 'Within the total.' })),
    deliveryFrom: localTime('The earliest delivery, local to the destination.'),
    deliveryTo: localTime('The latest delivery, local to the destination.'),
    transitDays: Type.Optional(Type.Integer({ description: 'Working days under way, at most.', minimum: 0 })),
    cutOff: localTime('Until when it has to be handed over, local to the origin.'),
    emissionsKg: Type.Optional(Type.Number({ description: 'CO2 equivalents.', minimum: 0 })),
    rateId: Type.Optional(
      Type.String({ description: 'The carrier’s own number of the quote.', minLength: 1, maxLength: 2_000 }),
    ),
  },
  closed,
);
export type Offer = Static<typeof Offer>;

const digits = new Map<string, number>();

/** How many digits behind the point amounts of a currency have: 2 for EUR, 0 for JPY. Throws for what is no currency. */
export const minorDigits = (currency: string): number => {
  const known = digits.get(currency);
  if (known !== undefined) return known;
  const options = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  const found = options.maximumFractionDigits ?? 2;
  digits.set(currency, found);
  return found;
};

/** To the minor units of the currency, halves away from zero. What binary sums add behind the 15th digit does not count. */
export const roundAmount = (value: number, currency: string): number => {
  const minor = minorDigits(currency);
  const scaled = value * 10 ** minor;
  // Only near a half do the digits that binary fractions add matter. 0 is added, so that no amount is -0.
  if (Math.abs(scaled) < 1e9 && Math.abs(Math.abs(scaled % 1) - 0.5) > 1e-5)
    return Math.round(scaled) / 10 ** minor + 0;
  return new Decimal(value.toPrecision(15)).toDecimalPlaces(minor, Decimal.ROUND_HALF_UP).toNumber() + 0;
};
