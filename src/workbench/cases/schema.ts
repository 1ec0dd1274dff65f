import { type Static, type TSchema, Type } from 'typebox';
import { ASKED_ROOTS, type AskedRoot } from '../../engine/ask/operations.ts';
import { OPERATIONS } from '../../engine/profile/carrier.ts';
import { type Kind, KINDS } from '../../engine/profile/language/kinds.ts';

/**
 * A test case (docs/cases.md): one story of a carrier as data. This is its only definition: cases are checked against
 * it, by the same kinds of values as profiles are (`x-kind`), and editors get it as JSON Schema.
 */

const closed = { additionalProperties: false } as const;
/** What an editor shows of a key: what it is for, and a value as it may stand there. */
const shown = (description: string, example: unknown) => ({ description, examples: [example] });
const ofKind = <V>(kind: Kind, more: object = {}) => Type.Unsafe<V>({ ...KINDS[kind].schema, 'x-kind': kind, ...more });
const plain = ofKind<string>('text');
const tree = ofKind<unknown>('value');
const given = ofKind<string | number | boolean | null>('literal', { type: ['string', 'number', 'boolean', 'null'] });
const textOrNull = ofKind<string | null>('text', { type: ['string', 'number', 'boolean', 'null'] });
const name = (description: string, example: string) => ofKind<string>('text', shown(description, example));
const text = (description: string, example: string, kind: 'text' | 'duration' | 'instant' = 'text') =>
  Type.Optional(ofKind<string>(kind, shown(description, example)));
const duration = (description: string, example: string) => text(description, example, 'duration');
const instant = (description: string, example: string) => text(description, example, 'instant');
const word = <const W extends string>(words: readonly W[], description: string, example: NoInfer<W>) =>
  ofKind<W>('word', { enum: words, ...shown(description, example) });
const integer = (description: string, example: number, range: object = {}) =>
  ofKind<number>('integer', { ...range, ...shown(description, example) });
const free = (description: string, example: unknown) =>
  Type.Optional(ofKind<unknown>('value', shown(description, example)));
const list = <S extends TSchema>(of: S, description: string, example: readonly unknown[]) =>
  Type.Optional(Type.Array(of, shown(description, example)));
const mapOf = <S extends TSchema>(of: S, description: string, example: Readonly<Record<string, unknown>>) =>
  Type.Optional(
    Type.Unsafe<Record<string, Static<S>>>({
      type: 'object',
      additionalProperties: of,
      ...shown(description, example),
    }),
  );

const bodies = {
  json: free('A value, or the name of a .json file beside the case.', { orderNumber: 'A-1001' }),
  xml: free('A value, a document as text, or the name of a .xml file beside the case.', 'created.response.xml'),
  soap: free('{ namespaces, header, body }, an envelope as text, or the name of a .xml file beside the case.', {
    body: { CancelResponse: { Code: '0' } },
  }),
  form: free('A map of fields.', { grant_type: 'client_credentials' }),
  multipart: free('A map of parts.', { order: { content: { reference: 'REF-1' } } }),
  text: text('The body as it is.', 'OK'),
  base64: text('The bytes of the body in base64.', 'JVBERi0xLjQ='),
  file: text('The name of a file beside the case.', 'label.pdf'),
};
export const BODY_KEYS = Object.keys(bodies) as readonly (keyof typeof bodies)[];
export type BodyKey = (typeof BODY_KEYS)[number];

export const METHOD_KEYS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const methods = Object.fromEntries(
  METHOD_KEYS.map((method) => [method, text('The whole URL.', 'https://api.acme.example/orders')]),
) as Record<(typeof METHOD_KEYS)[number], ReturnType<typeof text>>;

const ExpectedRequest = Type.Object(
  {
    ...methods,
    headers: mapOf(textOrNull, 'Those to be compared; null: must not be there.', {
      'X-Trace': null,
    }),
    ...bodies,
  },
  closed,
);
export type ExpectedRequest = Static<typeof ExpectedRequest>;

