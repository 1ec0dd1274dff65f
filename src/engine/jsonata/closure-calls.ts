import { callStandard, callValue, checkCallee, makeLambda, type CallSite } from './call.ts';
import type { ClosureScope, FunctionParts } from './closure-scope.ts';
import { locate } from './failure.ts';
import { Frame, emptySlots } from './frame.ts';
import { finishCall } from './function-value.ts';
import { allOfType, rebuilt, type LibraryFunction } from './functions/library.ts';
import type { Evaluate } from './paths.ts';
import { parseSignature, type Parameter } from './signature.ts';
import type { Binding, CallNode, FunctionNode } from './tree.ts';

type Closure = Evaluate<Frame>;

/** A function of the expression, as a value. */
export const compileFunction = (node: FunctionNode, scope: ClosureScope): Closure => {
  const { body, slots, size } = partsOf(node, scope);
  const signature = node.signature === undefined ? undefined : parseSignature(node.signature);
  return (input, outer) =>
    makeLambda(slots.length, signature, input, (run, args) => {
      const values = emptySlots(size);
      for (let index = 0; index < slots.length; index += 1) values[slots[index] as number] = args[index];
      return body(input, new Frame(run, values, outer, undefined));
    });
};

const partsOf = (node: FunctionNode, scope: ClosureScope): FunctionParts => ({
  body: scope.inside(node.scope).compile(node.body),
  slots: node.parameters.map(({ index }) => index),
  size: node.scope.bindings.size,
});

/** Where a function that is only ever called was written: what its variable holds. */
interface Home {
  readonly input: unknown;
  readonly frame: Frame;
}

/** Sets a variable on a function that is only ever called. */
export const compileDirectFunction = (target: Binding, node: FunctionNode, scope: ClosureScope): Closure => {
  const write = scope.writer(target);
  scope.defineDirect(target, partsOf(node, scope));
  return (input, frame) => {
    write(frame, { input, frame } satisfies Home);
    return undefined;
  };
};

const compileDirectCall = (node: CallNode, target: Binding, scope: ClosureScope): Closure => {
  const args = node.args.map((argument) => scope.compile(argument));
  const parts = scope.directParts(target);
  const read = scope.slotReader(target);
  return (input, frame) => {
    const { run } = frame;
    const { body, slots, size } = parts() as FunctionParts;
    const values = emptySlots(size);
    // What is missing is nothing; what is too much is evaluated all the same.
    for (let index = 0; index < slots.length; index += 1) values[slots[index] as number] = undefined;
    for (let index = 0; index < args.length; index += 1) {
      const value = (args[index] as Closure)(input, frame);
      const slot = slots[index];
      if (slot !== undefined) values[slot] = value;
    }
    try {
      const home = read(frame) as Home;
      run.enter();
      const result = finishCall(run, body(home.input, new Frame(run, values, home.frame, undefined)), input);
      run.leave();
      return result;
    } catch (thrown) {
      throw locate(thrown, node.at, node.token);
    }
  };
};

/** A call. */
export const compileCall = (node: CallNode, scope: ClosureScope): Closure => {
  const direct = scope.directTarget(node);
  if (direct !== undefined) return compileDirectCall(node, direct, scope);
  const args = node.args.map((argument) => scope.compile(argument));
  const site: CallSite = { at: node.at, token: node.token, tail: node.tail };
  const called = compileAnyCall(node, args, site, scope);
  const entry = node.builtin === undefined ? undefined : scope.library.get(node.builtin);
  if (entry === undefined) return called;
  const known = compileLibraryCall(entry, args, site);
  return (input, frame) => (frame.run.shadowed ? called(input, frame) : known(input, frame));
};

const evaluateAll = (args: readonly Closure[], input: unknown, frame: Frame): unknown[] => {
  const values: unknown[] = [];
  for (let index = 0; index < args.length; index += 1) values.push((args[index] as Closure)(input, frame));
  return values;
};

const compileAnyCall = (node: CallNode, args: readonly Closure[], site: CallSite, scope: ClosureScope): Closure => {
  const procedure = scope.compile(node.procedure);
  const hint = node.hint === undefined ? undefined : scope.compile(node.hint);
  return (input, frame) => {
    const callee = procedure(input, frame);
    checkCallee(callee, hint && (() => hint(input, frame)), 'T1005', site);
    return callValue(frame.run, callee, evaluateAll(args, input, frame), input, site);
  };
};

