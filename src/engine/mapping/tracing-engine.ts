/** An engine that tells what each evaluation read, yielded and went through: for coverage and explanations. */
import { isMap } from '../value.ts';
import { compile } from '../jsonata/compile.ts';
import { type Branch, createTracer, type Touched, type Touching, type Trace, type Tracing } from '../jsonata/trace.ts';
import type { Engine } from './engine.ts';
import type { EvaluationContext } from './mapping.ts';
import type { SourceText } from './source-text.ts';

export interface Evaluation {
  readonly source: SourceText;
  /** undefined where there is `thrown`. */
  readonly value: unknown;
  readonly trace: Trace;
  /** What ended it: `$reject`, or a mistake. */
  readonly thrown?: unknown;
}

export interface Watcher {
  compiled?(source: SourceText, branches: readonly Branch[]): void;
  /** Every evaluation, `value` as in `Evaluation`. */
  touched?(source: SourceText, value: unknown, touched: Touched): void;
  evaluated(evaluation: Evaluation): void;
  /** Whether somebody wants to know now of what a value is made, which takes ten times as long. */
  isExplained?(): boolean;
}

export const tracingEngine = ({ compiled, touched, evaluated, isExplained = () => true }: Watcher): Engine => ({
  compile({ source, ...parsed }) {
    const tracer = createTracer();
    const expression = compile<EvaluationContext>(source.text, { ...parsed, observe: tracer.observe });
    compiled?.(source, tracer.branches);
    return (roots, context) => {
      const explain = (tracing: Tracing): unknown => {
        const { input, variables } = tracing.inputs(roots);
        const note = (value: unknown, raw: unknown, thrown?: { readonly thrown: unknown }): void => {
          const trace = tracing.result(raw);
          touched?.(source, value, trace);
          evaluated({ source, value, trace, ...thrown });
        };
        let raw: unknown;
        try {
          raw = expression.evaluate(input, variables, context);
        } catch (thrown) {
          note(undefined, undefined, { thrown });
          throw thrown;
        }
        const value = plainOf(raw);
        note(value, raw);
        return value;
      };
      const touch = (touching: Touching): unknown => {
        const { input, variables } = touching.inputs(roots);
        let value: unknown;
        try {
          value = plainOf(expression.evaluate(input, variables, context));
          return value;
        } finally {
          touched?.(source, value, touching.result());
        }
      };
      return isExplained() ? tracer.trace(parsed.variables, explain) : tracer.touch(parsed.variables, touch);
    };
  },
});

/** Without the fields that tell who reads them. */
const plainOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plainOf(held)]));
};