/** What may happen in the place of an answer. */
export const FAULTS = ['timeout', 'reset', 'cut', 'refused', 'no_host', 'tls'] as const;
export type Fault = (typeof FAULTS)[number];

const Answer = Type.Object(
  {
    status: integer('The HTTP status.', 200, { minimum: 100, maximum: 599 }),
    headers: mapOf(plain, 'Beside Content-Type, which the body gives.', { 'Retry-After': '2' }),
    ...bodies,
    delay: duration('How long it takes; from the time limit on, it is a time-out.', '5s'),
  },
  closed,
);
export type Answer = Static<typeof Answer>;

const Exchange = Type.Object(
  {
    request: Type.Union(
      [ofKind<'same'>('word', { enum: ['same'] }), ExpectedRequest],
      shown('What is asked of the carrier; same: the previous one once more.', 'same'),
    ),
    response: Type.Union(
      [ofKind<Fault>('word', { enum: FAULTS }), Answer],
      shown('What the carrier answers, or a fault.', 'timeout'),
    ),
    wait: duration('How long the engine waits before it asks again.', '10s'),
  },
  closed,
);
export type Exchange = Static<typeof Exchange>;

const Incoming = Type.Object(
  {
    method: text('Default: POST.', 'PUT'),
    headers: mapOf(plain, 'Beside Content-Type, which the body gives.', { 'X-Topic': 'tracking' }),
    query: mapOf(plain, 'Beside what sign adds.', { version: '2' }),
    from: text('The IP address it comes from.', '192.0.2.10'),
    sign: Type.Optional(ofKind<boolean>('flag', shown('Authenticate it as the webhook’s auth demands.', true))),
    ...bodies,
  },
  { ...closed, description: 'What the carrier sends to its webhook, or a push.' },
);
export type Incoming = Static<typeof Incoming>;

export const OUTCOMES = [
  'succeed',
  'reject',
  'fail',
  'config_error',
  'unknown_outcome',
  'undo_failed',
  'partial',
  'waiting',
] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

const Reply = Type.Object(
  {
    status: integer('The HTTP status.', 200),
    headers: mapOf(plain, 'Those to be compared.', { 'Content-Type': 'text/plain' }),
    ...bodies,
  },
  closed,
);

const Expect = Type.Object(
  {
    outcome: Type.Optional(word(OUTCOMES, 'Default: succeed.', 'reject')),
    code: text('The error code.', 'carrier_unreachable'),
    messages: Type.Optional(Type.Union([plain, Type.Array(plain)], shown('All of them.', 'The postcode is unknown'))),
    fields: Type.Optional(
      Type.Union(
        [plain, Type.Array(plain)],
        shown('Of `unusable_value`: the shipper’s fields.', 'shipTo.contact.contactNumber'),
      ),
    ),
    result: free('In the contract’s words: the fields to be compared; null: must not be there.', {
      masterTrackingNumber: 'A1',
    }),
    labels: mapOf(plain, 'By package (* for all): PDF, ZPL, PNG, its URL, or what is wrong with it.', {
      '*': 'PDF',
    }),
    events: list(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: tree }),
      'All of them; of each, the fields to be compared.',
      [{ carrierStatusCode: 'D' }],
    ),
    status: text('Of the consignment after this step.', 'Order Delivered'),
    rule: text('choose: the rule that decides.', 'heavy'),
    taken: Type.Optional(
      ofKind<string | null>('text', {
        type: ['string', 'null'],
        ...shown('choose: the carrier that is taken, and its service; null: none.', 'acme/Express'),
      }),
    ),
    ranked: list(plain, 'choose: all that may be taken, in their order.', ['acme/Express', 'post/Parcel']),
    offer: free('choose: of the one that is taken; the fields to be compared.', { total: 8.64, currency: 'EUR' }),
    excluded: mapOf(plain, 'choose: those that may not be taken, and why; others are not compared.', {
      freight: 'filtered',
    }),
    reply: Type.Optional(
      Type.Union(
        [ofKind<number>('integer'), Reply],
        shown('What the webhook is answered: a status, or more of the reply.', 200),
      ),
    ),
  },
  { ...closed, description: 'What has to come of it; what is not named is not compared.' },
);
export type Expect = Static<typeof Expect>;

