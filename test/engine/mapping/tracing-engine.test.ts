import { expect, it, test } from 'vitest';
import { context } from './evaluating.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import type { Branch } from '../../../src/engine/jsonata/trace.ts';
import { isGap } from '../../../src/engine/jsonata/trace-result.ts';
import { type Evaluation, tracingEngine } from '../../../src/engine/mapping/tracing-engine.ts';
import { fuzzCases } from '../jsonata/differential/campaign.ts';
import type { FuzzCase } from '../jsonata/differential/compare.ts';

const INPUT = {
  consignment: {
    name: 'Max',
    street: 'Example Street 1',
    note: '',
    itemList: [
      { no: 'A', kg: 2 },
      { no: 'B', kg: 3 },
    ],
  },
  settings: { account: '7' },
};
/** The value, and of each part of it the line and column of its expression and what that read. */
const traced = (text: string): { value: unknown; parts: Record<string, string>; evaluation: Evaluation } => {
  const seen: Evaluation[] = [];
  const engine = tracingEngine({ evaluated: (one) => seen.push(one) });
  const value = compileExpression(sourceText('m.jsonata', text), engine).evaluate(INPUT, context());
  const [evaluation] = seen;
  if (evaluation === undefined) throw new Error('nothing was evaluated');
  const parts = evaluation.trace.leaves.map(({ path, origin }) => {
    const { line, column } = evaluation.source.placeAt(origin.at);
    return [path.join('.'), `${line}:${column} ${origin.reads.join(', ')}`.trim()];
  });
  return { value, parts: Object.fromEntries(parts), evaluation };
};

test('each value of an object knows its expression and the fields it is made of', () => {
  expect(traced('consignment.{\n  "to": name & ", " & street,\n  "of": $settings.account, "fixed": 1 }').parts).toEqual(
    {
      to: '2:9 consignment.name, consignment.street',
      of: '3:9 settings.account',
      fixed: '3:37',
    },
  );
});

test('a value that goes on as it is says where it stood', () => {
  expect(traced('{ "all": consignment.itemList, "each": [consignment.itemList.{ "n": no }] }').parts).toEqual({
    'all.0.no': '1:10 consignment.itemList[0].no',
    'all.0.kg': '1:10 consignment.itemList[0].kg',
    'all.1.no': '1:10 consignment.itemList[1].no',
    'all.1.kg': '1:10 consignment.itemList[1].kg',
    'each.0.n': '1:69 consignment.itemList[0].no',
    'each.1.n': '1:69 consignment.itemList[1].no',
  });
});

test('what a function rebuilds keeps its origin', () => {
  expect(traced('$prune({ "a": { "to": consignment.name, "note": consignment.note } })').parts).toEqual({
    'a.to': '1:23 consignment.name',
  });
  expect(traced('$merge([{ "a": consignment.name }, { "b": consignment.street }])').parts).toEqual({
    a: '1:16 consignment.name',
    b: '1:43 consignment.street',
  });
});

test('variables and parameters hand on what they were made of', () => {
  expect(
    traced(
      '( $n := consignment.name; $box := function($x, $y) { { "to": $x, "kg": $y } }; $box($n, consignment.itemList[0].kg) )',
    ).parts,
  ).toEqual({
    to: '1:62 consignment.name',
    kg: '1:72 consignment.itemList[0].kg',
  });
});

test('a value that two conditions decide has read both, and the sides taken are told', () => {
  const { evaluation, parts } = traced('{ "x": consignment.name = "Max" ? (settings.account = "8" ? 1 : 2) : 3 }');
  expect(parts['x']).toBe('1:8 consignment.name, settings.account');
  expect(evaluation.trace.taken.map(({ side }) => side)).toEqual(['then', 'else']);
});

test('the result is the one that any other engine gives, in plain values', () => {
  const { value } = traced('consignment');
  expect(value).toEqual(INPUT.consignment);
  expect(Object.getOwnPropertyDescriptor(value, 'name')).toHaveProperty('value', 'Max');
});

test.each([
  [
    'a function of the expression',
    '( $box := { "user": settings.account, "to": consignment.name }; { "x": $box.to } )',
    'x',
  ],
  [
    '$prune',
    '( $box := $prune({ "user": settings.account, "to": consignment.name, "no": "" }); { "x": $box.to } )',
    'x',
  ],
  ['$merge', '{ "x": $merge([{ "user": settings.account }, { "to": consignment.name }]).to }', 'x'],
  ['$map', '{ "x": $map([consignment.name], function($n) { { "to": $n } }).to }', 'x'],
  ['a list', '{ "x": [settings.account, consignment.name] }', 'x.1'],
  [
    'a transformation',
    '{ "x": { "to": consignment.name, "user": settings.account } ~> | $ | { "more": 1 } | }',
    'x.to',
  ],
  ['texts that a path goes through', '{ "x": $append(consignment.name, settings.account).{ "is": $ } }', 'x.0.is'],
])('a value is told apart from its neighbours through %s', (_, text, path) => {
  expect(traced(text).parts[path]).toMatch(/ consignment\.name$/);
});

