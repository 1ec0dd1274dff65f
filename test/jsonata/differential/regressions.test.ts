import { describe, expect, it } from 'vitest';
import { evaluateOurs, evaluateStock, judge } from './compare.ts';
import regressions from './regressions.json' with { type: 'json' };

describe('what once differed from the stock evaluator', () => {
  it.each(regressions)('$was: $source', async ({ source, input }) => {
    const stock = await evaluateStock(source, input);
    expect(['value', 'undefined', 'error']).toContain(stock.kind);
    const ours = [evaluateOurs(source, input, false), evaluateOurs(source, input, true)];
    expect(ours.map((outcome) => judge(source, stock, outcome))).toEqual(['equal', 'equal']);
  });
});
