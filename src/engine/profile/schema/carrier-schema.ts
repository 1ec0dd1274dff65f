import { NORMALISED_STATUSES, NO_CHANGE, REASONS } from '../../statuses/status.ts';
import { authDefs, authSchema, authsSchema, webhookAuthSchema } from './auths.ts';
import {
  data,
  duration,
  either,
  expr,
  flag,
  group,
  integer,
  list,
  literal,
  mapOf,
  mapping,
  name,
  NAME,
  NAMES,
  plain,
  text,
  word,
} from './kinds.ts';
import {
  environmentValue,
  headersSchema,
  limitsSchema,
  operationsSchema,
  outcomesSchema,
  replySchema,
  retrySchema,
  stepDefs,
} from './steps.ts';

/** The one definition of the profile language (§2): checking, the editors' JSON Schema and the reference come from it. */

const CODE = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';
export const CODE_PATTERN = new RegExp(CODE);
const HOST = String.raw`^(\*\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)(:[0-9]{1,5})?$`;
const MUST_CODE = 'be letters, digits, _ and -';
const orders = list(word(['FORWARD', 'REVERSE'], 'An order type.', 'FORWARD'), 'Order types; both unless said.', [
  'FORWARD',
]);
const country = name('A country, ISO 3166-1 alpha-2.', 'AU', '^[A-Z]{2}$', 'be two capital letters');

const capabilities = group(
  {
    fleet: word(['outsourced', 'own'], 'Whose vehicles; outsourced unless said.', 'own'),
    bulky: flag('The big-and-bulky rules of the shipper API apply.', true),
    orders,
    maxPackages: integer('Packages in one consignment; any number unless said.', 20, 1, 10_000),
    vas: list(plain('A code.', 'SIGNATURE_REQUIRED'), 'Codes of value-added services; any unless said.', [
      'INSTALLATION',
    ]),
    cod: flag('Cash on delivery; true unless said.', false),
    from: list(country, 'Countries of origin; any unless said.', ['AU', 'US']),
    to: list(country, 'Countries of destination; any unless said.', ['AU', 'NZ']),
  },
  'What the carrier can do; checked before dispatch.',
  { orders: ['FORWARD'], from: ['AU', 'US'] },
);

const services = mapOf(
  group(
    {
      typeOfService: word(['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'], 'The contract’s service level.', 'EXPRESS'),
      code: plain('The carrier’s own code.', 'E12'),
      orders,
    },
    'A service.',
    { typeOfService: 'EXPRESS', code: 'E12' },
    { required: ['typeOfService'] },
  ),
  'A row for each serviceType of shippers; without it the four names of the contract.',
  { Express: { typeOfService: 'EXPRESS', code: 'E12' } },
);

const environment = group(
  { url: text('Where the carrier is.', 'https://api.acme.example') },
  'Where, and whatever else differs.',
  { url: 'https://api.acme.example', test: false },
  { required: ['url'], others: environmentValue, propertyNames: NAMES },
);

const field = group(
  {
    secret: flag('Encrypted, masked, never shown.', true),
    type: word(['text', 'number', 'boolean'], 'Its type; text unless said.', 'number'),
    pattern: text('A regular expression that it must match.', String.raw`^\d{9}$`),
    oneOf: list(literal('A value.', 'BE'), 'The values it may have.', ['BE', 'NL']),
    optional: flag('May be absent.', true),
    default: literal('Used when it is absent.', 'BE'),
    example: literal('For people, and the value in cases.', '0530'),
    title: plain('Its name for people.', 'Account number'),
    from: word(['register'], 'Filled by the operation register; nobody is asked.', 'register'),
  },
  'What an account has to supply.',
  { secret: true },
);

const labels = group(
  {
    formats: list(
      word(['PDF', 'ZPL', 'PNG'], 'A format.', 'PDF'),
      'Supported formats, best first; PDF unless said.',
      ['PDF'],
      {
        minItems: 1,
      },
    ),
    retry: group(
      {
        wait: duration('The first wait, which doubles; 30s unless said.', '10s'),
        max: duration('The longest wait; 30m unless said.', '10m'),
        until: duration('When it is given up; 2d unless said.', '1d'),
      },
      'How often a label that is not there yet is asked for.',
      { wait: '10s', until: '1d' },
    ),
  },
  'Labels.',
  { formats: ['PDF', 'ZPL'] },
);

const STATUS_WORDS = [...NORMALISED_STATUSES, NO_CHANGE];
const statusWord = word(STATUS_WORDS, 'A normalised status, or No Change.', 'In Transit', 'unknown-status');

