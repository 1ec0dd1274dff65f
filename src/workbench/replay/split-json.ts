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

/** Holds the part that is being read, as far as it is allowed. */
class Part {
  readonly #max: number;
  #text = '';
  #isTooLarge = false;
  line = 1;

  constructor(maxChars: number) {
    this.#max = maxChars;
  }

  hold(text: string): void {
    if (this.#isTooLarge || this.#text.length + text.length > this.#max) {
      this.#isTooLarge = true;
      this.#text = '';
    } else this.#text += text;
  }

  get isEmpty(): boolean {
    return this.#text === '' && !this.#isTooLarge;
  }

  /** Nothing where there is nothing but spaces. */
  *give(nextLine: number): Generator<JsonPart> {
    const { line } = this;
    const text = this.#text.replace(/^\uFEFF/, '').trim();
    if (this.#isTooLarge) yield { text: undefined, line, why: `larger than ${this.#max} characters` };
    else if (text !== '') yield { text, line };
    this.#text = '';
    this.#isTooLarge = false;
    this.line = nextLine;
  }
}

/** The lines of a text that may be far larger than memory; blank ones are left out. */
export async function* splitLines(chunks: AsyncIterable<string>, maxChars: number): AsyncGenerator<JsonPart> {
  const part = new Part(maxChars);
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      part.hold(chunk.slice(from, at));
      yield* part.give(part.line + 1);
      from = at + 1;
    }
    part.hold(chunk.slice(from));
  }
  yield* part.give(part.line + 1);
}

/**
 * The elements of the list at the top (or under a key), or the whole value where that is no list. Only one element is
 * held at a time. That the parts are JSON is the reader's to find out: what is broken in one keeps no other back, which
 * is why no parser is at work here.
 */
export async function* splitJson(
  chunks: AsyncIterable<string>,
  { maxChars, under }: SplitOptions,
): AsyncGenerator<JsonPart> {
  const part = new Part(maxChars);
  let state: 'start' | 'seek' | 'list' | 'whole' | 'done' = 'start';
  let line = 1;
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  /** While seeking: the text last read, and whether a colon followed it. */
  let key = '';
  let isNamed = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length && state !== 'done'; at += 1) {
      const char = chunk.charAt(at);
      if (char === '\n') line += 1;
      if (state === 'whole') break;
      if (state === 'start') {
        if (isSpace(char) || char === '\uFEFF') continue;
        state = under !== undefined ? 'seek' : char === '[' ? 'list' : 'whole';
        part.line = line;
        from = state === 'whole' ? at : at + 1;
        continue;
      }
      if (isInText) {
        isInText = isEscaped || char !== '"';
        isEscaped = !isEscaped && char === '\\';
        if (state === 'seek' && isInText && key.length < KEY_MAX) key += char;
        continue;
      }
      if (char === '"') isInText = true;
      if (state === 'seek') {
        if (char === '[' && isNamed && key === under) {
          state = 'list';
          part.line = line;
        } else if (char === '"') key = '';
        if (!isSpace(char)) isNamed = char === ':';
        from = at + 1;
      } else if (depth === 0 && (char === ',' || char === ']')) {
        part.hold(chunk.slice(from, at));
        yield* part.give(line);
        from = at + 1;
        if (char === ']') state = 'done';
      } else if (char === '[' || char === '{') depth += 1;
      else if (char === ']' || char === '}') depth -= 1;
      else if (part.isEmpty && from === at && isSpace(char)) {
        from = at + 1;
        part.line = line;
      }
    }
    if (state === 'list' || state === 'whole') part.hold(chunk.slice(from));
  }
  if (state === 'whole') yield* part.give(line);
  else if (state === 'list') yield { text: undefined, line: part.line, why: 'the text ends in the middle' };
  else if (state === 'seek') yield { text: undefined, line: 1, why: `there is no list "${under}"` };
}

const KEY_MAX = 100;

const isSpace = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t';
