import jsonata from 'jsonata';
import { ExpressionFailure } from './failure.ts';
import type { FunctionValue } from './function-value.ts';
import type { Run } from './run.ts';

/** A JSONata function signature such as `<s-n?:b>`. The result type is not checked. */
export interface Signature {
  readonly definition: string;
  readonly parameters: readonly Parameter[];
  readonly stock: StockSignature;
}

interface StockSignature {
  validate(args: readonly unknown[], context: unknown): unknown[];
}

const ACCEPTS: Readonly<Record<string, string>> = { f: 'f', j: 'asnblom', x: 'asnblfom', a: 'asnblfom' };

const parametersOf = (definition: string) => {
  const [, written = ''] = /^<((?:[^:<]|<[^>]*>)*)/.exec(definition) ?? [];
  return [...written.matchAll(/(?:\(([^)]*)\)|([a-z]))(?:<([^>]*)>)?([-?+]*)/g)].map(
    ([, choice, letter = '', subtype, signs = '']) => ({
      /** Type symbols it takes: s n b l o a f, and m for missing. */
      accepts: choice === undefined ? (ACCEPTS[letter] ?? `${letter}m`) : `${choice}m`,
      optional: /[-?]/.test(signs),
      repeated: signs.includes('+'),
      /** The context stands for a missing one. */
      context: signs.includes('-'),
      array: letter === 'a',
      /** What an array has to hold. */
      subtype,
    }),
  );
};
type Parameter = ReturnType<typeof parametersOf>[number];

export const parseSignature = (definition: string): Signature => {
  try {
    const { signature } = jsonata(`function()${definition}{0}`).ast() as unknown as { signature: StockSignature };
    return { definition, parameters: parametersOf(definition), stock: signature };
  } catch (thrown) {
    const { code, message } = thrown as { readonly code: string; readonly message: string };
    throw new ExpressionFailure(code, { value: definition, message });
  }
};

/**
 * The arguments as the function is to get them: the context put in where it stands for a missing one, a single value
 * made an array where one is asked for. Errors: `T0410`, `T0411`, `T0412`, each with the argument's number as value.
 */
export const validate = ({ stock }: Signature, args: readonly unknown[], focus: unknown): unknown[] => {
  try {
    return stock.validate(args, focus);
  } catch (thrown) {
    const { code, index } = thrown as { readonly code: string; readonly index: number };
    throw new ExpressionFailure(code, { value: index });
  }
};

/** Types of JavaScript as bits of a mask, and which of them a type symbol takes. */
const BITS: Readonly<Record<string, number>> = {
  undefined: 1,
  string: 2,
  number: 4,
  boolean: 8,
  function: 16,
  object: 32,
};
const LETTERS: Readonly<Record<string, number>> = { m: 1, s: 2, n: 4, b: 8, f: 16 };

/** Null and lists are objects, too, so that these fit only where all of them are taken. */
const maskOf = ({ accepts }: Parameter): number =>
  accepts.split('').reduce((mask, letter) => mask | (LETTERS[letter] ?? 0), accepts.startsWith('asnbl') ? 32 : 0);

/** Whether a value is surely what the items of an array have to be. */
const isItem = (value: unknown, subtype: string | undefined): boolean => {
  switch (subtype) {
    case 's':
      return typeof value === 'string';
    case 'n':
      return typeof value === 'number';
    case 'o':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return subtype === undefined && value !== null && typeof value !== 'function';
  }
};

const holdsOnly = (items: readonly unknown[], subtype: string): boolean => {
  for (let index = 0; index < items.length; index += 1) if (!isItem(items[index], subtype)) return false;
  return true;
};

const never = (): boolean => false;

/**
 * Whether so many arguments fit one by one, so that nothing has to be moved or put in: what `validate` does, for nearly
 * all calls in a fraction of its time. Makes a single value an array where one is asked for.
 */
export const fitterOf = (signature: Signature | undefined, count: number): ((args: unknown[]) => boolean) => {
  const parameters = signature?.parameters ?? [];
  const mayFit =
    count <= parameters.length &&
    parameters.every(({ repeated, context, optional }, at) => !repeated && (at < count || (optional && !context)));
  if (!mayFit) return never;
  const wanted = parameters.slice(0, count).map((each) => ({ ...each, mask: maskOf(each) }));
  return (args) => {
    for (let index = 0; index < wanted.length; index += 1) {
      const { array, subtype, mask } = wanted[index] as (typeof wanted)[number];
      const value = args[index];
      if (!array) {
        if ((mask & (BITS[typeof value] ?? 0)) === 0) return false;
      } else if (Array.isArray(value)) {
        if (subtype !== undefined && !holdsOnly(value, subtype)) return false;
      } else if (value !== undefined) {
        if (!isItem(value, subtype)) return false;
        args[index] = [value];
      }
    }
    return true;
  };
};

/**
 * A function of JSONata's library: its signature, how many arguments the higher-order functions pass to it, what it does
 * with arguments that the signature has admitted, and whether it does so even if the first is missing.
 */
export type Builtin = readonly [
  signature: string,
  arity: number,
  call: (run: Run, ...args: never[]) => unknown,
  evenIfMissing?: true,
];
export type Builtins = Readonly<Record<string, Builtin>>;

/** What a function needs to build or walk a value of any size: it is charged for that. */
export type Budget = Pick<Run, 'charge' | 'plainValue'>;

/** A function that the caller of the compiler brings. Its arguments come as they are. */
export interface CustomFunction<C = unknown> {
  readonly name: string;
  /** `context` is what was passed to `evaluate`. */
  readonly call: (context: C, args: readonly unknown[], budget?: Budget) => unknown;
  /** Its arguments come as functions that evaluate them. */
  readonly isLazy?: boolean;
}

export interface LibraryFunction {
  readonly signature: Signature | undefined;
  /** Takes arguments that the signature has admitted. */
  readonly call: (run: Run, args: readonly unknown[]) => unknown;
  readonly value: FunctionValue;
  /** Set for a function that the caller brought: what it calls. */
  readonly custom?: CustomFunction['call'];
  readonly isLazy?: boolean;
}

export type Library = ReadonlyMap<string, LibraryFunction>;
