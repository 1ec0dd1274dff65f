import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, checkingEngine, engineNamed } from '../../../src/engine/mapping/chosen-engine.ts';
import { compiledEngine } from '../../../src/engine/mapping/engine.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import { stockEngine } from '../../../src/engine/mapping/stock-engine.ts';
import { failureOf, context } from './evaluating.ts';

const compiled = (text: string) => compileExpression(sourceText('a.jsonata', text), checkingEngine);

describe('the engine', () => {
  it('is the compiled one unless named', () => {
    expect(engineNamed(undefined)).toBe(engineNamed('compiled'));
    expect(engineNamed('')).toBe(engineNamed('compiled'));
    expect(engineNamed('stock')).toBe(stockEngine);
    expect(ENGINE_NAMES).toEqual(['compiled', 'stock']);
  });

  it('of an unknown name is refused, with the names there are', async () => {
    expect(await failureOf(() => engineNamed('fast'))).toMatchObject({
      code: 'mapping_engine_unknown',
      help: expect.stringContaining('compiled, stock') as string,
    });
  });

  it('that is compiled answers at once', () => {
    const mapping = compileExpression(sourceText('test', '$first(x.y, 1)'), compiledEngine);
    expect(mapping.evaluate({}, context())).toBe(1);
  });
});

describe('the engine for checks', () => {
  it('evaluates an expression all the same, again and again', () => {
    const mapping = compiled('$cut(consignment.originName, index)');
    const cut = (index: number) => mapping.evaluate({ consignment: { originName: 'Example' }, index }, {} as never);
    expect([cut(2), cut(4)]).toEqual(['Ex', 'Exam']);
  });

  it('refuses what does not parse before it is evaluated', () => {
    expect(() => compiled('[1, 2')).toThrow('Expected "]" before end of expression');
  });
});
