import { findLost } from './accepted.ts';
import { findHung, findUnclean, findUntried } from './answers.ts';
import { findDoubled } from './effects.ts';
import type { Evidence } from './evidence.ts';
import { findUnfinished } from './finished.ts';
import { findMisused } from './secrets.ts';
import { findUntold } from './statuses.ts';

/** I1 to I5, that something was done, and that nobody was kept waiting or sent away without a word. */
const RULES: readonly ((evidence: Evidence) => readonly string[])[] = [
  findLost,
  findUnfinished,
  findDoubled,
  findUntold,
  findUntried,
  findMisused,
  findHung,
  findUnclean,
];

/** What of the promises does not hold. */
export const violationsOf = (evidence: Evidence): readonly string[] => RULES.flatMap((find) => find(evidence));
