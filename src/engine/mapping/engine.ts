import { Failure } from '../failure.ts';
import type { Ast } from '../jsonata/parse.ts';
import { compiledEngine } from './compiled-engine.ts';
import type { LibraryFunction } from './functions/function.ts';
import type { EvaluationContext } from './mapping.ts';
import type { SourceText } from './source-text.ts';
import { stockEngine } from './stock-engine.ts';

/** What evaluates the JSONata of mappings. */
export interface Engine {
  /** `tree` is what `source` was parsed to, `functions` those of the library that it names. */
  compile(source: SourceText, tree: Ast, functions: readonly LibraryFunction[]): Evaluate;
}

/**
 * Evaluates over an input document with variables. Answers at once or by a promise; fails with an `ExpressionFailure`
 * whose position is an offset in the source, or with what one of the functions threw. Changes neither the input nor
 * the variables; what it yields are plain values, which may be parts of the input, or a function.
 */
export type Evaluate = (
  input: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, unknown>>,
  context: EvaluationContext,
) => unknown;

/** By their names in `WAYBILL_MAPPING`: generated code, closures alone, the interpreter of the jsonata package. */
const ENGINES = {
  compiled: compiledEngine({ generate: true }),
  closures: compiledEngine({ generate: false }),
  stock: stockEngine,
} as const satisfies Readonly<Record<string, Engine>>;
export type EngineName = keyof typeof ENGINES;
export const ENGINE_NAMES = Object.keys(ENGINES) as readonly EngineName[];

/** The engine of a name in `WAYBILL_MAPPING`; none is `compiled`. Throws `mapping_engine_unknown`. */
export function engineNamed(name: string | undefined): Engine {
  const known = name === undefined || name === '' ? 'compiled' : ENGINE_NAMES.find((each) => each === name);
  if (known !== undefined) return ENGINES[known];
  throw new Failure(`there is no mapping engine '${name}'`, {
    code: 'mapping_engine_unknown',
    help: `WAYBILL_MAPPING is one of ${ENGINE_NAMES.join(', ')}`,
  });
}

let chosen: Engine | undefined;

/** The engine that the environment names, asked once. */
export const chosenEngine = (): Engine => (chosen ??= engineNamed(process.env['WAYBILL_MAPPING']));