const statuses = group(
  {
    webhook: group(
      {
        auth: webhookAuthSchema,
        allow: list(plain('A range of addresses, CIDR.', '192.0.2.0/24'), 'The addresses it may come from.', [
          '192.0.2.0/24',
        ]),
        format: word(['json', 'xml', 'form', 'text'], 'How its body is read; by its Content-Type unless said.', 'json'),
        handshake: group(
          { when: expr('Is this request the handshake?', 'request.body.challenge'), reply: replySchema },
          'A request that only asks whether we are there.',
          { when: 'request.body.challenge', reply: { text: '${request.body.challenge}' } },
          { required: ['when', 'reply'] },
        ),
        reply: replySchema,
        events: mapping('Status updates, from the request: none, one or many.', 'events.jsonata'),
      },
      'The carrier’s own push.',
      { auth: { bearer: { token: '${credentials.pushToken}' } }, events: 'events.jsonata' },
      { required: ['auth', 'events'] },
    ),
    poll: group(
      {
        every: either(
          [
            duration('How often.', '1h'),
            mapOf(
              duration('How often.', '15m'),
              'How often, by status.',
              { '*': '2h', 'Out for Delivery': '15m' },
              {
                propertyNames: { enum: ['*', ...NORMALISED_STATUSES] },
                'x-rule': 'unknown-status',
              },
            ),
          ],
          'How often track is asked: a duration, or one for each status.',
          '1h',
        ),
        until: duration('The age at which asking ends; 60d unless said.', '30d'),
      },
      'Polling for events.',
      { every: '1h', until: '30d' },
      { required: ['every'] },
    ),
    table: mapOf(
      either(
        [
          statusWord,
          group(
            { status: statusWord, reason: word(REASONS, 'Why.', 'NOT_HOME') },
            'A status with its reason.',
            { status: 'Delivery Failed', reason: 'NOT_HOME' },
            { required: ['status'] },
          ),
        ],
        'A normalised status, or a status with its reason.',
        'In Transit',
      ),
      'code, code/subCode or code/subCode/description → status.',
      { IT: 'In Transit', 'DF/7': { status: 'Delivery Failed', reason: 'NOT_HOME' } },
    ),
  },
  'How events come and what they mean.',
  { poll: { every: '1h' }, table: { IT: 'In Transit' } },
);

export const carrierSchema = group(
  {
    carrier: name('The carrier’s code; the file is named after it.', 'acme', CODE, MUST_CODE),
    name: plain('Its name for people.', 'Acme Parcels'),
    extends: name('The profile to start from; contract if there are no operations.', 'contract', CODE, MUST_CODE),
    abstract: flag('Only a base, never dispatched to.', true),
    capabilities,
    services,
    environments: group(
      { sandbox: environment, production: environment },
      'Where the carrier is.',
      { production: { url: 'https://api.acme.example' } },
      { required: ['production'] },
    ),
    hosts: list(
      name('A host, or *.host.', '*.acme.example', HOST, 'be a host, or *. and a host'),
      'Further hosts that a URL of the carrier may name.',
      ['*.acme.example'],
    ),
    credentials: mapOf(
      field,
      'What an account needs to log in.',
      { token: { secret: true } },
      { propertyNames: NAMES },
    ),
    settings: mapOf(
      field,
      'What else varies by account.',
      { account: { pattern: String.raw`^\d{9}$` } },
      { propertyNames: NAMES },
    ),
    tables: mapOf(
      mapOf(data('What the row yields.', 'ZPL2'), 'Rows; * is the rest.', { ZPL: 'ZPL2' }),
      'Look-ups for $table.',
      { docFormat: { ZPL: 'ZPL2' } },
    ),
    time: group(
      {
        zone: plain('The default time zone, IANA; UTC unless said.', 'Europe/Berlin'),
        formats: list(
          plain('A format.', 'dd.MM.yyyy HH:mm'),
          'How the carrier writes dates; iso is always tried last.',
          ['iso'],
        ),
      },
      'How the carrier writes times.',
      { zone: 'Europe/Berlin', formats: ['dd.MM.yyyy HH:mm'] },
    ),
    auth: authSchema,
    auths: authsSchema,
    headers: headersSchema,
    limits: limitsSchema,
    retry: retrySchema,
    operations: operationsSchema,
    memo: list(name('A name.', 'orderId', NAME, 'be a name'), 'What a create or update leaves behind.', ['orderId']),
    outcomes: outcomesSchema,
    labels,
    statuses,
  },
  'A carrier of Waybill.',
  { carrier: 'acme', environments: { production: { url: 'https://api.acme.example' } } },
  { required: ['carrier', 'environments'] },
);

export const carrierDefs: Readonly<Record<string, typeof carrierSchema>> = { ...authDefs, ...stepDefs };
