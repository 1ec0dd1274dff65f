/** An engine that tells what each evaluation read, yielded and went through: for coverage and explanations. */
import { isMap } from '../value.ts';
import { compile } from '../jsonata/compile.ts';
import { type Branch, createTracer, type Trace } from '../jsonata/trace.ts';
import type { Engine } from './engine.ts';
import type { Roots, EvaluationContext } from './mapping.ts';
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
  evaluated(evaluation: Evaluation): void;
}

export const tracingEngine = ({ compiled, evaluated }: Watcher): Engine => ({
  compile({ source, ...parsed }) {
    const tracer = createTracer();
    const expression = compile<EvaluationContext>(source.text, { ...parsed, observe: tracer.observe });
    compiled?.(source, tracer.branches);
    return (roots, context) =>
      tracer.run(parsed.variables, (tracing) => {
        const tracked = tracing.sources.copy(roots) as Roots;
        // What is named as a variable is told by that; a function of this name is none.
        const bindings = Object.fromEntries(
          Object.keys(roots).map((name) => [name, tracing.sources.plain(tracked, name)]),
        );
        let raw: unknown;
        try {
          raw = expression.evaluate(tracked, bindings, context);
        } catch (thrown) {
          evaluated({ source, value: undefined, trace: tracing.result(undefined), thrown });
          throw thrown;
        }
        const value = plainOf(raw);
        evaluated({ source, value, trace: tracing.result(raw) });
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
