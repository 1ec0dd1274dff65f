import { ExpressionFailure, locate } from './failure.ts';
import type { Run } from './run.ts';

type Call = (run: Run, args: readonly unknown[], focus: unknown) => unknown;

/** What is known of a function that calls by our convention. One object, for a function is made in every evaluation. */
interface Traits {
  /** How many arguments the higher-order built-ins may pass. */
  readonly arity: number;
  /** Takes the arguments without looking at the signature. */
  readonly unchecked?: Call;
  readonly builtin?: string;
  /** The context that a function of the expression was written in. */
  readonly home?: unknown;
}

/**
 * A function as JSONata sees it. It is a JavaScript function, so that paths and filters cannot look into it. Called
 * with the run, the arguments and the context that may stand for a missing one; may return a `TailCall`.
 */
export interface FunctionValue {
  (run: Run, args: readonly unknown[], focus: unknown): unknown;
  /** Missing on a function that came in with the bindings. */
  traits?: Traits;
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

export const makeFunction = (call: Call, traits: Traits): FunctionValue => {
  const value: FunctionValue = call;
  value.traits = traits;
  return value;
};

export const isFunction = (value: unknown): value is FunctionValue => typeof value === 'function';

/** How many arguments the higher-order built-ins may pass to it. */
export const arityOf = (value: unknown): number => {
  if (!isFunction(value)) return 0;
  return value.traits?.arity ?? value.length;
};

const invoke = (run: Run, target: unknown, args: readonly unknown[], focus: unknown): unknown => {
  if (!isFunction(target)) throw new ExpressionFailure('T1006');
  if (target.traits !== undefined) return target(run, args, focus);
  // A function that came in with the bindings.
  return (target as unknown as (...values: readonly unknown[]) => unknown).apply(focus, [...args]);
};

/** Calls a function and whatever it calls in tail position. */
export const callFunction = (run: Run, target: unknown, args: readonly unknown[], focus: unknown): unknown => {
  run.enter();
  let result = invoke(run, target, args, focus);
  while (result instanceof TailCall) {
    run.tick();
    result = continueCall(run, result, focus);
  }
  run.leave();
  return result;
};

/** A function given to a built-in by a tail call sees the context it was written in, where others see none. */
const atHome = (argument: unknown): unknown => {
  const traits = isFunction(argument) ? argument.traits : undefined;
  if (traits?.home === undefined) return argument;
  return makeFunction((run, args) => callFunction(run, argument, args, traits.home), { arity: traits.arity });
};

const continueCall = (run: Run, { target, args, ...call }: TailCall, focus: unknown): unknown => {
  try {
    const isBuiltin = isFunction(target) && target.traits?.builtin !== undefined;
    return invoke(run, target, isBuiltin ? args.map(atHome) : args, focus);
  } catch (thrown) {
    throw locate(thrown, call.at, call.token);
  }
};

/** Stands for a `?` among the arguments of a partial application. */
export const hole: unique symbol = Symbol('?');

/** A function of the arguments left open. The signature of a function of the expression no longer applies to it. */
export const applyPartially = (target: FunctionValue, given: readonly unknown[]): FunctionValue => {
  const open = given.filter((argument) => argument === hole).length;
  const unchecked = target.traits?.unchecked;
  return makeFunction(
    (run, args, focus) => {
      const rest = args.values();
      const complete = given.map((argument) => (argument === hole ? rest.next().value : argument));
      return unchecked === undefined ? callFunction(run, target, complete, focus) : unchecked(run, complete, focus);
    },
    { arity: open },
  );
};
