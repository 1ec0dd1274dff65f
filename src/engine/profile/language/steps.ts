import { auth } from './auths.ts';
import * as f from './field.ts';
import type { StatusRange } from './kinds.ts';

const headersDef = f.mapOf(
  f.text('Its value.', 'application/json', { encoding: 'header' }),
  'Headers to send.',
  { 'X-Client': 'waybill' },
  { anyCase: true, default: {} },
);

const breaker = f.group('Circuit breaker: pauses calls to a carrier that keeps failing.', {
  example: ['failures', 'pause'],
  default: {},
})({
  failures: f.integer(
    [1, 10_000],
    'Consecutive failures that open it; each counts once more for every 10 s that it took.',
    5,
    {
      default: 10,
    },
  ),
  pause: f.duration('Interval between trial calls while it is open.', '2m', { default: '60s' }),
});
const limitsDef = f.group('Limits on calls.', { example: ['timeout', 'rate'], default: {} })({
  timeout: f.duration('Time limit of a call.', '20s', { default: '30s' }),
  concurrency: f.integer([1, 1_000], 'Maximum number of concurrent calls.', 4, { default: 8 }),
  rate: f.rate('Rate limit.', '20/s', { default: 'none' }),
  per: f.word(['carrier', 'account'], 'Scope of the limits.', 'account', { default: 'carrier' }),
  breaker,
  calls: f.integer([1, 10_000], 'Maximum number of calls of one operation; repeats do not count.', 1_000, {
    default: 200,
  }),
  size: f.size('Maximum size of a response.', '20MB', { default: '5MB' }),
  values: f.integer([1_000, 2_000_000], 'Maximum number of values in a response.', 200_000, { default: 50_000 }),
});

const retryDef = f.group('Retries of calls that had no effect.', {
  example: ['attempts', 'wait'],
  default: {},
})({
  attempts: f.integer([1, 20], 'Maximum number of attempts, including the first.', 3, { default: 4 }),
  wait: f.duration('The first wait, which doubles.', '1s', { default: '2s' }),
  max: f.duration('The longest wait.', '1m', { default: '5m' }),
  until: f.duration('How long to try while the carrier is away; these attempts are not counted.', '4h', {
    default: '24h',
  }),
});

const OUTCOMES = ['succeed', 'retry', 'refresh_auth', 'reject', 'fail', 'config_error', 'unknown_outcome'] as const;
const status = f.httpStatus('A status: 404, or 4xx.', '4xx');
const statuses = f.either<f.Field<StatusRange | readonly StatusRange[]>, object>(
  [status, f.list(status, 'Several statuses.', [404, 410])],
  'A status, 4xx, or a list of them.',
  404,
);
export const outcomeRule = f.group('A rule that classifies a response.', {
  example: { status: 400, do: 'reject', messages: 'response.body.errors' },
  required: ['do'],
})({
  status: f.compiledAs(statuses, (ranges): readonly StatusRange[] => [ranges].flat()),
  when: f.expr('Condition for the rule to match.', 'response.body.error'),
  do: f.word(OUTCOMES, 'What the response means.', 'reject'),
  code: f.expr('The carrier’s code.', 'response.body.error.code'),
  messages: f.expr('The carrier’s messages: text, or an array of text.', 'response.body.error.message'),
  fields: f.expr(
    'The fields of the order that it does not take, as mappings read them, one for each message (`""` for one of none).',
    "response.body.errors.$table('fields', field, '')",
    { site: { namesFields: true } },
  ),
});
const outcomesDef = f.list(
  outcomeRule,
  'Rules, of which the first match wins; those of a step precede the operation’s, then the profile’s.',
  [{ status: 404, do: 'succeed' }],
);