test('what $prune makes of a list keeps each field where it is written, and tells what it left out', () => {
  const { evaluation } = traced(
    '{ "all": $prune([consignment.itemList.{ "n": no, "note": $$.consignment.note, "of": [kg, ""] }]) }',
  );
  const told = evaluation.trace.fields.map((one) =>
    [one.path.join('.'), one.origin.at, isGap(one) ? JSON.stringify(one.was) : one.value].join(' '),
  );
  expect(told).toEqual(
    [0, 1].flatMap((at) => [
      `all.${at}.n 45 ${'AB'.charAt(at)}`,
      `all.${at}.note 57 ""`,
      `all.${at}.of.0 85 ${at + 2}`,
    ]),
  );
});

test.each([
  ['a field that is missing', '{ "x": consignment.city }', 'consignment.city', undefined],
  ['one of a variable', '( $to := { "city": consignment.city }; { "x": $to.city } )', 'consignment.city', undefined],
  ['one of a function', '{ "x": $uppercase(consignment.city) }', 'consignment.city', undefined],
  ['one whose condition does not hold', '{ "x": consignment.name = "A" ? "yes" }', '', 30],
  ['one of a root that is missing', '{ "x": $remark }', 'remark', undefined],
  ['the whole', 'consignment.city', 'consignment.city', undefined],
])('of an absent value it says why: %s', (_, text, missing, unheld) => {
  const gap = traced(text).evaluation.trace.fields.find(isGap);
  expect([gap?.missing.join(), gap?.unheld]).toEqual([missing, unheld]);
});

test.each([
  ['{ "to": { "x": $number(consignment.name) } }', 'to.x', [['consignment.name']]],
  ['$number(settings.account = "7" ? consignment.name : consignment.street)', '', [['consignment.name']]],
  ['$number($first(consignment.city, consignment.name))', '', [['consignment.name']]],
  ['$number(consignment.itemList[kg = 3].no)', '', [['consignment.itemList[1].no']]],
  ['consignment.itemList.{ "x": $number(no) }', 'x', [['consignment.itemList[0].no']]],
  ['$map(consignment.itemList.no, function($n) { $n = "A" ? 1 : $number($n) })', '', [['consignment.itemList[1].no']]],
  ['consignment.itemList.no.($ = "A" ? 1 : $number($))', '', [['consignment.itemList[1].no']]],
  ['( $n := function($x) { $number($x) }; $n(consignment.name) )', '', [['consignment.name']]],
  ['( $x := consignment.name; $x ~> $number() )', '', [['consignment.name']]],
  [
    '$formatBase(consignment.itemList[0].kg, consignment.name)',
    '',
    [['consignment.itemList[0].kg'], ['consignment.name']],
  ],
  ['$number($lookup({ "Max": consignment.street }, consignment.name))', '', [['consignment.street']]],
  ['$number($table("t", consignment.name, "none"))', '', [[]]],
  ['$wrap([consignment.name, consignment.street], 2, 1)', '', [['consignment.name', 'consignment.street'], [], []]],
])('where a call fails, it says of which field, and what each argument is made of: %s', (text, path, args) => {
  const seen: Evaluation[] = [];
  const engine = tracingEngine({ evaluated: (one) => seen.push(one) });
  const mapping = compileExpression(sourceText('m.jsonata', text), engine);
  const tables = { t: {} };
  expect(() => mapping.evaluate(INPUT, { ...context(), tables })).toThrow();
  const ended = seen[0]?.trace.ended;
  expect([ended?.path.join('.'), ended?.args]).toEqual([path, args]);
});

test('text that is made of a map is told field by field', () => {
  const { parts } = traced(
    '{ "xml": "<?xml?>" & $toXml({ "a": { "to": consignment.name, "key": settings.account } }) }',
  );
  expect(parts).toEqual({ 'xml.a.to': '1:44 consignment.name', 'xml.a.key': '1:69 settings.account' });
});

const written = ({ at, side }: Branch): string => `${at} ${side}`;
const cameBy = ({ source, input }: FuzzCase, isExplained: boolean): unknown => {
  const seen: unknown[] = [];
  const engine = tracingEngine({
    touched: (_, value, { reads, taken }) =>
      seen.push({ value: JSON.stringify(value), reads, taken: new Set(taken.map(written)) }),
    evaluated: () => undefined,
    isExplained: () => isExplained,
  });
  try {
    // Of inputs that are no maps nothing is watched.
    const roots = { consignment: input, settings: { account: '7' } };
    const over = source.replaceAll('$$', 'consignment');
    compileExpression(sourceText('m.jsonata', `consignment.(${over})`), engine).evaluate(roots, context());
  } catch (thrown) {
    seen.push((thrown as { code?: string }).code);
  }
  return seen;
};

it('an evaluation comes by the same, whether or not it is explained', () => {
  let compared = 0;
  for (const one of fuzzCases(11)) {
    if ((compared += 1) > 1_500) break;
    expect(cameBy(one, false), one.source).toEqual(cameBy(one, true));
  }
});
