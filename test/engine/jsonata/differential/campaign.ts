import { evaluateOurs, evaluateStock, judgeWithTrial, type FuzzCase, type Outcome } from './compare.ts';
import { randomDocument } from './documents.ts';
import { ExpressionWriter } from './expressions.ts';
import { Random } from '../../../support/random.ts';

interface Difference extends FuzzCase {
  readonly stock: Outcome;
  readonly ours: Outcome;
}

export interface CampaignReport {
  readonly cases: number;
  readonly unique: number;
  readonly undefinedRate: number;
  readonly errorRate: number;
  /** The stock evaluator failed with an error of JavaScript's own. */
  readonly stockCrashes: number;
  /** It differs, and does not when it is kept from changing a value that it was given or holds. */
  readonly stockChanges: number;
  /** Both fail, with errors of different classes, where siblings are evaluated side by side. */
  readonly otherErrorFirst: number;
  readonly differences: readonly Difference[];
}

/** An endless stream of cases, the same for the same seed. */
export function* fuzzCases(seed: number): Generator<FuzzCase> {
  const random = new Random(seed);
  const writer = new ExpressionWriter(random);
  for (;;) yield { source: writer.write(2 + random.below(4)), input: randomDocument(random) };
}

/** Compares our engine with the stock evaluator. */
export const runCampaign = async (seed: number, cases: number): Promise<CampaignReport> => {
  const sources = new Set<string>();
  const differences: Difference[] = [];
  let [missing, errors, stockCrashes, stockChanges, otherErrorFirst, count] = [0, 0, 0, 0, 0, 0];
  for (const one of fuzzCases(seed)) {
    if (count >= cases) break;
    count += 1;
    sources.add(one.source);
    const stock = await evaluateStock(one);
    const ours = evaluateOurs(one);
    if (stock.kind === 'undefined') missing += 1;
    if (stock.kind === 'error') errors += 1;
    const verdict = await judgeWithTrial(one, stock, ours);
    if (verdict === 'stock crashed') stockCrashes += 1;
    if (verdict === 'stock changed a value') stockChanges += 1;
    if (verdict === 'order') otherErrorFirst += 1;
    if (verdict === 'different') differences.push({ ...one, stock, ours });
  }
  return {
    cases: count,
    unique: sources.size,
    undefinedRate: missing / count,
    errorRate: errors / count,
    stockCrashes,
    stockChanges,
    otherErrorFirst,
    differences: differences.toSorted((a, b) => a.source.length - b.source.length),
  };
};
