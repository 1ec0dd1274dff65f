import { Failure, type FailureOptions, type Place } from '../failure.ts';
import type { Trace } from '../jsonata/trace.ts';

/** The input document of one evaluation: a field for each root (`consignment`, `settings`, `steps`, …). */
export type Roots = Readonly<Record<string, unknown>>;

/** A value that may be taken once per dispatch, step, element and name. */
export interface Draw {
  readonly kind: 'uuid' | 'sequence';
  readonly name: string;
  readonly options: { readonly min?: number; readonly max?: number; readonly pad?: number };
}

/** What library functions need besides their arguments; one per evaluation. */
export interface EvaluationContext {
  readonly tables: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly time: { readonly zone: string; readonly formats: readonly string[] };
  /** Milliseconds since 1970, fixed at the operation's first try. */
  readonly nowMs: number;
  /** The recorded value of a draw; throws `DrawNeeded` when there is none yet. */
  drawn(draw: Draw): string;
  /** Called with what `$base64`, `$hash` and `$hmac` make of a text, so that derived forms of a secret are masked, too. */
  derived?(input: string, output: string): void;
}

/** Thrown through an evaluation when a value is not drawn yet: the caller draws it, records it and evaluates again. */
export class DrawNeeded extends Error {
  override readonly name = 'DrawNeeded';
  readonly draw: Draw;
  constructor(draw: Draw) {
    super(`a value has to be drawn for ${draw.kind} ${draw.name}`);
    this.draw = draw;
  }
}

/** Thrown through an evaluation by `$reject`. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: string | undefined;
  /** Finds out, by evaluating again, which paths of the input led to it. */
  reads: () => readonly string[] = () => [];
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** A value that a function cannot take. */
export interface RefusedValue {
  /** What is wrong with it, without the words of the mapping. */
  readonly said: string;
  /** Paths of the input; none for what the mapping itself writes. */
  readonly madeOf: readonly string[];
}

/** An expression that failed; `refused` finds out, by evaluating again, whether and which value a function refused. */
export class EvaluationFailure extends Failure {
  readonly refused: () => RefusedValue | undefined;
  constructor(message: string, options: FailureOptions, refused: () => RefusedValue | undefined = () => undefined) {
    super(message, options);
    this.refused = refused;
  }
}

/** One text of a tree, and where in the value it goes. */
interface MappingPart {
  readonly path: readonly (string | number)[];
  readonly place: Place;
  readonly text: string;
}

/**
 * Anything of a profile that is evaluated: an expression, a text with `${ }`, a tree of them, or a mapping file.
 * `evaluate` yields undefined for "nothing", and fails with a `Failure` (code `mapping_failed`, placed), a
 * `Rejection` or `DrawNeeded`. Callers await the result.
 */
export interface Mapping {
  readonly place: Place;
  readonly text: string;
  /** A value without any `${ }` or expression: known when the profile is compiled. */
  readonly constant: boolean;
  /** The texts that a tree is made of. */
  readonly parts?: readonly MappingPart[];
  evaluate(roots: Roots, context: EvaluationContext): unknown;
  /** Of a single expression: what its value is made of, by evaluating it watched. */
  trace?(roots: Roots, context: EvaluationContext): Trace | undefined;
}
