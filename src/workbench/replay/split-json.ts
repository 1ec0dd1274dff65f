/** Cuts JSON that may be far larger than memory into the values that matter, each with its line. */

export interface JsonPart {
  /** undefined: it is larger than the limit, or the text ends in the middle of it. */
  readonly text: string | undefined;
  /** Where it begins; counts from 1. */
  readonly line: number;
  readonly why?: string;
}

interface SplitOptions {
  readonly maxChars: number;
  /** Take the elements of the list under this key, wherever it stands first; else those of a list at the top. */
  readonly under?: string;
}

/**
 * The elements of the list at the top (or under a key), or the whole value where that is no list. Only one element is
 * held at a time. That the parts are JSON is the reader's to find out.
 */
export async function* splitJson(chunks: AsyncIterable<string>, options: SplitOptions): AsyncGenerator<JsonPart> {
  const scanner = new Scanner(options);
  for await (const chunk of chunks) yield* scanner.take(chunk);
  yield* scanner.end();
}

class Scanner {
  readonly #max: number;
  readonly #under: string | undefined;
  /** Seeking the list, inside it, in a whole value, or behind what matters. */
  #mode: 'start' | 'seek' | 'list' | 'whole' | 'done' = 'start';
  #line = 1;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** The text last read while seeking, and whether a colon followed it. */
  #key = '';
  #named = false;
  #held = '';
  #heldLine = 1;
  #tooLarge = false;

  constructor({ maxChars, under }: SplitOptions) {
    this.#max = maxChars;
    this.#under = under;
  }

  *take(chunk: string): Generator<JsonPart> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (code === NEWLINE) this.#line += 1;
      if (this.#mode === 'done') return;
      if (this.#mode === 'start') {
        if (isSpace(code) || code === BOM) continue;
        const isWhole = this.#under === undefined && code !== OPEN_LIST;
        this.#mode = isWhole ? 'whole' : this.#under === undefined ? 'list' : 'seek';
        this.#heldLine = this.#line;
        from = isWhole ? at : at + 1;
        continue;
      }
      if (this.#mode === 'seek') {
        if (this.#seek(code, chunk.charAt(at))) from = at + 1;
      } else if (this.#mode === 'list') {
        if (this.#endsElement(code)) {
          yield* this.#give(chunk.slice(from, at));
          from = at + 1;
          if (code === CLOSE_LIST) this.#mode = 'done';
        } else if (this.#held === '' && from === at && isSpace(code)) {
          from = at + 1;
          this.#heldLine = this.#line;
        }
      }
    }
    if (this.#mode === 'list' || this.#mode === 'whole') this.#hold(chunk.slice(from));
  }

  *end(): Generator<JsonPart> {
    if (this.#mode === 'whole') yield* this.#give('');
    else if (this.#mode === 'list') yield { text: undefined, line: this.#heldLine, why: 'the text ends in the middle' };
    else if (this.#mode === 'seek') yield { text: undefined, line: 1, why: `there is no list "${this.#under}"` };
  }

  /** True when the list begins behind this character. */
  #seek(code: number, character: string): boolean {
    if (this.#inText) {
      if (this.#ends(code)) this.#inText = false;
      else if (this.#key.length < 100) this.#key += character;
      return false;
    }
    if (code === QUOTE) {
      this.#inText = true;
      this.#key = '';
      this.#named = false;
    } else if (code === COLON) this.#named = true;
    else if (code === OPEN_LIST && this.#named && this.#key === this.#under) {
      this.#mode = 'list';
      this.#depth = 0;
      this.#heldLine = this.#line;
      return true;
    } else if (!isSpace(code)) this.#named = false;
    return false;
  }

  /** Whether the element ends before this character. */
  #endsElement(code: number): boolean {
    if (this.#inText) {
      if (this.#ends(code)) this.#inText = false;
      return false;
    }
    if (code === QUOTE) this.#inText = true;
    else if (code === OPEN_LIST || code === OPEN_MAP) this.#depth += 1;
    else if (code === CLOSE_LIST && this.#depth === 0) return true;
    else if (code === CLOSE_LIST || code === CLOSE_MAP) this.#depth -= 1;
    else if (code === COMMA) return this.#depth === 0;
    return false;
  }

  /** Whether a text ends with this character. */
  #ends(code: number): boolean {
    if (this.#escaped) {
      this.#escaped = false;
      return false;
    }
    if (code === BACKSLASH) this.#escaped = true;
    return code === QUOTE;
  }

  #hold(text: string): void {
    if (this.#tooLarge) return;
    if (this.#held.length + text.length > this.#max) {
      this.#tooLarge = true;
      this.#held = '';
    } else this.#held += text;
  }

  *#give(rest: string): Generator<JsonPart> {
    this.#hold(rest);
    const text = this.#held.trim();
    const line = this.#heldLine;
    if (this.#tooLarge) yield { text: undefined, line, why: `larger than ${this.#max} characters` };
    else if (text !== '') yield { text, line };
    this.#held = '';
    this.#tooLarge = false;
    this.#heldLine = this.#line;
  }
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;
const BOM = 0xfeff;
const isSpace = (code: number): boolean => code === 0x20 || code === NEWLINE || code === 0x0d || code === 0x09;

/** The lines of a text that may be far larger than memory; blank ones are left out. */
export async function* splitLines(chunks: AsyncIterable<string>, maxChars: number): AsyncGenerator<JsonPart> {
  let line = 1;
  let held = '';
  let tooLarge = false;
  const hold = (text: string): void => {
    if (tooLarge || held.length + text.length > maxChars) {
      tooLarge = true;
      held = '';
    } else held += text;
  };
  const give = function* (): Generator<JsonPart> {
    const text = held.replace(/^\uFEFF/, '').trim();
    if (tooLarge) yield { text: undefined, line, why: `larger than ${maxChars} characters` };
    else if (text !== '') yield { text, line };
    held = '';
    tooLarge = false;
    line += 1;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      hold(chunk.slice(from, at));
      yield* give();
      from = at + 1;
    }
    hold(chunk.slice(from));
  }
  yield* give();
}
