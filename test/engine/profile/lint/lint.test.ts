import { describe, expect, test } from 'vitest';
import { formatFinding } from '../../../../src/engine/profile/finding.ts';
import { memoryFiles } from '../../../../src/engine/profile/home-files.ts';
import { loadHome } from '../../../../src/engine/profile/load.ts';

/** Findings of a profile that is sound but for the lines given; `create` may be replaced. */
const lint = (lines: string, files: Record<string, string> = {}, create = 'post: /orders'): readonly string[] => {
  const profile = [
    'carrier: acme',
    ...(lines.includes('environments:') ? [] : ["environments: { production: { url: 'https://acme.example' } }"]),
    'operations:',
    '  create:',
    `    ${create}`,
    '    result: |',
    '      { "itemsTrackDetails": response.body.x }',
    lines,
  ].join('\n');
  const home = memoryFiles({ 'carriers/acme.yaml': profile, ...files });
  return loadHome({ home, shipped: memoryFiles({}) }).findings.map(formatFinding);
};

interface Example {
  readonly rule: string;
  readonly fails: string;
  readonly at: string;
  readonly passes: string;
  readonly files?: Record<string, string>;
}

const examples: readonly Example[] = [
  {
    rule: 'unknown-key',
    fails: '  cancel: { post: /, heders: {} }',
    at: '8:22 error',
    passes: '  cancel: { post: /, headers: {} }',
  },
  {
    rule: 'unquoted-expression',
    fails: '  cancel: { post: /, when: $contains(remark, "x") }',
    at: '8:28 error',
    passes: `  cancel: { post: /, when: "$contains(remark, 'x')" }`,
  },
  {
    rule: 'unknown-root',
    fails: "  cancel: { post: '/${consigment.referenceId}' }",
    at: '8:23 error',
    passes: "  cancel: { post: '/${consignment.referenceId}' }",
  },
  {
    rule: 'unknown-root',
    fails: '  cancel: { post: /, outcomes: [ { when: request.body.x, do: reject } ] }',
    at: '8:42 error',
    passes: '  cancel: { post: /, outcomes: [ { when: response.body.x, do: reject } ] }',
  },
  {
    rule: 'root-inside-path',
    fails:
      "  cancel:\n    post: /\n    body: { json: \"consignment.{ 'a': settings.a, 'b': $settings.a }\" }\nsettings: { a: {} }",
    at: '10:39 error',
    passes: '  cancel:\n    post: /\n    body: { json: "consignment.{ \'b\': $settings.a }" }\nsettings: { a: {} }',
  },
  {
    rule: 'undeclared-memo',
    fails: "  cancel: { forEach: shipment.packages, delete: '/${item.memo.ordrId}' }\nmemo: [orderId]",
    at: '8:63 error',
    passes:
      "  lookup: { get: /, result: { memo: { orderId: '${response.body.id}' } } }\n  cancel: { forEach: shipment.packages, delete: '/${item.memo.orderId}' }\nmemo: [orderId]",
  },
  {
    rule: 'undeclared-memo',
    fails: "  cancel: { post: '/${shipment.memo.orderId}' }\nmemo: [other]",
    at: '8:37 error',
    passes: "  cancel: { post: '/${shipment.trackingNumber}' }",
  },
  {
    rule: 'undeclared-memo',
    fails: "  lookup: { get: /, result: { itemsTrackDetails: [ { memo: { orderId: '${response.body.id}' } } ] } }",
    at: '8:62 error',
    passes:
      "  lookup: { get: /, result: { itemsTrackDetails: [ { memo: { orderId: '${response.body.id}' } } ] } }\nmemo: [orderId]",
  },
  {
    rule: 'undeclared-memo',
    fails: '  lookup: { get: /, result: found.jsonata }',
    at: 'mappings/acme/found.jsonata:2:13 error',
    passes: '  lookup: { get: /, result: found.jsonata }\nmemo: [orderId]',
    files: { 'mappings/acme/found.jsonata': '{ "itemsTrackDetails": [],\n  "memo": { "orderId": response.body.id } }' },
  },
  {
    rule: 'undeclared-field',
    fails: "headers: { A: '${settings.acount}' }\nsettings: { account: {} }",
    at: '8:27 error',
    passes: "headers: { A: '${settings.account}' }\nsettings: { account: {} }",
  },
  {
    rule: 'undeclared-field',
    fails: "headers: { A: '${environment.tst}' }",
    at: '8:30 error',
    passes:
      "environments: { production: { url: 'https://acme.example', test: true } }\nheaders: { A: '${environment.test}' }",
  },
  {
    rule: 'undeclared-field',
    fails: "headers: { A: '${steps.booking.body.id}' }",
    at: '8:24 error',
    passes: "headers: { A: '${steps.create.body.id}' }",
  },
  {
    rule: 'unknown-table',
    fails: `headers: { A: "\${$table('fromat', consignment.labelFormat)}" }\ntables: { format: { PDF: A4 } }`,
    at: '8:25 error',
    passes: `headers: { A: "\${$table('format', consignment.labelFormat)}" }\ntables: { format: { PDF: A4 } }`,
  },
  {
    rule: 'unknown-table',
    fails: `headers: { A: "\${tables.fromat.PDF}" }`,
    at: '8:25 error',
    passes: `headers: { A: "\${tables.format.PDF}" }\ntables: { format: { PDF: A4 } }`,
  },
  {
    rule: 'secret-shown',
    fails:
      'outcomes: [ { status: 400, do: reject, messages: credentials.key } ]\ncredentials: { key: { secret: true } }',
    at: '8:50 error',
    passes:
      "outcomes: [ { status: 400, do: reject, messages: response.text } ]\ncredentials: { key: { secret: true } }\nheaders: { A: '${credentials.key}' }",
  },
  {
    rule: 'secret-shown',
    fails:
      "outcomes: [ { do: reject, messages: environment.url } ]\nenvironments: { production: { url: 'https://a.example/${credentials.key}' } }\ncredentials: { key: { secret: true } }",
    at: '7:37 error',
    passes:
      "outcomes: [ { do: reject, messages: environment.url } ]\nenvironments: { production: { url: 'https://a.example/${settings.key}' } }\nsettings: { key: {} }",
  },
  {
    rule: 'secret-shown',
    fails: "settings: { key: { secret: true } }\nheaders: { A: '${settings.key}' }",
    at: '8:13 error',
    passes: "credentials: { key: { secret: true } }\nheaders: { A: '${credentials.key}' }",
  },
  {
    rule: 'array-may-collapse',
    fails: `  cancel: { post: /, body: { json: "{ 'a': consignment.itemList.{ 'b': itemWeight } }" } }`,
    at: '8:44 warning',
    passes: `  cancel: { post: /, body: { json: "{ 'a': [consignment.itemList.{ 'b': itemWeight }], 'c': consignment.itemList[0].itemWeight, 'd': $sum(consignment.itemList.itemWeight), 'e': consignment.itemList.itemCode[] }" } }`,
  },
  {
    rule: 'array-may-collapse',
    fails: "  cancel: { post: /, body: { json: { a: '${consignment.itemList.itemCode}' } } }",
    at: '8:44 warning',
    passes: "  cancel: { post: /, body: { xml: { a: '${consignment.itemList.itemCode}' } } }",
  },
  {
    rule: 'ambiguous-row',
    fails: "statuses: { table: { DL: Order Delivered, ' dl /*': Delayed } }",
    at: '8:43 error',
    passes:
      "statuses: { table: { DL: Order Delivered, 'DL/7': Delayed, 'D*': Delayed, '*': In Transit, 'a*b': Lost, 'a*c': Damaged } }",
  },
  {
    rule: 'ambiguous-row',
    fails: "statuses: { table: { 'a*b': Lost, 'a*cb': Damaged } }",
    at: '8:35 error',
    passes: "statuses: { table: { 'a*b': In Transit, 'ac*b': Order Delivered } }",
  },
  {
    rule: 'unreachable-outcome',
    fails: 'outcomes: [ { status: 4xx, do: reject }, { status: 404, do: succeed } ]',
    at: '8:42 warning',
    passes: 'outcomes: [ { status: 404, do: succeed }, { status: 4xx, do: reject } ]',
  },
  {
    rule: 'unreachable-outcome',
    fails: 'outcomes: [ { do: reject }, { when: response.fault, do: fail } ]',
    at: '8:29 warning',
    passes: 'outcomes: [ { do: reject }, { status: 503, do: retry } ]',
  },
  {
    rule: 'open-webhook',
    fails: 'statuses: { webhook: { auth: none, events: request.body } }',
    at: '8:22 error',
    passes: 'statuses: { webhook: { auth: none, allow: [ 192.0.2.0/24 ], events: request.body } }',
  },
  {
    rule: 'environments-differ',
    fails:
      "environments: { sandbox: { url: 'https://a.example', test: true }, production: { url: 'https://b.example' } }",
    at: '7:68 error',
    passes:
      "environments: { sandbox: { url: 'https://a.example', test: true }, production: { url: 'https://b.example', test: false } }",
  },
  {
    rule: 'key-never-sent',
    fails: '  cancel: { post: /, idempotency: key }',
    at: '8:11 error',
    passes: "  cancel: { post: /, idempotency: key, headers: { Key: '${idempotencyKey}' } }",
  },
  {
    rule: 'auth-not-used',
    fails: "auths: { spare: { bearer: { token: 'x' } } }",
    at: '8:10 warning',
    passes: "auths: { spare: { bearer: { token: 'x' } } }\nauth: spare",
  },
  {
    rule: 'missing-expiry',
    fails: 'auth: { session: { login: { post: /login }, token: response.body.t } }',
    at: '8:9 warning',
    passes: 'auth: { session: { login: { post: /login }, token: response.body.t, expiresIn: 1h } }',
  },
  {
    rule: 'scalar-ambiguous',
    fails: '  cancel: { post: /, body: { json: { country: NO } } }',
    at: '8:47 error',
    passes: "  cancel: { post: /, body: { json: { country: 'NO' } } }",
  },
  {
    rule: 'text-not-expression',
    fails: '  cancel: { post: /, body: { json: { number: consignment.orderNumber } } }',
    at: '8:46 warning',
    passes:
      "  cancel: { post: /, body: { json: { number: '${consignment.orderNumber}', event: consignment.created, name: shipment.updated, deep: consignment.referenceId.x, other: environment.changed } } }",
  },
  {
    rule: 'text-not-expression',
    fails: "headers: { A: settings.account, B: '${settings.account}' }\nsettings: { account: {} }",
    at: '8:15 warning',
    passes: "headers: { A: settings.saved, B: '${settings.account}' }\nsettings: { account: {} }",
  },
  {
    rule: 'shadowed-function',
    fails: `headers: { A: "\${( $number := response.body.number; $number('1') )}" }`,
    at: '8:53 warning',
    passes: `headers: { A: "\${( $count := function($x) { 1 }; $sum := $sum([1]); ( $number := 1; $number ) & $number('1') & $count(2) & $sum )}" }`,
  },
  {
    rule: 'shadowed-function',
    fails: `headers: { A: "\${consignment.itemList#$count.{ 'a': $count(tags) }.a}" }`,
    at: '8:53 warning',
    passes: `headers: { A: "\${consignment.itemList#$at.{ 'a': $count(tags) }.a}" }`,
  },
  {
    rule: 'shadowed-function',
    fails: `headers: { A: "\${( $string := response.body.a; response.body.b ~> $string )}" }`,
    at: '8:67 warning',
    passes: `headers: { A: "\${( $text := response.body.a; response.body.b ~> $string & $text )}" }`,
  },
  {
    rule: 'number-as-index',
    fails: `headers: { A: "\${consignment.itemList[itemHeight].itemName}" }`,
    at: '8:39 warning',
    passes: `headers: { A: "\${consignment.itemList[$exists(itemHeight)].itemName & consignment.itemList[itemName].itemCode & response.body.parcels[itemHeight].a}" }`,
  },
  {
    rule: 'sibling-order',
    fails: `headers: { A: "\${$join([$x := 'a', $x])}" }`,
    at: '8:25 warning',
    passes: `headers: { A: "\${($x := 'a'; $join([$x, ($y := $x; $y)]))}" }`,
  },
  {
    rule: 'memo-like-kind',
    fails: "  lookup: { get: /, result: { memo: { order: '${response.body.id}' } } }\nmemo: [order]",
    at: '9:8 warning',
    passes: "  lookup: { get: /, result: { memo: { orderId: '${response.body.id}' } } }\nmemo: [orderId]",
  },
  {
    rule: 'unused',
    fails: 'settings: { spare: {} }',
    at: '8:13 warning',
    passes: "settings: { spare: {} }\nheaders: { A: '${settings.spare}' }",
  },
  {
    rule: 'unused',
    fails: 'tables: { spare: { a: b } }',
    at: '8:11 warning',
    passes: `tables: { spare: { a: b } }\nheaders: { A: "\${$table('spare', consignment.labelFormat)}" }`,
  },
  { rule: 'unused', fails: 'memo: [spare]', at: '8:8 warning', passes: '' },
  {
    rule: 'unused',
    fails: '',
    at: 'mappings/acme/spare.jsonata:1:1 warning',
    passes: '  cancel: { post: /, body: { json: spare.jsonata } }',
    files: { 'mappings/acme/spare.jsonata': 'consignment.referenceId' },
  },
  {
    rule: 'missing-key',
    fails: 'settings: { hook: { from: register } }',
    at: '8:27 error',
    passes:
      "  register: { post: /, result: { settings: { hook: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
  },
  {
    rule: 'undeclared-field',
    fails:
      "  register: { post: /, result: { settings: { hok: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
    at: '8:46 error',
    passes:
      "  register: { post: /, result: { settings: { hook: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
  },
  {
    rule: 'unknown-function',
    fails: "headers: { A: '${$frist(consignment.referenceId)}' }",
    at: '8:18 error',
    passes: "headers: { A: '${$first(consignment.referenceId)}' }",
  },
  {
    rule: 'unknown-auth',
    fails: 'auth: lgin\nauths: { login: { bearer: { token: x } } }',
    at: '8:7 error',
    passes: 'auth: login\nauths: { login: { bearer: { token: x } } }',
  },
  {
    rule: 'text-not-expression',
    fails: 'headers: { A: consignment.referenceId }',
    at: '8:15 warning',
    passes: "headers: { A: '${consignment.referenceId}' }",
  },
];

describe.each(examples)('$rule at $at', ({ rule, fails, at, passes, files }) => {
  const where = at.startsWith('mappings') ? at : `carriers/acme.yaml:${at}`;

  test('is found', () => {
    expect(lint(fails, files).filter((line) => line.includes(` ${rule}: `))).toEqual([
      expect.stringContaining(`${where} ${rule}: `),
    ]);
  });
  test('is not found where all is well', () => {
    expect(lint(passes, files)).toEqual([]);
  });
});

const withoutCreate = (rest: string) => {
  const text = `carrier: acme\nenvironments: { production: { url: 'https://acme.example' } }\noperations: {}\n${rest}`;
  return loadHome({ home: memoryFiles({ 'carriers/acme.yaml': text }), shipped: memoryFiles({}) }).findings;
};

test('a carrier without create is warned about, a base is not', () => {
  expect(withoutCreate('')).toMatchObject([{ rule: 'no-create', severity: 'warning' }]);
  expect(withoutCreate('abstract: true')).toEqual([]);
});
