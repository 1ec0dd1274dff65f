import { type ErrorDetail, ExpressionFailure } from '../../jsonata/failure.ts';
import type { Budget, CustomFunction } from '../../jsonata/signature.ts';
import type { EvaluationContext } from '../mapping.ts';
import { kindOf, isMap } from '../../value.ts';
import { textOfScalar } from '../../text.ts';

interface Parameter<T> {
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

/** What nearly all functions refuse. */
export const NO_TEXT = 'a list and a map';

export interface Example {
  readonly expression: string;
  readonly result: unknown;
  /** Roots that the expression sees. */
  readonly given?: Readonly<Record<string, unknown>>;
}

interface Kinds {
  readonly text: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly unknown: unknown;
}

/**
 * A function of the language, stated once: how it is called, what it does, how it is documented and tested. `call`
 * throws an `ExpressionFailure` whose place is the caller's to add.
 */
export interface MappingFunction extends CustomFunction<EvaluationContext> {
  /** As it is written: `$cut(text, max)`. */
  readonly usage: string;
  /** How many arguments a call has to have, and may have. */
  readonly takes: { readonly least: number; readonly most: number };
  /** One or more sentences for the author of a mapping. */
  readonly doc: string;
  readonly examples: readonly Example[];
  /** What it gives, where that is always of one kind. */
  readonly gives: keyof Kinds;
  /** What it cannot take. */
  readonly refuses?: string | undefined;
}

type Values<P extends readonly Parameter<unknown>[]> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

interface Definition<P extends readonly Parameter<unknown>[], G extends keyof Kinds> {
  readonly name: string;
  readonly doc: string;
  /** In the order of the call. The last may be `rest`. */
  readonly parameters: P;
  /** Called even when the first argument is missing; by default such a call gives nothing. */
  readonly evenIfMissing?: boolean;
  readonly gives?: G;
  readonly refuses?: string;
  readonly isLazy?: boolean;
  readonly examples: readonly [Example, ...Example[]];
  readonly call: (...values: [...Values<P>, context: EvaluationContext, budget: Budget]) => Kinds[G] | undefined;
}

export function define<const P extends readonly Parameter<unknown>[], const G extends keyof Kinds = 'unknown'>(
  definition: Definition<P, G>,
): MappingFunction {
  const { name, doc, examples, parameters, evenIfMissing = false, gives = 'unknown' as G } = definition;
  const { refuses, isLazy = false } = definition;
  const most = parameters.reduce((sum, { rest }) => sum + (rest || 1), 0);
  const call = definition.call as (...values: readonly unknown[]) => unknown;
  const readers = parameters.map((parameter, at) => readerOf(name, parameter, at));
  const [one, two, three, four] = readers as [Reader, Reader, Reader, Reader];
  return {
    name,
    usage: `$${name}(${parameters.map(usageOf).join(', ')})`,
    takes: { least: parameters.filter(({ optional }) => !optional).length, most },
    doc,
    examples,
    gives,
    refuses,
    isLazy,
    call(context, args, budget = { charge: () => undefined, plainValue: undefined }) {
      if (args.length > most)
        throw misuse(`$${name} takes ${most} arguments, but was given ${args.length}`, { argument: undefined });
      const isNothing = args.length > 0 && (args[0] === undefined || args[0] === null);
      if (isNothing && !evenIfMissing) return undefined;
      // Called by the dozen in every mapping: arguments written out cost half as much as a list of them.
      switch (readers.length) {
        case 1:
          return call(one(args), context, budget);
        case 2:
          return call(one(args), two(args), context, budget);
        case 3:
          return call(one(args), two(args), three(args), context, budget);
        default:
          return call(one(args), two(args), three(args), four(args), context, budget);
      }
    },
  };
}

/**
 * A function that tells whether another takes a value, its first argument: `given` makes of its own arguments those of
 * the other, for which the value is the argument `at`.
 */
export const predicate = (
  definition: Pick<Definition<readonly Parameter<unknown>[], 'boolean'>, 'name' | 'doc' | 'parameters' | 'examples'>,
  { call }: MappingFunction,
  given: (...args: readonly unknown[]) => readonly unknown[] = (...args) => args,
  at = 0,
): MappingFunction => ({
  ...define({ ...definition, gives: 'boolean', call: () => false }),
  call(context, args, budget) {
    if (args[0] === undefined || args[0] === null) return false;
    try {
      call(context, given(...args), budget);
      return true;
    } catch (thrown) {
      if (thrown instanceof ExpressionFailure && thrown.argument === at) return false;
      throw thrown;
    }
  },
});

const usageOf = ({ name, optional, rest }: Parameter<unknown>): string =>
  rest === Infinity ? `${name}…` : optional ? `${name}?` : name;

type Reader = (args: readonly unknown[]) => unknown;

function readerOf(functionName: string, parameter: Parameter<unknown>, at: number): Reader {
  const { name, take, optional, takesNull, rest, words } = parameter;
  if (rest > 0) return (args) => (at === 0 ? args : args.slice(at));
  return (args) => {
    const value = args[at];
    if (value === undefined || (value === null && !takesNull)) {
      if (optional) return undefined;
      throw misuse(`$${functionName} needs ${name}, ${words}, but it is missing`, {
        argument: at,
        said: 'it is missing',
      });
    }
    const taken = take(value);
    if (taken !== undefined) return taken;
    const given = kindOf(value);
    throw misuse(`$${functionName} needs ${words} as ${name}, but was given ${given}`, {
      argument: at,
      said: `it must be ${words}${words.includes(given.replace('string', 'text')) ? '' : `, not ${given}`}`,
    });
  };
}

/**
 * A call that cannot be carried out, for what its first argument is unless told otherwise. The message names what was
 * wrong, never a value that may be a secret.
 */
export const misuse = (message: string, detail: Partial<ErrorDetail> = {}): ExpressionFailure =>
  new ExpressionFailure('F0001', { message, said: message.replace(/^\$\w+:? /, ''), argument: 0, ...detail });