const compileLibraryCall = (entry: LibraryFunction, args: readonly Closure[], site: CallSite): Closure => {
  if (entry.part !== undefined && args.length === 1) return compileRebuild(entry, args[0] as Closure, site);
  if (entry.direct !== undefined && args.length > 0 && args.length <= 4) return compileCustom(entry, args, site);
  const fits = entry.signature?.parameters.map((parameter) => fitOf(parameter, site.tail));
  const [one, two, three] = args;
  if (fits !== undefined && one !== undefined && args.length <= 3 && mayFit(entry, args.length)) {
    const [first, second, third] = fits as [Fit, Fit, Fit];
    if (two === undefined) {
      return (input, frame) => {
        const a = one(input, frame);
        if (!first(a)) return callStandard(frame.run, entry, [a], input, site);
        return known(frame, entry, site, a);
      };
    }
    return (input, frame) => {
      const a = one(input, frame);
      const b = two(input, frame);
      if (three === undefined) {
        if (first(a) && second(b)) return known(frame, entry, site, a, b);
        return callStandard(frame.run, entry, [a, b], input, site);
      }
      const c = three(input, frame);
      if (first(a) && second(b) && third(c)) return known(frame, entry, site, a, b, c);
      return callStandard(frame.run, entry, [a, b, c], input, site);
    };
  }
  return (input, frame) => callStandard(frame.run, entry, evaluateAll(args, input, frame), input, site);
};

/** A call whose arguments are known to fit. */
// oxlint-disable-next-line max-params
const known = (
  { run }: Frame,
  { call }: LibraryFunction,
  { at, token }: CallSite,
  a: unknown,
  b?: unknown,
  c?: unknown,
): unknown => {
  run.tick();
  try {
    return call(run, a, b, c);
  } catch (thrown) {
    throw locate(thrown, at, token);
  }
};

type Fit = (value: unknown) => boolean;

/** True if so many arguments can stand one by one for the parameters. */
const mayFit = ({ signature }: LibraryFunction, count: number): boolean => {
  const parameters = signature?.parameters ?? [];
  return (
    count <= parameters.length &&
    parameters.every(({ repeated, context, optional }, index) => !repeated && (index < count || (optional && !context)))
  );
};

/** True for what a parameter takes as it stands. In tail position a function is looked at by whoever makes the call. */
const fitOf = ({ accepts, array, subtype }: Parameter, tail: boolean): Fit => {
  if (array) {
    return (value) =>
      value === undefined || (Array.isArray(value) && (subtype === undefined || allOfType(value, subtype)));
  }
  const [texts, numbers, booleans] = ['s', 'n', 'b'].map((letter) => accepts.includes(letter));
  const anything = accepts === 'asnblfom';
  return (value) => {
    switch (typeof value) {
      case 'undefined':
        return accepts.includes('m');
      case 'string':
        return texts === true;
      case 'number':
        return numbers === true;
      case 'boolean':
        return booleans === true;
      case 'function':
        return anything && !tail;
      default:
        return anything;
    }
  };
};

const compileRebuild = ({ part }: LibraryFunction, only: Closure, { at, token }: CallSite): Closure => {
  return (input, frame) => {
    const { run } = frame;
    // Whatever is shared in there, the result holds nothing of it that would have to be copied.
    const { mixed } = run;
    const value = only(input, frame);
    run.mixed = mixed;
    run.tick();
    try {
      return rebuilt(run, part as NonNullable<typeof part>, value);
    } catch (thrown) {
      throw locate(thrown, at, token);
    }
  };
};

const compileCustom = ({ direct }: LibraryFunction, args: readonly Closure[], { at, token }: CallSite): Closure => {
  const call = direct as NonNullable<typeof direct>;
  const [one, two, three, four] = args as [Closure, Closure?, Closure?, Closure?];
  const { length } = args;
  return (input, frame) => {
    const { run } = frame;
    const a = one(input, frame);
    const b = two?.(input, frame);
    const c = three?.(input, frame);
    const d = four?.(input, frame);
    run.tick();
    try {
      return call(run.context, length, a, b, c, d);
    } catch (thrown) {
      throw locate(thrown, at, token);
    }
  };
};
