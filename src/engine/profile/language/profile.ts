import { isIP } from 'node:net';
import { isTimeZone } from '../../time-zone.ts';
import { messageOf } from '../../failure.ts';
import { unreadableFormat } from '../../mapping/time-format.ts';
import { type NormalisedStatus, NORMALISED_STATUSES, NO_CHANGE, REASONS } from '../../statuses/status.ts';
import { auth, authDefs, auths, webhookAuth } from './auths.ts';
import {
  compiledAs,
  data,
  duration,
  either,
  expr,
  type Field,
  flag,
  group,
  type Issue,
  list,
  literal,
  mapOf,
  mapping,
  integer,
  name,
  NAME,
  NAMES,
  otherwise,
  pattern,
  plain,
  type Shape,
  standing,
  text,
  withDefault,
  word,
} from './field.ts';
import { environmentValue, headers, limits, operations, outcomes, reply, retry, stepDefs } from './steps.ts';

/** The one definition of the profile language: checking, compiling, the editors' JSON Schema and the reference follow it. */

const CODE = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';
export const CODE_PATTERN = new RegExp(CODE);
const HOST = String.raw`^(\*\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)(:[0-9]{1,5})?$`;
const MUST_CODE = 'be letters, digits, _ and -';
const shown = (text: string): string => `"${text.slice(0, 60)}"`;
const zoneIssue = (zone: string): Issue | undefined =>
  isTimeZone(zone) ? undefined : [`${shown(zone)} is no time zone`, 'like Europe/Berlin'];
const formatIssue = (format: string): Issue | undefined => {
  const reason = unreadableFormat(format);
  return reason === undefined ? undefined : [`times cannot be read by this: ${reason}`];
};
const patternIssue = (source: string): Issue | undefined => {
  try {
    void new RegExp(source, 'u');
    return undefined;
  } catch (thrown) {
    return [`this is no regular expression: ${messageOf(thrown)}`];
  }
};
const rangeIssue = (range: string): Issue | undefined => {
  const [address = '', bits] = range.trim().split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return family !== 0 && fits ? undefined : [`${shown(range.trim())} is no range of addresses`, 'like 192.0.2.0/24'];
};

const orderType = word(['FORWARD', 'REVERSE'], 'An order type.', 'FORWARD');
const orders = list(orderType, 'Order types.', ['FORWARD']);
const country = name('A country, ISO 3166-1 alpha-2.', 'AU', '^[A-Z]{2}$', 'be two capital letters');

const capabilities = group(
  {
    fleet: withDefault('outsourced', word(['outsourced', 'own'], 'Whose vehicles.', 'own')),
    bulky: withDefault(false, flag('The big-and-bulky rules of the shipper API apply.', true)),
    orders: withDefault(['FORWARD', 'REVERSE'], orders),
    maxPackages: otherwise('any number', integer('Packages in one consignment.', 20, 1, 10_000)),
    vas: otherwise(
      'any',
      list(plain('A code.', 'SIGNATURE_REQUIRED'), 'Codes of value-added services.', ['INSTALLATION']),
    ),
    cod: withDefault(true, flag('Cash on delivery.', false)),
    from: otherwise('any', list(country, 'Countries of origin.', ['AU', 'US'])),
    to: otherwise('any', list(country, 'Countries of destination.', ['AU', 'NZ'])),
  },
  'What the carrier can do; checked before dispatch.',
  { orders: ['FORWARD'], from: ['AU', 'US'] },
);

export const service = group(
  {
    typeOfService: word(['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'], 'The contract’s service level.', 'EXPRESS'),
    code: plain('The carrier’s own code.', 'E12'),
    orders: otherwise('both', orders),
  },
  'A service.',
  { typeOfService: 'EXPRESS', code: 'E12' },
  { required: ['typeOfService'] },
);

export const environment = group(
  { url: text('The base URL.', 'https://api.acme.example', { 'x-encoding': 'base' }) },
  'Where, and whatever else differs.',
  { url: 'https://api.acme.example', test: false },
  { required: ['url'], others: environmentValue, propertyNames: NAMES },
);

