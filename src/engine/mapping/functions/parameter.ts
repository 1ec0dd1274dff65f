import { isMap } from '../../value.ts';
import { textOfScalar } from '../../text.ts';

/** What an argument may be. */
export interface Parameter<T> {
  /** For messages: `a text`, `a whole number from 0`. */
  readonly words: string;
  readonly optional: boolean;
  /** Takes this and all further arguments, unread. */
  readonly rest: boolean;
  /** Null is a value here, not a missing argument. */
  readonly takesNull: boolean;
  /** The value as the function wants it, or undefined when it is none. */
  take(value: unknown): T | undefined;
}

const parameter = <T>(words: string, take: (value: unknown) => T | undefined): Parameter<T> => ({
  words,
  optional: false,
  rest: false,
  takesNull: false,
  take,
});

/** Carriers write codes and times as numbers too, so numbers and booleans are texts here. */
export const text = (words = 'a text'): Parameter<string> => parameter(words, textOfScalar);

export const number = (): Parameter<number> =>
  parameter('a number', (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined));

export const wholeNumber = (from: number, to: number): Parameter<number> =>
  parameter(`a whole number from ${from} to ${to}`, (value) =>
    Number.isInteger(value) && (value as number) >= from && (value as number) <= to ? (value as number) : undefined,
  );

/** One of some words, in any case; the function sees them as listed. */
export const oneOf = <const W extends string>(words: readonly W[]): Parameter<W> => {
  const byWord = new Map<string, W>();
  for (const word of words.toReversed()) byWord.set(word.toLowerCase(), word).set(word, word);
  return parameter(`one of ${words.join(', ')}`, (value) =>
    typeof value === 'string' ? (byWord.get(value) ?? byWord.get(value.toLowerCase())) : undefined,
  );
};

/** A text or a list of texts; what is missing, null or empty in the list does not count. */
export const texts = (): Parameter<readonly string[]> =>
  parameter('a text or a list of texts', (value) => {
    const found: string[] = [];
    for (const element of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (element === undefined || element === null || element === '') continue;
      const one = textOfScalar(element);
      if (one === undefined) return undefined;
      found.push(one);
    }
    return found;
  });

export const map = (words = 'a map'): Parameter<Readonly<Record<string, unknown>>> =>
  parameter(words, (value) => (isMap(value) ? value : undefined));

/** Text or bytes. */
export const data = (): Parameter<string | Uint8Array> =>
  parameter('a text or bytes', (value) => (value instanceof Uint8Array ? value : textOfScalar(value)));

export const anything = (): Parameter<unknown> => ({ ...parameter('a value', (value) => value), takesNull: true });

export const optional = <T>(inner: Parameter<T>): Parameter<T | undefined> => ({ ...inner, optional: true });

export const rest = (): Parameter<readonly unknown[]> => ({
  ...parameter('any values', (value) => [value]),
  optional: true,
  rest: true,
});
