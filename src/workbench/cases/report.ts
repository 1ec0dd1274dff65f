import type { Finding } from '../../engine/profile/finding.ts';
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

export interface Compared {
  readonly differences: readonly CaseDifference[];
  /** None where only a person can say what is right. */
  readonly corrections: readonly Correction[];
}

export interface CaseProblem extends Compared {
  readonly place: Place;
  readonly message: string;
}

export interface CaseReport {
  readonly case: string;
  readonly carrier: string;
  readonly place: Place;
  readonly passed: boolean;
  readonly problems: readonly CaseProblem[];
  /** What of the profile the case came by: for coverage. Rules and rows by `file:line:column`. */
  readonly touched: {
    readonly steps: readonly string[];
    readonly rules: readonly string[];
    readonly rows: readonly string[];
  };
}

/** What became of a scenario of the platform's own pack, for one carrier. */
export interface ScenarioReport {
  readonly carrier: string;
  /** Stable, as `timeout-after-send`. */
  readonly scenario: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'pending';
  /** Of a pending one: what it waits for. */
  readonly reason: string | undefined;
  readonly problems: readonly CaseProblem[];
}

/** Collects what is wrong while a case runs, up to a limit. */
export interface Problems {
  add(place: Place, message: string, compared?: Partial<Compared>): void;
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

/** Of a case that cannot be read. */
export const unreadableReport = (carrier: string, name: string, findings: readonly Finding[]): CaseReport => ({
  case: name,
  carrier,
  place: { file: `fixtures/${carrier}/${name}`, line: 1, column: 1 },
  passed: false,
  problems: findings.map(({ place, message, help }) => ({
    place,
    message: help === undefined ? message : `${message} (${help})`,
    differences: [],
    corrections: [],
  })),
  touched: { steps: [], rules: [], rows: [] },
});