export const accountField = group(
  {
    secret: withDefault(false, flag('Encrypted, masked, never shown.', true)),
    type: withDefault('text', word(['text', 'number', 'boolean'], 'Its type.', 'number')),
    pattern: pattern('A regular expression that it must match.', String.raw`^\d{9}$`, { 'x-issue': patternIssue }),
    oneOf: list(literal('A value.', 'BE'), 'The values it may have.', ['BE', 'NL']),
    optional: withDefault(false, flag('May be absent.', true)),
    default: literal('Used when it is absent.', 'BE'),
    example: literal('For people, and the value in cases.', '0530'),
    title: plain('Its name for people.', 'Account number'),
    from: word(['register'], 'Filled by the operation register; nobody is asked.', 'register'),
  },
  'What an account has to supply.',
  { secret: true },
);
const accountFields = (description: string, example: Readonly<Record<string, unknown>>) =>
  mapOf(accountField, description, example, { propertyNames: NAMES });

const formats = list(word(['PDF', 'ZPL', 'PNG'], 'A format.', 'PDF'), 'Supported formats, best first.', ['PDF'], {
  minItems: 1,
});
const labelRetry = group(
  {
    wait: withDefault('30s', duration('The first wait, which doubles.', '10s')),
    max: withDefault('30m', duration('The longest wait.', '10m')),
    until: withDefault('2d', duration('When it is given up.', '1d')),
  },
  'How often a label that is not there yet is asked for.',
  { wait: '10s', until: '1d' },
);
const labels = group(
  {
    formats: withDefault(
      ['PDF'],
      compiledAs(formats, ([best = 'PDF', ...others]) => [best, ...others] as const),
    ),
    retry: withDefault({}, labelRetry),
  },
  'Labels.',
  { formats: ['PDF', 'ZPL'] },
);

const statusWord = word(
  [...NORMALISED_STATUSES, NO_CHANGE],
  'A normalised status, or No Change.',
  'In Transit',
  'unknown-status',
);
const statusWithReason = group(
  { status: statusWord, reason: word(REASONS, 'Why.', 'NOT_HOME') },
  'A status with its reason.',
  { status: 'Delivery Failed', reason: 'NOT_HOME' },
  { required: ['status'] },
);
/** What a row of the table yields. */
export const rowStatus = compiledAs(
  either([statusWord, statusWithReason], 'A normalised status, or a status with its reason.', 'In Transit'),
  (row) => (typeof row === 'string' ? { status: row, reason: undefined } : row),
);

const handshake = standing(
  { position: 'handshake' },
  group(
    { when: expr('Is this request the handshake?', 'request.body.challenge'), reply },
    'A request that only asks whether we are there.',
    { when: 'request.body.challenge', reply: { text: '${request.body.challenge}' } },
    { required: ['when', 'reply'] },
  ),
);
export const webhook = group(
  {
    auth: webhookAuth,
    allow: withDefault(
      [],
      list(
        plain('A range of addresses, CIDR.', '192.0.2.0/24', { 'x-issue': rangeIssue }),
        'The addresses it may come from.',
        ['192.0.2.0/24'],
      ),
    ),
    format: otherwise('by its Content-Type', word(['json', 'xml', 'form', 'text'], 'How its body is read.', 'json')),
    handshake,
    reply: standing({ position: 'reply' }, reply),
    events: mapping('Status updates, from the request: none, one or many.', 'events.jsonata', {
      'x-site': { position: 'events' },
    }),
  },
  'The carrier’s own push.',
  { auth: { bearer: { token: '${credentials.pushToken}' } }, events: 'events.jsonata' },
  { required: ['auth', 'events'] },
);

