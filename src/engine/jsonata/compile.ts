import { ClosureScope, type Observe } from './closure-scope.ts';
import { compileClosure } from './closures.ts';
import { directFunctions } from './direct-functions.ts';
import { locate } from './failure.ts';
import { Frame, emptySlots } from './frame.ts';
import { libraryWith, type CustomFunction } from './functions/library.ts';
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
  /** Watches each part as it is evaluated. */
  readonly observe?: Observe;
}

export interface CompiledExpression<C = unknown> {
  readonly source: string;
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
  const { node, top, called } = resolve(options.tree ?? parse(source), source);
  const { observe } = options;
  // Who watches sees every call.
  const direct = observe === undefined ? directFunctions(node) : new Set<Binding>();
  const closure = compileClosure(node, ClosureScope.outermost(compileClosure, library, top, { direct, observe }));
  const sharing = sharingOf(node, library);
  const calledNames = [...called].filter((name) => library.has(name));
  return {
    source,
    evaluate(input, bindings = noBindings, context) {
      const shadowed = calledNames.some((name) => Object.hasOwn(bindings, name));
      const run = new Run(config, input, bindings, context, shadowed);
      try {
        const result = closure(wrap(input), new Frame(run, emptySlots(top.bindings.size), undefined, undefined));
        const fresh = sharing === 'none' || (sharing === 'items' && !(result instanceof Sequence));
        return fresh && !run.mixed ? result : plainResult(run, result);
      } catch (thrown) {
        throw locate(thrown, undefined);
      }
    },
  };
};

const wrap = (input: unknown): unknown => {
  if (!Array.isArray(input)) return input;
  const wrapped = new Wrapped();
  wrapped[0] = input;
  return wrapped;
};
