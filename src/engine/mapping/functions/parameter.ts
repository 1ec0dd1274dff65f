import { isMap } from '../../value.ts';
import { textOfScalar } from '../../text.ts';

export interface Parameter<T> {
  readonly name: string;
  /** For messages: `a text`, `a whole number from 0`. */
  readonly words: string;
  readonly optional: boolean;
  /** Takes so many arguments from here on, as they are; 0 for a parameter of its own. */
  readonly rest: number;
  /** Null is a value here, not a missing argument. */
  readonly takesNull: boolean;
  /** The value as the function wants it, or undefined when it is none. */
  take(value: unknown): T | undefined;
}

const parameter = <T>(name: string, words: string, take: (value: unknown) => T | undefined): Parameter<T> => ({
  name,
  words,
  optional: false,
  rest: 0,
  takesNull: false,
  take,
});

/** Carriers write codes and times as numbers too, so numbers and booleans are texts here. */
export const text = (name: string, words = 'a text'): Parameter<string> => parameter(name, words, textOfScalar);

export const number = (name: string): Parameter<number> =>
  parameter(name, 'a number', (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined));

export const wholeNumber = (name: string, from: number, to: number): Parameter<number> =>
  parameter(name, `a whole number from ${from} to ${to}`, (value) =>
    Number.isInteger(value) && (value as number) >= from && (value as number) <= to ? (value as number) : undefined,
  );

/** One of some words, in any case; the function sees them as listed. */
export const oneOf = <const W extends string>(name: string, words: readonly W[]): Parameter<W> => {
  const byWord = new Map<string, W>();
  for (const word of words.toReversed()) byWord.set(word.toLowerCase(), word).set(word, word);
  return parameter(name, `one of ${words.join(', ')}`, (value) =>
    typeof value === 'string' ? (byWord.get(value) ?? byWord.get(value.toLowerCase())) : undefined,
  );
};

/** A text or a list of texts; what is missing, null or empty in the list does not count. */
export const texts = (name: string): Parameter<readonly string[]> =>
  parameter(name, 'a text or a list of texts', (value) => {
    const found: string[] = [];
    for (const element of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (element === undefined || element === null || element === '') continue;
      const one = textOfScalar(element);
      if (one === undefined) return undefined;
      found.push(one);
    }
    return found;
  });

export const map = (name: string, words: string): Parameter<Readonly<Record<string, unknown>>> =>
  parameter(name, words, (value) => (isMap(value) ? value : undefined));

export const data = (name: string): Parameter<string | Uint8Array> =>
  parameter(name, 'a text or bytes', (value) => (value instanceof Uint8Array ? value : textOfScalar(value)));

export const anything = (name: string): Parameter<unknown> => ({
  ...parameter(name, 'a value', (value) => value),
  takesNull: true,
});

export const optional = <T>(inner: Parameter<T>): Parameter<T | undefined> => ({ ...inner, optional: true });

/** As many arguments as there are, but no more than so many. */
export const rest = (name: string, most = Infinity): Parameter<readonly unknown[]> => ({
  ...parameter(name, 'any values', (value) => [value]),
  optional: true,
  rest: most,
});
