import { resolve } from '../jsonata/resolve.ts';
import { chosenEngine, type Engine, type Evaluate } from './engine.ts';

/** For who checks mappings and hardly runs one: compiled is what is evaluated, when it first is. */
export const checkingEngine: Engine = {
  compile(source, tree, functions) {
    resolve(tree, source.text);
    let compiled: Evaluate | undefined;
    return (input, variables, context) => {
      compiled ??= chosenEngine().compile(source, tree, functions);
      return compiled(input, variables, context);
    };
  },
};
