import { RE2JS } from 're2js';
import { ExpressionFailure, locate } from './failure.ts';
import { makeFunction, type FunctionValue } from './function-value.ts';
import { spellOutClasses, waysThrough, worstSteps, type Ways } from './regex-cost.ts';
import type { Run } from './run.ts';

export interface Match {
  readonly match: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/**
 * A regular expression that cannot explode: it runs on JavaScript's engine where the steps that could take are bounded
 * for the text at hand, else on a linear one. What neither can do (a look-around or back reference on a long text) is
 * the error `W0004`.
 */
export class BoundedRegex {
  readonly source: string;
  readonly #flags: string;
  readonly #ways: Ways;
  readonly #native: RegExp;
  #linear: RE2JS | undefined;

  constructor(pattern: RegExp) {
    this.source = pattern.source;
    this.#flags = pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`;
    this.#ways = waysThrough(pattern.source);
    this.#native = new RegExp(pattern.source, this.#flags);
  }

  /** The first match at or after that offset. */
  exec(run: Run, text: string, from: number): Match | undefined {
    const steps = worstSteps(this.#ways, this.source.length, text.length);
    if (steps > run.limits.regex) return this.#execLinear(run, text, from);
    run.work(Math.min(steps, text.length + 10));
    this.#native.lastIndex = from;
    const found = this.#native.exec(text);
    if (found === null) return undefined;
    return { match: found[0], start: found.index, end: found.index + found[0].length, groups: found.slice(1) };
  }

  #execLinear(run: Run, text: string, from: number): Match | undefined {
    this.#linear ??= this.#compileLinear();
    run.work(text.length * 10);
    const matcher = this.#linear.matcher(text);
    if (from > text.length || !matcher.find(from)) return undefined;
    const groups: (string | undefined)[] = [];
    for (let index = 1; index <= matcher.groupCount(); index += 1) groups.push(matcher.group(index) ?? undefined);
    return { match: matcher.group() ?? '', start: matcher.start(), end: matcher.end(), groups };
  }

  #compileLinear(): RE2JS {
    let flags = 0;
    if (this.#flags.includes('i')) flags += RE2JS.CASE_INSENSITIVE;
    if (this.#flags.includes('m')) flags += RE2JS.MULTILINE;
    try {
      return RE2JS.compile(RE2JS.translateRegExp(spellOutClasses(this.source)), flags);
    } catch (cause) {
      throw new ExpressionFailure('W0004', { value: this.source, cause });
    }
  }
}

/** A regular expression as a function value: of a text and an offset, giving a match that knows the next one. */
export const regexFunction = (regex: BoundedRegex, at: number): FunctionValue => {
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
