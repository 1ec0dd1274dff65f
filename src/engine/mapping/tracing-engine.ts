/** An engine that tells what each evaluation read, yielded and went through: for coverage and explanations. */
import { isMap } from '../value.ts';
import { compile } from '../jsonata/compile.ts';
import { type Branch, createTracer, type Trace } from '../jsonata/trace.ts';
import type { Engine } from './engine.ts';
import type { Roots, EvaluationContext } from './mapping.ts';
import type { SourceText } from './source-text.ts';

export interface Evaluation {
  readonly source: SourceText;
  readonly value: unknown;
  readonly trace: Trace;
}

export interface Watcher {
  compiled?(source: SourceText, branches: readonly Branch[]): void;
  evaluated(evaluation: Evaluation): void;
}

export const tracingEngine = ({ compiled, evaluated }: Watcher): Engine => ({
  compile({ source, ...parsed }) {
    const tracer = createTracer();
    const expression = compile<EvaluationContext>(source.text, { ...parsed, observe: tracer.observe });
    compiled?.(source, tracer.branches);
    return (roots, context) =>
      tracer.run(new Set(Object.keys(roots)), (tracing) => {
        const tracked = tracing.copy(roots) as Roots;
        const raw = expression.evaluate(tracked, tracked, context);
        const trace = tracing.result(raw);
        const value = plainOf(raw);
        evaluated({ source, value, trace });
        return value;
      });
  },
});

/** Without the fields that tell who reads them. */
const plainOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plainOf(held)]));
};
