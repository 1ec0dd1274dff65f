import { ExpressionFailure } from '../../jsonata/failure.ts';
import type { Surroundings } from '../mapping.ts';
import { kindOf } from '../../codec/codec.ts';
import type { Parameter } from './parameter.ts';

export interface Example {
  readonly expression: string;
  readonly result: unknown;
  /** Roots that the expression sees. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** A function of the language, stated once: what it is called with, what it does, how it is documented and tried. */
export interface LibraryFunction {
  /** Without the `$`. */
  readonly name: string;
  readonly signature: string;
  /** One or more sentences for the author of a mapping. */
  readonly doc: string;
  readonly examples: readonly Example[];
  /** Throws an `ExpressionFailure` whose place is the caller's to add. */
  readonly call: (surroundings: Surroundings, args: readonly unknown[]) => unknown;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
type Values<P extends Parameters> = { readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

export interface FunctionSpec<P extends Parameters> {
  readonly name: string;
  readonly doc: string;
  /** In the order of the call. The last may be `rest`. */
  readonly parameters: P;
  /** Called even when the first argument is missing; by default such a call gives nothing. */
  readonly evenIfMissing?: boolean;
  readonly examples: readonly [Example, ...Example[]];
  /** `given` counts the arguments written, to tell a missing value from none. */
  call(values: Values<P>, surroundings: Surroundings, given: number): unknown;
}

export function define<const P extends Parameters>(spec: FunctionSpec<P>): LibraryFunction {
  const parameters = Object.entries(spec.parameters);
  const most = parameters.at(-1)?.[1].rest === true ? Infinity : parameters.length;
  return {
    name: spec.name,
    signature: signatureOf(spec.name, parameters),
    doc: spec.doc,
    examples: spec.examples,
    call(surroundings, args) {
      if (args.length > most) throw misuse(`$${spec.name} takes ${most} arguments, but was given ${args.length}`);
      const first = args[0];
      if (spec.evenIfMissing !== true && args.length > 0 && (first === undefined || first === null)) return undefined;
      const values: Record<string, unknown> = {};
      // Called by the dozen in every mapping: an index, for an iterator costs more than most of what is called.
      for (let at = 0; at < parameters.length; at += 1) {
        const [name, parameter] = parameters[at] as (typeof parameters)[number];
        values[name] = parameter.rest ? (at === 0 ? args : args.slice(at)) : read(spec.name, name, parameter, args[at]);
      }
      return spec.call(values as Values<P>, surroundings, args.length);
    },
  };
}

function read(functionName: string, name: string, parameter: Parameter<unknown>, value: unknown): unknown {
  if (value === undefined || (value === null && !parameter.takesNull)) {
    if (parameter.optional) return undefined;
    throw misuse(`$${functionName} needs ${name}, ${parameter.words}, but it is missing`);
  }
  const taken = parameter.take(value);
  if (taken === undefined) {
    throw misuse(`$${functionName} needs ${parameter.words} as ${name}, but was given ${kindOf(value)}`);
  }
  return taken;
}

function signatureOf(name: string, parameters: readonly (readonly [string, Parameter<unknown>])[]): string {
  const words = parameters.map(([key, { optional, rest }]) => (rest ? `${key}…` : optional ? `${key}?` : key));
  return `$${name}(${words.join(', ')})`;
}

/** A call that cannot be carried out. The message names what was wrong, never a value that may be a secret. */
export const misuse = (message: string, cause?: unknown): ExpressionFailure =>
  new ExpressionFailure('F0001', { message, cause });
