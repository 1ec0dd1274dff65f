import { ExpressionFailure } from './failure.ts';
import { typeSymbol } from './function-value.ts';

export interface Parameter {
  /** Type symbols it takes: s n b l o a f, and m for missing. */
  readonly accepts: string;
  optional: boolean;
  repeated: boolean;
  context: boolean;
  readonly array: boolean;
  subtype: string | undefined;
}

/** A JSONata function signature such as `<s-n?:b>`. The result type is not checked. */
export interface Signature {
  readonly definition: string;
  readonly parameters: readonly Parameter[];
}

const acceptsOf: Readonly<Record<string, string>> = {
  s: 'sm',
  n: 'nm',
  b: 'bm',
  l: 'lm',
  o: 'om',
  a: 'asnblfom',
  f: 'f',
  j: 'asnblom',
  x: 'asnblfom',
};

const closingOf = (text: string, start: number, open: string, close: string): number => {
  let depth = 1;
  let index = start + 1;
  for (; index < text.length; index += 1) {
    if (text[index] === open) depth += 1;
    else if (text[index] === close) depth -= 1;
    if (depth === 0) break;
  }
  return index;
};

const parameter = (accepts: string, array = false): Parameter => ({
  accepts,
  optional: false,
  repeated: false,
  context: false,
  array,
  subtype: undefined,
});

/** Reads a signature. Errors: `S0401`, `S0402`. */
export const parseSignature = (definition: string): Signature => {
  const parameters: Parameter[] = [];
  for (let index = 1; index < definition.length && definition[index] !== ':'; index += 1) {
    const symbol = definition[index] ?? '';
    const last = parameters.at(-1);
    const accepts = acceptsOf[symbol];
    if (accepts !== undefined) {
      parameters.push(parameter(accepts, symbol === 'a'));
    } else if (symbol === '(') {
      const end = closingOf(definition, index, '(', ')');
      const choice = definition.slice(index + 1, end);
      if (choice.includes('<')) throw new ExpressionFailure('S0402', { value: choice });
      parameters.push(parameter(`${choice}m`));
      index = end;
    } else if (symbol === '<') {
      const end = closingOf(definition, index, '<', '>');
      if (last === undefined || !(last.array || last.accepts === 'f')) throw new ExpressionFailure('S0401');
      last.subtype = definition.slice(index + 1, end);
      index = end;
    } else if (last !== undefined) {
      if (symbol === '-') {
        last.context = true;
        last.optional = true;
      } else if (symbol === '?') {
        last.optional = true;
      } else if (symbol === '+') {
        last.repeated = true;
      }
    }
  }
  return { definition, parameters };
};

/** How many arguments each parameter takes, the first ones as many as they can; undefined if they do not fit. */
const align = (symbols: string, parameters: readonly Parameter[], from = 0, index = 0): number[] | undefined => {
  const current = parameters[index];
  if (current === undefined) return from === symbols.length ? [] : undefined;
  let most = 0;
  const limit = current.repeated ? symbols.length - from : 1;
  while (most < limit && current.accepts.includes(symbols[from + most] ?? ' ')) most += 1;
  const least = current.optional ? 0 : 1;
  for (let count = most; count >= least; count -= 1) {
    const rest = align(symbols, parameters, from + count, index + 1);
    if (rest !== undefined) return [count, ...rest];
  }
  return undefined;
};

/** The first argument that spoils the fit, counted from 1. */
const firstMisfit = (symbols: string, parameters: readonly Parameter[]): number => {
  for (let index = 0; index < symbols.length; index += 1) {
    const prefix = symbols.slice(0, index + 1);
    const fits = parameters.some((_, count) => align(prefix, parameters.slice(0, count + 1)) !== undefined);
    if (!fits) return index + 1;
  }
  return symbols.length + 1;
};

const checkItems = (array: readonly unknown[], subtype: string): boolean => {
  if (array.length === 0) return true;
  const wanted = subtype[0];
  for (let index = 0; index < array.length; index += 1) {
    if (typeSymbol(array[index]) !== wanted) return false;
  }
  return true;
};

const asArray = (argument: unknown, symbol: string, all: string, current: Parameter, index: number): unknown => {
  if (symbol === 'm') return undefined;
  if (current.subtype !== undefined) {
    const fits = symbol === 'a' ? checkItems(argument as unknown[], current.subtype) : all === current.subtype;
    if (!fits) throw new ExpressionFailure('T0412', { value: index + 1 });
  }
  return symbol === 'a' ? argument : [argument];
};

/**
 * The arguments as the function is to get them: the context put in where it stands for a missing one, a single value
 * made an array where one is asked for. Errors: `T0410`, `T0411`, `T0412`, each with the argument's number as value.
 */
export const validate = (signature: Signature, args: readonly unknown[], focus: unknown): unknown[] => {
  const { parameters } = signature;
  let symbols = '';
  for (let index = 0; index < args.length; index += 1) symbols += typeSymbol(args[index]);
  const counts = align(symbols, parameters);
  if (counts === undefined) throw new ExpressionFailure('T0410', { value: firstMisfit(symbols, parameters) });
  const validated: unknown[] = [];
  let next = 0;
  for (let index = 0; index < parameters.length; index += 1) {
    const current = parameters[index];
    const count = counts[index] ?? 0;
    if (current === undefined) continue;
    if (count === 0) {
      if (!current.context) {
        validated.push(args[next]);
        next += 1;
      } else if (current.accepts.includes(typeSymbol(focus))) {
        validated.push(focus);
      } else {
        throw new ExpressionFailure('T0411', { value: next + 1 });
      }
    }
    const all = symbols.slice(next, next + count);
    for (let taken = 0; taken < count; taken += 1) {
      const argument = args[next];
      validated.push(current.array ? asArray(argument, all[taken] ?? 'm', all, current, next) : argument);
      next += 1;
    }
  }
  return validated;
};
