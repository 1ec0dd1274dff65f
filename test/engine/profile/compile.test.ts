import { expect, test } from 'vitest';
import type { Mapping, Roots } from '../../../src/engine/mapping/mapping.ts';
import type { OperationName, Step } from '../../../src/engine/profile/carrier.ts';
import { compileAcme, context, HEAD, loadAcme } from './profiles.ts';

const load = (text: string) => loadAcme(`${HEAD}${text}`);
const compile = (text: string) => compileAcme(`${HEAD}${text}`);
const RESULT = 'result: response.body';
const stepOf = (text: string, operation: OperationName = 'create', at = 0): Step => {
  const step = compile(text).operations[operation]?.steps[at];
  if (step === undefined) throw new Error('no such step');
  return step;
};
const run = async (mapping: Mapping | undefined, roots: Roots = {}): Promise<unknown> =>
  await mapping?.evaluate(roots, context);
const texts = (map: Readonly<Record<string, Mapping>>) =>
  Object.fromEntries(Object.entries(map).map(([key, each]) => [key, each.text]));

test('what a profile does not say is the built-in default', () => {
  const carrier = compile(`operations: { create: { post: /, ${RESULT} } }`);
  expect(carrier).toMatchObject({
    name: 'acme',
    services: undefined,
    capabilities: {
      fleet: 'outsourced',
      bulky: false,
      orders: ['FORWARD', 'REVERSE'],
      maxPackages: undefined,
      cod: true,
      from: undefined,
    },
    time: { zone: 'UTC', formats: ['iso'] },
    labels: { formats: ['PDF'], retry: { waitMs: 30_000, maxMs: 1_800_000, untilMs: 172_800_000 } },
    recreate: false,
    statuses: { webhook: undefined, poll: undefined, table: [] },
  });
  expect(carrier.operations.create).toMatchObject({ idempotency: { by: 'none', forMs: undefined }, batch: 1 });
  expect(carrier.operations.create?.steps[0]).toMatchObject({
    id: 'create',
    method: 'POST',
    parallel: 1,
    auth: [],
    retry: { attempts: 4, waitMs: 2_000, maxMs: 300_000 },
    limits: {
      timeoutMs: 30_000,
      concurrency: 8,
      rate: undefined,
      per: 'carrier',
      breaker: { failures: 10, pauseMs: 60_000 },
      sizeBytes: 5_000_000,
      values: 50_000,
    },
  });
});

const LAYERED = `
headers: { A: profile, B: profile, C: profile }
limits: { timeout: 10s, concurrency: 2, breaker: { failures: 3 } }
retry: { attempts: 2 }
auth: { bearer: { token: 'profile' } }
auths: { own: { bearer: { token: 'own' } } }
outcomes: [ { status: 500, do: fail } ]
operations:
  create:
    headers: { b: operation, C: null }
    limits: { timeout: 20s }
    outcomes: [ { status: 404, do: reject } ]
    parallel: 3
    ${RESULT}
    steps:
      - { post: /one }
      - id: two
        get: /two
        auth: own
        headers: { A: step }
        limits: { timeout: 30s, breaker: { pause: 5m } }
        outcomes: [ { status: 4xx, do: succeed } ]
      - { id: three, put: /three, auth: null, headers: null, limits: null, retry: null, outcomes: null }
`;

test('step goes over operation over profile, key by key', () => {
  const [one, two] = [stepOf(LAYERED), stepOf(LAYERED, 'create', 1)];
  expect(texts(one.headers)).toEqual({ A: 'profile', b: 'operation' });
  expect(texts(two.headers)).toEqual({ A: 'step', b: 'operation' });
  expect(one.limits).toMatchObject({ timeoutMs: 20_000, concurrency: 2, breaker: { failures: 3, pauseMs: 60_000 } });
  expect(two.limits).toMatchObject({ timeoutMs: 30_000, concurrency: 2, breaker: { failures: 3, pauseMs: 300_000 } });
  expect(two).toMatchObject({ id: 'two', method: 'GET', parallel: 3, retry: { attempts: 2 }, auth: [{ name: 'own' }] });
  expect(one.auth).toMatchObject([{ kind: 'bearer', name: '(profile)' }]);
});

test.each([
  ['response: binary', 20_000_000],
  ['response: binary, limits: { size: 1MB }', 1_000_000],
  ['response: json', 5_000_000],
])('a binary response may be as large as labels are: %s', (written, sizeBytes) => {
  expect(stepOf(`operations: { create: { post: /, ${written}, ${RESULT} } }`).limits).toMatchObject({ sizeBytes });
});

test('outcomes are asked step first, then operation, then profile', () => {
  expect(stepOf(LAYERED, 'create', 1).outcomes.map((rule) => rule.do)).toEqual(['succeed', 'reject', 'fail']);
  expect(stepOf(LAYERED, 'create', 1).outcomes[0]?.status).toEqual([{ from: 400, to: 499 }]);
});

