import type { Engine } from './engine.ts';
import type { Mapping, MappingPart, Roots, EvaluationContext } from './mapping.ts';
import { inOrder } from './pending.ts';
import type { SourceText } from './source-text.ts';
import { isLiteral, parseTemplate } from './template-parts.ts';
import { compileTemplate } from './template.ts';

/** A YAML tree as a profile holds it. The caller has read plain scalars (§3.11) and knows where each text stands. */
export type Node =
  | { readonly kind: 'text'; readonly source: SourceText }
  | { readonly kind: 'value'; readonly value: number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, node: Node])[] };

/**
 * Compiles a tree whose texts may hold `${ }`. A text that is one whole `${ }` keeps the value's type; without a
 * value its key, or its element of a list, is left out. `source` is the tree as written. Throws `mapping_syntax`.
 */
export function compileTree(node: Node, source: SourceText, engine?: Engine): Mapping {
  const branch = compileNode(node, engine);
  const common = { place: source.placeAt(0), text: source.text, parts: partsOf(node, []) };
  if ('constant' in branch) {
    return { ...common, constant: true, evaluate: () => branch.constant };
  }
  return { ...common, constant: false, evaluate: (roots, context) => branch.evaluate(roots, context) };
}

type Branch = { readonly constant: unknown } | { evaluate(roots: Roots, context: EvaluationContext): unknown };

const isConstant = (branch: Branch): branch is { readonly constant: unknown } => 'constant' in branch;

function compileNode(node: Node, engine: Engine | undefined): Branch {
  if (node.kind === 'value') return { constant: node.value };
  if (node.kind === 'text') {
    const parts = parseTemplate(node.source, engine);
    if (parts.every(isLiteral)) return { constant: parts.join('') };
    const template = compileTemplate(node.source, 'value', engine);
    return { evaluate: (roots, context) => template.evaluate(roots, context) };
  }
  if (node.kind === 'list') {
    return joined(
      node.items.map((item) => compileNode(item, engine)),
      (values) => values.filter((value) => value !== undefined),
    );
  }
  const keys = node.entries.map(([key]) => key);
  return joined(
    node.entries.map(([, child]) => compileNode(child, engine)),
    (values) => mapOf(keys, values),
  );
}

function joined(branches: readonly Branch[], join: (values: readonly unknown[]) => unknown): Branch {
  // Frozen, for all evaluations share it.
  if (branches.every(isConstant)) return { constant: Object.freeze(join(branches.map(({ constant }) => constant))) };
  return {
    evaluate: (roots, context) =>
      inOrder(branches, (branch) => (isConstant(branch) ? branch.constant : branch.evaluate(roots, context)), join),
  };
}

function mapOf(keys: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  // By entries, so that a key `__proto__` is a key like any other.
  return Object.fromEntries(keys.map((key, at) => [key, values[at]]).filter(([, value]) => value !== undefined));
}

/** The texts of a tree, by where their values go. */
function partsOf(node: Node, path: readonly (string | number)[]): readonly MappingPart[] {
  switch (node.kind) {
    case 'value':
      return [];
    case 'text':
      return [{ path, place: node.source.placeAt(0), text: node.source.text }];
    case 'list':
      return node.items.flatMap((item, at) => partsOf(item, [...path, at]));
    case 'map':
      return node.entries.flatMap(([key, child]) => partsOf(child, [...path, key]));
  }
}
