import * as f from './field.ts';
import { zone } from './zones.ts';

/** The language of `carriers/policies/*.yaml`: which carriers an order may go to, and which of them comes first. */

/** What an order has to be like. */
const filter = (position: 'rule' | 'ruleCarrier') => ({
  when: f.expr('Condition.', 'consignment.totalWeight > 30', { otherwise: 'always', site: { position } }),
  from: { ...zone, description: 'Where it comes from.' },
  to: { ...zone, description: 'Where it goes to.' },
});

const minimum = f.group('How many consignments it is guaranteed: until then it comes first.', {
  example: { orders: 100, per: 'day' },
  required: ['orders'],
})({
  orders: f.integer([1, 10_000_000], 'Consignments.', 100),
  per: f.word(['day', 'week', 'month'], 'How long; a week begins on Monday.', 'day', { default: 'day' }),
});

const entry = f.group('A carrier.', { example: { carrier: 'acme', share: 60 }, required: ['carrier'] })({
  carrier: f.code('Its code.', 'acme'),
  services: f.list(f.plain('A service of the carrier.', 'Express'), 'Services that it may go with.', ['Express'], {
    notEmpty: true,
    otherwise: 'all',
  }),
  ...filter('ruleCarrier'),
  because: f.plain('Why others are not sent with it, for people.', 'Acme takes no furniture'),
  share: f.number([0, 100], 'With `rank: shares`, its percentage.', 60),
  minimum,
  quality: f.number([0, 100], 'For `weights.quality`: the more, the better.', 90),
});
export type PolicyEntry = Partial<f.Value<typeof entry>> & { readonly carrier: string };

const weight = (of: string) => f.number([0, 1_000], of, 1, { default: 0 });

const fallbackGroup = f.group('How far.', { example: { most: 2, after: '10m' } })({
  most: f.integer([1, 100], 'Carriers that are tried after the first.', 2, { otherwise: 'all that are ranked' }),
  after: f.duration('How long a carrier that is away is waited for.', '10m', {
    otherwise: 'as long as its profile says',
  }),
});
const fallback = f.compiledAs(
  f.either<f.Field<'none'> | typeof fallbackGroup, { default: object }>(
    [f.word(['none'], 'Nobody.', 'none'), fallbackGroup],
    'Who comes next where a carrier definitely did not do it: the ranked ones, in their order.',
    { most: 2, after: '10m' },
    { default: {} },
  ),
  (written): { readonly most: number; readonly afterMs: number | undefined } =>
    written === 'none' ? { most: 0, afterMs: undefined } : { most: written.most ?? Infinity, afterMs: written.afterMs },
);

/** What a policy says for all its rules, and a rule for itself. */
const ranking = {
  carriers: f.list(
    f.compiledAs(
      f.either<f.Field<string> | typeof entry, object>(
        [f.code('A carrier.', 'acme'), entry],
        'A carrier, by its code or with conditions of its own.',
        'acme',
      ),
      (written): PolicyEntry => (typeof written === 'string' ? { carrier: written } : written),
    ),
    'The carriers that it may go with, in this order.',
    ['acme', { carrier: 'post', to: { countries: ['DE'] } }],
    { notEmpty: true, otherwise: 'all that the shipper has an account with' },
  ),
  rank: f.word(
    ['first', 'cheapest', 'fastest', 'best', 'shares'],
    'Which comes first: as written, the lowest price, the earliest delivery, the highest score, or by shares.',
    'cheapest',
    { default: 'first' },
  ),
  weights: f.group('With `rank: best`, what the score is made of.', { example: { price: 3, days: 1 } })({
    price: weight('The price, the lower the better.'),
    days: weight('Days until delivery, the fewer the better.'),
    emissions: weight('Emissions, the less the better.'),
    quality: weight('`quality` of the carrier.'),
  }),
};

export const policyRule = f.group('A rule.', { example: ['when', 'carriers'] })({
  name: f.plain('What it is called.', 'heavy'),
  ...filter('rule'),
  ...ranking,
});

export const policy = f.group('A policy.', { required: ['policy'] })({
  policy: f.code('Its name; the file is named after it.', 'standard'),
  rules: f.list(
    policyRule,
    'The first that is for the order decides; when none is, what stands at the policy itself.',
    [{ when: 'consignment.totalWeight > 30', carriers: ['freight'] }],
    { default: [] },
  ),
  ...ranking,
  currency: f.plain('Prices are compared in it, ISO 4217.', 'EUR', {
    ...f.CURRENCY,
    otherwise: 'that of the first price',
  }),
  exchange: f.mapOf(
    f.number([0.000_001, 1_000_000], 'What one unit of it is worth.', 0.92),
    'Other currencies, in `currency`.',
    { USD: 0.92 },
  ),
  timeZone: f.plain('The IANA time zone in which days of `minimum` begin.', 'Europe/Berlin', {
    ...f.TIME_ZONE,
    default: 'UTC',
  }),
  fallback,
  tables: f.mapOf(
    f.mapOf(f.data('The value of the row.', 'acme'), 'Rows; * matches everything else.', { DE: 'north' }),
    'Look-ups for $table.',
    { region: { DE: 'north' } },
    { default: {} },
  ),
});
