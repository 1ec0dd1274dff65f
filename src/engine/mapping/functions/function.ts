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
export interface MappingFunction {
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

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
type Values<P extends Parameters> = { readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };
interface Given {
  readonly text: string;
  readonly number: number;
  readonly unknown: unknown;
}

export interface FunctionSpec<P extends Parameters, G extends keyof Given = keyof Given> {
  readonly name: string;
  readonly doc: string;
  /** In the order of the call. The last may be `rest`. */
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
  readonly call: (values: Values<P>, context: EvaluationContext, given: number) => Given[G] | undefined;
}

export function define<const P extends Parameters, const G extends keyof Given = 'unknown'>(
  spec: FunctionSpec<P, G>,
): MappingFunction {
  const { name, doc, examples, parameters, gives, part, evenIfMissing = false } = spec;
  const entries = Object.entries<Parameter<unknown>>(parameters);
  const readers = entries.map(([key, parameter]) => [key, readerOf(name, key, parameter)] as const);
  const rest = entries.find(([, parameter]) => parameter.rest)?.[0];
  const most = rest === undefined ? entries.length : Infinity;
  return {
    name,
    signature: `$${name}(${entries.map(parameterText).join(', ')})`,
    takes: { least: entries.filter(([, { optional }]) => !optional).length, most },
    doc,
    examples,
    gives,
    part,
    call(context, args) {
      if (args.length > most) throw misuse(`$${name} takes ${most} arguments, but was given ${args.length}`);
      const isNothing = args.length > 0 && (args[0] === undefined || args[0] === null);
      if (isNothing && !evenIfMissing) return undefined;
      const values: Record<string, unknown> = {};
      // Called by the dozen in every mapping: an iterator would be half of its cost.
      for (let at = 0; at < readers.length; at += 1) {
        const [key, read] = readers[at] as (typeof readers)[number];
        values[key] = key === rest ? args.slice(at) : read(args[at]);
      }
      return spec.call(values as Values<P>, context, args.length);
    },
  };
}

const parameterText = ([key, { optional, rest }]: readonly [string, Parameter<unknown>]): string =>
  rest ? `${key}…` : optional ? `${key}?` : key;

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

/** A call that cannot be carried out. The message names what was wrong, never a value that may be a secret. */
export const misuse = (message: string, cause?: unknown): ExpressionFailure =>
  new ExpressionFailure('F0001', { message, cause });
