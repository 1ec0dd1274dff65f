import { Failure } from '../../../../src/engine/failure.ts';
import { compileExpression } from '../../../../src/engine/mapping/expression.ts';
import type { Roots, EvaluationContext } from '../../../../src/engine/mapping/mapping.ts';
import { sourceText } from '../../../../src/engine/mapping/source-text.ts';
import { context } from '../context.ts';

/** The value of an expression. */
export const evaluate = async (
  expression: string,
  roots: Roots = {},
  change: Partial<EvaluationContext> = {},
): Promise<unknown> => await compileExpression(sourceText('test', expression)).evaluate(roots, context(change));

/** The message of the `mapping_failed` that an expression ends in. */
export async function misuseOf(expression: string, roots: Roots = {}): Promise<string> {
  try {
    await evaluate(expression, roots);
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === 'mapping_failed') return thrown.message;
    throw thrown;
  }
  throw new Error('it did not fail');
}
