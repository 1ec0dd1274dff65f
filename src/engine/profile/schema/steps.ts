import { OUTCOME_WORDS } from '../carrier.ts';
import { authSchema } from './auths.ts';
import {
  duration,
  either,
  expr,
  group,
  httpStatus,
  integer,
  list,
  mapOf,
  mapping,
  name,
  NAME,
  plain,
  rate,
  ref,
  size,
  text,
  value,
  word,
  shared,
} from './kinds.ts';

/** §2.4 to §2.6 of the language: manners, operations, steps and outcomes. */

const headersDef = mapOf(text('Its value.', 'application/json'), 'Headers to send.', {
  'X-Client': 'waybill',
});

const limitsDef = group(
  {
    timeout: duration('How long one call may take; 30s unless said.', '20s'),
    concurrency: integer('Calls at a time; 8 unless said.', 4, 1, 1_000),
    rate: rate('Calls in a span; none unless said.', '20/s'),
    per: word(['carrier', 'account'], 'What the limits count; carrier unless said.', 'account'),
    breaker: group(
      {
        failures: integer(
          'Failures in a row that open it, one more for every 10 s that one took; 10 unless said.',
          5,
          1,
          10_000,
        ),
        pause: duration('While it is open, one call tries each so often; 60s unless said.', '2m'),
      },
      'Pauses a carrier that only fails.',
      { failures: 5, pause: '2m' },
    ),
    size: size('The largest answer taken; 20MB unless said.', '5MB'),
  },
  'Limits of the calls.',
  { timeout: '20s', rate: '20/s' },
);

const retryDef = group(
  {
    attempts: integer('Tries in all; 4 unless said.', 3, 1, 20),
    wait: duration('The first wait, which doubles; 2s unless said.', '1s'),
    max: duration('The longest wait; 5m unless said.', '1m'),
  },
  'How often what did not happen is tried again.',
  { attempts: 3, wait: '1s' },
);

const status = httpStatus('A status: 404, or 4xx.', '4xx');
const outcomesDef = list(
  group(
    {
      status: either([status, list(status, 'Several.', [404, 410])], 'A status, 4xx, or a list of them.', 404),
      when: expr('Holds when true.', 'response.body.error'),
      do: word(OUTCOME_WORDS, 'What the answer means.', 'reject'),
      code: expr('The carrier’s code.', 'response.body.error.code'),
      messages: expr('The carrier’s messages: text, or an array of text.', 'response.body.error.message'),
    },
    'A rule: what an answer means.',
    { status: 400, do: 'reject', messages: 'response.body.errors' },
    { required: ['do'] },
  ),
  'Rules, the first match wins; asked before the operation’s and the profile’s.',
  [{ status: 404, do: 'succeed' }],
);

const codec = (format: string) => mapping(`The body as ${format}.`, 'create.jsonata');
const soapSchema = group(
  {
    action: text('The SOAPAction.', 'http://acme.example/create'),
    version: word(['1.1', '1.2'], 'The version of SOAP; 1.1 unless said.', '1.2'),
    namespaces: mapOf(plain('Its URI.', 'http://acme.example/types'), 'Prefix → URI.', {
      a: 'http://acme.example/types',
    }),
    header: mapping('What Header holds.', 'authentication.jsonata'),
    body: mapping('What Body holds.', 'order.jsonata'),
  },
  'A SOAP envelope.',
  { action: 'http://acme.example/create', body: 'order.jsonata' },
  { required: ['body'] },
);
const bodyDef = group(
  {
    json: codec('JSON'),
    xml: codec('XML'),
    form: codec('a form'),
    multipart: codec('a multipart form'),
    text: text('The body as text.', '${consignment.referenceId}'),
    soap: soapSchema,
  },
  'The body, in one codec.',
  { json: 'create.jsonata' },
  { oneOf: [{ keys: ['json', 'xml', 'form', 'multipart', 'text', 'soap'], needed: true }] },
);

export const headersSchema = shared('headers', headersDef);
export const limitsSchema = shared('limits', limitsDef);
export const retrySchema = shared('retry', retryDef);
export const outcomesSchema = shared('outcomes', outcomesDef);
const bodySchema = shared('body', bodyDef);

const METHOD_KEYS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const url = (method: string) => text(`The URL of a ${method}: a path after environment.url, or absolute.`, '/orders');

const call = {
  when: expr('False skips the step.', "consignment.typeOfOrder = 'REVERSE'"),
  get: url('GET'),
  post: url('POST'),
  put: url('PUT'),
  patch: url('PATCH'),
  delete: url('DELETE'),
  headers: headersSchema,
  query: mapOf(text('Its value.', 'DETAIL'), 'Query parameters; one replaces the same key in the URL.', {
    expand: 'DETAIL',
  }),
  body: bodySchema,
  response: word(
    ['json', 'xml', 'soap', 'text', 'binary', 'multipart', 'none'],
    'How the answer is read; by its Content-Type, else as the body unless said.',
    'binary',
  ),
  auth: authSchema,
  limits: limitsSchema,
  retry: retrySchema,
  outcomes: outcomesSchema,
};
const ONE_METHOD = { oneOf: [{ keys: METHOD_KEYS, needed: false }] };

