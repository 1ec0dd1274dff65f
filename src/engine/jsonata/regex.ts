import { RE2JS } from 're2js';
import { ExpressionFailure, locate } from './failure.ts';
import { makeFunction, type FunctionValue } from './function-value.ts';
import { spellOutClasses, waysThrough, worstSteps, type Ways } from './regex-cost.ts';
import { defaultLimits, type Limits, type Run } from './run.ts';

export interface RegexMatch {
  readonly match: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** What a search may cost, and whoever counts it. */
interface Budget {
  readonly limits: Pick<Limits, 'regex'>;
  work(amount: number): void;
}

/** Of a single search. */
export const UNCOUNTED: Budget = { limits: defaultLimits, work: () => undefined };

/** A pattern written out to more steps than that costs too much before it has matched anything. */
const SIZE_MAX = 20_000;
/** Steps of the linear engine, each of which takes as long as many of the other's. */
const LINEAR_STEPS = 400_000;
/** Without a choice the steps are no more than what is read, and taken faster. */
const WITHOUT_CHOICE = 8;
/** A pattern that only backtracking can do must be safe on texts of that length at least. */
const SHORT = 20;

/**
 * A pattern of a profile, which cannot explode: it runs on JavaScript's engine where the steps that could take are
 * bounded for the text at hand, else on a linear one. What neither can do (a look-around or back reference on a long
 * text, a pattern that is itself too large) is the error `W0004`.
 */
export class GuardedRegex {
  readonly source: string;
  readonly #flags: string;
  readonly #ways: Ways;
  readonly #native: RegExp;
  #linear: RE2JS | undefined;

  /** Throws a `SyntaxError` for what is no pattern. */
  constructor(source: string, flags: string) {
    this.source = source;
    this.#flags = flags.includes('g') ? flags : `${flags}g`;
    this.#native = new RegExp(source, this.#flags);
    this.#ways = waysThrough(source, flags);
  }

  /** False: neither engine can run it on any but the shortest of texts. */
  get isSafe(): boolean {
    if (this.#isBounded(SHORT, defaultLimits.regex)) return true;
    try {
      this.#compileLinear();
      return true;
    } catch (thrown) {
      if (thrown instanceof ExpressionFailure) return false;
      throw thrown;
    }
  }

  /** Whether it matches anywhere in the text. */
  test(text: string): boolean {
    return this.exec(UNCOUNTED, text, 0) !== undefined;
  }

  /** The first match at or after that offset. */
  exec(budget: Budget, text: string, from: number): RegexMatch | undefined {
    if (!this.#isBounded(text.length, budget.limits.regex)) return this.#execLinear(budget, text, from);
    budget.work(text.length + 10);
    this.#native.lastIndex = from;
    const found = this.#native.exec(text);
    if (found === null) return undefined;
    return { match: found[0], start: found.index, end: found.index + found[0].length, groups: found.slice(1) };
  }

  #isBounded(textLength: number, limit: number): boolean {
    const { degree, factor, size } = this.#ways;
    const most = degree === 0 && factor === 1 ? limit * WITHOUT_CHOICE : limit;
    return size <= SIZE_MAX && worstSteps(this.#ways, textLength) <= most;
  }

  #execLinear(budget: Budget, text: string, from: number): RegexMatch | undefined {
    const linear = this.#compileLinear();
    // Each of its threads carries what the groups hold.
    const steps = this.#ways.size * (1 + linear.groupCount() / 8) * (text.length - from);
    if (steps > LINEAR_STEPS) throw this.#tooCostly();
    budget.work(text.length * 10);
    const matcher = linear.matcher(text);
    if (from > text.length || !matcher.find(from)) return undefined;
    const groups: (string | undefined)[] = [];
    for (let index = 1; index <= matcher.groupCount(); index += 1) groups.push(matcher.group(index) ?? undefined);
    return { match: matcher.group() ?? '', start: matcher.start(), end: matcher.end(), groups };
  }

  #compileLinear(): RE2JS {
    // It would take a named back reference for letters.
    if (this.#ways.size > SIZE_MAX || this.source.includes('\\k')) throw this.#tooCostly();
    let flags = 0;
    if (this.#flags.includes('i')) flags += RE2JS.CASE_INSENSITIVE;
    if (this.#flags.includes('m')) flags += RE2JS.MULTILINE;
    try {
      this.#linear ??= RE2JS.compile(RE2JS.translateRegExp(spellOutClasses(this.source)), flags);
      return this.#linear;
    } catch (cause) {
      throw this.#tooCostly(cause);
    }
  }

  #tooCostly(cause?: unknown): ExpressionFailure {
    return new ExpressionFailure('W0004', { value: this.source, cause });
  }
}

/** A regular expression as a function value: of a text and an offset, giving a match that knows the next one. */
export const regexFunction = (regex: GuardedRegex, at: number): FunctionValue => {
  const find = (run: Run, text: string, from: number): unknown => {
    const found = regex.exec(run, text, from);
    if (found === undefined) return undefined;
    const next = makeFunction(
      (inner) => {
        if (found.end >= text.length) return undefined;
        const following = regex.exec(inner, text, found.end);
        if (following === undefined) return undefined;
        if (following.match === '') throw new ExpressionFailure('D1004', { position: at, value: regex.source });
        return find(inner, text, found.end);
      },
      { arity: 0 },
    );
    return { ...found, next };
  };
  return makeFunction(
    (run, args) => {
      try {
        return find(run, String(args[0]), typeof args[1] === 'number' ? args[1] : 0);
      } catch (thrown) {
        throw locate(thrown, at);
      }
    },
    { arity: 2 },
  );
};
