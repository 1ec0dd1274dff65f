import type { SequenceOptions } from './ports.ts';

/** One value of a sequence as text, and what comes after it: from `min` (1) to `max`, then from `min` again. */
export const nextInSequence = (
  current: number | undefined,
  { min = 1, max = Number.MAX_SAFE_INTEGER, pad = 0 }: SequenceOptions,
): { readonly value: string; readonly next: number } => {
  const taken = current === undefined || current < min || current > max ? min : current;
  return { value: String(taken).padStart(pad, '0'), next: taken >= max ? min : taken + 1 };
};