/** `push`: the contract's status update, which every carrier may send. `webhook`: the carrier's own. `choose`: of a policy. */
export const ACTIONS = [...OPERATIONS, 'webhook', 'push', 'choose'] as const;

const Step = Type.Object(
  {
    do: word(ACTIONS, 'What happens: an operation, a webhook of the carrier, or a push.', 'create'),
    now: instant('When it happens; the clock never goes back.', '2026-03-02T09:00:00Z'),
    change: free('update: laid over the consignment as last accepted.', { destinationName: 'Example Person' }),
    remark: text('cancel: the shipper’s reason.', 'ordered twice'),
    request: Type.Optional(Incoming),
    exchanges: list(Exchange, 'The calls to the carrier, in order, and what they are answered.', [
      { request: { post: 'https://api.acme.example/orders' }, response: { status: 200, json: { number: 'A1' } } },
    ]),
    expect: Type.Optional(Expect),
  },
  closed,
);
export type Step = Static<typeof Step>;

const memo = () => mapOf(tree, 'Values by their names in memo.', { orderId: 'A-1001' });
const Package = Type.Object(
  {
    itemReferenceNumber: name('The shipper’s number of the package.', 'PKG-1'),
    trackingNumber: text('The carrier’s number.', 'A1'),
    memo: memo(),
  },
  closed,
);
const Shipment = Type.Object(
  {
    trackingNumber: text('Default: that of the first package.', 'A1'),
    memo: memo(),
    packages: list(Package, 'The packages, where the carrier gave them numbers.', [{ itemReferenceNumber: 'PKG-1' }]),
  },
  { ...closed, description: 'What the carrier gave us before the case begins.' },
);

const about = Object.fromEntries(
  ASKED_ROOTS.map((root) => [root, free(`The root ${root}, for operations that see it.`, {})] as const),
) as Record<AskedRoot, ReturnType<typeof free>>;

const Given = Type.Object(
  {
    now: instant('What the clock shows at the start.', '2026-03-02T09:00:00Z'),
    environment: Type.Optional(
      word(['sandbox', 'production'], 'Of the account. Default: sandbox, where the profile has one.', 'production'),
    ),
    service: text(
      'The shipper’s word for the service; needed where several rows fit the consignment’s typeOfService.',
      'Ground',
    ),
    consignment: free('The contract’s consignment, or the name of a file in fixtures/_consignments.', 'one-box-us'),
    change: free('Laid over the consignment; null takes a field away.', { labelFormat: 'ZPL' }),
    credentials: mapOf(given, 'Laid over the profile’s examples; null takes a field away.', { key: 'example-key' }),
    settings: mapOf(given, 'Laid over the profile’s examples; null takes a field away.', { account: 'A1B2C3' }),
    shipment: Type.Optional(Shipment),
    accounts: list(plain, 'choose: carriers with which there is an account. Default: all.', ['acme']),
    away: list(plain, 'choose: carriers that fail at the moment.', ['acme']),
    volumes: mapOf(ofKind<number>('integer'), 'choose: consignments that carriers got so far. Default: 0.', {
      acme: 99,
    }),
    offers: free('choose: what carriers with the operation rates offer, by their codes.', {
      acme: [{ service: 'Express', total: 12.5, currency: 'EUR' }],
    }),
    ...about,
  },
  { ...closed, description: 'What holds before the case begins.' },
);
export type Given = Static<typeof Given>;

export const Case = Type.Object(
  {
    case: name('What it tells, in a few words.', 'an order is created and cancelled'),
    given: Type.Optional(Given),
    flow: Type.Array(Step, { minItems: 1, description: 'What happens, step by step.' }),
  },
  closed,
);
export type Case = Static<typeof Case>;

export const caseJsonSchema = (): Readonly<Record<string, unknown>> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Waybill case',
  // Kinds are for our own check.
  ...(JSON.parse(JSON.stringify(Case, (key, value: unknown) => (key === 'x-kind' ? undefined : value))) as object),
});
