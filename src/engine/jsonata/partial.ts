import { ExpressionFailure } from './failure.ts';
import { callFunction, isFunction, makeFunction, type FunctionValue } from './function-value.ts';

/** Stands for a `?` among the arguments of a partial application. */
export const hole: unique symbol = Symbol('?');

/** A function of the arguments left open. The signature of an own function no longer applies to it. */
export const partiallyApply = (target: unknown, given: readonly unknown[]): FunctionValue => {
  if (!isFunction(target)) throw new ExpressionFailure('T1008');
  const open = given.filter((argument) => argument === hole).length;
  const unchecked = target.unchecked;
  return makeFunction((run, args, focus) => {
    let next = 0;
    const complete = given.map((argument) => {
      if (argument !== hole) return argument;
      next += 1;
      return args[next - 1];
    });
    return unchecked === undefined ? callFunction(run, target, complete, focus) : unchecked(run, complete, focus);
  }, open);
};
