import { expect, test } from 'vitest';
import { context } from './evaluating.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import { type Evaluation, tracingEngine } from '../../../src/engine/mapping/tracing-engine.ts';

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
  expect(evaluation.trace.taken.map(({ side }) => side)).toEqual(['else', 'then']);
});

test('the result is the one that any other engine gives, in plain values', () => {
  const { value } = traced('consignment');
  expect(value).toEqual(INPUT.consignment);
  expect(Object.getOwnPropertyDescriptor(value, 'name')).toHaveProperty('value', 'Max');
});
