import type { Engine } from '../../mapping/engine.ts';
import type { EvaluationContext, Mapping } from '../../mapping/mapping.ts';
import { compileTemplate, inOrder } from '../../mapping/template.ts';
import { childrenOf, type Node, readScalar, sourceOf } from '../tree.ts';

type Branch = Required<Pick<Mapping, 'constant' | 'evaluate' | 'parts'>>;

/**
 * Compiles a tree whose texts may hold `${ }`. A text that is one whole `${ }` keeps the value's type; without a
 * value its key, or its element of a list, is left out. Throws `mapping_syntax`.
 */
export const compileTree = (node: Node, engine?: Engine): Mapping => {
  const source = sourceOf(node);
  return { ...compileNode(node, [], engine), place: source.placeAt(0), text: source.text };
};

const compileNode = (node: Node, path: readonly (string | number)[], engine: Engine | undefined): Branch => {
  if (node.kind === 'scalar') {
    const reading = readScalar(node);
    if (reading.ok && typeof reading.value !== 'string') return constantly(reading.value, []);
    const { constant, evaluate, place, text } = compileTemplate(node, 'value', engine);
    return { constant, evaluate, parts: [{ path, place, text }] };
  }
  const keys = node.kind === 'map' ? node.entries.map(({ key }) => key.text) : [...node.items.keys()];
  const branches = childrenOf(node).map((child, at) => compileNode(child, [...path, keys[at] ?? at], engine));
  const parts = branches.flatMap((branch) => branch.parts);
  const join = (values: readonly unknown[]): unknown =>
    node.kind === 'list'
      ? values.filter((value) => value !== undefined)
      : // By entries, so that a key `__proto__` is a key like any other.
        Object.fromEntries(keys.map((key, at) => [key, values[at]]).filter(([, held]) => held !== undefined));
  // Frozen, for all evaluations share it. A constant looks neither at roots nor at the context.
  if (branches.every(({ constant }) => constant)) {
    return constantly(
      Object.freeze(join(branches.map(({ evaluate }) => evaluate({}, {} as EvaluationContext)))),
      parts,
    );
  }
  return {
    constant: false,
    evaluate: (roots, context) => inOrder(branches, (branch) => branch.evaluate(roots, context), join),
    parts,
  };
};

const constantly = (value: unknown, parts: Branch['parts']): Branch => ({
  constant: true,
  evaluate: () => value,
  parts,
});
