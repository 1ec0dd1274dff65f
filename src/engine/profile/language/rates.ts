import * as f from './field.ts';
import { zone } from './zones.ts';

/** The language of `carriers/tariffs/*.yaml` and `carriers/transit/*.yaml`: what carriers take, and how long they do. */

const percent = (description: string, example: number) => f.number([0, 100], description, example);

/** Keys of a profile. */
export const tariffNames = f.compiledAs(
  f.either<f.Field<string> | f.Field<readonly string[]>, object>(
    [
      f.code('A file.', 'acme-2026'),
      f.list(f.code('A file.', 'acme-2026'), 'Files, of other dates each.', ['acme-2026']),
    ],
    'What the carrier takes where no operation `rates` asks it: files in carriers/tariffs, of other dates each.',
    'acme-2026',
  ),
  (written) => [written].flat(),
);
export const transitName = f.code(
  'How long it takes where the carrier does not say: a file in carriers/transit.',
  'acme',
);

// Zones ---------------------------------------------------------------------------------------------------------------

const zonePart = f.group('A part of a zone.', { example: ['countries', 'postcodes'] })({
  ...zone.properties,
  from: zone,
});
export type ZonePart = f.Value<typeof zonePart>;
const parts = f.compiledAs(
  f.either<f.Field<ZonePart> | f.Field<readonly ZonePart[]>, object>(
    [zonePart, f.list(zonePart, 'Its parts.', [{ countries: ['FR', 'BE'] }], { notEmpty: true })],
    'Where it lies: countries, or some of their postcodes; `from`: for what comes from there only.',
    { countries: ['FR', 'BE'] },
  ),
  (written) => [written].flat(),
);
const zoneFile = f.literal('The name of a CSV file.', 'zones.csv');
const zoneMap = f.mapOf(parts, 'Zones.', { home: { countries: ['DE'] } });
const zones = f.either<typeof zoneFile | typeof zoneMap, object>(
  [zoneFile, zoneMap],
  'Zones of destinations, by name, or the name of a CSV file; of several that fit, the one that says it most exactly counts.',
  { home: { countries: ['DE'] }, islands: { countries: ['DE'], postcodes: ['25846..25849'] } },
);

// Tariffs -------------------------------------------------------------------------------------------------------------

/** What a tariff says for all its services, and a service for itself. */
const pricing = {
  per: f.word(['consignment', 'package'], 'What is weighed and priced: the whole, or each package.', 'package', {
    default: 'consignment',
  }),
  weightUnit: f.word(['KG', 'LB'], 'The unit of weights.', 'KG', { default: 'KG' }),
  sizeUnit: f.word(['CM', 'IN'], 'The unit of sizes.', 'CM', { default: 'CM' }),
  weightStep: f.number([0.001, 1000], 'Weights are rounded up to a multiple of it.', 0.5),
  volumetric: f.number(
    [1, 1_000_000],
    'Divisor: length × width × height divided by it is the weight where that is more.',
    5000,
    { otherwise: 'the weight alone counts' },
  ),
  minimum: f.number([0, 1_000_000], 'The least that is taken for a consignment, without surcharges.', 4.5),
};
export const tariffService = f.group('A service.', { example: ['prices'], required: ['prices'] })({
  ...pricing,
  title: f.plain('The name that is shown.', 'Express by noon'),
  prices: f.literal('The name of a CSV file, or its lines.', 'express-2026.csv'),
});

const surcharge = f.group('A surcharge.', {
  example: { code: 'RES', when: "consignment.destinationType = 'RESIDENTIAL'", amount: '3.50' },
  required: ['code'],
  oneOf: { keys: ['amount', 'percent'], needed: true },
  site: { position: 'surcharge' },
})({
  code: f.plain('The carrier’s code.', 'RES'),
  title: f.plain('The name that is shown.', 'Residential delivery'),
  when: f.expr('Condition.', "consignment.destinationType = 'RESIDENTIAL'", { otherwise: 'always' }),
  amount: f.expr('How much; an expression or a number, below 0 a discount.', '3.50'),
  percent: f.number([-100, 100], 'Percent of the price without surcharges.', 5),
  per: f.word(
    ['consignment', 'package'],
    'With package, it is asked and taken for each, which is the item.',
    'package',
    {
      default: 'consignment',
    },
  ),
  zones: f.list(f.plain('A zone.', 'islands'), 'Zones it is for.', ['islands'], { otherwise: 'all' }),
  services: f.list(f.plain('A service.', 'Express'), 'Services it is for.', ['Express'], { otherwise: 'all' }),
  fuel: f.flag('Whether fuel is taken of it, too.', true, { default: false }),
});