test('null takes an inherited value back', () => {
  expect(stepOf(LAYERED, 'create', 2)).toMatchObject({
    auth: [],
    headers: {},
    outcomes: [],
    limits: { timeoutMs: 30_000, concurrency: 8 },
    retry: { attempts: 4 },
  });
});

test('an operation of one step is written without steps', () => {
  const text = `operations: { create: { id: order, forEach: consignment.itemList, batch: 5, post: /, ${RESULT} } }`;
  expect(stepOf(text)).toMatchObject({ id: 'order', batch: 5 });
});

test('the batch of track counts numbers, not elements of a step', () => {
  const carrier = compile(`operations: { track: { batch: 10, get: /, ${RESULT} } }`);
  expect(carrier.operations.track).toMatchObject({ batch: 10, steps: [{ batch: undefined }] });
});

test('what promises a repeat keeps: update and cancel by nature, create nothing unless it says so', () => {
  const carrier = compile(
    `operations: { create: { post: '/\${idempotencyKey}', ${RESULT}, idempotency: { by: key, for: 72h } }, cancel: { post: / }, update: recreate }`,
  );
  expect(carrier.operations.create?.idempotency).toEqual({ by: 'key', forMs: 259_200_000 });
  expect(carrier.operations.cancel?.idempotency.by).toBe('natural');
  expect(carrier.recreate).toBe(true);
});

test.each(['sha-256', 'hmac-sha2-256', 'sha3-512'])(
  'a hash goes by every name that node:crypto knows: %s',
  (algorithm) => {
    compile(
      `auth: { signature: { algorithm: ${algorithm}, key: '\${credentials.a}', header: x } }\ncredentials: { a: {} }\noperations: { create: { post: /, ${RESULT} } }`,
    );
  },
);

test.each([
  [`operations: { create: { ${RESULT} } }`, 'create needs one of get, post, put, patch, delete'],
  [
    `operations: { create: { post: /, ${RESULT} }, update: recreate }`,
    'recreate needs the operations create and cancel',
  ],
  [`operations: { create: { ${RESULT}, steps: [ { post: /a }, { post: /b } ] } }`, 'repeated-id'],
  ['auths: { a: { session: { login: { post: /, auth: a }, token: x } } }\noperations: {}', 'circle'],
  [
    'auths: { a: { oauth2: { grant: client_credentials, tokenUrl: /, clientId: x, clientSecret: x } } }\nstatuses: { webhook: { auth: a, events: request.body } }',
    'oauth2 authenticates us',
  ],
  ['auth: { signature: { algorithm: hmac-sha256, header: x } }', 'hmac-sha256 needs "key"'],
  ['auth: { signature: { algorithm: sha265, header: x } }', 'there is no hash sha265 (did you mean "sha256"?)'],
  ['limits: fast\nretry: 3', 'limits must be'],
  ['auth: { oauth2: { grant: password, tokenUrl: /, clientId: x } }', 'the grant password needs "username"'],
  ['time: { zone: Europe/Berln }', '"Europe/Berln" is not a time zone'],
  ['time: { formats: [QQQQ] }', 'this is not a time format'],
  ["settings: { a: { pattern: '(' } }", 'this is not a regular expression'],
  ['settings: { a: { oneOf: [BE, NL], default: DE } }', 'the default of a must be one of BE, NL'],
  ['credentials: { a: { secret: true, default: abcdefghi } }', 'a secret cannot have a default'],
  ['services: { A: { typeOfService: GROUND }, a: { typeOfService: GROUND } }', 'there is a service "a" already'],
  ['statuses: { webhook: { auth: none, allow: [192.0.2.0/99], events: request.body } }', 'is not an address range'],
  ['statuses: { table: { a/b/c/d: Lost } }', 'up to three parts'],
  [
    'statuses: { table: { In Transt: [a] } }',
    'codes are listed under a status, and "In Transt" is none (did you mean "In Transit"?)',
  ],
  ['statuses: { table: { Lost/LOSS: [a] } }', '"Lost/LOSS" is none (did you mean "LOST"?)'],
  ['statuses: { table: { Lost: [a, { b: c }] } }', 'a code of Lost must be text'],
  [
    `fragments: { json: {} }\noperations: { create: { use: jsn, post: /, ${RESULT} } }`,
    'there is no fragment "jsn" (did you mean "json"?)',
  ],
  [
    `operations: { create: { forEach: consignment.itemList, batch: { size: 2, by: item.itemCode }, post: /, ${RESULT} } }`,
    'only the numbers of track are grouped',
  ],
  [
    `operations: { track: { batch: { size: 2, by: consignment.referenceId }, post: /, ${RESULT} } }`,
    'consignment is not seen',
  ],
  [`operations: { track: { batch: { size: 2, by: item.itemCode }, post: /, ${RESULT} } }`, 'itemCode'],
  [
    `operations: { create: { variants: [ { id: a, post: / }, { id: b, post: / } ], ${RESULT} } }`,
    'the variant before it is for all consignments that come to it',
  ],
  [
    `operations: { create: { variants: [ { when: service.code, post: / }, { post: / } ], ${RESULT} } }`,
    'there is a step "create" already',
  ],
  [
    `operations: { create: { variants: [ { when: settings.x, id: a, post: / }, { id: b, post: / } ], ${RESULT} } }`,
    'settings is not seen in variant',
  ],
  ['statuses: { table: { Lost: [a], Damaged: [b, a] } }', 'there is a row for "a" already'],
  [
    `operations: { create: { post: 'https://\${settings.a}.example/', ${RESULT} } }\nsettings: { a: {} }`,
    'a host holds no ${ }',
  ],
])('%s is an error: %s', (text, expected) => {
  const profile = text.includes('operations:') ? text : `operations: {}\n${text}`;
  expect(load(profile).said.join('\n')).toContain(expected);
});

