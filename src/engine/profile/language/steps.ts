import { auth } from './auths.ts';
import {
  compiledAs,
  duration,
  either,
  expr,
  type Field,
  group,
  httpStatus,
  integer,
  list,
  mapOf,
  mapping,
  name,
  NAME,
  otherwise,
  plain,
  rate,
  ref,
  shared,
  size,
  text,
  value,
  withDefault,
  word,
} from './field.ts';
import type { StatusRange } from './kinds.ts';

const headersDef = withDefault(
  {},
  mapOf(
    text('Its value.', 'application/json', { 'x-encoding': 'header' }),
    'Headers to send.',
    { 'X-Client': 'waybill' },
    { 'x-any-case': true },
  ),
);

const breaker = group(
  {
    failures: withDefault(
      10,
      integer('Failures in a row that open it, one more for every 10 s that one took.', 5, 1, 10_000),
    ),
    pause: withDefault('60s', duration('While it is open, one call tries each so often.', '2m')),
  },
  'Pauses a carrier that only fails.',
  { failures: 5, pause: '2m' },
);
const limitsDef = withDefault(
  {},
  group(
    {
      timeout: withDefault('30s', duration('How long one call may take.', '20s')),
      concurrency: withDefault(8, integer('Calls at a time.', 4, 1, 1_000)),
      rate: withDefault('none', rate('Calls in a span.', '20/s')),
      per: withDefault('carrier', word(['carrier', 'account'], 'What the limits count.', 'account')),
      breaker: withDefault({}, breaker),
      size: withDefault('20MB', size('The largest answer taken.', '5MB')),
    },
    'Limits of the calls.',
    { timeout: '20s', rate: '20/s' },
  ),
);

const retryDef = withDefault(
  {},
  group(
    {
      attempts: withDefault(4, integer('Tries in all.', 3, 1, 20)),
      wait: withDefault('2s', duration('The first wait, which doubles.', '1s')),
      max: withDefault('5m', duration('The longest wait.', '1m')),
    },
    'How often what did not happen is tried again.',
    { attempts: 3, wait: '1s' },
  ),
);

const OUTCOMES = ['succeed', 'retry', 'refresh_auth', 'reject', 'fail', 'config_error', 'unknown_outcome'] as const;
const status = httpStatus('A status: 404, or 4xx.', '4xx');
const statuses = either<Field<StatusRange | readonly StatusRange[]>>(
  [status, list(status, 'Several.', [404, 410])],
  'A status, 4xx, or a list of them.',
  404,
);
export const outcomeRule = group(
  {
    status: compiledAs(statuses, (ranges): readonly StatusRange[] => [ranges].flat()),
    when: expr('Holds when true.', 'response.body.error'),
    do: word(OUTCOMES, 'What the answer means.', 'reject'),
    code: expr('The carrier’s code.', 'response.body.error.code'),
    messages: expr('The carrier’s messages: text, or an array of text.', 'response.body.error.message'),
  },
  'A rule: what an answer means.',
  { status: 400, do: 'reject', messages: 'response.body.errors' },
  { required: ['do'] },
);
const outcomesDef = list(outcomeRule, 'Rules, the first match wins; asked before the operation’s and the profile’s.', [
  { status: 404, do: 'succeed' },
]);

const soap = group(
  {
    action: text('The SOAPAction.', 'http://acme.example/create', { 'x-encoding': 'header' }),
    version: withDefault('1.1', word(['1.1', '1.2'], 'The version of SOAP.', '1.2')),
    namespaces: withDefault(
      {},
      mapOf(plain('Its URI.', 'http://acme.example/types'), 'Prefix → URI.', { a: 'http://acme.example/types' }),
    ),
    header: mapping('What Header holds.', 'authentication.jsonata', { 'x-site': { codec: 'soap' } }),
    body: mapping('What Body holds.', 'order.jsonata', { 'x-site': { codec: 'soap' } }),
  },
  'A SOAP envelope.',
  { action: 'http://acme.example/create', body: 'order.jsonata' },
  { required: ['body'] },
);
const mapped = (codec: string, format: string) =>
  mapping(`The body as ${format}.`, 'create.jsonata', { 'x-site': { codec } });
const codecs = {
  json: mapped('json', 'JSON'),
  xml: mapped('xml', 'XML'),
  form: mapped('form', 'a form'),
  multipart: mapped('multipart', 'a multipart form'),
  text: text('The body as text.', '${consignment.referenceId}'),
  soap,
};
const bodyDef = compiledAs(
  group(
    codecs,
    'The body, in one codec.',
    { json: 'create.jsonata' },
    { oneOf: { keys: Object.keys(codecs), needed: true } },
  ),
  ({ soap: envelope, ...others }) => {
    if (envelope !== undefined) {
      const { body: content, ...rest } = envelope;
      return { codec: 'soap', ...rest, content } as const;
    }
    for (const codec of ['json', 'xml', 'form', 'multipart', 'text'] as const) {
      const content = others[codec];
      if (content !== undefined) return { codec, content };
    }
    return undefined;
  },
);

export const headers = shared('headers', headersDef);
export const limits = shared('limits', limitsDef);
export const retry = shared('retry', retryDef);
export const outcomes = shared('outcomes', outcomesDef);

const url = (method: string) =>
  text(`The URL of a ${method}: a path after environment.url, or absolute.`, '/orders', { 'x-encoding': 'url' });
export const methods = {
  get: url('GET'),
  post: url('POST'),
  put: url('PUT'),
  patch: url('PATCH'),
  delete: url('DELETE'),
};
const RESPONSES = ['json', 'xml', 'soap', 'text', 'binary', 'multipart', 'none'] as const;

