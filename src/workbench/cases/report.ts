import { type Place, withHelp } from '../../engine/failure.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import type { ValuePath } from '../../engine/value.ts';
import type { CaseDifference } from './compare-values.ts';
import type { ValueCorrection } from './correct-yaml.ts';

/** What `--accept` would write: a value at a path of the case, or a file beside it. */
export type Correction = ValueCorrection | { readonly file: string; readonly bytes: Buffer };

export interface Compared {
  readonly differences: readonly CaseDifference[];
  /** None where only a person can say what is right. */
  readonly corrections: readonly Correction[];
}

/** Collects what differs, and how the case would say it. */
export class Comparison implements Compared {
  readonly differences: CaseDifference[] = [];
  readonly corrections: Correction[] = [];

  /** `at`: where in the case `value` would stand instead. */
  differ(path: string, expected: unknown, seen: unknown, at: ValuePath, value = seen): this {
    this.differences.push({ path, expected, seen });
    this.corrections.push({ path: at, value });
    return this;
  }
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

/** What a scenario was shown by: a case of the carrier (undefined: the pack's own), and what was changed of it. */
export interface Used {
  readonly case: string | undefined;
  readonly service: string | undefined;
  readonly environment: string;
  readonly change: Readonly<Record<string, unknown>>;
  /** What the requests say without the change, and no longer with it. */
  lost?: readonly string[];
}

/** What became of a scenario of the platform's own pack, for one carrier. */
export interface ScenarioReport {
  readonly carrier: string;
  /** Stable, as `timeout-after-send`. */
  readonly scenario: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'pending';
  /** Of a pending one: what it waits for, or why it is waived. */
  readonly reason: string | undefined;
  /** The creates that it compared. */
  readonly used: readonly Used[];
  readonly problems: readonly CaseProblem[];
}

/** A problem that no comparison found. */
export const problemOf = (said: Pick<CaseProblem, 'place' | 'message'>): CaseProblem => ({
  ...said,
  differences: [],
  corrections: [],
});

const PROBLEMS_MAX = 100;

/** Collects what is wrong while a case runs, up to a limit. */
export const collectProblems = (placeAt: (path: ValuePath) => Place) => {
  const problems: CaseProblem[] = [];
  return {
    /** `path`: where in the case, unless `place` says where else. */
    add: (path: ValuePath, message: string, more: Partial<Compared & { readonly place: Place | undefined }> = {}) => {
      const { place = placeAt(path), ...compared } = more;
      if (problems.length < PROBLEMS_MAX) problems.push({ ...problemOf({ place, message }), ...compared });
    },
    list: (): readonly CaseProblem[] => problems,
  };
};
export type Problems = ReturnType<typeof collectProblems>;

/** Ends a case in the middle: what follows would only repeat the problem that was noted. */
export class CaseEnded extends Error {
  override readonly name = 'CaseEnded';
}

/**
 * `waived: return - a depot's van takes it`, in a comment of a profile or mapping: by name, why it is not looked at.
 * Several in one comment stand in lines of their own, or behind a semicolon.
 */
export const waiversIn = (word: 'unread' | 'waived', texts: readonly string[]) => {
  const waiver = new RegExp(
    `(?:#|/\\*|;|^)\\s*${word}:\\s*([\\w., -]+?)\\s+-\\s+([^\\n*]+?)\\s*(?=\\*|$|;\\s*${word}:)`,
    'gm',
  );
  return texts.flatMap((text) =>
    [...text.matchAll(waiver)].flatMap(([, names = '', reason = '']) =>
      names.split(',').map((name) => ({ name: name.trim(), reason })),
    ),
  );
};

/** Of a case that cannot be read. */
export const unreadableReport = (carrier: string, name: string, findings: readonly Finding[]): CaseReport => ({
  case: name,
  carrier,
  place: { file: `fixtures/${carrier}/${name}`, line: 1, column: 1 },
  passed: false,
  problems: findings.map((finding) => problemOf({ place: finding.place, message: withHelp(finding) })),
  touched: { steps: [], rules: [], rows: [] },
});