export const envelope = {
  version: f.word(['1.1', '1.2'], 'SOAP version.', '1.2', { default: '1.1' }),
  namespaces: f.mapOf(
    f.plain('Its URI.', 'http://acme.example/types'),
    'Prefix → URI, beside the envelope’s own, which is `soap` unless its URI has a prefix here.',
    { a: 'http://acme.example/types' },
    { default: {} },
  ),
};
const soap = f.group('A SOAP envelope.', { example: ['action', 'body'], site: { codec: 'soap' } })({
  action: f.text('The SOAPAction.', 'http://acme.example/create', { encoding: 'header' }),
  ...envelope,
  header: f.mapping('Content of Header.', 'authentication.jsonata'),
  body: f.mapping('Content of Body; required, here or in a fragment.', 'order.jsonata'),
});
const mapped = (codec: string, format: string) =>
  f.mapping(`The body as ${format}.`, 'create.jsonata', { site: { codec } });
const codecs = {
  json: mapped('json', 'JSON'),
  xml: mapped('xml', 'XML'),
  form: mapped('form', 'a form'),
  multipart: mapped('multipart', 'a multipart form'),
  text: f.text('The body as text.', '${consignment.referenceId}'),
  soap,
};
const oneCodec = f.group('The body, in one codec.', {
  example: ['json'],
  oneOf: { keys: Object.keys(codecs), needed: true },
})(codecs);
const bodyDef = f.compiledAs(oneCodec, ({ soap: enveloped, ...others }) => {
  if (enveloped !== undefined) {
    const { body: content, ...rest } = enveloped;
    return content && ({ codec: 'soap', ...rest, content } as const);
  }
  for (const codec of ['json', 'xml', 'form', 'multipart', 'text'] as const) {
    const content = others[codec];
    if (content !== undefined) return { codec, content };
  }
  return undefined;
});

export const headers = f.shared('headers', headersDef);
export const limits = f.shared('limits', limitsDef);
export const retry = f.shared('retry', retryDef);
export const outcomes = f.shared('outcomes', outcomesDef);

const url = (method: string) =>
  f.text(`URL of a ${method} request: absolute, or a path relative to environment.url.`, '/orders', {
    encoding: 'url',
  });
export const methods = {
  get: url('GET'),
  post: url('POST'),
  put: url('PUT'),
  patch: url('PATCH'),
  delete: url('DELETE'),
};
export const ONE_METHOD = { oneOf: { keys: Object.keys(methods), needed: false } } as const;

const RESPONSES = ['json', 'xml', 'soap', 'text', 'binary', 'multipart', 'none'] as const;
const query = f.mapOf(
  f.text('Its value.', 'DETAIL', { encoding: 'query' }),
  'Query parameters; they override those in the URL.',
  { expand: 'DETAIL' },
  { default: {} },
);
const fragmentKeys = {
  when: f.expr('Condition; the step is skipped if it is false.', "consignment.typeOfOrder = 'REVERSE'"),
  ...methods,
  headers,
  query,
  body: f.shared('body', bodyDef),
  response: f.word(RESPONSES, 'How the response is decoded.', 'binary', {
    otherwise: 'by its Content-Type, else as the body',
  }),
  auth,
  limits,
  retry,
  outcomes,
};

const fragmentName = f.name(f.NAME, 'be a name from fragments', 'A name from fragments.', 'json');
const single = {
  use: f.either(
    [fragmentName, f.list(fragmentName, 'Several fragments, the first before the second.', ['json', 'signed'])],
    'Fragments whose keys hold where the step has none of its own.',
    'json',
  ),
  ...fragmentKeys,
};

const promise = f.word(
  ['key', 'reference', 'natural', 'none'],
  'What makes a repeated request harmless, if anything.',
  'key',
);
const limitedPromise = f.group('With a time limit.', { example: ['by', 'for'], required: ['by'] })({
  by: promise,
  for: f.duration('How long that holds.', '72h'),
});
export const idempotency = f.compiledAs(
  f.either([promise, limitedPromise], 'How the carrier handles a repeated request.', 'key', {
    otherwise: 'none for create, natural for update and cancel',
  }),
  (said) => (typeof said === 'string' ? { by: said, forMs: undefined } : said),
);

