/** What benchmarks that a person waits for have in common. */
import { InvalidArgumentError } from 'commander';

export const number = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
};

/** Prints p50 and p95, and yields whether p95 is beyond the limit. */
export const printTimes = (what: string, tookMs: readonly number[], limitMs = Infinity): boolean => {
  const sorted = tookMs.toSorted((one, other) => one - other);
  const quantile = (part: number): number => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0);
  const p95 = quantile(0.95);
  const isBeyond = p95 > limitMs;
  console.log(`${what.padEnd(30)} p50 ${quantile(0.5)} ms, p95 ${p95} ms${isBeyond ? `, more than ${limitMs}` : ''}`);
  return isBeyond;
};
