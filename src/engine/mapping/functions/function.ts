import { ExpressionFailure } from '../../jsonata/failure.ts';
import type { EvaluationContext } from '../mapping.ts';
import { kindOf } from '../../value.ts';
import type { Parameter } from './parameter.ts';

export interface Example {
  readonly expression: string;
  readonly result: unknown;
  /** Roots that the expression sees. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** What a function needs to walk a value of any size: it is charged for what it visits. */
export interface Budget {
  charge(units: number): void;
}

/** A function of the language, stated once: what it is called with, what it does, how it is documented and tried. */
export interface LibraryFunction {
  /** Without the `$`. */
  readonly name: string;
  readonly signature: string;
  /** How many arguments a call has to have, and may have. */
  readonly takes: { readonly least: number; readonly most: number };
  /** One or more sentences for the author of a mapping. */
  readonly doc: string;
  readonly examples: readonly Example[];
  /** Throws an `ExpressionFailure` whose place is the caller's to add. */
  readonly call: (context: EvaluationContext, args: readonly unknown[]) => unknown;
  /** As `call`, of at most four arguments, one by one: `given` says how many there are. */
  readonly direct: Direct<EvaluationContext>;
  readonly gives: FunctionSpec<Parameters>['gives'];
  readonly part: FunctionSpec<Parameters>['part'];
}

// One by one, for a list of them would cost more than most of what is called.
// oxlint-disable-next-line max-params
type Direct<C> = (context: C, given: number, a?: unknown, b?: unknown, c?: unknown, d?: unknown) => unknown;
type Parameters = readonly (readonly [name: string, parameter: Parameter<unknown>])[];
type Values<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends readonly [string, Parameter<infer T>] ? T : never;
};
interface Given {
  readonly text: string;
  readonly number: number;
  readonly unknown: unknown;
}

export interface FunctionSpec<P extends Parameters, G extends keyof Given = keyof Given> {
  readonly name: string;
  readonly doc: string;
  /** In the order of the call, four at most. A sole one may be `rest`. */
  readonly parameters: P;
  /** Called even when the first argument is missing; by default such a call gives nothing. */
  readonly evenIfMissing?: boolean;
  /** What it gives, where it gives anything and that is always of one kind. */
  readonly gives?: G;
  /**
   * For a function that rebuilds a value: what becomes of a value as a part of another, undefined where nothing is left
   * of it. A map or list of which nothing is left is nothing, too, but for the outermost, which stays, empty.
   */
  readonly part?: (budget: Budget, value: unknown) => unknown;
  readonly examples: readonly [Example, ...Example[]];
  /** `given` counts the arguments written, to tell a missing value from none. */
  readonly call: (...args: [...Values<P>, context: EvaluationContext, given: number]) => Given[G] | undefined;
}

const MOST_DIRECT = 4;

export function define<const P extends Parameters, const G extends keyof Given = 'unknown'>(
  spec: FunctionSpec<P, G>,
): LibraryFunction {
  const direct = directOf(spec as unknown as Plain);
  const { name, doc, examples, parameters } = spec;
  return {
    name,
    signature: signatureOf(name, parameters),
    takes: {
      least: parameters.filter(([, { optional }]) => !optional).length,
      most: parameters.at(-1)?.[1].rest === true ? Infinity : parameters.length,
    },
    doc,
    examples,
    gives: spec.gives,
    part: spec.part,
    direct,
    call(context, args) {
      const { length } = args;
      if (length <= MOST_DIRECT) return direct(context, length, args[0], args[1], args[2], args[3]);
      if (parameters[0]?.[1].rest !== true) throw tooMany(name, parameters.length, length);
      return (spec.call as Call)(args, context, length);
    },
  };
}

type Call = (...args: readonly unknown[]) => unknown;
type Plain = Pick<FunctionSpec<Parameters>, 'name' | 'parameters' | 'evenIfMissing'> & { readonly call: Call };

/** Called by the dozen in every mapping, so without a list or a map of the arguments. */
function directOf({ name, parameters, evenIfMissing = false, call }: Plain): Direct<EvaluationContext> {
  const most = parameters.length;
  const [one, two, three, four] = parameters.map(([key, parameter]) => readerOf(name, key, parameter));
  const isNothing = (given: number, first: unknown): boolean =>
    !evenIfMissing && given > 0 && (first === undefined || first === null);
  if (one === undefined) throw new Error(`$${name} has no parameters`);
  if (parameters[0]?.[1].rest === true) {
    // oxlint-disable-next-line max-params
    return (context, given, a, b, c, d) => call(listOf(given, a, b, c, d), context, given);
  }
  if (two === undefined) {
    return (context, given, a) => {
      if (given > most) throw tooMany(name, most, given);
      return isNothing(given, a) ? undefined : call(one(a), context, given);
    };
  }
  if (three === undefined) {
    return (context, given, a, b) => {
      if (given > most) throw tooMany(name, most, given);
      return isNothing(given, a) ? undefined : call(one(a), two(b), context, given);
    };
  }
  if (four === undefined) {
    return (context, given, a, b, c) => {
      if (given > most) throw tooMany(name, most, given);
      return isNothing(given, a) ? undefined : call(one(a), two(b), three(c), context, given);
    };
  }
  // oxlint-disable-next-line max-params
  return (context, given, a, b, c, d) =>
    isNothing(given, a) ? undefined : call(one(a), two(b), three(c), four(d), context, given);
}

function listOf(given: number, a: unknown, b: unknown, c: unknown, d: unknown): readonly unknown[] {
  switch (given) {
    case 2:
      return [a, b];
    case 3:
      return [a, b, c];
    case 4:
      return [a, b, c, d];
    default:
      return given === 1 ? [a] : [];
  }
}

const tooMany = (name: string, most: number, given: number): ExpressionFailure =>
  misuse(`$${name} takes ${most} arguments, but was given ${given}`);

function readerOf(functionName: string, name: string, parameter: Parameter<unknown>): (value: unknown) => unknown {
  const { isText, take, optional, takesNull, words } = parameter;
  return (value) => {
    if (isText && typeof value === 'string') return value;
    if (value === undefined || (value === null && !takesNull)) {
      if (optional) return undefined;
      throw misuse(`$${functionName} needs ${name}, ${words}, but it is missing`);
    }
    const taken = take(value);
    if (taken === undefined) throw misuse(`$${functionName} needs ${words} as ${name}, but was given ${kindOf(value)}`);
    return taken;
  };
}

function signatureOf(name: string, parameters: Parameters): string {
  const words = parameters.map(([key, { optional, rest }]) => (rest ? `${key}…` : optional ? `${key}?` : key));
  return `$${name}(${words.join(', ')})`;
}

/** A call that cannot be carried out. The message names what was wrong, never a value that may be a secret. */
export const misuse = (message: string, cause?: unknown): ExpressionFailure =>
  new ExpressionFailure('F0001', { message, cause });