const fuelFrom = f.group('Fuel from a day on.', { example: ['from', 'percent'], required: ['from', 'percent'] })({
  from: f.date('The first day.', '2026-03-01'),
  percent: percent('Percent.', 12.5),
});
type Fuel = f.Value<typeof fuelFrom>;
const taxes = f.mapOf(percent('Percent.', 19), 'By zone; * for all others.', { home: 19, '*': 0 });

export const tariff = f.group('A tariff.', { required: ['tariff', 'currency', 'zones', 'services'] })({
  tariff: f.code('Its name; the file is named after it.', 'acme-2026'),
  currency: f.plain('The currency, ISO 4217.', 'EUR', f.CURRENCY),
  from: f.date('The first day on which what is shipped is priced by it.', '2026-01-01', { otherwise: 'any day' }),
  to: f.date('The last day.', '2026-12-31', { otherwise: 'any day' }),
  zones,
  services: f.mapOf(tariffService, 'Prices, by the services of the profile.', {
    Express: { prices: 'express-2026.csv' },
  }),
  surcharges: f.list(surcharge, 'Surcharges.', [{ code: 'RES', amount: '3.50' }], { default: [] }),
  fuel: f.compiledAs(
    f.either<f.Field<number> | f.Field<readonly Fuel[]>, object>(
      [percent('Percent.', 12.5), f.list(fuelFrom, 'Percent, by day.', [{ from: '2026-03-01', percent: 12.5 }])],
      'Percent for fuel, of the price and of surcharges with `fuel: true`; or a list by first days.',
      12.5,
    ),
    (written): readonly Fuel[] =>
      typeof written === 'number'
        ? [{ from: '', percent: written }]
        : written.toSorted((one, other) => (one.from < other.from ? -1 : 1)),
  ),
  tax: f.compiledAs(
    f.either<f.Field<number> | typeof taxes, object>(
      [percent('Percent.', 19), taxes],
      'Percent of tax on all of it, by zone where it differs.',
      19,
    ),
    (written): Readonly<Record<string, number>> => (typeof written === 'number' ? { '*': written } : written),
  ),
  ...pricing,
});

// Transit -------------------------------------------------------------------------------------------------------------

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const weekday = f.word(WEEKDAYS, 'A day of the week.', 'mon');
const clock = (description: string, example: string) =>
  f.name(String.raw`^([01]\d|2[0-3]):[0-5]\d$`, 'be a time written HH:MM', description, example);
const days = f.mapOf(
  f.compiledAs(
    f.name(String.raw`^\d{1,2}(-\d{1,2})?$`, 'be days, such as 2 or 1-3', 'Working days, from and to.', '1-3'),
    (written) => {
      const [from = 0, to = from] = written.split('-').map(Number);
      return { from, to };
    },
  ),
  'Working days from shipping to delivery, by zone; * for all others.',
  { home: 1, '*': '2-4' },
  { notEmpty: true },
);

export const transit = f.group('Transit times.', { required: ['transit', 'cutOff', 'services'] })({
  transit: f.code('Its name; the file is named after it.', 'acme'),
  timeZone: f.plain('The IANA time zone of the cut-offs.', 'Europe/Berlin', {
    ...f.TIME_ZONE,
    otherwise: 'that of the origin',
  }),
  cutOff: f.mapOf(
    clock('A time.', '16:00'),
    'Until when an order leaves on the same day, by weekday; on others nothing leaves.',
    { 'mon-fri': '16:00', sat: '11:00' },
    {
      names: { enum: [...WEEKDAYS, 'mon-fri', 'mon-sat', 'mon-sun'] },
      notEmpty: true,
    },
  ),
  delivery: f.list(weekday, 'Weekdays of delivery; the others do not count as days of transit.', ['mon', 'sat'], {
    default: ['mon', 'tue', 'wed', 'thu', 'fri'],
    notEmpty: true,
  }),
  holidays: f.flag('Whether nothing leaves or is delivered on public holidays of the country and region.', false, {
    default: true,
  }),
  closed: f.list(f.date('A day.', '2026-12-24'), 'Days on which the carrier rests, too.', ['2026-12-24'], {
    default: [],
  }),
  open: f.list(f.date('A day.', '2026-05-01'), 'Days on which it works nevertheless.', ['2026-05-01'], { default: [] }),
  zones,
  services: f.mapOf(
    f.group('A service.', { example: ['days'], required: ['days'] })({
      days,
      from: clock('When delivery begins.', '08:00'),
      by: clock('Until when it is delivered.', '12:00'),
    }),
    'Days, by the services of the profile.',
    { Express: { days: { home: 1 }, by: '12:00' } },
    { notEmpty: true },
  ),
});
