import { messageOf } from '../../failure.ts';
import { unreadableFormat } from '../../mapping/time-format.ts';
import { isTimeZone } from '../../time-zone.ts';
import { auth, authDefs, auths } from './auths.ts';
import * as f from './field.ts';
import type { ScalarIssue, Shape } from './kinds.ts';
import { operations } from './operations.ts';
import { statuses } from './statuses.ts';
import { headers, limits, outcomes, retry, stepDefs } from './steps.ts';

/** The one definition of the profile language: checking, compiling, the editors' JSON Schema and the reference follow it. */

const CODE = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';
export const CODE_PATTERN = new RegExp(CODE);
const HOST = String.raw`^(\*\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)(:[0-9]{1,5})?$`;
const code = (description: string, example: string) =>
  f.name(CODE, 'be letters, digits, _ and -', description, example);

const zoneIssue = (zone: string): ScalarIssue | undefined =>
  isTimeZone(zone) ? undefined : [`"${zone.slice(0, 60)}" is not a time zone`, 'such as Europe/Berlin'];
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

const capabilities = f.group('What the carrier can do; checked before dispatch.', {
  example: ['orders', 'from'],
  default: {},
})({
  fleet: f.word(['outsourced', 'own'], 'Who owns the vehicles.', 'own', { default: 'outsourced' }),
  bulky: f.flag('The big-and-bulky rules of the shipper API apply.', true, { default: false }),
  orders: ordersOr({ default: ['FORWARD', 'REVERSE'] }),
  maxPackages: f.integer([1, 10_000], 'Packages in one consignment.', 20, { otherwise: 'any number' }),
  vas: f.list(f.plain('A code.', 'SIGNATURE_REQUIRED'), 'Codes of value-added services.', ['INSTALLATION'], {
    otherwise: 'any',
  }),
  cod: f.flag('Cash on delivery.', false, { default: true }),
  from: f.list(country, 'Countries of origin.', ['AU', 'US'], { otherwise: 'any' }),
  to: f.list(country, 'Countries of destination.', ['AU', 'NZ'], { otherwise: 'any' }),
});

export const service = f.group('A service.', { example: ['typeOfService', 'code'], required: ['typeOfService'] })({
  typeOfService: f.word(['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'], 'The contract’s service level.', 'EXPRESS'),
  code: f.plain('The carrier’s own code.', 'E12'),
  orders: ordersOr({ otherwise: 'both' }),
});

export const environment = f.group('The base URL, and whatever else differs.', {
  example: { url: 'https://api.acme.example', test: false },
  required: ['url'],
})({ url: f.text('The base URL.', 'https://api.acme.example', { encoding: 'base' }) });
export const environmentValue = f.value('Whatever differs between the environments.', true);
const openEnvironment = { ...environment, additionalProperties: environmentValue, propertyNames: f.NAMES };

export const accountField = f.group('What an account has to supply.', { example: ['secret'] })({
  secret: f.flag('Encrypted, masked, never shown.', true, { default: false }),
  type: f.word(['text', 'number', 'boolean'], 'Its type.', 'number', { default: 'text' }),
  pattern: f.pattern('A regular expression that it must match.', String.raw`^\d{9}$`, { issue: patternIssue }),
  oneOf: f.list(f.literal('A value.', 'BE'), 'The values it may have.', ['BE', 'NL']),
  optional: f.flag('May be absent.', true, { default: false }),
  default: f.literal('Used when it is absent.', 'BE'),
  example: f.literal('An example for people, also used in cases.', '0530'),
  title: f.plain('The display name.', 'Account number'),
  from: f.word(['register'], 'Filled by the operation register.', 'register'),
});
const accountFields = (description: string, example: Readonly<Record<string, unknown>>) =>
  f.mapOf(accountField, description, example, { names: f.NAMES });

const labelFormat = f.word(['PDF', 'ZPL', 'PNG'], 'A format.', 'PDF');
const labels = f.group('Labels.', { example: { formats: ['PDF', 'ZPL'] }, default: {} })({
  formats: f.compiledAs(
    f.list(labelFormat, 'Supported formats, best first.', ['PDF'], { notEmpty: true, default: ['PDF'] }),
    ([best = 'PDF', ...others]) => [best, ...others] as const,
  ),
  retry: f.group('How often to ask for a label that is not ready yet.', { example: ['wait', 'until'], default: {} })({
    wait: f.duration('The first wait, which doubles.', '10s', { default: '30s' }),
    max: f.duration('The longest wait.', '10m', { default: '30m' }),
    until: f.duration('When to give up.', '1d', { default: '2d' }),
  }),
});

const dateFormats = f.list(
  f.plain('A format.', 'dd.MM.yyyy HH:mm', { issue: formatIssue }),
  'How the carrier writes dates; iso is always tried last.',
  ['iso'],
  { default: [] },
);
const time = f.group('How the carrier writes times.', {
  example: { zone: 'Europe/Berlin', formats: ['dd.MM.yyyy HH:mm'] },
  default: {},
})({
  zone: f.plain('The default time zone, IANA.', 'Europe/Berlin', { issue: zoneIssue, default: 'UTC' }),
  formats: f.compiledAs(dateFormats, (written) => [...written.filter((format) => format !== 'iso'), 'iso']),
});

export const profile = f.group('A carrier of Waybill.', { required: ['carrier', 'environments'] })({
  carrier: code('The carrier’s code; the file is named after it.', 'acme'),
  name: f.plain('The display name.', 'Acme Parcels'),
  extends: code('The profile that this one extends; contract if there are no operations.', 'contract'),
  abstract: f.flag('Only a base for other profiles, never dispatched to.', true, { default: false }),
  capabilities,
  services: f.mapOf(service, 'A row for each serviceType of shippers; without it the four names of the contract.', {
    Express: { typeOfService: 'EXPRESS', code: 'E12' },
  }),
  environments: f.group('Where the carrier’s API is.', {
    example: { production: { url: 'https://api.acme.example' } },
    required: ['production'],
  })({ sandbox: openEnvironment, production: openEnvironment }),
  hosts: f.list(
    f.name(HOST, 'be a host, or *. and a host', 'A host, or *.host.', '*.acme.example'),
    'Further hosts that a URL of the carrier may name.',
    ['*.acme.example'],
    { default: [] },
  ),
  credentials: accountFields('What an account needs to log in.', { token: { secret: true } }),
  settings: accountFields('What else differs between accounts.', { account: { pattern: String.raw`^\d{9}$` } }),
  tables: f.mapOf(
    f.mapOf(f.data('What the row yields.', 'ZPL2'), 'Rows; * matches everything else.', { ZPL: 'ZPL2' }),
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
  operations,
  memo: f.list(
    f.name(f.NAME, 'be a name', 'A name.', 'orderId'),
    'Names of the values that create or update keep for later operations.',
    ['orderId'],
    { default: [] },
  ),
  outcomes,
  labels,
  statuses,
});

/** What stands under `$defs`. */
export const definitions: Readonly<Record<string, Shape>> = { ...authDefs, ...stepDefs };
