import { compile } from '../jsonata/compile.ts';
import type { CustomFunction } from '../jsonata/functions/library.ts';
import type { Ast } from '../jsonata/parse.ts';
import type { MappingFunction } from './functions/function.ts';
import type { EvaluationContext } from './mapping.ts';
import type { SourceText } from './source-text.ts';

/** What evaluates the JSONata of mappings. */
export interface Engine {
  /** `tree` is what `source` was parsed to, `functions` those of the library that it names. */
  compile(source: SourceText, tree: Ast, functions: readonly MappingFunction[]): Evaluate;
}

/**
 * Evaluates over an input document with variables. Answers at once or by a promise; fails with an `ExpressionFailure`
 * whose position is an offset in the source, or with what one of the functions threw. Changes neither the input nor
 * the variables; what it yields are plain values, which may be parts of the input, or a function.
 */
export type Evaluate = (
  input: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, unknown>>,
  context: EvaluationContext,
) => unknown;

/** Our own compiler: synchronous, bounded, and without a copy of the input. */
export const compiledEngine: Engine = {
  compile({ text }, tree, functions) {
    const expression = compile<EvaluationContext>(text, { tree, functions: customFunctions(functions) });
    return (input, variables, context) => expression.evaluate(input, variables, context);
  },
};

/** Functions of the language as the compiler takes them. */
export const customFunctions = (functions: readonly MappingFunction[]): readonly CustomFunction<EvaluationContext>[] =>
  functions.map(({ name, call, part }) => ({
    name,
    call:
      part === undefined
        ? call
        : (context, args, budget) =>
            args.length === 1 ? (part(budget, args[0]) ?? (Array.isArray(args[0]) ? [] : {})) : call(context, args),
  }));
