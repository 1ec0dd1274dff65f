import type { Ast } from '../../jsonata/parse.ts';
import { walk } from '../../mapping/walk.ts';
import type { Place } from '../../failure.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { entriesOf, entryOf, itemsOf, type Node, valueOf } from '../tree.ts';
import { fieldsUsed, placeOfNode, tablesAsked } from './references.ts';
import type { LintInput, Rule } from './rule.ts';

/** unused: credentials, settings, tables and memos that no expression reads, memos that no result writes. */
export const unused: Rule = (input) => {
  for (const section of ['credentials', 'settings'] as const) unusedFields(input, section);
  unusedTables(input);
  unusedMemos(input);
};

const warn = ({ findings }: LintInput, node: Node, message: string): void =>
  findings.report('unused', node.place, message, 'use it, or remove it');

const unusedFields = (input: LintInput, section: 'credentials' | 'settings'): void => {
  const used = fieldsUsed(input.context.uses, section);
  if (used === 'all') return;
  for (const { key, value } of entriesOf(valueOf(input.profile, section))) {
    // What a registration fills is kept for whoever takes the webhook back.
    if (used.has(key.text) || valueOf(value, 'from') !== undefined) continue;
    warn(input, key, `nothing reads ${section}.${key.text}`);
  }
};

const unusedTables = (input: LintInput): void => {
  const asked = input.context.uses.flatMap((use) => tablesAsked(use.tree));
  const fields = fieldsUsed(input.context.uses, 'tables');
  if (fields === 'all' || asked.some(({ name }) => name === undefined)) return;
  const used = new Set([...fields, ...asked.map(({ name }) => name)]);
  for (const { key } of entriesOf(valueOf(input.profile, 'tables'))) {
    if (!used.has(key.text)) warn(input, key, `nothing looks into the table "${key.text}"`);
  }
};

const unusedMemos = (input: LintInput): void => {
  const { named, open } = memosWritten(input);
  const written = new Set(named.map(({ name }) => name));
  for (const node of itemsOf(valueOf(input.profile, 'memo'))) {
    if (open || node.kind !== 'scalar' || written.has(node.text)) continue;
    warn(input, node, `no result writes the memo "${node.text}"`);
  }
};

/** auth-not-used: declared in `auths`, named nowhere. */
export const authNotUsed: Rule = ({ auths, profile, findings }) => {
  for (const { key } of entriesOf(valueOf(profile, 'auths'))) {
    if (auths.used.has(key.text)) continue;
    const help = 'name it at auth, or remove it';
    findings.report('auth-not-used', key.place, `nothing uses the auth "${key.text}"`, help);
  }
};

/** environments-differ: a key that one environment has and another has not. */
export const environmentsDiffer: Rule = ({ profile, findings }) => {
  const environments = entriesOf(valueOf(profile, 'environments'));
  const keys = new Set(environments.flatMap((each) => entriesOf(each.value).map((entry) => entry.key.text)));
  for (const { key: name, value } of environments) {
    const own = new Set(entriesOf(value).map((entry) => entry.key.text));
    for (const key of keys) {
      // Without a URL there is a finding already.
      if (own.has(key) || key === 'url') continue;
      const message = `${name.text} has no "${key}", which another environment has`;
      findings.report('environments-differ', name.place, message, 'every environment has the same keys');
    }
  }
};

/**
 * missing-key: fields that a registration is to fill, in a profile that registers nothing. undeclared-field: what a
 * registration, written as a tree, would keep in fields that no account has.
 */
export const registration: Rule = ({ carrier, profile, findings }) => {
  const register = valueOf(profile, 'operations', 'register');
  for (const section of ['credentials', 'settings'] as const) {
    for (const { key, value } of entriesOf(valueOf(profile, section))) {
      const from = valueOf(value, 'from');
      if (from === undefined || register !== undefined) continue;
      const help = 'add the operation register, or ask for the field';
      findings.report('missing-key', from.place, `nothing fills "${key.text}"`, help);
    }
    for (const { key } of entriesOf(valueOf(register, 'result', section))) {
      const declared = carrier[section];
      if (Object.hasOwn(declared, key.text)) continue;
      const help = didYouMean(key.text, Object.keys(declared)) ?? `declare it under ${section}`;
      findings.report('undeclared-field', key.place, `${section} has no '${key.text.slice(0, 60)}'`, help);
    }
  }
};

/** unknown-table: `$table` of one that `tables` does not declare. A path into `tables` is told by its type. */
export const unknownTable: Rule = ({ carrier, context, findings }) => {
  const known = Object.keys(carrier.tables);
  for (const { source, tree } of context.uses) {
    for (const { name, node } of tablesAsked(tree)) {
      if (name === undefined || known.includes(name)) continue;
      const help = didYouMean(name, known) ?? 'declare it under tables';
      findings.report('unknown-table', placeOfNode(source, node), `there is no table "${name.slice(0, 60)}"`, help);
    }
  }
};

/** undeclared-memo: what is remembered without being declared in `memo`. What is read is told by its type. */
export const undeclaredMemo: Rule = (input) => {
  const declared = input.carrier.memo;
  for (const { name, place } of memosWritten(input).named) {
    if (declared.includes(name)) continue;
    const help = didYouMean(name, declared) ?? `declare it: memo: [${[...declared, name].join(', ')}]`;
    input.findings.report('undeclared-memo', place, `memo does not declare "${name}"`, help);
  }
};

interface MemosWritten {
  readonly named: readonly { readonly name: string; readonly place: Place }[];
  /** A memo whose keys only a run can tell. */
  readonly open: boolean;
}

/** The keys of every `memo` that a result writes, in JSONata or as a tree. */
const memosWritten = ({ context, profile }: LintInput): MemosWritten => {
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
  for (const operation of ['create', 'update', 'lookup']) {
    for (const memo of memoNodes(valueOf(profile, 'operations', operation, 'result'))) {
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

/** The contract's kinds of identifiers, which a status names in any case. */
const KINDS: readonly string[] = ['Tracking', 'Reference', 'Order', 'Consignment'];

/** memo-like-kind: a memo that no status can name by its `type`, for that is taken for one of the contract's kinds. */
export const memoLikeKind: Rule = ({ profile, findings }) => {
  for (const node of itemsOf(valueOf(profile, 'memo'))) {
    if (node.kind !== 'scalar') continue;
    const kind = KINDS.find((each) => each.toLowerCase() === node.text.toLowerCase());
    if (kind === undefined) continue;
    const message = `a status of type "${node.text}" is about the contract's ${kind}, never about this memo`;
    findings.report('memo-like-kind', node.place, message, `name it otherwise, as in ${node.text}Id`);
  }
};
