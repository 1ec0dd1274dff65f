import { ExpressionFailure, locate } from './failure.ts';
import { type Closure, Frame, type Scope } from './scope.ts';
import { applyPartially, callFunction, hole, isFunction, makeFunction, TailCall } from './function-value.ts';
import { type Ast, required } from './parse.ts';
import type { Run } from './run.ts';
import { fitterOf, type LibraryFunction, parseSignature, validate } from './signature.ts';
import { truth } from './value.ts';

export const compileFunction = (ast: Ast, scope: Scope): Closure => {
  const names = (ast.arguments ?? []).map(({ value }) => String(value));
  const inner = scope.inside([required(ast.body)], names);
  const body = inner.compile(required(ast.body));
  const parameters = names.map((name) => required(inner.bindings.get(name)));
  const slots = parameters.map(({ index }) => index);
  const { size } = inner.bindings;
  const signature = ast.signature && parseSignature(ast.signature.definition);
  const make: Closure = (input, outer) => {
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
  return scope.observed(make, { kind: 'function', parameters, body });
};

interface CallPlace {
  /** It is the last that a function does. */
  readonly tail?: boolean;
  /** What `~>` puts before the arguments. */
  readonly applied?: Closure;
}

/** The name in a call of a library function that nothing shadows. */
export const builtinOf = ({ procedure }: Ast, scope: Scope, tail = false): string | undefined => {
  const name = isBareVariable(procedure) ? String(procedure?.value) : '';
  // Where sequences may nest, the result of a tail call must not be collapsed by what stands around the call.
  if (name === '' || (tail && scope.expression.nestsSequences)) return undefined;
  return scope.placesOf(name).length === 0 ? name : undefined;
};

const isBareVariable = (procedure: Ast | undefined): boolean =>
  procedure?.type === 'variable' && procedure.predicate === undefined;

export const compileCall = (ast: Ast, scope: Scope, { tail = false, applied }: CallPlace = {}): Closure => {
  const written = (ast.arguments ?? []).map((argument) => scope.compile(argument));
  const args = applied === undefined ? written : [applied, ...written];
  const builtin = builtinOf(ast, scope, tail);
  if (builtin !== undefined) scope.expression.called.add(builtin);
  const entry = scope.expression.library.get(builtin ?? '');
  const isLazy = scope.expression.library.get(builtinOf(ast, scope) ?? '')?.isLazy === true;
  const call = {
    values: (isLazy ? lazily : listOf)(args),
    count: args.length,
    tail,
    at: scope.at(ast),
    ...calleeOf(ast, 'T1005', scope),
  };
  const called = compileAnyCall(call);
  const closure = entry === undefined ? called : compileLibraryCall(call, entry, called);
  return scope.observed(closure, { kind: 'call', callee: call.named, args, at: call.at });
};

type Arguments = (input: unknown, frame: Frame) => unknown[];

interface Call extends ReturnType<typeof calleeOf> {
  readonly values: Arguments;
  readonly count: number;
  readonly tail: boolean;
  readonly at: number;
}

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

/** For a function that evaluates them itself, or does not. */
const lazily =
  (closures: readonly Closure[]): Arguments =>
  (input, frame) =>
    closures.map((closure) => () => closure(input, frame));

/** What is named, and what is called: where that is nothing, and a variable of the name would be, its $ is missing. */
const calleeOf = (ast: Ast, code: string, scope: Scope) => {
  const procedure = required(ast.procedure);
  const named = isBareVariable(procedure) ? scope.variable(String(procedure.value)) : scope.compile(procedure);
  const first = procedure.type === 'path' ? procedure.steps?.[0] : undefined;
  const token = String((first ?? procedure).value);
  if (first === undefined) return { named, callee: named, token };
  const meant = scope.variable(token);
  const position = scope.at(ast);
  const callee: Closure = (input, frame) => {
    const value = named(input, frame);
    if (value !== undefined) return value;
    const other = meant(input, frame);
    if (isFunction(other) || truth(other)) throw new ExpressionFailure(code, { position, token });
    return undefined;
  };
  return { named, callee, token };
};

/** A call of whatever the expression computes as its function. */
const compileAnyCall =
  ({ callee, values, tail, at, token }: Call): Closure =>
  (input, frame) => {
    const target = callee(input, frame);
    const args = values(input, frame);
    if (tail) return new TailCall(target, args, token, at);
    try {
      return callFunction(frame.run, target, args, input);
    } catch (thrown) {
      throw locate(thrown, at, token);
    }
  };

const compileLibraryCall = (node: Call, entry: LibraryFunction, otherwise: Closure): Closure => {
  const { at, token, tail, count, values: args } = node;
  const { call, signature, value, custom } = entry;
  const fits = fitterOf(signature, count);
  // In tail position what is missing is taken from the caller's context, and callbacks have a context.
  const takesContext =
    signature !== undefined &&
    count < signature.parameters.length &&
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

export const compilePartial = (ast: Ast, scope: Scope): Closure => {
  const args = listOf(
    (ast.arguments ?? []).map((one) =>
      one.type === 'operator' && one.value === '?' ? () => hole : scope.compile(one),
    ),
  );
  const { callee, token } = calleeOf(ast, 'T1007', scope);
  const position = scope.at(ast);
  return (input, frame) => {
    const values = args(input, frame);
    const target = callee(input, frame);
    if (!isFunction(target)) throw new ExpressionFailure('T1008', { position, token });
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
