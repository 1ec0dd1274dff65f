import { compile } from '../jsonata/compile.ts';
import type { Engine } from './engine.ts';
import type { Surroundings } from './mapping.ts';

/** Our own compiler: synchronous, bounded, and without a copy of the input. */
export const compiledEngine = (options: { readonly generate: boolean }): Engine => ({
  compile(source, _tree, functions) {
    const expression = compile<Surroundings>(source, {
      ...options,
      functions: functions.map(({ name, call }) => ({
        name,
        call: (surroundings: Surroundings, ...args: readonly unknown[]) => call(surroundings, args),
      })),
    });
    return (input, variables, surroundings) => expression.evaluate(input, variables, surroundings);
  },
});
