import type { Auth, Carrier, Step } from '../carrier.ts';
import type { Context, Use } from '../compile/context.ts';
import type { Evidence } from '../types/evidence.ts';
import { type Ast, startOfNode, walk } from '../../jsonata/parse.ts';
import type { Place } from '../../failure.ts';
import type { SourceText } from '../../mapping/source-text.ts';
import { once } from '../../value.ts';

/** What a rule reads: the merged profile, what it compiled to, and every expression in it. */
export interface LintInput extends Omit<Context, 'auths' | 'files' | 'engine'> {
  readonly carrier: Omit<Carrier, 'hash'>;
  readonly evidence: Evidence;
}

export type Rule = (input: LintInput) => void;

/** All auths, by their names or written out where they are used. */
export const authsOf = (carrier: LintInput['carrier']): readonly Auth[] => [
  ...new Set([
    ...Object.values(carrier.auths),
    ...stepsOf(carrier).flatMap((step) => step.auth),
    ...(carrier.statuses.webhook?.auth ?? []),
  ]),
];

const stepsOf = (carrier: LintInput['carrier']): readonly Step[] =>
  Object.values(carrier.operations).flatMap((operation) => operation.steps);

/** The place of a node in the file its expression stands in. */
export const placeOfNode = (source: SourceText, node: Ast): Place =>
  source.placeAt(startOfNode(source.text, node) ?? 0);

/** A path's leading names: `item.memo.id`, and `$item.memo.id` alike. */
interface Names {
  readonly names: readonly string[];
  readonly node: Ast;
}

/** The paths of an expression, by the names they begin with. */
export const pathsOf = once((tree: Ast): readonly Names[] => {
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
}, new WeakMap());

/**
 * Tells whether the expressions read a field of a root. Any may be read where one of them uses the root in a way that
 * only a run can tell.
 */
export const readsOf = (uses: readonly Use[], root: string): ((field: string) => boolean) => {
  const paths = uses.flatMap(({ tree }) => pathsOf(tree)).filter(({ names }) => names[0] === root);
  const read = new Set(paths.map(({ names }) => names[1]));
  return (field) => read.has(undefined) || read.has(field);
};

/** Every `$table(…)` of the expressions; its name is undefined where it is not written out. */
export const tablesAsked = (uses: readonly Use[]): readonly { name: string | undefined; place: Place }[] => {
  const found: { name: string | undefined; place: Place }[] = [];
  for (const { source, tree } of uses) {
    walk(tree, ({ type, procedure, arguments: [first] = [] }) => {
      if (type !== 'function' || procedure?.type !== 'variable' || procedure.value !== 'table' || !first) return;
      const name = first.type === 'string' ? String(first.value) : undefined;
      found.push({ name, place: placeOfNode(source, first) });
    });
  }
  return found;
};
