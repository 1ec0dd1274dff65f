import { Failure } from '../../../src/domain/failure.ts';
import { compileExpression } from '../../../src/mapping/expression.ts';
import type { Roots, Surroundings } from '../../../src/mapping/mapping.ts';
import { sourceText } from '../../../src/mapping/source-text.ts';
import { surroundings } from '../surroundings.ts';

/** The value of an expression. */
export const evaluate = async (
  expression: string,
  roots: Roots = {},
  change: Partial<Surroundings> = {},
): Promise<unknown> => await compileExpression(sourceText('test', expression)).evaluate(roots, surroundings(change));

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
