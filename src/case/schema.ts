import { type Static, type TSchema, Type } from 'typebox';
import { OPERATIONS } from '../profile/carrier.ts';

/**
 * A test case (profile-language.md §5; docs/cases.md): one story of a carrier as data. This is its only definition:
 * cases are checked against it, and editors get it as JSON Schema. `format` says what text has to be: `duration`
 * (500ms, 30s, 5m, 2h, 45d) or `instant` (ISO 8601 with Z or an offset).
 */

const closed = { additionalProperties: false } as const;
const text = (description: string) => Type.Optional(Type.String({ description }));
const duration = (description: string) => Type.Optional(Type.String({ description, format: 'duration' }));
const instant = (description: string) => Type.Optional(Type.String({ description, format: 'instant' }));
const free = (description: string) => Type.Optional(Type.Unknown({ description }));
const mapOf = <S extends TSchema>(of: S, description: string) =>
  Type.Optional(Type.Unsafe<Record<string, Static<S>>>({ type: 'object', additionalProperties: of, description }));
const given = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

const bodies = {
  json: free('A value, or the name of a .json file beside the case.'),
  xml: free('A value, a document as text, or the name of a .xml file beside the case.'),
  soap: free('{ namespaces, header, body }, an envelope as text, or the name of a .xml file beside the case.'),
  form: free('A map of fields.'),
  multipart: free('A map of parts.'),
  text: text('The body as it is.'),
  base64: text('The bytes of the body in base64.'),
  file: text('The name of a file beside the case.'),
};
export const BODY_KEYS = Object.keys(bodies) as readonly (keyof typeof bodies)[];
export type BodyKey = (typeof BODY_KEYS)[number];

export const METHOD_KEYS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const methods = Object.fromEntries(METHOD_KEYS.map((method) => [method, text('The whole URL.')])) as Record<
  (typeof METHOD_KEYS)[number],
  ReturnType<typeof text>
>;

const ExpectedRequest = Type.Object(
  {
    ...methods,
    headers: mapOf(Type.Union([Type.String(), Type.Null()]), 'Those to be compared; null: must not be there.'),
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
    status: Type.Integer({ minimum: 100, maximum: 599 }),
    headers: mapOf(Type.String(), 'Beside Content-Type, which the body gives.'),
    ...bodies,
    delay: duration('How long it takes; from the time limit on, it is a time-out.'),
  },
  closed,
);
export type Answer = Static<typeof Answer>;

const Exchange = Type.Object(
  {
    request: Type.Union([Type.Literal('same'), ExpectedRequest], { description: 'same: the previous one once more.' }),
    response: Type.Union([Type.Enum([...FAULTS]), Answer], { description: 'What the carrier answers, or a fault.' }),
    wait: duration('How long the engine waits before it asks again.'),
  },
  closed,
);
export type Exchange = Static<typeof Exchange>;

const Incoming = Type.Object(
  {
    method: text('POST unless said.'),
    headers: mapOf(Type.String(), 'Beside Content-Type, which the body gives.'),
    query: mapOf(Type.String(), 'Beside what sign adds.'),
    from: text('The IP address it comes from.'),
    sign: Type.Optional(Type.Boolean({ description: 'Prove it by the webhook’s auth.' })),
    ...bodies,
  },
  closed,
);
export type Incoming = Static<typeof Incoming>;

export const OUTCOMES = [
  'succeed',
  'reject',
  'fail',
  'config_error',
  'unknown_outcome',
  'undo_failed',
  'waiting',
] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

const Reply = Type.Object(
  { status: Type.Integer(), headers: mapOf(Type.String(), 'Those to be compared.'), ...bodies },
  closed,
);

const Expect = Type.Object(
  {
    outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: 'succeed unless said.' })),
    code: text('Of what went wrong.'),
    messages: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], { description: 'All of them.' })),
    result: free('In the contract’s words: the fields to be compared; null: must not be there.'),
    labels: mapOf(Type.String(), 'By package (* for all): PDF, ZPL, PNG, its URL, or what is wrong with it.'),
    events: Type.Optional(
      Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
        description: 'All of them; of each, the fields to be compared.',
      }),
    ),
    status: text('Of the consignment after this step.'),
    reply: Type.Optional(Type.Union([Type.Integer(), Reply], { description: 'What a webhook is answered.' })),
  },
  closed,
);
export type Expect = Static<typeof Expect>;

/** `push`: the contract's status update, which every carrier may send. `webhook`: the carrier's own. */
export const DEEDS = [...OPERATIONS, 'webhook', 'push'] as const;

const Step = Type.Object(
  {
    do: Type.Enum([...DEEDS]),
    now: instant('When it happens; the clock never goes back.'),
    change: free('update: laid over the consignment as last accepted.'),
    remark: text('cancel: the shipper’s reason.'),
    request: Type.Optional(Incoming),
    exchanges: Type.Optional(Type.Array(Exchange)),
    expect: Type.Optional(Expect),
  },
  closed,
);
export type Step = Static<typeof Step>;

const memo = () =>
  Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: {}, description: 'Names of memo.' }),
  );
const Shipment = Type.Object(
  {
    trackingNumber: text('That of the first package unless said.'),
    memo: memo(),
    packages: Type.Optional(
      Type.Array(
        Type.Object(
          { itemReferenceNumber: Type.String(), trackingNumber: text('The carrier’s number.'), memo: memo() },
          closed,
        ),
      ),
    ),
  },
  { ...closed, description: 'What the carrier gave us before the case begins.' },
);

const Given = Type.Object(
  {
    now: instant('What the clock shows at the start.'),
    environment: Type.Optional(Type.Enum(['sandbox', 'production'])),
    service: text('The shipper’s word for the service; needed where several rows fit the consignment’s typeOfService.'),
    consignment: free('The contract’s consignment, or the name of a file in fixtures/_consignments.'),
    change: free('Laid over the consignment; null takes a field away.'),
    credentials: mapOf(given, 'Laid over the profile’s examples; null takes a field away.'),
    settings: mapOf(given, 'Laid over the profile’s examples; null takes a field away.'),
    shipment: Type.Optional(Shipment),
  },
  closed,
);
export type Given = Static<typeof Given>;

export const Case = Type.Object(
  {
    case: Type.String({ description: 'What it tells, in a few words.' }),
    given: Type.Optional(Given),
    flow: Type.Array(Step, { minItems: 1 }),
  },
  closed,
);
export type Case = Static<typeof Case>;

/** The JSON Schema (2020-12) of a case, for editors. */
export const caseJsonSchema = (): Readonly<Record<string, unknown>> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Waybill case',
  ...(JSON.parse(JSON.stringify(Case)) as Record<string, unknown>),
});
