import type { Ast } from '../../jsonata/parse.ts';
import { startOfNode } from '../../jsonata/position.ts';
import type { Place } from '../../failure.ts';
import type { SourceText } from '../../mapping/source-text.ts';
import { walk } from '../../mapping/walk.ts';
import type { Use } from '../compile/context.ts';

/** The place of a node in the file its expression stands in. */
export const placeOfNode = (source: SourceText, node: Ast): Place =>
  source.placeAt(startOfNode(source.text, node) ?? 0);

/** A path's leading names: `item.memo.id`, and `$item.memo.id` alike. */
interface Names {
  readonly names: readonly string[];
  readonly node: Ast;
}

const known = new WeakMap<Ast, readonly Names[]>();

/** The paths of an expression, by the names they begin with. */
export const pathsOf = (tree: Ast): readonly Names[] => {
  const paths = known.get(tree) ?? findPaths(tree);
  known.set(tree, paths);
  return paths;
};

const findPaths = (tree: Ast): readonly Names[] => {
  const found: Names[] = [];
  const heads = new Set<Ast>();
  walk(tree, (node) => {
    if (node.type === 'variable' && !heads.has(node)) found.push({ names: [String(node.value)], node });
    if (node.type !== 'path') return;
    const nodes: Ast[] = [];
    for (const step of node.steps ?? []) {
      if (step.type !== 'name' && !(step.type === 'variable' && nodes.length === 0)) break;
      nodes.push(step);
      heads.add(step);
    }
    // `$$` is the document, whose fields are the roots.
    const rest = nodes[0]?.type === 'variable' && nodes[0].value === '$' ? nodes.slice(1) : nodes;
    if (rest.length > 0) found.push({ names: rest.map((step) => String(step.value)), node });
  });
  return found;
};

/** Fields of a root that the expressions name; `all` when one uses it in a way that only a run can tell. */
export const fieldsUsed = (uses: readonly Use[], root: string): ReadonlySet<string> | 'all' => {
  const used = new Set<string>();
  for (const { tree } of uses) {
    for (const { names } of pathsOf(tree)) {
      if (names[0] !== root) continue;
      const field = names[1];
      if (field === undefined) return 'all';
      used.add(field);
    }
  }
  return used;
};

/** Names of tables that `$table` is asked for; undefined where the name is not written out. */
export const tablesAsked = (tree: Ast): readonly { readonly name: string | undefined; readonly node: Ast }[] => {
  const found: { name: string | undefined; node: Ast }[] = [];
  walk(tree, (node) => {
    if (node.type !== 'function' || node.procedure?.type !== 'variable' || node.procedure.value !== 'table') return;
    const [first] = node.arguments ?? [];
    if (first !== undefined)
      found.push({ name: first.type === 'string' ? String(first.value) : undefined, node: first });
  });
  return found;
};
