import { callFunction, isFunction, makeFunction, typeSymbol, type FunctionValue } from '../function-value.ts';
import type { Run } from '../run.ts';
import { parseSignature, validate, type Signature } from '../signature.ts';
import { arrayFunctions } from './arrays.ts';
import type { Builtin } from './builtin.ts';
import { dateFunctions } from './dates.ts';
import { integerPictureFunctions } from './integer-picture.ts';
import { matchingFunctions } from './matching.ts';
import { numberPictureFunctions } from './number-picture.ts';
import { numberFunctions } from './numbers.ts';
import { objectFunctions } from './objects.ts';
import { textFunctions } from './texts.ts';

/** A function that the caller of the compiler brings. `context` is what was passed to `evaluate`. */
export interface CustomFunction<C = unknown> {
  readonly name: string;
  /** JSONata's notation; without one the arguments come as they are. */
  readonly signature?: string;
  readonly call: (context: C, ...args: readonly never[]) => unknown;
  /** As `call`, for four arguments at most: `given` says how many are written. It takes functions for values. */
  readonly direct?: Direct<C>;
  /**
   * For a function of one value that rebuilds it: what becomes of a value as a part of another, undefined where nothing
   * is left of it; then no map or list is left, either, but for the outermost, which stays, empty. What it gives has
   * plain arrays only, and is charged for.
   */
  readonly part?: Part | undefined;
}

// One by one, for a list of them would cost more than most of what is called.
// oxlint-disable-next-line max-params
type Direct<C> = (context: C, given: number, a?: unknown, b?: unknown, c?: unknown, d?: unknown) => unknown;
type Part = (run: Pick<Run, 'charge'>, value: unknown) => unknown;

type Call = (run: Run, ...args: readonly unknown[]) => unknown;

/** A library function ready to be called. */
export interface LibraryFunction {
  readonly name: string;
  readonly signature: Signature | undefined;
  /** Takes arguments that the signature has admitted. */
  readonly call: Call;
  readonly value: FunctionValue;
  /** One of JSONata's own. */
  readonly standard: boolean;
  /** A custom function, without the detour over lists of its arguments. */
  readonly direct?: Direct<unknown> | undefined;
  readonly part?: Part | undefined;
}

export type Library = ReadonlyMap<string, LibraryFunction>;

const makeEntry = (
  name: string,
  signature: Signature | undefined,
  arity: number,
  call: Call,
  standard: boolean,
): LibraryFunction => {
  const value = makeFunction(
    signature === undefined
      ? (run, args) => call(run, ...args)
      : (run, args, focus) => call(run, ...validate(signature, args, focus)),
    arity,
  );
  value.builtin = name;
  return { name, signature, call, value, standard };
};

const entryOf = ({ name, signature, arity, call }: Builtin): LibraryFunction =>
  makeEntry(name, parseSignature(signature), arity, call as unknown as Call, true);

const standard: Library = new Map(
  [
    ...textFunctions,
    ...matchingFunctions,
    ...numberFunctions,
    ...numberPictureFunctions,
    ...integerPictureFunctions,
    ...dateFunctions,
    ...arrayFunctions,
    ...objectFunctions,
  ].map((builtin) => [builtin.name, entryOf(builtin)]),
);

const callable = (run: Run, value: unknown): unknown =>
  isFunction(value) ? (...args: readonly unknown[]): unknown => callFunction(run, value, args, null) : value;

const customEntry = (custom: CustomFunction<never>): LibraryFunction => {
  const signature = custom.signature === undefined ? undefined : parseSignature(custom.signature);
  const call = custom.call as unknown as (context: unknown, ...args: readonly unknown[]) => unknown;
  const arity = signature?.parameters.length ?? Math.max(0, call.length - 1);
  const invoke: Call = (run, ...args) => {
    for (const argument of args) {
      if (isFunction(argument)) return call(run.context, ...args.map((each) => callable(run, each)));
    }
    return call(run.context, ...args);
  };
  const { part } = custom;
  const rebuild: Call = (run, ...args) =>
    args.length > 1 ? invoke(run, ...args) : rebuilt(run, part as Part, args[0]);
  const entry = makeEntry(custom.name, signature, arity, part === undefined ? invoke : rebuild, false);
  const direct = signature === undefined && part === undefined ? (custom.direct as Direct<unknown>) : undefined;
  return { ...entry, direct, part };
};

/** What a function with a `part` gives for a whole value. */
export const rebuilt = (run: Run, part: Part, value: unknown): unknown =>
  part(run, value) ?? (Array.isArray(value) ? [] : {});

/** JSONata's library, and custom functions over it. Errors: `S0401`, `S0402`. */
export const libraryWith = (customs: readonly CustomFunction<never>[]): Library =>
  customs.length === 0
    ? standard
    : new Map([...standard, ...customs.map((custom) => [custom.name, customEntry(custom)] as const)]);

/** Names of JSONata's own functions. */
export const standardNames: ReadonlySet<string> = new Set(standard.keys());

/** True for an array whose items are all of the type that a signature's letter names. */
export const allOfType = (items: readonly unknown[], subtype: string): boolean => {
  const type = subtype === 'n' ? 'number' : subtype === 's' ? 'string' : undefined;
  if (type === undefined) return false;
  for (let index = 0; index < items.length; index += 1) if (typeof items[index] !== type) return false;
  return true;
};

/** True if these arguments fit parameter by parameter, so that nothing has to be moved or put in. */
const fitsDirectly = (signature: Signature, args: readonly unknown[]): boolean => {
  const { parameters } = signature;
  if (args.length > parameters.length) return false;
  for (let index = 0; index < parameters.length; index += 1) {
    const parameter = parameters[index];
    if (parameter === undefined || parameter.repeated) return false;
    if (index >= args.length) {
      if (parameter.context || !parameter.optional) return false;
      continue;
    }
    const symbol = typeSymbol(args[index]);
    if (!parameter.accepts.includes(symbol)) return false;
    if (parameter.array && symbol !== 'm') {
      if (symbol !== 'a') return false;
      if (parameter.subtype !== undefined && !allOfType(args[index] as unknown[], parameter.subtype)) return false;
    }
  }
  return true;
};

/** Calls a library function by name; as `callFunction` would, without the detour where the arguments simply fit. */
export const callLibrary = (run: Run, entry: LibraryFunction, args: readonly unknown[], focus: unknown): unknown => {
  run.tick();
  const { signature } = entry;
  if (signature === undefined || fitsDirectly(signature, args)) return entry.call(run, ...args);
  return entry.call(run, ...validate(signature, args, focus));
};

/** What a function of JSONata takes. */
export const standardSignature = (name: string): Signature | undefined => standard.get(name)?.signature;
