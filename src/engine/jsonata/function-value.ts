import { ExpressionFailure, locate } from './failure.ts';
import type { Run } from './run.ts';

/**
 * A function as JSONata sees it. It is a JavaScript function, so that paths and filters cannot look into it. Called
 * with the run, the arguments and the context that may stand for a missing one; may return a `TailCall`.
 */
export interface FunctionValue {
  (run: Run, args: readonly unknown[], focus: unknown): unknown;
  /** How many arguments the higher-order built-ins may pass. */
  arity: number;
  /** Marks what calls by this convention, unlike a function that came in with the bindings. */
  jsonata: true | undefined;
  /** Takes the arguments without looking at the signature. */
  unchecked: ((run: Run, args: readonly unknown[], focus: unknown) => unknown) | undefined;
  /** Set for the built-ins. */
  builtin: string | undefined;
  /** The context that a function of the expression was written in. */
  home: unknown;
}

/** A call in tail position: made by the caller, so that it needs no stack. */
export class TailCall {
  readonly target: unknown;
  readonly args: readonly unknown[];
  readonly token: string;
  readonly at: number;

  constructor(target: unknown, args: readonly unknown[], token: string, at: number) {
    this.target = target;
    this.args = args;
    this.token = token;
    this.at = at;
  }
}

export const makeFunction = (
  call: (run: Run, args: readonly unknown[], focus: unknown) => unknown,
  arity: number,
  unchecked?: (run: Run, args: readonly unknown[], focus: unknown) => unknown,
): FunctionValue => {
  const value = call as FunctionValue;
  value.arity = arity;
  value.jsonata = true;
  value.unchecked = unchecked;
  value.builtin = undefined;
  value.home = undefined;
  return value;
};

export const isFunction = (value: unknown): value is FunctionValue => typeof value === 'function';

/** How many arguments the higher-order built-ins may pass to it. */
export const arityOf = (value: unknown): number => {
  if (!isFunction(value)) return 0;
  return value.jsonata === true ? value.arity : value.length;
};

/** The letter that signatures use for a value's type. */
export const typeSymbol = (value: unknown): string => {
  switch (typeof value) {
    case 'string':
      return 's';
    case 'number':
      return 'n';
    case 'boolean':
      return 'b';
    case 'function':
      return 'f';
    case 'object':
      if (value === null) return 'l';
      return Array.isArray(value) ? 'a' : 'o';
    default:
      return 'm';
  }
};

const invoke = (run: Run, target: unknown, args: readonly unknown[], focus: unknown): unknown => {
  if (!isFunction(target)) throw new ExpressionFailure('T1006');
  if (target.jsonata === true) return target(run, args, focus);
  // A function that came in with the bindings.
  return (target as unknown as (...values: readonly unknown[]) => unknown).apply(focus, [...args]);
};

/** Calls a function and whatever it calls in tail position. */
export const callFunction = (run: Run, target: unknown, args: readonly unknown[], focus: unknown): unknown => {
  run.enter();
  const result = finishCall(run, invoke(run, target, args, focus), focus);
  run.leave();
  return result;
};

/** Makes the calls that a function left to its caller. */
export const finishCall = (run: Run, given: unknown, focus: unknown): unknown => {
  let result = given;
  while (result instanceof TailCall) {
    run.tick();
    result = continueCall(run, result, focus);
  }
  return result;
};

/** A function given to a built-in by a tail call sees the context it was written in, where others see none. */
const atHome = (argument: unknown): unknown => {
  if (!isFunction(argument) || argument.jsonata !== true || argument.home === undefined) return argument;
  return makeFunction((run, args) => callFunction(run, argument, args, argument.home), argument.arity);
};

const continueCall = (run: Run, { target, args, ...call }: TailCall, focus: unknown): unknown => {
  try {
    const isBuiltin = isFunction(target) && target.builtin !== undefined;
    return invoke(run, target, isBuiltin ? args.map(atHome) : args, focus);
  } catch (thrown) {
    throw locate(thrown, call.at, call.token);
  }
};
