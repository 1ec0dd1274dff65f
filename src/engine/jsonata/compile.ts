import { ClosureScope, type Observe } from './closure-scope.ts';
import { compileClosure } from './closures.ts';
import { directFunctions } from './direct-functions.ts';
import { locate } from './failure.ts';
import { Frame, emptySlots } from './frame.ts';
import { libraryWith, type CustomFunction } from './functions/library.ts';
import type { NotGenerated } from './emitter.ts';
import { generate, type Generated, type Refused } from './generate.ts';
import { type Ast, parse } from './parse.ts';
import { resolve } from './resolve.ts';
import { plainResult } from './result.ts';
import { Run, defaultLimits, type Limits, type RunConfig } from './run.ts';
import { sharingOf } from './sharing.ts';
import type { Binding } from './tree.ts';
import { Sequence, Wrapped } from './value.ts';

export interface CompileOptions<C = unknown> {
  /** Functions beside JSONata's own; one of the same name replaces it. */
  readonly functions?: readonly CustomFunction<C>[];
  /** What the text was parsed to, where that is known. */
  readonly tree?: Ast;
  readonly limits?: Partial<Limits>;
  /** Milliseconds since 1970, for `$now()` and `$millis()`. */
  readonly clock?: () => number;
  /** From 0 to 1, for `$random()` and `$shuffle()`. */
  readonly random?: () => number;
  /** False: closures only, no generated code. */
  readonly generate?: boolean;
  /** Watches each part as it is evaluated: closures only. */
  readonly observe?: Observe;
}

/** How an expression will run. */
export interface Explanation {
  /** `mixed`: generated code that leaves the parts listed to closures. */
  readonly backend: 'generated' | 'mixed' | 'closures';
  readonly notGenerated: readonly NotGenerated[];
  /** The generated JavaScript. */
  readonly code: string | undefined;
  /**
   * Offsets of array items and object values that assign a variable (`[$x := 1, $x]`). Siblings are evaluated from top
   * to bottom; JSONata leaves their order open.
   */
  readonly siblingAssignments: readonly number[];
}

export interface CompiledExpression<C = unknown> {
  readonly source: string;
  readonly explanation: Explanation;
  /**
   * Evaluates to plain JSON data (or a function value), undefined for nothing. Never changes its arguments. `context`
   * reaches the custom functions. Errors: `expression_failed` and `expression_limit`, as `ExpressionFailure`.
   */
  evaluate(input: unknown, bindings?: Readonly<Record<string, unknown>>, context?: C): unknown;
}

const noBindings: Readonly<Record<string, unknown>> = Object.freeze({});

/** Compiles a JSONata expression to a synchronous, re-entrant function. Errors: `expression_syntax`, `expression_limit`. */
export const compile = <C = unknown>(source: string, options: CompileOptions<C> = {}): CompiledExpression<C> => {
  const library = libraryWith(options.functions ?? []);
  const config: RunConfig = {
    limits: { ...defaultLimits, ...options.limits },
    clock: options.clock ?? Date.now,
    random: options.random ?? Math.random,
  };
  const resolved = resolve(options.tree ?? parse(source), source);
  const { node, top, called } = resolved;
  const { observe } = options;
  // Who watches sees every call.
  const direct = observe === undefined ? directFunctions(node) : new Set<Binding>();
  const makeClosure = () =>
    compileClosure(node, ClosureScope.outermost(compileClosure, library, top, { direct, observe }));
  const generated =
    options.generate === false || observe !== undefined ? refusedByOption : generate(resolved, library, compileClosure);
  // Beside generated code they are rarely needed.
  let closure = 'evaluate' in generated ? undefined : makeClosure();
  const sharing = sharingOf(node, library);
  const calledNames = [...called].filter((name) => library.has(name));
  return {
    source,
    explanation: explain(generated, resolved.siblingAssignments),
    evaluate(input, bindings = noBindings, context) {
      const shadowed =
        'shadowed' in generated
          ? generated.shadowed(bindings)
          : calledNames.some((name) => Object.hasOwn(bindings, name));
      const run = new Run(config, input, bindings, context, shadowed);
      try {
        if ('evaluate' in generated && !shadowed) {
          const result = generated.evaluate(wrap(input), run);
          return generated.fresh && !run.mixed ? result : plainResult(run, result);
        }
        const frame = new Frame(run, emptySlots(top.bindings.size), undefined, undefined);
        const result = (closure ??= makeClosure())(wrap(input), frame);
        const fresh = sharing === 'none' || (sharing === 'items' && !(result instanceof Sequence));
        return fresh && !run.mixed ? result : plainResult(run, result);
      } catch (thrown) {
        throw asFailure(thrown);
      }
    },
  };
};

const refusedByOption: Refused = {
  refused: { position: 0, what: 'the whole expression', why: 'closures were asked for' },
};

const explain = (generated: Generated | Refused, siblingAssignments: readonly number[]): Explanation => {
  if ('refused' in generated) {
    return { backend: 'closures', notGenerated: [generated.refused], code: undefined, siblingAssignments };
  }
  const { notGenerated, code } = generated;
  return { backend: notGenerated.length === 0 ? 'generated' : 'mixed', notGenerated, code, siblingAssignments };
};

const wrap = (input: unknown): unknown => {
  if (!Array.isArray(input)) return input;
  const wrapped = new Wrapped();
  wrapped[0] = input;
  return wrapped;
};

const asFailure = (thrown: unknown): unknown => locate(thrown, undefined);
