import { REQUIRABLE } from '../../consignment/translation.ts';
import { messageOf } from '../../failure.ts';
import { unreadableFormat } from '../../mapping/time-format.ts';

import { auth, authDefs, auths } from './auths.ts';
import * as f from './field.ts';
import type { ScalarIssue, Shape } from './kinds.ts';
import { LABEL_SIZES } from './label-template.ts';
import { asked, operations } from './operations.ts';
import { tariffNames, transitName } from './rates.ts';
import { slots } from './slots.ts';
import { statuses } from './statuses.ts';
import { headers, limits, outcomes, retry, stepDefs } from './steps.ts';

/** The definition of the profile language, from which validation, compiler, JSON Schema and reference are derived. */

export const CODE_PATTERN = new RegExp(f.CODE);
const HOST = String.raw`^(\*\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)(:[0-9]{1,5})?$`;

const formatIssue = (format: string): ScalarIssue | undefined => {
  const reason = unreadableFormat(format);
  return reason === undefined ? undefined : [`this is not a time format: ${reason}`];
};
const patternIssue = (source: string): ScalarIssue | undefined => {
  try {
    void new RegExp(source, 'u');
    return undefined;
  } catch (thrown) {
    return [`this is not a regular expression: ${messageOf(thrown)}`];
  }
};

const ordersOr = <const O extends object>(options: O) =>
  f.list(f.word(['FORWARD', 'REVERSE'], 'An order type.', 'FORWARD'), 'Order types.', ['FORWARD'], options);
const country = f.name('^[A-Z]{2}$', 'be two capital letters', 'A country, ISO 3166-1 alpha-2.', 'AU');

const capabilities = f.group('What the carrier supports; checked before dispatch.', {
  example: ['orders', 'from'],
  default: {},
})({
  fleet: f.word(['outsourced', 'own'], 'Who owns the vehicles.', 'own', { default: 'outsourced' }),
  bulky: f.flag('The big-and-bulky rules of the shipper API apply.', true, { default: false }),
  orders: ordersOr({ default: ['FORWARD', 'REVERSE'] }),
  maxPackages: f.integer([1, 10_000], 'Maximum number of packages in a consignment.', 20, { otherwise: 'any number' }),
  vas: f.list(f.plain('A code.', 'SIGNATURE_REQUIRED'), 'Supported value-added services.', ['INSTALLATION'], {
    otherwise: 'any',
  }),
  cod: f.flag('Whether cash on delivery is supported.', false, { default: true }),
  from: f.list(country, 'Supported countries of origin.', ['AU', 'US'], { otherwise: 'any' }),
  to: f.list(country, 'Supported countries of destination.', ['AU', 'NZ'], { otherwise: 'any' }),
});

export const service = f.group('A service.', { example: ['typeOfService', 'code'], required: ['typeOfService'] })({
  typeOfService: f.word(['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'], 'The contract’s service level.', 'EXPRESS'),
  code: f.plain('The carrier’s own code.', 'E12'),
  orders: ordersOr({ otherwise: 'both' }),
});

export const environment = f.group('The base URL, and other values that differ between environments.', {
  example: { url: 'https://api.acme.example', test: false },
  required: ['url'],
})({ url: f.text('The base URL.', 'https://api.acme.example', { encoding: 'base' }) });
export const environmentValue = f.value('A value that differs between environments.', true);
const openEnvironment = { ...environment, additionalProperties: environmentValue, propertyNames: f.NAMES };

export const accountField = f.group('A field of an account.', { example: ['secret'] })({
  secret: f.flag('Encrypted, masked, never shown.', true, { default: false }),
  type: f.word(['text', 'number', 'boolean'], 'Its type.', 'number', { default: 'text' }),
  pattern: f.pattern('A regular expression that the value must match.', String.raw`^\d{9}$`, { issue: patternIssue }),
  oneOf: f.list(f.literal('A value.', 'BE'), 'The allowed values.', ['BE', 'NL']),
  optional: f.flag('Whether the field may be omitted.', true, { default: false }),
  default: f.literal('Used if the field is omitted.', 'BE'),
  example: f.literal('An example value, also used in cases.', '0530'),
  title: f.plain('The display name.', 'Account number'),
  from: f.word(['register'], 'Filled by the register operation.', 'register'),
});
const accountFields = (description: string, example: Readonly<Record<string, unknown>>) =>
  f.mapOf(accountField, description, example, { names: f.NAMES });

const labelFormat = f.word(['PDF', 'ZPL', 'PNG'], 'A format.', 'PDF');
const labels = f.group('Labels.', { example: { formats: ['PDF', 'ZPL'] }, default: {} })({
  template: f.name(
    '^[a-z0-9][a-z0-9_-]{0,63}$',
    'be small letters, digits, _ and -',
    'A label of our own, where the carrier gives none: carriers/labels/<name>.yaml of the home, or standard.',
    'standard',
  ),
  size: f.word(LABEL_SIZES, 'The size of a label of our own.', 'A6', { otherwise: 'the template’s' }),
  formats: f.compiledAs(
    f.list(labelFormat, 'Supported formats, best first.', ['PDF'], {
      notEmpty: true,
      default: ['PDF'],
      otherwise: 'PDF; of a label of our own PDF and ZPL',
    }),
    ([best = 'PDF', ...others]) => [best, ...others] as const,
  ),
  retry: f.group('How often to request a label that is not ready yet.', { example: ['wait', 'until'], default: {} })({
    wait: f.duration('The first wait, which doubles.', '10s', { default: '30s' }),
    max: f.duration('The longest wait.', '10m', { default: '30m' }),
    until: f.duration('When to give up.', '1d', { default: '2d' }),
  }),
});

