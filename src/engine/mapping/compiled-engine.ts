import { compile } from '../jsonata/compile.ts';
import type { CustomFunction } from '../jsonata/functions/library.ts';
import type { Engine } from './engine.ts';
import type { LibraryFunction } from './functions/function.ts';
import type { EvaluationContext } from './mapping.ts';

/** Our own compiler: synchronous, bounded, and without a copy of the input. */
export const compiledEngine = (options: { readonly generate: boolean }): Engine => ({
  compile({ text }, tree, functions) {
    const expression = compile<EvaluationContext>(text, { ...options, tree, functions: customFunctions(functions) });
    return (input, variables, context) => expression.evaluate(input, variables, context);
  },
});

/** Functions of the language as the compiler takes them. */
export const customFunctions = (functions: readonly LibraryFunction[]): readonly CustomFunction<EvaluationContext>[] =>
  functions.map(({ name, call, direct, gives, part }) => ({
    name,
    call: (context: EvaluationContext, ...args: readonly unknown[]) => call(context, args),
    direct,
    gives,
    part,
  }));
