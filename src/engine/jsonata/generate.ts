import { ClosureScope, type Compiler } from './closure-scope.ts';
import { directFunctions } from './direct-functions.ts';
import { CannotGenerate, Emitter, type NotGenerated } from './emitter.ts';
import { emitNode } from './generate-nodes.ts';
import { runtime } from './generate-runtime.ts';
import type { Library } from './functions/library.ts';
import type { Run } from './run.ts';
import type { Resolved } from './resolve.ts';

/** An expression as generated JavaScript. */
export interface Generated {
  readonly evaluate: (input: unknown, run: Run) => unknown;
  /** True if a binding takes the place of a library function that is called. */
  readonly shadowed: (bindings: Readonly<Record<string, unknown>>) => boolean;
  readonly code: string;
  /** What the code knows as `K`. */
  readonly table: readonly unknown[];
  /** Parts that run as closures, called from the generated code. */
  readonly notGenerated: readonly NotGenerated[];
  /** The result is made here and holds nothing shared, unless the run says it is mixed. */
  readonly fresh: boolean;
}

/** Why there is no generated code at all. */
export interface Refused {
  readonly refused: NotGenerated;
}

/**
 * Generates JavaScript for a tree. `compiler` makes the closures for parts that are not generated. The code is a
 * function of a fixed runtime and a table of constants; it holds no text of the source but as JSON literals.
 */
export const generate = (
  { node, top, called }: Resolved,
  library: Library,
  compiler: Compiler,
): Generated | Refused => {
  const emitter = new Emitter(
    library,
    (inner, part, context) =>
      emitNode(inner, part, context, (bindings) => ClosureScope.given(compiler, library, bindings)),
    directFunctions(node),
  );
  try {
    let fresh = false;
    const body = emitter.body(() => {
      for (const binding of top.bindings.values()) emitter.declare(binding, undefined);
      const result = emitter.node(node, { js: 'i0', pure: true, outermost: true });
      fresh = result.freshItems === true || (result.type !== 'unknown' && result.type !== 'function');
      if (result.freshItems === true)
        emitter.line(`if (${result.js} instanceof ${emitter.use('Sequence')}) c.mixed = true;`);
      return result;
    });
    const code = emitter.program(
      body,
      'i0',
      [...called].filter((name) => library.has(name)),
    );
    // The one place where text becomes code; see Emitter for what that text can be.
    // oxlint-disable-next-line typescript/no-implied-eval, no-new-func
    const build = new Function('R', 'K', code) as (
      library: typeof runtime,
      table: readonly unknown[],
    ) => Pick<Generated, 'evaluate' | 'shadowed'>;
    return {
      ...build(runtime, emitter.constants),
      code,
      table: emitter.constants,
      notGenerated: emitter.notGenerated,
      fresh,
    };
  } catch (thrown) {
    if (thrown instanceof CannotGenerate) {
      return { refused: { position: thrown.position, what: 'the whole expression', why: thrown.message } };
    }
    if (thrown instanceof EvalError) {
      return { refused: { position: 0, what: 'the whole expression', why: 'code generation is not allowed here' } };
    }
    throw thrown;
  }
};
