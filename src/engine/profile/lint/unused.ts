import { entriesOf, itemsOf, type Node, valueOf } from '../tree.ts';
import { memosWritten } from './memo.ts';
import { fieldsUsed, tablesAsked } from './references.ts';
import type { LintInput, Rule } from './rule.ts';

/** unused: credentials, settings, tables and memos that no expression reads, memos that no result writes. */
export const unused: Rule = (input) => {
  if (input.carrier.abstract) return;
  for (const section of ['credentials', 'settings'] as const) unusedFields(input, section);
  unusedTables(input);
  unusedMemos(input);
};

const say = ({ findings }: LintInput, node: Node, message: string): void =>
  findings.warning('unused', node.place, message, 'use it, or remove it');

const unusedFields = (input: LintInput, section: 'credentials' | 'settings'): void => {
  const used = fieldsUsed(input.context.uses, section);
  if (used === 'all') return;
  for (const { key, value } of entriesOf(valueOf(input.profile, section))) {
    // What a registration fills is kept for whoever takes the webhook back.
    if (used.has(key.text) || valueOf(value, 'from') !== undefined) continue;
    say(input, key, `nothing reads ${section}.${key.text}`);
  }
};

const unusedTables = (input: LintInput): void => {
  const asked = input.context.uses.flatMap((use) => tablesAsked(use.tree));
  const fields = fieldsUsed(input.context.uses, 'tables');
  if (fields === 'all' || asked.some(({ name }) => name === undefined)) return;
  const used = new Set([...fields, ...asked.map(({ name }) => name)]);
  for (const { key } of entriesOf(valueOf(input.profile, 'tables'))) {
    if (!used.has(key.text)) say(input, key, `nothing looks into the table "${key.text}"`);
  }
};

const unusedMemos = (input: LintInput): void => {
  const { named, open } = memosWritten(input);
  const written = new Set(named.map(({ name }) => name));
  for (const node of itemsOf(valueOf(input.profile, 'memo'))) {
    if (open || node.kind !== 'scalar' || written.has(node.text)) continue;
    say(input, node, `no result writes the memo "${node.text}"`);
  }
};
