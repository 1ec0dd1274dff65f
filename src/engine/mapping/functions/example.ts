import type { EvaluationContext } from '../mapping.ts';

/** The profile and the moment that the examples of the documentation are evaluated in. */
export const EXAMPLE_SURROUNDINGS: EvaluationContext = {
  tables: { docFormat: { ZPL: 'ZPL2' }, zone: { DE: 'domestic', '*': 'abroad' } },
  time: { zone: 'Europe/Berlin', formats: ['M/d/yyyy h:mm:ss a'] },
  nowMs: Date.UTC(2026, 2, 2, 12),
  drawn: ({ kind }) => (kind === 'uuid' ? '7f0c3e0a-2c57-4d8e-9f3b-1a6f0d9b2c44' : '42'),
};
