/** Why an evaluation failed: which value a function could not take, and what of the input that was made of. */
import { ExpressionFailure } from '../jsonata/failure.ts';
import type { Trace } from '../jsonata/trace.ts';
import type { ParsedExpression } from './engine.ts';
import type { EvaluationContext, RefusedValue, Roots } from './mapping.ts';
import { type Evaluation, tracingEngine } from './tracing-engine.ts';

/** Evaluates again, watched. Undefined where no function refused a value. */
export const findRefusedValue = (...again: Parameters<typeof watched>): RefusedValue | undefined => {
  const { thrown, trace }: Partial<Evaluation> = watched(...again) ?? {};
  if (!(thrown instanceof ExpressionFailure) || thrown.argument === undefined) return undefined;
  const { argument, message, token } = thrown;
  const said = thrown.said ?? (thrown.jsonataCode.startsWith('T') ? `it is not what $${token} takes` : message);
  return { said: said.charAt(0).toLowerCase() + said.slice(1), madeOf: trace?.ended?.args?.[argument] ?? [] };
};

export const traceOf = (...again: Parameters<typeof watched>): Trace | undefined => watched(...again)?.trace;

type Watched = (roots: Roots, context: EvaluationContext) => Evaluation | undefined;

/** An expression that rejects does so again. */
const known = new WeakMap<ParsedExpression, Watched>();

const watched = (expression: ParsedExpression, roots: Roots, context: EvaluationContext): Evaluation | undefined => {
  const evaluate = known.get(expression) ?? watch(expression);
  known.set(expression, evaluate);
  return evaluate(roots, context);
};

const watch = (expression: ParsedExpression): Watched => {
  let seen: Evaluation | undefined;
  const evaluate = tracingEngine({ evaluated: (evaluation) => (seen = evaluation) }).compile(expression);
  return (roots, context) => {
    try {
      evaluate(roots, context);
    } catch {
      // As it did before.
    }
    const last = seen;
    // It holds all that it has read.
    seen = undefined;
    return last;
  };
};
