import { Failure } from '../../../src/engine/failure.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import type { EvaluationContext, Roots } from '../../../src/engine/mapping/mapping.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';

/** The context of an evaluation at noon UTC on 2 March 2026, a Monday, with nothing drawn. */
export const context = (change: Partial<EvaluationContext> = {}): EvaluationContext => ({
  tables: {},
  time: { zone: 'UTC', formats: ['iso'] },
  nowMs: Date.UTC(2026, 2, 2, 12),
  drawn: ({ kind, name }) => `${kind}:${name}`,
  ...change,
});

/** The value of an expression. */
export const evaluate = async (
  expression: string,
  roots: Roots = {},
  change: Partial<EvaluationContext> = {},
): Promise<unknown> => await compileExpression(sourceText('test', expression)).evaluate(roots, context(change));

/** The `Failure` that something ends in; anything else fails the test. */
export async function failureOf(run: () => unknown): Promise<Failure> {
  try {
    await run();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
}

/** The message of the `mapping_failed` that an expression ends in. */
export async function misuseOf(expression: string, roots: Roots = {}): Promise<string> {
  const failure = await failureOf(() => evaluate(expression, roots));
  if (failure.code !== 'mapping_failed') throw failure;
  return failure.message;
}
