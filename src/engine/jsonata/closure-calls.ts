import { ExpressionFailure, locate } from './failure.ts';
import { Frame, type Closure, type ClosureScope } from './frame.ts';
import { TailCall, applyPartially, callFunction, hole, isFunction, makeFunction } from './function-value.ts';
import type { Run } from './run.ts';
import { fitterOf, parseSignature, validate, type LibraryFunction } from './signature.ts';
import type { CallNode, FunctionNode, PartialNode } from './tree.ts';
import { truth } from './value.ts';

/** A function of the expression, as a value. */
export const compileFunction = (node: FunctionNode, scope: ClosureScope): Closure => {
  const body = scope.inside(node.scope).compile(node.body);
  const slots = node.parameters.map(({ index }) => index);
  const size = node.scope.bindings.size;
  const signature = node.signature === undefined ? undefined : parseSignature(node.signature);
  return (input, outer) => {
    const unchecked = (run: Run, args: readonly unknown[]): unknown => {
      const frame = new Frame(run, size, outer);
      for (let index = 0; index < slots.length; index += 1) frame.slots[slots[index] as number] = args[index];
      return body(input, frame);
    };
    return makeFunction(
      signature === undefined ? unchecked : (run, args, focus) => unchecked(run, validate(signature, args, focus)),
      { arity: slots.length, unchecked, home: input },
    );
  };
};

/** A call. */
export const compileCall = (node: CallNode, scope: ClosureScope): Closure => {
  const args = listOf(node.args.map((argument) => scope.compile(argument)));
  const called = compileAnyCall(node, args, scope);
  const entry = node.builtin === undefined ? undefined : scope.library.get(node.builtin);
  return entry === undefined ? called : compileLibraryCall(node, entry, args, called);
};

type Arguments = (input: unknown, frame: Frame) => unknown[];

/** The values of all of them, in their order. */
const listOf = (closures: readonly Closure[]): Arguments => {
  const [one, two, three, four] = closures as readonly [Closure, Closure, Closure, Closure];
  switch (closures.length) {
    case 1:
      return (input, frame) => [one(input, frame)];
    case 2:
      return (input, frame) => [one(input, frame), two(input, frame)];
    case 3:
      return (input, frame) => [one(input, frame), two(input, frame), three(input, frame)];
    case 4:
      return (input, frame) => [one(input, frame), two(input, frame), three(input, frame), four(input, frame)];
    default:
      return (input, frame) => {
        const values: unknown[] = [];
        for (let index = 0; index < closures.length; index += 1)
          values.push((closures[index] as Closure)(input, frame));
        return values;
      };
  }
};

/** The function that a call names. Where it is none, and a variable of that name would be, its $ is missing. */
const compileCallee = (
  { procedure, hint, at, token }: CallNode | PartialNode,
  code: string,
  scope: ClosureScope,
): Closure => {
  const callee = scope.compile(procedure);
  if (hint === undefined) return callee;
  const meant = scope.compile(hint);
  return (input, frame) => {
    const value = callee(input, frame);
    if (value !== undefined) return value;
    const other = meant(input, frame);
    if (isFunction(other) || truth(other)) throw new ExpressionFailure(code, { position: at, token });
    return undefined;
  };
};

/** A call of whatever the expression computes as its function. */
const compileAnyCall = (node: CallNode, args: Arguments, scope: ClosureScope): Closure => {
  const { at, token, tail } = node;
  const callee = compileCallee(node, 'T1005', scope);
  return (input, frame) => {
    const target = callee(input, frame);
    const values = args(input, frame);
    if (tail) return new TailCall(target, values, token, at);
    try {
      return callFunction(frame.run, target, values, input);
    } catch (thrown) {
      throw locate(thrown, at, token);
    }
  };
};

/** A call of a library function that nothing shadows. */
const compileLibraryCall = (node: CallNode, entry: LibraryFunction, args: Arguments, otherwise: Closure): Closure => {
  const { at, token, tail } = node;
  const { call, signature, value, custom } = entry;
  const fits = fitterOf(signature, node.args.length);
  // In tail position what is missing is taken from the caller's context, and callbacks have a context.
  const takesContext =
    signature !== undefined &&
    node.args.length < signature.parameters.length &&
    signature.parameters.some(({ context }) => context);
  return (input, frame) => {
    const { run } = frame;
    if (run.shadowed) return otherwise(input, frame);
    const values = args(input, frame);
    const fit = signature === undefined || fits(values);
    if (tail && ((takesContext && !fit) || holdsFunction(values))) return new TailCall(value, values, token, at);
    run.tick();
    try {
      if (custom !== undefined) return custom(run.context, values, run);
      return call(run, fit ? values : validate(signature, values, input));
    } catch (thrown) {
      throw locate(thrown, at, token);
    }
  };
};

const holdsFunction = (values: readonly unknown[]): boolean => {
  for (let index = 0; index < values.length; index += 1) if (isFunction(values[index])) return true;
  return false;
};

/** A partial application. */
export const compilePartial = (node: PartialNode, scope: ClosureScope): Closure => {
  const { at, token } = node;
  const args = listOf(node.args.map((argument) => (argument === undefined ? () => hole : scope.compile(argument))));
  const callee = compileCallee(node, 'T1007', scope);
  return (input, frame) => {
    const values = args(input, frame);
    const target = callee(input, frame);
    if (!isFunction(target)) throw new ExpressionFailure('T1008', { position: at, token });
    return applyPartially(target, values);
  };
};

/** `~>` with anything but a call on its right. */
export const applyTo = (run: Run, left: unknown, right: unknown, position: number): unknown => {
  if (!isFunction(right)) throw new ExpressionFailure('T2006', { position, token: '~>', value: right });
  if (isFunction(left)) {
    return makeFunction(
      (inner, args) => {
        const between = callFunction(inner, left, [args[0]], null);
        return new TailCall(right, [between], '~>', position);
      },
      { arity: 1 },
    );
  }
  try {
    return callFunction(run, right, [left], null);
  } catch (thrown) {
    throw locate(thrown, position, '~>');
  }
};
