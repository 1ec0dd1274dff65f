/**
 * How many ways a backtracking engine may have to go through a pattern on a text of length n: at most
 * `factor * n ** degree`, infinite where a repetition holds something that itself matches in several ways. `size`: the
 * steps of one way, with what is repeated a fixed number of times written out.
 */
export interface Ways {
  readonly factor: number;
  readonly degree: number;
  readonly size: number;
}

const NOTHING: Ways = { factor: 1, degree: 0, size: 0 };
const ONE: Ways = { ...NOTHING, size: 1 };
const UNBOUNDED: Ways = { factor: Infinity, degree: 0, size: 1 };

const both = (a: Ways, b: Ways): Ways => ({
  factor: a.factor * b.factor,
  degree: a.degree + b.degree,
  size: a.size + b.size,
});

const either = (a: Ways, b: Ways): Ways => ({
  factor: a.factor + b.factor,
  degree: Math.max(a.degree, b.degree),
  size: a.size + b.size + 1,
});

const isSingle = (ways: Ways): boolean => ways.factor === 1 && ways.degree === 0;

/** A single thing that may come so many times more or less goes as one without end: its ways are those of the text. */
const WIDE = 32;

const repeated = (ways: Ways, least: number, most: number): Ways => {
  if (most === Infinity || (isSingle(ways) && most - least > WIDE)) {
    return { ...(isSingle(ways) ? { factor: 1, degree: 1 } : UNBOUNDED), size: ways.size * (least + 1) };
  }
  return {
    factor: (most - least + 1) * ways.factor ** most,
    degree: ways.degree * most,
    size: ways.size * Math.max(1, most),
  };
};

const GROUP = /\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:)/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y;
/** What goes on after the letter of an escape. */
const BRACED = /\{[^}]*\}/y;
const DEPTH_MAX = 100;

/** Reads a valid pattern of JavaScript's (without the flag v) only as far as the ways through it go. */
class PatternReader {
  readonly #pattern: string;
  readonly #isUnicode: boolean;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#isUnicode = flags.includes('u');
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
    let ways = NOTHING;
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== '|' && this.#pattern[this.#at] !== ')') {
      // A quantifier of nothing: whatever this is, it was not understood.
      ways = both(ways, this.#take(QUANTIFIER) === null ? this.#quantified(this.#atom()) : UNBOUNDED);
    }
    return ways;
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#pattern);
    this.#at += found?.[0].length ?? 0;
    return found;
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
      return ONE;
    }
    return character === '(' ? this.#group() : ONE;
  }

  #group(): Ways {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) {
      this.#at = this.#pattern.length;
      return UNBOUNDED;
    }
    this.#take(GROUP);
    const inner = both(ONE, this.alternatives());
    this.#at += 1;
    this.#depth -= 1;
    return inner;
  }

  #escape(): Ways {
    const character = this.#pattern[this.#at] ?? '';
    this.#at += 1;
    if (this.#isUnicode && /[pPu]/.test(character)) this.#take(BRACED);
    // A back reference costs the length of what it repeats.
    return /[1-9k]/.test(character) ? { ...ONE, degree: 1 } : ONE;
  }

  #quantified(ways: Ways): Ways {
    const quantifier = this.#take(QUANTIFIER);
    if (quantifier === null) return ways;
    const sign = quantifier[0][0];
    if (sign === '?') return repeated(ways, 0, 1);
    if (sign !== '{') return repeated(ways, sign === '+' ? 1 : 0, Infinity);
    const least = Number(quantifier[1]);
    if (quantifier[2] === undefined) return repeated(ways, least, least);
    return repeated(ways, least, quantifier[3] === '' ? Infinity : Number(quantifier[3]));
  }
}

/** The ways through a valid pattern. */
export const waysThrough = (pattern: string, flags = ''): Ways => new PatternReader(pattern, flags).alternatives();

/** Steps that backtracking may take on a text of that length, from every start; an upper bound. */
export const worstSteps = ({ factor, degree, size }: Ways, textLength: number): number =>
  size * factor * (textLength + 1) ** (degree + 1);

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