test('a URL, a header and a body are encoded for where they stand', async () => {
  const step = stepOf(
    `operations: { create: { post: '/a/\${consignment.referenceId}', headers: { X: '\${consignment.orderNumber}' }, body: { json: { a: '\${consignment.numberOfShipments}', b: 1, c: '01' } }, ${RESULT} } }`,
  );
  const roots = { consignment: { referenceId: 'a/b c', numberOfShipments: 2 } };
  expect(await run(step.url, roots)).toBe('/a/a%2Fb%20c');
  expect(await run(step.headers['X'], roots)).toBeUndefined();
  expect(await run(step.body?.content, roots)).toEqual({ a: 2, b: 1, c: '01' });
});

test('an undo authenticates as its step, and sends the profile’s headers only', () => {
  const {
    undo: [undo],
  } = stepOf(
    `headers: { A: profile }\nauths: { own: { bearer: { token: x } } }\noperations: { create: { forEach: consignment.itemList, post: /, auth: own, headers: { B: step }, limits: { timeout: 5s }, undo: { delete: '/\${response.body.id}' }, ${RESULT} } }`,
  );
  expect(undo).toMatchObject({
    method: 'DELETE',
    auth: [{ name: 'own' }],
    limits: { timeoutMs: 5_000 },
    undo: [],
  });
  expect(texts(undo?.headers ?? {})).toEqual({ A: 'profile' });
});

test('a session keeps its login, which proves nothing by itself', () => {
  const [auth] = stepOf(
    `auth: { session: { login: { post: /login }, token: response.body.t, expiresIn: 30m, save: { depot: response.body.d }, send: { headers: { X: '\${token}' } } } }\noperations: { create: { post: /, ${RESULT} } }`,
  ).auth;
  expect(auth).toMatchObject({
    kind: 'session',
    expiresIn: { ms: 1_800_000 },
    login: { id: 'login', method: 'POST', auth: [] },
    send: { as: 'fields' },
  });
});

test('an auth that many steps inherit is one', () => {
  const carrier = compile(
    `auth: { bearer: { token: x } }\noperations: { create: { post: /, ${RESULT} }, cancel: { post: / } }`,
  );
  expect(carrier.operations.create?.steps[0].auth[0]).toBe(carrier.operations.cancel?.steps[0].auth[0]);
});

test('names of auths apply together, in their order', () => {
  const text = `auths: { a: { bearer: { token: x } }, b: { apiKey: { header: K, value: v } } }\noperations: { create: { post: /, auth: [b, a], ${RESULT} } }`;
  expect(stepOf(text).auth).toMatchObject([{ kind: 'apiKey', in: 'header', field: 'K' }, { kind: 'bearer' }]);
});

test('rows of the table have three parts, in lower case and without outer spaces', () => {
  const carrier = compile(
    String.raw`statuses: { table: { 'PU': Order Picked Up, ' A\/B / x*': { status: Delivery Failed, reason: NOT_HOME }, 'a//c': No Change } }` +
      '\noperations: {}',
  );
  expect(carrier.statuses.table.map(({ patterns, status, reason }) => ({ patterns, status, reason }))).toEqual([
    { patterns: ['pu', '*', '*'], status: 'Order Picked Up', reason: undefined },
    { patterns: ['a/b', 'x*', '*'], status: 'Delivery Failed', reason: 'NOT_HOME' },
    { patterns: ['a', '', 'c'], status: 'No Change', reason: undefined },
  ]);
});

