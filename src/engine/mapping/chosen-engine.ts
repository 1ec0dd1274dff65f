import { Failure } from '../failure.ts';
import { compiledEngine, type Engine, type Evaluate } from './engine.ts';
import { stockEngine } from './stock-engine.ts';

/** By their names in `WAYBILL_MAPPING`: our own compiler, the interpreter of the jsonata package. */
const ENGINES = { compiled: compiledEngine, stock: stockEngine } as const satisfies Readonly<Record<string, Engine>>;
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

export const chosenEngine = (): Engine => (chosen ??= engineNamed(process.env['WAYBILL_MAPPING']));

/** For callers that check mappings and evaluate few of them: an expression is compiled when it is first evaluated. */
export const checkingEngine: Engine = {
  compile(expression) {
    let compiled: Evaluate | undefined;
    return (roots, context) => {
      compiled ??= chosenEngine().compile(expression);
      return compiled(roots, context);
    };
  },
};
