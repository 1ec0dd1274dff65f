import type { Engine } from './engine.ts';
import type { EvaluationContext, Mapping, MappingPart } from './mapping.ts';
import type { SourceText } from './source-text.ts';
import { compileTemplate, inOrder } from './template.ts';

/** A YAML tree as a profile holds it. The caller has read plain scalars and knows where each text stands. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly source: SourceText }
  | { readonly kind: 'value'; readonly value: number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly TemplateNode[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, node: TemplateNode])[] };

type Branch = Pick<Mapping, 'constant' | 'evaluate'>;

/**
 * Compiles a tree whose texts may hold `${ }`. A text that is one whole `${ }` keeps the value's type; without a
 * value its key, or its element of a list, is left out. `source` is the tree as written. Throws `mapping_syntax`.
 */
export const compileTree = (node: TemplateNode, source: SourceText, engine?: Engine): Mapping => ({
  ...compileNode(node, engine),
  place: source.placeAt(0),
  text: source.text,
  parts: partsOf(node, []),
});

function compileNode(node: TemplateNode, engine: Engine | undefined): Branch {
  switch (node.kind) {
    case 'value':
      return constantly(node.value);
    case 'text': {
      const { constant, evaluate } = compileTemplate(node.source, 'value', engine);
      return { constant, evaluate };
    }
    case 'list':
      return joined(
        node.items.map((item) => compileNode(item, engine)),
        (values) => values.filter((value) => value !== undefined),
      );
    case 'map': {
      const keys = node.entries.map(([key]) => key);
      return joined(
        node.entries.map(([, child]) => compileNode(child, engine)),
        // By entries, so that a key `__proto__` is a key like any other.
        (values) =>
          Object.fromEntries(keys.map((key, at) => [key, values[at]]).filter(([, held]) => held !== undefined)),
      );
    }
  }
}

const constantly = (value: unknown): Branch => ({ constant: true, evaluate: () => value });

function joined(branches: readonly Branch[], join: (values: readonly unknown[]) => unknown): Branch {
  // Frozen, for all evaluations share it. A constant looks neither at roots nor at the context.
  if (branches.every(({ constant }) => constant)) {
    return constantly(Object.freeze(join(branches.map((branch) => branch.evaluate({}, {} as EvaluationContext)))));
  }
  return {
    constant: false,
    evaluate: (roots, context) => inOrder(branches, (branch) => branch.evaluate(roots, context), join),
  };
}

function partsOf(node: TemplateNode, path: readonly (string | number)[]): readonly MappingPart[] {
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