const single = {
  when: expr('False skips the step.', "consignment.typeOfOrder = 'REVERSE'"),
  ...methods,
  headers,
  query: withDefault(
    {},
    mapOf(
      text('Its value.', 'DETAIL', { 'x-encoding': 'query' }),
      'Query parameters; one replaces the same key in the URL.',
      { expand: 'DETAIL' },
    ),
  ),
  body: shared('body', bodyDef),
  response: otherwise('by its Content-Type, else as the body', word(RESPONSES, 'How the answer is read.', 'binary')),
  auth,
  limits,
  retry,
  outcomes,
};
const ONE_METHOD = { oneOf: { keys: Object.keys(methods), needed: false } };

const promise = word(['key', 'reference', 'none'], 'What a repeated request is recognised by.', 'key');
const limitedPromise = group(
  { by: promise, for: duration('For how long.', '72h') },
  'With a limit.',
  { by: 'key', for: '72h' },
  { required: ['by'] },
);
export const idempotency = otherwise(
  'none for create, reference for update and cancel',
  compiledAs(either([promise, limitedPromise], 'What the carrier promises of a repeated request.', 'key'), (said) =>
    typeof said === 'string' ? { by: said, forMs: undefined } : said,
  ),
);

/** The keys of a step. */
export const step = {
  id: otherwise('the operation’s name', name('Names its answers, steps.<id>.', 'booking', NAME, 'be a name')),
  forEach: expr('One call for each element, seen as item and index.', 'consignment.itemList'),
  batch: integer('Up to so many elements a call, seen as items.', 20, 1, 1_000),
  parallel: withDefault(1, integer('Calls at a time.', 4, 1, 100)),
  ...single,
  undo: ref('undo', 'The step that takes this one’s success back.', { delete: '/orders/${response.body.id}' }),
};

const steps = {
  ...step,
  steps: list(
    ref('step', 'A step.', { id: 'booking', post: '/bookings' }),
    'Steps, run in order.',
    [{ post: '/orders' }],
    { minItems: 1 },
  ),
};
const resultOf = (what: string) => mapping(`${what}, from the answers.`, 'answer.jsonata');
export const result = resultOf('The contract’s success body');

const operation = <K extends Readonly<Record<string, Field>>>(
  keys: K,
  description: string,
  example: Readonly<Record<string, unknown>>,
) => group({ ...steps, ...keys }, description, example, ONE_METHOD);

const update = operation({ idempotency, result }, 'Changes it.', {
  put: '/orders/${shipment.trackingNumber}',
  body: { json: 'create.jsonata' },
});

export const operationKeys = {
  create: operation({ idempotency, result }, 'Creates the shipment.', {
    post: '/orders',
    body: { json: 'create.jsonata' },
    result: 'created.jsonata',
  }),
  update: either<Field>(
    [word(['recreate'], 'Cancel, then create.', 'recreate'), update],
    'Changes it: steps, or recreate; without it updates are refused.',
    'recreate',
  ),
  cancel: operation({ idempotency }, 'Cancels it.', { delete: '/orders/${shipment.trackingNumber}' }),
  track: operation(
    { result: resultOf('Status updates') },
    'Asks for events, once per tracked number or batch of them.',
    { get: '/events/${item.trackingNumber}', result: 'events.jsonata' },
  ),
  label: operation({ result: resultOf('The label') }, 'Fetches labels that a create did not bring.', {
    forEach: 'shipment.packages',
    get: '/labels/${item.trackingNumber}',
    response: 'binary',
  }),
  lookup: operation({ result: resultOf('The contract’s success body, or nothing') }, 'Asks whether it was created.', {
    get: '/orders',
    query: { reference: '${consignment.referenceId}' },
    result: 'found.jsonata',
  }),
  probe: operation({}, 'Asks whether the credentials are good.', { get: '/me' }),
  register: operation(
    { result: resultOf('Credentials and settings to keep in the account') },
    'Registers our webhook.',
    { post: '/webhooks', body: { json: { url: '${webhook.url}' } } },
  ),
  unregister: operation({}, 'Takes the webhook back.', { delete: '/webhooks/${settings.webhookId}' }),
};
export const operations = group(operationKeys, 'What the carrier is asked to do.', {
  create: { post: '/orders', body: { json: 'create.jsonata' }, result: 'created.jsonata' },
});

/** What is used in several places, steps among them, since a step may hold a step. */
export const stepDefs = {
  headers: headersDef,
  limits: limitsDef,
  retry: retryDef,
  outcomes: outcomesDef,
  body: bodyDef,
  step: group(
    { ...step, idempotency },
    'One HTTP call.',
    { post: '/orders', body: { json: 'create.jsonata' } },
    ONE_METHOD,
  ),
  undo: group(single, 'The call that takes another one’s success back.', { delete: '/orders/1' }, ONE_METHOD),
  login: group(single, 'The call that logs in.', { post: '/login' }, ONE_METHOD),
};

const answers = {
  json: mapping('The body as JSON.', { ok: true }),
  xml: mapping('The body as XML.', { ok: 'true' }),
  text: text('The body as text.', 'OK'),
};
export const reply = withDefault(
  {},
  compiledAs(
    group(
      { status: withDefault(200, integer('The status.', 202, 200, 599)), headers, ...answers },
      'What we answer.',
      { status: 200, text: 'OK' },
      { oneOf: { keys: Object.keys(answers), needed: false } },
    ),
    ({ json, xml, text: plainText, ...rest }) => {
      const [codec, content] =
        json !== undefined
          ? (['json', json] as const)
          : xml !== undefined
            ? (['xml', xml] as const)
            : (['text', plainText] as const);
      return { ...rest, body: content === undefined ? undefined : { codec, content } };
    },
  ),
);

export const environmentValue = value('Whatever differs between the environments.', true);
