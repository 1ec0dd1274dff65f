import type { EvaluationContext } from '../../../src/engine/mapping/mapping.ts';

/** EvaluationContext of an evaluation at noon UTC on 2 March 2026, a Monday, with nothing drawn. */
export const context = (change: Partial<EvaluationContext> = {}): EvaluationContext => ({
  tables: {},
  time: { zone: 'UTC', formats: ['iso'] },
  nowMs: Date.UTC(2026, 2, 2, 12),
  drawn: ({ kind, name }) => `${kind}:${name}`,
  ...change,
});