const dateFormats = f.list(
  f.plain('A format.', 'dd.MM.yyyy HH:mm', { issue: formatIssue }),
  'The carrier’s date formats; iso is always tried last.',
  ['iso'],
  { default: [] },
);
const time = f.group('The carrier’s time zone and date formats.', {
  example: { zone: 'Europe/Berlin', formats: ['dd.MM.yyyy HH:mm'] },
  default: {},
})({
  zone: f.plain('Default IANA time zone.', 'Europe/Berlin', { ...f.TIME_ZONE, default: 'UTC' }),
  formats: f.compiledAs(dateFormats, (written) => [...written.filter((format) => format !== 'iso'), 'iso']),
});

const fieldDef = f.word(REQUIRABLE, 'A field of the consignment that an order may lack.', 'info.incoterm', {
  rule: 'unknown-path',
});
const required = f.shared('field', fieldDef);
const requirement = f.group('Fields that are needed together, and when.', {
  example: { fields: ['info.incoterm'], when: 'consignment.originCountry != consignment.destinationCountry' },
  required: ['fields'],
})({
  fields: f.list(required, 'Fields of the consignment; of a list, in each entry.', ['info.incoterm'], {
    notEmpty: true,
  }),
  services: f.list(f.plain('A name.', 'Express'), 'Services that need them.', ['Express'], { otherwise: 'all' }),
  operations: f.list(
    f.word(['create', 'update'], 'An operation.', 'create'),
    'Operations that need them.',
    ['create'],
    {
      otherwise: 'create and update',
    },
  ),
  when: f.expr(
    'Condition for them to be needed; one that fails counts as true.',
    'consignment.originCountry != consignment.destinationCountry',
    { site: { position: 'requires' } },
  ),
});
const requires = f.list(
  f.compiledAs(f.either<f.Field<Needed | string>, object>([required, requirement], '', 'info.incoterm'), (written) =>
    typeof written === 'string' ? { fields: [written] } : written,
  ),
  'What the carrier needs beyond what every order has; an order without it is refused.',
  ['destinationEmail'],
  { default: [] },
);
type Needed = Partial<f.Value<typeof requirement>> & { readonly fields: readonly string[] };

const vas = f.mapOf(
  f.group('A value-added service.', { example: ['description', 'level'], required: ['description'] })({
    description: f.plain('What it means.', 'Carried up the stairs.'),
    level: f.word(['CONSIGNMENT', 'SKU'], 'What it may be asked for.', 'CONSIGNMENT', { otherwise: 'either' }),
    requires: f.list(required, 'Its parameters: fields without which it is refused.', ['info.destinationFloor'], {
      default: [],
    }),
  }),
  'Value-added services that the catalogue lacks, or that mean something else here.',
  { STAIRS: { description: 'Carried up the stairs.', requires: ['info.destinationFloor'] } },
  { default: {} },
);

export const profile = f.group('A carrier profile.', { required: ['carrier', 'environments'] })({
  carrier: f.code('The carrier’s code; the file is named after it.', 'acme'),
  name: f.plain('The display name.', 'Acme Parcels'),
  extends: f.code('The profile that this one extends; contract if there are no operations.', 'contract'),
  abstract: f.flag('Whether this is only a base for other profiles, never dispatched to.', true, { default: false }),
  capabilities,
  requires,
  vas,
  services: f.mapOf(
    service,
    'A row for each serviceType of shippers; default: the four service levels of the contract.',
    {
      Express: { typeOfService: 'EXPRESS', code: 'E12' },
    },
  ),
  tariff: tariffNames,
  transit: transitName,
  environments: f.group('The carrier’s environments.', {
    example: { production: { url: 'https://api.acme.example' } },
    notEmpty: true,
  })({ sandbox: openEnvironment, production: openEnvironment }),
  hosts: f.list(
    f.name(HOST, 'be a host, or *. and a host', 'A host, or *.host.', '*.acme.example'),
    'Additional hosts that URLs of the carrier may have.',
    ['*.acme.example'],
    { default: [] },
  ),
  credentials: accountFields('Credentials of an account.', { token: { secret: true } }),
  settings: accountFields('Other fields of an account.', { account: { pattern: String.raw`^\d{9}$` } }),
  tables: f.mapOf(
    f.mapOf(f.data('The value of the row.', 'ZPL2'), 'Rows; * matches everything else.', { ZPL: 'ZPL2' }),
    'Look-ups for $table.',
    { docFormat: { ZPL: 'ZPL2' } },
    { default: {} },
  ),
  time,
  auth,
  auths,
  headers,
  limits,
  retry,
  fragments: f.mapOf(
    f.ref('fragment', 'Keys of steps.', { headers: { 'X-Client': 'waybill' } }),
    'Keys that steps share, by names for `use`.',
    { tracking: { post: '/tracking', headers: { SOAPAction: 'Track' } } },
    { names: f.NAMES },
  ),
  operations,
  memo: f.list(
    f.name(f.NAME, 'be a name', 'A name.', 'orderId'),
    'Names of values that create and update store for later operations.',
    ['orderId'],
    { default: [] },
  ),
  outcomes,
  labels,
  slots,
  statuses,
});

/** What stands under `$defs`. */
export const definitions: Readonly<Record<string, Shape>> = { ...authDefs, ...stepDefs, asked, field: fieldDef };
