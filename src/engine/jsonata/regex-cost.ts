/**
 * How many ways a backtracking engine may have to go through a pattern on a text of length n: at most
 * `factor * n ** degree`, infinite where a repetition holds something that itself matches in several ways.
 */
export interface Ways {
  readonly factor: number;
  readonly degree: number;
}

const one: Ways = { factor: 1, degree: 0 };
const unbounded: Ways = { factor: Infinity, degree: 0 };

const both = (a: Ways, b: Ways): Ways => ({ factor: a.factor * b.factor, degree: a.degree + b.degree });

const either = (a: Ways, b: Ways): Ways => ({ factor: a.factor + b.factor, degree: Math.max(a.degree, b.degree) });

const isSingle = (ways: Ways): boolean => ways.factor === 1 && ways.degree === 0;

const repeated = (ways: Ways, least: number, most: number): Ways => {
  if (most === Infinity) return isSingle(ways) ? { factor: 1, degree: 1 } : unbounded;
  return {
    factor: (most - least + 1) * Math.max(1, ways.factor) ** most,
    degree: ways.degree * most,
  };
};

/** Reads a pattern of JavaScript's (without the flags u and v) only as far as the ways through it go. */
class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): Ways {
    let ways = this.#sequence();
    while (this.#pattern[this.#at] === '|') {
      this.#at += 1;
      ways = either(ways, this.#sequence());
    }
    return ways;
  }

  #sequence(): Ways {
    let ways = one;
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== '|' && this.#pattern[this.#at] !== ')') {
      ways = both(ways, this.#quantified(this.#atom()));
    }
    return ways;
  }

  #atom(): Ways {
    const character = this.#pattern[this.#at];
    this.#at += 1;
    if (character === '\\') return this.#escape();
    if (character === '[') {
      while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ']') {
        this.#at += this.#pattern[this.#at] === '\\' ? 2 : 1;
      }
      this.#at += 1;
      return one;
    }
    if (character !== '(') return one;
    const special = /^\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:)/.exec(this.#pattern.slice(this.#at, this.#at + 200));
    this.#at += special?.[0].length ?? 0;
    const inner = this.alternatives();
    this.#at += 1;
    return inner;
  }

  #escape(): Ways {
    const character = this.#pattern[this.#at] ?? '';
    this.#at += 1;
    // A back reference costs the length of what it repeats.
    return /[1-9k]/.test(character) ? { factor: 1, degree: 1 } : one;
  }

  #quantified(ways: Ways): Ways {
    const quantifier = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(this.#pattern.slice(this.#at, this.#at + 40));
    if (quantifier === null) return ways;
    this.#at += quantifier[0].length;
    const sign = quantifier[0][0];
    if (sign === '?') return repeated(ways, 0, 1);
    if (sign !== '{') return repeated(ways, 0, Infinity);
    const least = Number(quantifier[1]);
    if (quantifier[2] === undefined) return repeated(ways, least, least);
    return repeated(ways, least, quantifier[3] === '' ? Infinity : Number(quantifier[3]));
  }
}

/** The ways through a valid pattern. */
export const waysThrough = (pattern: string): Ways => new PatternReader(pattern).alternatives();

/** Steps that backtracking may take on a text of that length, from every start; an upper bound. */
export const worstSteps = (ways: Ways, patternLength: number, textLength: number): number =>
  patternLength * ways.factor * (textLength + 1) ** (ways.degree + 1);

// JavaScript's idea of a space and of a line end, spelt out for an engine that has its own.
const space = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const lineEnd = '\\n\\r\\u2028\\u2029';

/** The same pattern with JavaScript's `\s`, `\S` and `.` as explicit classes. */
export const spellOutClasses = (pattern: string): string => {
  let inClass = false;
  let result = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (character === '\\') {
      const next = pattern[at + 1] ?? '';
      at += 1;
      if (next === 's') result += inClass ? space : `[${space}]`;
      else if (next === 'S' && !inClass) result += `[^${space}]`;
      else result += character + next;
    } else if (character === '.' && !inClass) {
      result += `[^${lineEnd}]`;
    } else {
      if (character === '[') inClass = true;
      else if (character === ']') inClass = false;
      result += character;
    }
  }
  return result;
};
