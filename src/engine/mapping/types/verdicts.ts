/** Rules about what an expression names and yields. */
type TypeRule =
  | 'unknown-root'
  | 'root-inside-path'
  | 'secret-shown'
  | 'unknown-function'
  | 'wrong-arguments'
  | 'undeclared-field'
  | 'undeclared-memo'
  | 'unknown-table'
  | 'unknown-path'
  | 'unshown-path'
  | 'number-as-index'
  | 'impossible-comparison'
  | 'array-may-collapse'
  | 'unknown-output'
  | 'wrong-output'
  | 'missing-output';

/** A change of the text that mends a finding and can mean nothing else. */
export interface TextFix {
  /** In the text of the expression. */
  readonly offset: number;
  /** What stands there. */
  readonly old: string;
  readonly text: string;
}

export interface TypeFinding {
  readonly rule: TypeRule;
  readonly message: string;
  readonly help?: string | undefined;
  /** In the text of the expression. */
  readonly offset: number;
  readonly fix?: TextFix | undefined;
}

/**
 * What was found at each place. A place may be come by several times: a function is called with this and with that,
 * the parser doubles the left side of `??`. What holds one of these times is no fault.
 */
export class Verdicts {
  readonly #bad = new Map<string, TypeFinding>();
  readonly #good = new Set<string>();

  good(what: string, offset: number): void {
    this.#good.add(`${offset} ${what}`);
  }

  bad(what: string, finding: TypeFinding): void {
    const key = `${finding.offset} ${what}`;
    if (!this.#bad.has(key)) this.#bad.set(key, finding);
  }

  list(): readonly TypeFinding[] {
    const found = [...this.#bad].flatMap(([key, finding]) => (this.#good.has(key) ? [] : [finding]));
    return found.toSorted((one, other) => one.offset - other.offset);
  }
}