const IDEMPOTENCY_WORDS = ['key', 'reference', 'none'];
const idempotency = either(
  [
    word(IDEMPOTENCY_WORDS, 'What a repeated request is recognised by.', 'key'),
    group(
      {
        by: word(IDEMPOTENCY_WORDS, 'What a repeated request is recognised by.', 'key'),
        for: duration('For how long.', '72h'),
      },
      'With a limit.',
      { by: 'key', for: '72h' },
      { required: ['by'] },
    ),
  ],
  'What the carrier promises of a repeated request; none for create, reference for update and cancel unless said.',
  'key',
);

const step = {
  id: name('Names its answers, steps.<id>; the operation’s name unless said.', 'booking', NAME, 'be a name'),
  forEach: expr('One call for each element, seen as item and index.', 'consignment.itemList'),
  batch: integer('Up to so many elements a call, seen as items.', 20, 1, 1_000),
  parallel: integer('Calls at a time; 1 unless said.', 4, 1, 100),
  ...call,
  undo: ref('undo', 'The step that takes this one’s success back.', { delete: '/orders/${response.body.id}' }),
};

const steps = {
  ...step,
  steps: list(
    ref('step', 'A step.', { id: 'booking', post: '/bookings' }),
    'Steps, run in order.',
    [{ post: '/orders' }],
    {
      minItems: 1,
    },
  ),
};
const result = (what: string) => mapping(`${what}, from the answers.`, 'answer.jsonata');

const operation = (
  keys: Readonly<Record<string, ReturnType<typeof text>>>,
  description: string,
  example: Readonly<Record<string, unknown>>,
) => group({ ...steps, ...keys }, description, example, ONE_METHOD);

const create = operation({ idempotency, result: result('The contract’s success body') }, 'Creates the shipment.', {
  post: '/orders',
  body: { json: 'create.jsonata' },
  result: 'created.jsonata',
});
const update = operation({ idempotency, result: result('The contract’s success body') }, 'Changes it.', {
  put: '/orders/${shipment.trackingNumber}',
  body: { json: 'create.jsonata' },
});

export const operationsSchema = group(
  {
    create,
    update: either(
      [word(['recreate'], 'Cancel, then create.', 'recreate'), update],
      'Changes it: steps, or recreate; without it updates are refused.',
      'recreate',
    ),
    cancel: operation({ idempotency }, 'Cancels it.', { delete: '/orders/${shipment.trackingNumber}' }),
    track: operation(
      { result: result('Status updates') },
      'Asks for events, once per tracked number or batch of them.',
      { get: '/events/${item.trackingNumber}', result: 'events.jsonata' },
    ),
    label: operation({ result: result('The label') }, 'Fetches labels that a create did not bring.', {
      forEach: 'shipment.packages',
      get: '/labels/${item.trackingNumber}',
      response: 'binary',
    }),
    lookup: operation({ result: result('The contract’s success body, or nothing') }, 'Asks whether it was created.', {
      get: '/orders',
      query: { reference: '${consignment.referenceId}' },
      result: 'found.jsonata',
    }),
    probe: operation({}, 'Asks whether the credentials are good.', { get: '/me' }),
    register: operation(
      { result: result('Credentials and settings to keep in the account') },
      'Registers our webhook.',
      { post: '/webhooks', body: { json: { url: '${webhook.url}' } } },
    ),
    unregister: operation({}, 'Takes the webhook back.', { delete: '/webhooks/${settings.webhookId}' }),
  },
  'What the carrier is asked to do.',
  { create: { post: '/orders', body: { json: 'create.jsonata' }, result: 'created.jsonata' } },
);

const stepExample = { post: '/orders', body: { json: 'create.jsonata' } };
const { undo: _undo, ...repeatable } = step;
const { id: _id, forEach: _forEach, batch: _batch, parallel: _parallel, ...single } = repeatable;

/** What is used in several places, steps among them, since a step may hold a step. */
export const stepDefs = {
  headers: headersDef,
  limits: limitsDef,
  retry: retryDef,
  outcomes: outcomesDef,
  body: bodyDef,
  step: group({ ...step, idempotency }, 'One HTTP call.', stepExample, ONE_METHOD),
  undo: group(single, 'The call that takes another one’s success back.', { delete: '/orders/1' }, ONE_METHOD),
  login: group(single, 'The call that logs in.', { post: '/login' }, ONE_METHOD),
};

export const replySchema = group(
  {
    status: integer('The status; 200 unless said.', 202, 200, 599),
    headers: headersSchema,
    json: mapping('The body as JSON.', { ok: true }),
    xml: mapping('The body as XML.', { ok: 'true' }),
    text: text('The body as text.', 'OK'),
  },
  'What we answer.',
  { status: 200, text: 'OK' },
  { oneOf: [{ keys: ['json', 'xml', 'text'], needed: false }] },
);

export const environmentValue = value('Whatever differs between the environments.', true);
