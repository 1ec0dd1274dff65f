import type { Place } from '../../engine/failure.ts';
import type { Path } from './read.ts';

/** One place where what was seen is not what was expected; `undefined` means there is nothing. */
export interface CaseDifference {
  readonly path: string;
  readonly expected: unknown;
  readonly seen: unknown;
}

/** What `--accept` would write: a value at a path of the case (undefined: nothing there), or a file beside it. */
export type Correction =
  | { readonly kind: 'value'; readonly path: Path; readonly value: unknown }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Buffer };

export interface CaseProblem {
  readonly place: Place;
  readonly message: string;
  readonly differences: readonly CaseDifference[];
  /** None where only a person can say what is right. */
  readonly corrections: readonly Correction[];
}

/** What of the profile the case came by: for coverage. Rules and rows by `file:line:column`. */
interface Touched {
  readonly steps: readonly string[];
  readonly rules: readonly string[];
  readonly rows: readonly string[];
}

export interface CaseReport {
  readonly case: string;
  readonly carrier: string;
  readonly place: Place;
  readonly passed: boolean;
  readonly problems: readonly CaseProblem[];
  readonly touched: Touched;
}

/** Collects problems while a case runs; the same one twice counts once. */
export interface Problems {
  add(place: Place, message: string, more?: Partial<Pick<CaseProblem, 'differences' | 'corrections'>>): void;
  list(): readonly CaseProblem[];
}

const PROBLEMS_MAX = 100;

export const collectProblems = (): Problems => {
  const problems: CaseProblem[] = [];
  return {
    add: (place, message, { differences = [], corrections = [] } = {}) => {
      if (problems.length < PROBLEMS_MAX) problems.push({ place, message, differences, corrections });
    },
    list: () => problems,
  };
};

/** Ends a case in the middle: what follows would only repeat the problem that was noted. */
export class CaseEnded extends Error {
  override readonly name = 'CaseEnded';
}
