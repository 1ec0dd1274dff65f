import { describe, expect, it } from 'vitest';
import { evaluateOurs, evaluateStock, judgeWithTrial } from './compare.ts';
import regressions from './regressions.json' with { type: 'json' };

describe('what once differed from the stock evaluator', () => {
  it.each(regressions)('$was: $source', async ({ source, input, stockChanges }) => {
    const stock = await evaluateStock({ source, input });
    expect(['value', 'undefined', 'error']).toContain(stock.kind);
    // Where it changes what it reads, it is judged as if it did not.
    const verdict = stockChanges === true ? 'stock changed a value' : 'equal';
    expect(await judgeWithTrial({ source, input }, stock, evaluateOurs({ source, input }))).toBe(verdict);
  });
});
