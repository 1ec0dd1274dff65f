import type { Ast } from '../../jsonata/parse.ts';
import { walk } from '../../mapping/walk.ts';
import type { Place } from '../../failure.ts';
import { didYouMean } from '../suggest.ts';
import { entryOf, entriesOf, type Node, valueOf } from '../tree.ts';
import { placeOfNode } from './references.ts';
import type { LintInput, Rule } from './rule.ts';

/** undeclared-memo: what is remembered without being declared in `memo`. What is read is told by its type. */
export const undeclaredMemo: Rule = (input) => {
  const { carrier, findings } = input;
  if (carrier.abstract) return;
  const declared = new Set(carrier.memo);
  const report = (name: string, place: Place): void => {
    if (declared.has(name)) return;
    const help = didYouMean(name, carrier.memo) ?? `declare it: memo: [${[...carrier.memo, name].join(', ')}]`;
    findings.error('undeclared-memo', place, `memo does not declare "${name}"`, help);
  };
  for (const { name, place } of memosWritten(input).named) report(name, place);
};

export interface MemosWritten {
  readonly named: readonly { readonly name: string; readonly place: Place }[];
  /** A memo whose keys only a run can tell. */
  readonly open: boolean;
}

/** The keys of every `memo` that a result writes, in JSONata or as a tree. */
export const memosWritten = ({ context, profile }: LintInput): MemosWritten => {
  const named: { name: string; place: Place }[] = [];
  let open = false;
  for (const { source, tree, site } of context.uses) {
    if (site.remembers !== true) continue;
    for (const [key, value] of pairsOf(tree)) {
      if (key.type !== 'string' || key.value !== 'memo') continue;
      const inner = ownPairs(value);
      if (inner === undefined) open = true;
      for (const [name] of inner ?? []) {
        if (name.type === 'string') named.push({ name: String(name.value), place: placeOfNode(source, name) });
        else open = true;
      }
    }
  }
  const operations = valueOf(profile, 'operations');
  for (const operation of ['create', 'update', 'lookup']) {
    for (const memo of memoNodes(valueOf(valueOf(operations, operation), 'result'))) {
      if (memo.kind !== 'map') open = true;
      for (const { key } of entriesOf(memo)) named.push({ name: key.text, place: key.place });
    }
  }
  return { named, open };
};

const memoNodes = (node: Node | undefined): readonly Node[] => {
  if (node === undefined || node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap(memoNodes);
  const own = entryOf(node, 'memo')?.value;
  return [...(own === undefined ? [] : [own]), ...node.entries.flatMap((entry) => memoNodes(entry.value))];
};

const ownPairs = (node: Ast): readonly (readonly [Ast, Ast])[] | undefined =>
  node.type === 'unary' && node.value === '{' && Array.isArray(node.lhs) ? (node.lhs as [Ast, Ast][]) : undefined;

const pairsOf = (tree: Ast): readonly (readonly [Ast, Ast])[] => {
  const pairs: (readonly [Ast, Ast])[] = [];
  walk(tree, (node) => pairs.push(...(ownPairs(node) ?? [])));
  return pairs;
};
