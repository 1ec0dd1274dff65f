/** An engine that tells what each evaluation read, yielded and went through: for coverage and explanations. */
import { isMap } from '../value.ts';
import { compile } from '../jsonata/compile.ts';
import { type Branch, branchesIn, createTracer, type Trace } from '../jsonata/trace.ts';
import { customFunctions, type Engine } from './engine.ts';
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
  compile(source, _tree, functions) {
    const tracer = createTracer();
    const expression = compile<EvaluationContext>(source.text, {
      functions: customFunctions(functions),
      observe: tracer.observe,
    });
    compiled?.(source, branchesIn(source.text));
    return (input, variables, context) =>
      tracer.run(new Set(Object.keys(input)), (tracing) => {
        const tracked = tracing.copy(input) as Roots;
        const named = Object.fromEntries(
          Object.entries(variables).map(([name, value]) => [name, Object.hasOwn(input, name) ? tracked[name] : value]),
        );
        tracing.begin();
        const raw = expression.evaluate(tracked, named, context);
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
