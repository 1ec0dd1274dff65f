import jsonata from 'jsonata';
import { ExpressionFailure } from './failure.ts';
import type { FunctionValue } from './function-value.ts';
import type { Run } from './run.ts';

interface Parameter {
  /** Type symbols it takes: s n b l o a f, and m for missing. */
  readonly accepts: string;
  readonly optional: boolean;
  readonly repeated: boolean;
  /** The context stands for a missing one. */
  readonly context: boolean;
  readonly array: boolean;
  /** What an array has to hold. */
  readonly subtype: string | undefined;
}

/** A JSONata function signature such as `<s-n?:b>`. The result type is not checked. */
export interface Signature {
  readonly definition: string;
  readonly parameters: readonly Parameter[];
  readonly stock: StockSignature;
}

/** A signature as the jsonata package reads it. */
interface StockSignature {
  validate(args: readonly unknown[], context: unknown): unknown[];
}

const ACCEPTS: Readonly<Record<string, string>> = { f: 'f', j: 'asnblom', x: 'asnblfom', a: 'asnblfom' };

const parametersOf = (definition: string): readonly Parameter[] => {
  const [, written = ''] = /^<((?:[^:<]|<[^>]*>)*)/.exec(definition) ?? [];
  return [...written.matchAll(/(?:\(([^)]*)\)|([a-z]))(?:<([^>]*)>)?([-?+]*)/g)].map(
    ([, choice, letter = '', subtype, signs = '']) => ({
      accepts: choice === undefined ? (ACCEPTS[letter] ?? `${letter}m`) : `${choice}m`,
      optional: /[-?]/.test(signs),
      repeated: signs.includes('+'),
      context: signs.includes('-'),
      array: letter === 'a',
      subtype,
    }),
  );
};

/** Reads a signature. Errors: `S0401`, `S0402`. */
export const parseSignature = (definition: string): Signature => {
  try {
    const { signature } = jsonata(`function()${definition}{0}`).ast() as unknown as { signature: StockSignature };
    return { definition, parameters: parametersOf(definition), stock: signature };
  } catch (thrown) {
    throw new ExpressionFailure((thrown as { readonly code: string }).code, { value: definition });
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

type Test = (value: unknown) => boolean;

/** Whether so many arguments fit one by one as they stand, so that nothing has to be moved or put in. */
export const fitTest = (signature: Signature | undefined, count: number): ((args: readonly unknown[]) => boolean) => {
  const parameters = signature?.parameters ?? [];
  const mayFit =
    count <= parameters.length &&
    parameters.every(({ repeated, context, optional }, at) => !repeated && (at < count || (optional && !context)));
  if (!mayFit) return () => false;
  const tests = parameters.slice(0, count).map(testOf);
  return (args) => {
    for (let index = 0; index < count; index += 1) if (!(tests[index] as Test)(args[index])) return false;
    return true;
  };
};

const testOf = ({ accepts, array, subtype }: Parameter): Test => {
  if (array) return (value) => value === undefined || (Array.isArray(value) && holdsOnly(value, subtype));
  const takes = {
    undefined: accepts.includes('m'),
    string: accepts.includes('s'),
    number: accepts.includes('n'),
    boolean: accepts.includes('b'),
    function: accepts.includes('f'),
    // Null and lists, too.
    object: accepts.startsWith('asnbl'),
    bigint: false,
    symbol: false,
  } satisfies Readonly<Record<string, boolean>>;
  return (value) => takes[typeof value];
};

/** True for an array of texts or of numbers where one is asked for. */
const holdsOnly = (items: readonly unknown[], subtype: string | undefined): boolean => {
  if (subtype === undefined) return true;
  const type = subtype === 'n' ? 'number' : 'string';
  if (subtype !== 's' && subtype !== 'n') return false;
  for (let index = 0; index < items.length; index += 1) if (typeof items[index] !== type) return false;
  return true;
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

/** A library function ready to be called. */
export interface LibraryFunction {
  readonly signature: Signature | undefined;
  /** Takes arguments that the signature has admitted. */
  readonly call: (run: Run, args: readonly unknown[]) => unknown;
  readonly value: FunctionValue;
}

export type Library = ReadonlyMap<string, LibraryFunction>;
