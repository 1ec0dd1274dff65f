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
  readonly gives: FunctionSpec<Parameters>['gives'];
  readonly part: FunctionSpec<Parameters>['part'];
}

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
  /** In the order of the call. A sole one may be `rest`. */
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

export function define<const P extends Parameters, const G extends keyof Given = 'unknown'>(
  spec: FunctionSpec<P, G>,
): LibraryFunction {
  const { name, doc, examples, parameters, gives, part, evenIfMissing = false } = spec;
  const call = spec.call as (...args: readonly unknown[]) => unknown;
  const most = parameters.at(-1)?.[1].rest === true ? Infinity : parameters.length;
  const readers = parameters.map(([key, parameter]) => readerOf(name, key, parameter));
  return {
    name,
    signature: signatureOf(name, parameters),
    takes: { least: parameters.filter(([, { optional }]) => !optional).length, most },
    doc,
    examples,
    gives,
    part,
    call(context, args) {
      if (most === Infinity) return call(args, context, args.length);
      if (args.length > most) throw misuse(`$${name} takes ${most} arguments, but was given ${args.length}`);
      const isNothing = args.length > 0 && (args[0] === undefined || args[0] === null);
      if (isNothing && !evenIfMissing) return undefined;
      return call(...readers.map((read, at) => read(args[at])), context, args.length);
    },
  };
}

function readerOf(functionName: string, name: string, parameter: Parameter<unknown>): (value: unknown) => unknown {
  const { take, optional, takesNull, words } = parameter;
  return (value) => {
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
