import { compile } from '../jsonata/compile.ts';
import type { Ast } from '../jsonata/parse.ts';
import type { MappingFunction } from './functions/function.ts';
import type { EvaluationContext, Roots } from './mapping.ts';
import type { SourceText } from './source-text.ts';

/** A parsed expression, and what it names: functions of the library, and roots as variables. */
export interface ParsedExpression {
  readonly source: SourceText;
  readonly tree: Ast;
  readonly functions: readonly MappingFunction[];
  readonly variables: ReadonlySet<string>;
}

export interface Engine {
  compile(expression: ParsedExpression): Evaluate;
}

/**
 * Evaluates over an input document, whose fields are variables, too, as far as the expression names them. Answers at
 * once or by a promise; fails with an `ExpressionFailure` whose position is an offset in the source, or with what one of
 * the functions threw. Does not change the input; what it yields are plain values, which may be parts of the input, or a
 * function.
 */
export type Evaluate = (roots: Roots, context: EvaluationContext) => unknown;

/** Our own compiler: synchronous, bounded, and without a copy of the input. */
export const compiledEngine: Engine = {
  compile({ source, ...parsed }) {
    const expression = compile<EvaluationContext>(source.text, parsed);
    return (roots, context) => expression.evaluate(roots, roots, context);
  },
};