test('rows are grouped by status as well as by code, and returns have rows of their own', () => {
  const carrier = compile(
    'statuses: { table: { In Transit: [1610, 01810], Delivery Failed/NOT_HOME: [DF/7], X: Lost }, returns: { Returned to Origin: [X] } }\n' +
      'operations: {}',
  );
  expect(carrier.statuses.table.map(({ key, status, reason, ofReturns }) => [key, status, reason, ofReturns])).toEqual([
    ['1610', 'In Transit', undefined, false],
    ['01810', 'In Transit', undefined, false],
    ['DF/7', 'Delivery Failed', 'NOT_HOME', false],
    ['X', 'Lost', undefined, false],
    ['X', 'Returned to Origin', undefined, true],
  ]);
});

test('a step has the keys of its fragments where it has none, before those of operation and profile', () => {
  const carrier = compile(`headers: { X-A: profile, X-B: profile, X-C: profile, X-D: profile }
fragments:
  one: { headers: { X-A: one, X-B: one }, limits: { timeout: 1s }, outcomes: [ { status: 404, do: reject } ] }
  two: { post: /two, headers: { X-B: two, X-C: two }, limits: { timeout: 2s, concurrency: 2 }, body: { soap: { action: two, body: { a: b } } } }
operations:
  create:
    use: [one, two]
    headers: { X-A: own }
    body: { soap: { body: { c: d } } }
    outcomes: [ { status: 409, do: reject } ]
    ${RESULT}
  cancel: { steps: [ { id: x, use: two, post: /x }, { id: y, post: /y } ], use: one }`);
  const { create, cancel } = carrier.operations;
  const headersOf = (step = create?.steps[0]) => Object.values(step?.headers ?? {}).map(({ text }) => text);
  expect(headersOf()).toEqual(['own', 'one', 'two', 'profile']);
  expect(create?.steps[0].limits).toMatchObject({ timeoutMs: 1_000, concurrency: 2 });
  expect(create?.steps[0].url.text).toBe('/two');
  expect(create?.steps[0].body).toMatchObject({
    codec: 'soap',
    action: { text: 'two' },
    content: { text: '{ c: d }' },
  });
  expect(create?.steps[0].outcomes).toHaveLength(2);
  expect(cancel?.steps.map((step) => [step.url.text, step.limits.timeoutMs])).toEqual([
    ['/x', 2_000],
    ['/y', 1_000],
  ]);
});

const pollOf = (every: string) =>
  compile(`statuses: { poll: { every: ${every} } }
operations: { track: { get: /, ${RESULT} } }`).statuses.poll;

test('polling is by status, or the same for all', () => {
  expect(pollOf('1h')).toEqual({ everyMs: new Map([['*', 3_600_000]]), untilMs: 5_184_000_000 });
  expect([...(pollOf("{ '*': 2h, Out for Delivery: 15m }")?.everyMs ?? [])]).toEqual([
    ['*', 7_200_000],
    ['Out for Delivery', 900_000],
  ]);
});

const webhookOf = (rest: string) =>
  compile(`operations: {}
credentials: { k: {} }
statuses: { webhook: { auth: { bearer: { token: '\${credentials.k}' } }, events: request.body${rest} } }`).statuses
    .webhook;

test('a webhook answers 200 and nothing unless it says otherwise', () => {
  expect(webhookOf('')).toMatchObject({
    reply: { status: 200, headers: {}, body: undefined },
    handshake: undefined,
    allow: [],
  });
  expect(
    webhookOf(", handshake: { when: request.body.c, reply: { status: 202, text: '${request.body.c}' } }"),
  ).toMatchObject({
    handshake: { reply: { status: 202, body: { codec: 'text' } } },
  });
});

test('texts take the characters as written, also the country NO', () => {
  const carrier = compile(
    "operations: {}\ncapabilities: { from: [NO, SE] }\nsettings: { a: { oneOf: [0123, 12:30], default: 0123 } }\nheaders: { A: '${settings.a}' }",
  );
  expect(carrier.capabilities.from).toEqual(['NO', 'SE']);
  expect(carrier.settings['a']).toMatchObject({ oneOf: ['0123', '12:30'], default: '0123' });
});

test('tables keep the values of their rows', () => {
  const carrier = compile("operations: {}\ntables: { t: { NO: 1, b: '2', c: { d: true }, '*': null } }");
  expect(carrier.tables).toEqual({ t: { NO: 1, b: '2', c: { d: true } } });
});

const withUrl = (text: string) => `hosts: ['*.acme.example']\noperations: { create: { post: '${text}', ${RESULT} } }`;

test('hosts are those declared and those of URLs written out', () => {
  expect(compile(withUrl('https://Labels.example:8443/x?a=${consignment.referenceId}')).hosts).toEqual([
    '*.acme.example',
    'labels.example:8443',
  ]);
  expect(compile(withUrl('${consignment.info.url}')).hosts).toEqual(['*.acme.example']);
  expect(load(withUrl('https://a..b^/')).said.join()).toContain('is not a host');
});
