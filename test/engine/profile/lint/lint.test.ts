import { describe, expect, test } from 'vitest';
import { HEAD, loadFiles } from '../profiles.ts';

/** Findings of a profile that is sound but for the lines given. What broken/ shows is not shown again. */
const lint = (lines: string, files: Record<string, string> = {}): readonly string[] => {
  const profile = [
    'carrier: acme',
    ...(lines.includes('environments:') ? [] : ["environments: { production: { url: 'https://acme.example' } }"]),
    'operations:',
    '  create:',
    '    post: /orders',
    '    result: |',
    '      { "itemsTrackDetails": response.body.x }',
    lines,
  ].join('\n');
  return loadFiles({ 'carriers/acme.yaml': profile, ...files }).said;
};

/** The rule, where it finds something, what it finds it in, what is in order, and further files. */
const examples: [rule: string, at: string, fails: string, passes: string, files?: Record<string, string>][] = [
  [
    'undeclared-memo',
    '8:37 error',
    "  cancel: { post: '/${shipment.memo.orderId}' }\nmemo: [other]",
    "  cancel: { post: '/${shipment.trackingNumber}' }",
  ],
  [
    'undeclared-memo',
    '8:62 error',
    "  lookup: { get: /, result: { itemsTrackDetails: [ { memo: { orderId: '${response.body.id}' } } ] } }",
    "  lookup: { get: /, result: { itemsTrackDetails: [ { memo: { orderId: '${response.body.id}' } } ] } }\nmemo: [orderId]",
  ],
  [
    'undeclared-memo',
    'mappings/acme/found.jsonata:2:13 error',
    '  lookup: { get: /, result: found.jsonata }',
    '  lookup: { get: /, result: found.jsonata }\nmemo: [orderId]',
    { 'mappings/acme/found.jsonata': '{ "itemsTrackDetails": [],\n  "memo": { "orderId": response.body.id } }' },
  ],
  [
    'secret-shown',
    '7:37 error',
    "outcomes: [ { do: reject, messages: environment.url } ]\nenvironments: { production: { url: 'https://a.example/${credentials.key}' } }\ncredentials: { key: { secret: true } }",
    "outcomes: [ { do: reject, messages: environment.url } ]\nenvironments: { production: { url: 'https://a.example/${settings.key}' } }\nsettings: { key: {} }",
  ],
  [
    'array-may-collapse',
    '8:44 warning',
    `  cancel: { post: /, body: { json: "{ 'a': consignment.itemList.{ 'b': itemWeight } }" } }`,
    `  cancel: { post: /, body: { json: "{ 'a': [consignment.itemList.{ 'b': itemWeight }], 'c': consignment.itemList[0].itemWeight, 'd': $sum(consignment.itemList.itemWeight), 'e': consignment.itemList.itemCode[] }" } }`,
  ],
  [
    'array-may-collapse',
    '8:44 warning',
    "  cancel: { post: /, body: { json: { a: '${consignment.itemList.itemCode}' } } }",
    "  cancel: { post: /, body: { xml: { a: '${consignment.itemList.itemCode}' } } }",
  ],
  [
    'ambiguous-row',
    '8:43 error',
    "statuses: { table: { DL: Order Delivered, ' dl /*': Delayed } }",
    "statuses: { table: { DL: Order Delivered, 'DL/7': Delayed, 'D*': Delayed, '*': In Transit, 'a*b': Lost, 'a*c': Damaged } }",
  ],
  [
    'ambiguous-row',
    '8:35 error',
    "statuses: { table: { 'a*b': Lost, 'a*cb': Damaged } }",
    "statuses: { table: { 'a*b': In Transit, 'ac*b': Order Delivered } }",
  ],
  [
    'unreachable-outcome',
    '8:29 warning',
    'outcomes: [ { do: reject }, { when: response.fault, do: fail } ]',
    'outcomes: [ { do: reject }, { status: 503, do: retry } ]',
  ],
  [
    'open-webhook',
    '8:22 error',
    'statuses: { webhook: { auth: none, events: request.body } }',
    'statuses: { webhook: { auth: none, allow: [ 192.0.2.0/24 ], events: request.body } }',
  ],
  [
    'text-not-expression',
    '8:46 warning',
    '  cancel: { post: /, body: { json: { number: consignment.orderNumber } } }',
    "  cancel: { post: /, body: { json: { number: '${consignment.orderNumber}', event: consignment.created, name: shipment.updated, deep: consignment.referenceId.x, other: environment.changed } } }",
  ],
  [
    'text-not-expression',
    '8:15 warning',
    "headers: { A: settings.account, B: '${settings.account}' }\nsettings: { account: {} }",
    "headers: { A: settings.saved, B: '${settings.account}' }\nsettings: { account: {} }",
  ],
  [
    'shadowed-function',
    '8:53 warning',
    `headers: { A: "\${( $number := response.body.number; $number('1') )}" }`,
    `headers: { A: "\${( $count := function($x) { 1 }; $sum := $sum([1]); ( $number := 1; $number ) & $number('1') & $count(2) & $sum )}" }`,
  ],
  [
    'shadowed-function',
    '8:53 warning',
    `headers: { A: "\${consignment.itemList#$count.{ 'a': $count(tags) }.a}" }`,
    `headers: { A: "\${consignment.itemList#$at.{ 'a': $count(tags) }.a}" }`,
  ],
  [
    'shadowed-function',
    '8:67 warning',
    `headers: { A: "\${( $string := response.body.a; response.body.b ~> $string )}" }`,
    `headers: { A: "\${( $text := response.body.a; response.body.b ~> $string & $text )}" }`,
  ],
  [
    'number-as-index',
    '8:39 warning',
    `headers: { A: "\${consignment.itemList[itemHeight].itemName}" }`,
    `headers: { A: "\${consignment.itemList[$exists(itemHeight)].itemName & consignment.itemList[itemName].itemCode & response.body.parcels[itemHeight].a}" }`,
  ],
  [
    'sibling-order',
    '8:25 warning',
    `headers: { A: "\${$join([$x := 'a', $x])}" }`,
    `headers: { A: "\${($x := 'a'; $join([$x, ($y := $x; $y)]))}" }`,
  ],
  [
    'memo-like-kind',
    '9:8 warning',
    "  lookup: { get: /, result: { memo: { order: '${response.body.id}' } } }\nmemo: [order]",
    "  lookup: { get: /, result: { memo: { orderId: '${response.body.id}' } } }\nmemo: [orderId]",
  ],
  [
    'missing-key',
    '8:27 error',
    'settings: { hook: { from: register } }',
    "  register: { post: /, result: { settings: { hook: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
  ],
  [
    'undeclared-field',
    '8:46 error',
    "  register: { post: /, result: { settings: { hok: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
    "  register: { post: /, result: { settings: { hook: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
  ],
  [
    'unknown-auth',
    '9:7 error',
    '    auth: none\nauth: lgin',
    "    auth: none\nauth: login\nauths: { login: { bearer: { token: '${credentials.key}' } } }\ncredentials: { key: { secret: true } }",
  ],
];

describe.each(examples)('%s at %s', (rule, at, fails, passes, files) => {
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

const withoutCreate = (rest: string) => loadFiles({ 'carriers/acme.yaml': `${HEAD}operations: {}\n${rest}` }).findings;

test('a carrier without create is warned about, a base is not', () => {
  expect(withoutCreate('')).toMatchObject([{ rule: 'no-create', severity: 'warning' }]);
  expect(withoutCreate('abstract: true')).toEqual([]);
});