const size = f.integer([1, 1_000], 'Maximum number of elements per call, available as items.', 20);
const sizeBy = f.group('Of track: numbers that are alike in something.', {
  example: { size: 20, by: 'item.memo.depot' },
  required: ['size', 'by'],
})({ size, by: f.expr('What the numbers of one call have in common.', 'item.memo.depot') });
const undo = f.ref('undo', 'The call that undoes this step.', { delete: '/orders/${response.body.id}' });
export const notYet = f.duration(
  'How long after the end of the call (an answer that says nothing, or a time-out) finding nothing means “not yet”: it is asked again, instead of taking the shipment for not created.',
  '10m',
);

const lookupDef = f.group('The call that finds out whether another one was carried out.', {
  example: { get: '/orders/by-key/${idempotencyKey}', found: 'response.body.orders[0]' },
  required: ['found'],
  ...ONE_METHOD,
})({
  ...single,
  notYet,
  found: f.mapping(
    'What the response to the step would have held as `response.body`; nothing: the call was not carried out.',
    'response.body.orders[0]',
  ),
});
export const { found } = lookupDef.properties;

export const step = {
  id: f.name(f.NAME, 'be a name', 'Id of the step; its responses are steps.<id>.', 'booking', {
    otherwise: 'the operation’s name',
  }),
  forEach: f.expr('Makes one call per element, available as item and index.', 'consignment.itemList', {
    site: { position: 'forEach' },
  }),
  batch: f.compiledAs(
    f.either([size, sizeBy], 'Maximum number of elements per call, available as items.', 20),
    (written) => (typeof written === 'number' ? { size: written, by: undefined } : written),
  ),
  parallel: f.integer([1, 100], 'Maximum number of concurrent calls.', 4, { default: 1 }),
  ...single,
  lookup: f.ref('lookup', 'Finds out whether a call of unknown outcome was carried out.', {
    get: '/orders/by-key/${idempotencyKey}',
    found: 'response.body.orders[0]',
  }),
  undo: f.either(
    [
      undo,
      f.list(undo, 'Several calls, in order.', [{ delete: '/orders/${response.body.id}' }], { notEmpty: true }),
      f.name(f.NAME, 'be the id of an earlier step', 'The step whose undo takes this one back, too.', 'order'),
    ],
    'The call that undoes this step, or several; or the id of an earlier step whose undo takes this one back, too.',
    { delete: '/orders/${response.body.id}' },
  ),
  bestEffort: f.flag('The shipment is good without it: if it fails or times out, the reply has a warning.', true, {
    default: false,
  }),
  partial: f.flag(
    'On the last step of a create, with forEach: if calls fail and others succeed, these are kept, and the rest waits for a retry.',
    true,
    { default: false },
  ),
};

/** Shared definitions; steps are among them because a step may contain a step. */
export const stepDefs = {
  headers: headersDef,
  limits: limitsDef,
  retry: retryDef,
  outcomes: outcomesDef,
  body: bodyDef,
  step: f.group('One HTTP call.', { example: ['post', 'body'], ...ONE_METHOD })({ ...step, idempotency }),
  lookup: lookupDef,
  undo: f.group('A call that undoes another one.', { example: { delete: '/orders/1' }, ...ONE_METHOD })({
    id: f.name(f.NAME, 'be a name', 'For the calls after it its response is steps.<id>.', 'opened', {
      otherwise: 'undo',
    }),
    ...single,
  }),
  fragment: f.group('Keys of steps, to be used by name.', {
    example: { headers: { 'X-Client': 'waybill' } },
    ...ONE_METHOD,
  })(fragmentKeys),
  login: f.group('The call that logs in.', { example: { post: '/login' }, ...ONE_METHOD })(single),
};
