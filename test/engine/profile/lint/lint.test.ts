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

/** What is found, in which lines, what is in order, and further files. */
const examples: [found: string, fails: string, passes: string, files?: Record<string, string>][] = [
  [
    '8:37 error undeclared-memo',
    "  cancel: { post: '/${shipment.memo.orderId}' }\nmemo: [other]",
    "  cancel: { post: '/${shipment.trackingNumber}' }",
  ],
  [
    '8:62 error undeclared-memo',
    "  lookup: { get: /, result: { itemsTrackDetails: [ { memo: { orderId: '${response.body.id}' } } ] } }",
    "  lookup: { get: /, result: { itemsTrackDetails: [ { memo: { orderId: '${response.body.id}' } } ] } }\nmemo: [orderId]",
  ],
  [
    'mappings/acme/found.jsonata:2:13 error undeclared-memo',
    '  lookup: { get: /, result: found.jsonata }',
    '  lookup: { get: /, result: found.jsonata }\nmemo: [orderId]',
    { 'mappings/acme/found.jsonata': '{ "itemsTrackDetails": [],\n  "memo": { "orderId": response.body.id } }' },
  ],
  [
    '7:37 error secret-shown',
    "outcomes: [ { do: reject, messages: environment.url } ]\nenvironments: { production: { url: 'https://a.example/${credentials.key}' } }\ncredentials: { key: { secret: true } }",
    "outcomes: [ { do: reject, messages: environment.url } ]\nenvironments: { production: { url: 'https://a.example/${settings.key}' } }\nsettings: { key: {} }",
  ],
  [
    '8:44 warning array-may-collapse',
    `  cancel: { post: /, body: { json: "{ 'a': consignment.itemList.{ 'b': itemWeight } }" } }`,
    `  cancel: { post: /, body: { json: "{ 'a': [consignment.itemList.{ 'b': itemWeight }], 'c': consignment.itemList[0].itemWeight, 'd': $sum(consignment.itemList.itemWeight), 'e': consignment.itemList.itemCode[] }" } }`,
  ],
  [
    '8:44 warning array-may-collapse',
    "  cancel: { post: /, body: { json: { a: '${consignment.itemList.itemCode}' } } }",
    "  cancel: { post: /, body: { xml: { a: '${consignment.itemList.itemCode}' } } }",
  ],
  [
    '8:43 error ambiguous-row',
    "statuses: { table: { DL: Order Delivered, ' dl /*': Delayed } }",
    "statuses: { table: { DL: Order Delivered, 'DL/7': Delayed, 'D*': Delayed, '*': In Transit, 'a*b': Lost, 'a*c': Damaged } }",
  ],
  [
    '8:35 error ambiguous-row',
    "statuses: { table: { 'a*b': Lost, 'a*cb': Damaged } }",
    "statuses: { table: { 'a*b': In Transit, 'ac*b': Order Delivered } }",
  ],
  [
    '8:29 warning unreachable-outcome',
    'outcomes: [ { do: reject }, { when: response.fault, do: fail } ]',
    'outcomes: [ { do: reject }, { status: 503, do: retry } ]',
  ],
  [
    '8:22 error open-webhook',
    'statuses: { webhook: { auth: none, events: request.body } }',
    'statuses: { webhook: { auth: none, allow: [ 192.0.2.0/24 ], events: request.body } }',
  ],
  [
    '8:46 warning text-not-expression',
    '  cancel: { post: /, body: { json: { number: consignment.orderNumber } } }',
    "  cancel: { post: /, body: { json: { number: '${consignment.orderNumber}', event: consignment.created, name: shipment.updated, deep: consignment.referenceId.x, other: environment.changed } } }",
  ],
  [
    '8:15 warning text-not-expression',
    "headers: { A: settings.account, B: '${settings.account}' }\nsettings: { account: {} }",
    "headers: { A: settings.saved, B: '${settings.account}' }\nsettings: { account: {} }",
  ],
  [
    '8:53 warning shadowed-function',
    `headers: { A: "\${( $number := response.body.number; $number('1') )}" }`,
    `headers: { A: "\${( $count := function($x) { 1 }; $sum := $sum([1]); ( $number := 1; $number ) & $number('1') & $count(2) & $sum )}" }`,
  ],
  [
    '8:66 warning shadowed-function',
    `headers: { A: "\${( $number := response.body.number; $count := 1; $count([1]) )}" }`,
    `headers: { A: "\${( $number := response.body.number; $count := response.body.a ? $number : $sum; $count([1]) )}" }`,
  ],
  [
    '8:53 warning shadowed-function',
    `headers: { A: "\${consignment.itemList#$count.{ 'a': $count(tags) }.a}" }`,
    `headers: { A: "\${consignment.itemList#$at.{ 'a': $count(tags) }.a}" }`,
  ],
  [
    '8:67 warning shadowed-function',
    `headers: { A: "\${( $string := response.body.a; response.body.b ~> $string )}" }`,
    `headers: { A: "\${( $text := response.body.a; response.body.b ~> $string & $text )}" }`,
  ],
  [
    '9:8 warning memo-like-kind',
    "  lookup: { get: /, result: { memo: { order: '${response.body.id}' } } }\nmemo: [order]",
    "  lookup: { get: /, result: { memo: { orderId: '${response.body.id}' } } }\nmemo: [orderId]",
  ],
  [
    '8:27 error missing-key',
    'settings: { hook: { from: register } }',
    "  register: { post: /, result: { settings: { hook: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
  ],
  [
    '8:46 error undeclared-field',
    "  register: { post: /, result: { settings: { hok: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
    "  register: { post: /, result: { settings: { hook: '${response.body.id}' } } }\nsettings: { hook: { from: register } }",
  ],
];

describe.each(examples)('%s', (found, fails, passes, files) => {
  const finding = found.startsWith('mappings') ? found : `carriers/acme.yaml:${found}`;
  const [, rule] = / ([\w-]+)$/.exec(found) ?? [];

  test('is found', () => {
    expect(lint(fails, files).filter((line) => line.includes(` ${rule}: `))).toEqual([
      expect.stringContaining(`${finding}: `),
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
