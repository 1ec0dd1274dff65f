import { describe, expect, it } from 'vitest';
import { runCampaign } from './campaign.ts';
import { evaluateOurs, evaluateStock, judgeWithTrial } from './compare.ts';
import regressions from './regressions.json' with { type: 'json' };

const cases = Number(process.env['JSONATA_FUZZ_CASES'] ?? 10_000);
const seed = Number(process.env['JSONATA_FUZZ_SEED'] ?? 20_260_501);

describe('random expressions on random documents', () => {
  it(
    `give what the stock evaluator gives, ${cases} times from seed ${seed}`,
    async () => {
      const { differences, ...figures } = await runCampaign(seed, cases);
      console.info(JSON.stringify({ seed, ...figures, differences: differences.length }));
      expect(differences.slice(0, 5)).toEqual([]);
      // A generator that repeats itself, or writes mostly nonsense, would prove little.
      expect(figures.unique / figures.cases).toBeGreaterThan(0.7);
      expect(figures.undefinedRate).toBeLessThan(0.5);
      expect(figures.errorRate).toBeLessThan(0.35);
      expect((figures.stockCrashes + figures.stockChanges) / figures.cases).toBeLessThan(0.02);
      expect(figures.otherErrorFirst / figures.cases).toBeLessThan(0.01);
    },
    30_000 + cases * 10,
  );
});

describe('what once differed from the stock evaluator', () => {
  it.each(regressions)('$was: $source', async ({ source, input, stockChanges }) => {
    const stock = await evaluateStock({ source, input });
    expect(['value', 'undefined', 'error']).toContain(stock.kind);
    // Where it changes what it reads, it is judged as if it did not.
    const verdict = stockChanges === true ? 'stock changed a value' : 'equal';
    expect(await judgeWithTrial({ source, input }, stock, evaluateOurs({ source, input }))).toBe(verdict);
  });
});
