import { compilePart } from './closures.ts';
import { ExpressionFailure, locate } from './failure.ts';
import { Frame, type Observe, Scope, survey } from './scope.ts';
import { libraryWith } from './functions/library.ts';
import { type Ast, parse } from './parse.ts';
import { defaultLimits, type Limits, Run, type RunConfig } from './run.ts';
import type { CustomFunction } from './signature.ts';
import { setKey, Wrapped } from './value.ts';

export interface CompileOptions<C = unknown> {
  /** Functions beside JSONata's own; one of the same name replaces it. */
  readonly functions?: readonly CustomFunction<C>[];
  /** The only variables that are looked for in the bindings, where that is known. */
  readonly variables?: ReadonlySet<string>;
  /** What the text was parsed to, where that is known. */
  readonly tree?: Ast;
  readonly limits?: Partial<Limits>;
  /** Milliseconds since 1970, for `$now()` and `$millis()`. */
  readonly clock?: () => number;
  /** From 0 to 1, for `$random()` and `$shuffle()`. */
  readonly random?: () => number;
  readonly observe?: Observe;
}

const noBindings: Readonly<Record<string, unknown>> = Object.freeze({});

/** Compiles a JSONata expression to a synchronous, re-entrant function. Errors: `expression_syntax`, `expression_limit`. */
export const compile = <C = unknown>(source: string, options: CompileOptions<C> = {}) => {
  const library = libraryWith((options.functions ?? []) as readonly CustomFunction[]);
  const config: RunConfig = {
    limits: { ...defaultLimits, ...options.limits },
    clock: options.clock ?? Date.now,
    random: options.random ?? Math.random,
  };
  const tree = options.tree ?? parse(source);
  const { variables, observe } = options;
  const called = new Set<string>();
  const top = new Scope({ source, library, variables, called, observe, compile: compilePart, ...survey(tree) }, [tree]);
  const closure = top.compile(tree);
  const calledNames = [...called].filter((name) => library.has(name) && variables?.has(name) !== false);
  return {
    source,
    /**
     * Evaluates to plain JSON data (or a function value), undefined for nothing. Never changes its arguments. `context`
     * reaches the custom functions. Errors: `expression_failed` and `expression_limit`, as `ExpressionFailure`.
     */
    evaluate(input: unknown, bindings: Readonly<Record<string, unknown>> = noBindings, context?: C): unknown {
      const shadowed = calledNames.some((name) => Object.hasOwn(bindings, name));
      const run = new Run(config, input, bindings, context, shadowed);
      try {
        const result = closure(wrap(input), new Frame(run, top.bindings.size));
        if (result === run.plainValue) return result;
        return plain(run, result instanceof Wrapped ? result[0] : result, 0);
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

const maxDepth = 2000;

/** The value with plain arrays in place of our own classes. Charges for all that it sees. */
const plain = (run: Run, value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  run.charge(8);
  if (depth > maxDepth) throw new ExpressionFailure('W0006');
  if (Array.isArray(value)) {
    let target = value.constructor === Array ? value : Array.from<unknown>(value);
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      const copy = plain(run, item, depth + 1);
      if (copy === item) continue;
      if (target === value) target = value.slice();
      target[index] = copy;
    }
    return target;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // Not by Object.keys, which would cost more than all else here; these prototypes have nothing to list.
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    const copy = plain(run, item, depth + 1);
    // Only an object of this evaluation's making can hold an array of our classes.
    if (copy !== item) setKey(value, key, copy);
  }
  return value;
};
