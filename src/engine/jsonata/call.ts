import { ExpressionFailure, locate } from './failure.ts';
import { TailCall, callFunction, isFunction, makeFunction, type FunctionValue } from './function-value.ts';
import { callLibrary, type Library, type LibraryFunction } from './functions/library.ts';
import { partiallyApply } from './partial.ts';
import type { Run } from './run.ts';
import { validate, type Signature } from './signature.ts';
import { truth } from './value.ts';

/** Where a call stands and what it names. */
export interface CallSite {
  readonly at: number;
  readonly token: string;
  readonly tail: boolean;
}

/** A variable that no scope of the expression holds: the input, a binding, or a library function. */
export const globalVariable = (run: Run, library: Library, name: string): unknown => {
  if (name === '$') return run.root;
  if (Object.hasOwn(run.bindings, name)) return run.bindings[name];
  return library.get(name)?.value;
};

/** Calls a library function that nothing shadows. */
export const callStandard = (
  run: Run,
  entry: LibraryFunction,
  args: readonly unknown[],
  focus: unknown,
  site: CallSite,
): unknown => {
  // In tail position what is missing is taken from the caller's context, and callbacks have a context.
  if (site.tail && (takesContext(entry.signature, args) || args.some(isFunction)))
    return new TailCall(entry.value, args, site.token, site.at);
  try {
    return callLibrary(run, entry, args, focus);
  } catch (thrown) {
    throw locate(thrown, site.at, site.token);
  }
};

const takesContext = (signature: Signature | undefined, args: readonly unknown[]): boolean =>
  signature !== undefined &&
  signature.parameters.some((parameter) => parameter.context) &&
  args.length < signature.parameters.length;

/** Refuses what is no function, helpfully where only its $ is missing. */
export const checkCallee = (callee: unknown, hint: (() => unknown) | undefined, code: string, site: CallSite): void => {
  if (callee === undefined && hint !== undefined && truthy(hint())) {
    throw new ExpressionFailure(code, { position: site.at, token: site.token });
  }
};

const truthy = (value: unknown): boolean => isFunction(value) || truth(value);

/** Calls whatever the expression computed as its callee. */
export const callValue = (
  run: Run,
  callee: unknown,
  args: readonly unknown[],
  focus: unknown,
  site: CallSite,
): unknown => {
  if (site.tail) return new TailCall(callee, args, site.token, site.at);
  try {
    return callFunction(run, callee, args, focus);
  } catch (thrown) {
    throw locate(thrown, site.at, site.token);
  }
};

/** A partial application. */
export const applyPartially = (callee: unknown, args: readonly unknown[], site: CallSite): FunctionValue => {
  try {
    return partiallyApply(callee, args);
  } catch (thrown) {
    throw locate(thrown, site.at, site.token);
  }
};

/** A function of the expression, written where the context is `home`. `body` gets the arguments; it may return a `TailCall`. */
export const makeLambda = (
  arity: number,
  signature: Signature | undefined,
  home: unknown,
  body: (run: Run, args: readonly unknown[]) => unknown,
): FunctionValue => {
  const value = makeFunction(
    signature === undefined ? body : (run, args, focus) => body(run, validate(signature, args, focus)),
    arity,
    body,
  );
  value.home = home;
  return value;
};

/** `~>` with anything but a call on its right. */
export const applyTo = (run: Run, left: unknown, right: unknown, position: number): unknown => {
  if (!isFunction(right)) throw new ExpressionFailure('T2006', { position, token: '~>', value: right });
  if (!isFunction(left)) {
    try {
      return callFunction(run, right, [left], null);
    } catch (thrown) {
      throw locate(thrown, position, '~>');
    }
  }
  return makeFunction((inner, args) => {
    const between = callFunction(inner, left, [args[0]], null);
    return new TailCall(right, [between], '~>', position);
  }, 1);
};
