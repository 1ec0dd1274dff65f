const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** By the nearest rank; NaN of nothing. */
export const percentile = (values: readonly number[], percent: number): number =>
  sorted(values)[Math.max(0, Math.ceil((percent / 100) * values.length) - 1)] ?? Number.NaN;

export const median = (values: readonly number[]): number => percentile(values, 50);
