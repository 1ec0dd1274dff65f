import { expect, test } from 'vitest';
import { checkingEngine } from '../../../src/engine/mapping/chosen-engine.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';

const compiled = (text: string) => compileExpression(sourceText('a.jsonata', text), checkingEngine);

test('an expression that is only to be checked can be evaluated all the same, again and again', () => {
  const mapping = compiled('$cut(consignment.originName, index)');
  const cut = (index: number) => mapping.evaluate({ consignment: { originName: 'Example' }, index }, {} as never);
  expect([cut(2), cut(4)]).toEqual(['Ex', 'Exam']);
});

test('what does not parse is refused before it is evaluated', () => {
  expect(() => compiled('[1, 2')).toThrow('The expression ends too early');
});
