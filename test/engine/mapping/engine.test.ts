import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, engineNamed } from '../../../src/engine/mapping/chosen-engine.ts';
import { compiledEngine } from '../../../src/engine/mapping/engine.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import { stockEngine } from '../../../src/engine/mapping/stock-engine.ts';
import { failureOf } from './failing.ts';
import { context } from './context.ts';

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