const everyByStatus = mapOf(
  duration('How often.', '15m'),
  'How often, by status.',
  { '*': '2h', 'Out for Delivery': '15m' },
  { propertyNames: { enum: ['*', ...NORMALISED_STATUSES] }, 'x-rule': 'unknown-status' },
);
const every = either<Field<number | Readonly<Record<string, number>>>>(
  [duration('How often.', '1h'), everyByStatus],
  'How often track is asked: a duration, or one for each status.',
  '1h',
);
export const poll = compiledAs(
  group(
    { every, until: withDefault('60d', duration('The age at which asking ends.', '30d')) },
    'Polling for events.',
    { every: '1h', until: '30d' },
    { required: ['every'] },
  ),
  ({ every: written, untilMs }) => {
    const rows = Object.entries(typeof written === 'number' ? { '*': written } : written);
    return { everyMs: new Map(rows) as ReadonlyMap<NormalisedStatus | '*', number>, untilMs };
  },
);

const statuses = group(
  {
    webhook,
    poll,
    table: mapOf(rowStatus, 'code, code/subCode or code/subCode/description → status.', {
      IT: 'In Transit',
      'DF/7': { status: 'Delivery Failed', reason: 'NOT_HOME' },
    }),
  },
  'How events come and what they mean.',
  { poll: { every: '1h' }, table: { IT: 'In Transit' } },
);

const dateFormats = list(
  plain('A format.', 'dd.MM.yyyy HH:mm', { 'x-issue': formatIssue }),
  'How the carrier writes dates; iso is always tried last.',
  ['iso'],
);

export const profile = group(
  {
    carrier: name('The carrier’s code; the file is named after it.', 'acme', CODE, MUST_CODE),
    name: plain('Its name for people.', 'Acme Parcels'),
    extends: name('The profile to start from; contract if there are no operations.', 'contract', CODE, MUST_CODE),
    abstract: withDefault(false, flag('Only a base, never dispatched to.', true)),
    capabilities: withDefault({}, capabilities),
    services: mapOf(service, 'A row for each serviceType of shippers; without it the four names of the contract.', {
      Express: { typeOfService: 'EXPRESS', code: 'E12' },
    }),
    environments: group(
      { sandbox: environment, production: environment },
      'Where the carrier is.',
      { production: { url: 'https://api.acme.example' } },
      { required: ['production'] },
    ),
    hosts: withDefault(
      [],
      list(
        name('A host, or *.host.', '*.acme.example', HOST, 'be a host, or *. and a host'),
        'Further hosts that a URL of the carrier may name.',
        ['*.acme.example'],
      ),
    ),
    credentials: accountFields('What an account needs to log in.', { token: { secret: true } }),
    settings: accountFields('What else varies by account.', { account: { pattern: String.raw`^\d{9}$` } }),
    tables: withDefault(
      {},
      mapOf(
        mapOf(data('What the row yields.', 'ZPL2'), 'Rows; * is the rest.', { ZPL: 'ZPL2' }),
        'Look-ups for $table.',
        { docFormat: { ZPL: 'ZPL2' } },
      ),
    ),
    time: withDefault(
      {},
      group(
        {
          zone: withDefault('UTC', plain('The default time zone, IANA.', 'Europe/Berlin', { 'x-issue': zoneIssue })),
          formats: withDefault(
            [],
            compiledAs(dateFormats, (written) => [...written.filter((format) => format !== 'iso'), 'iso']),
          ),
        },
        'How the carrier writes times.',
        { zone: 'Europe/Berlin', formats: ['dd.MM.yyyy HH:mm'] },
      ),
    ),
    auth,
    auths,
    headers,
    limits,
    retry,
    operations,
    memo: withDefault(
      [],
      list(name('A name.', 'orderId', NAME, 'be a name'), 'What a create or update leaves behind.', ['orderId']),
    ),
    outcomes,
    labels: withDefault({}, labels),
    statuses,
  },
  'A carrier of Waybill.',
  { carrier: 'acme', environments: { production: { url: 'https://api.acme.example' } } },
  { required: ['carrier', 'environments'] },
);

/** What stands under `$defs`. */
export const definitions: Readonly<Record<string, Shape>> = { ...authDefs, ...stepDefs };
