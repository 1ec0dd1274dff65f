/** Rows of a status table that are grouped by status, written out by code: profiles are merged code by code. */
import { didYouMean } from '../mapping/closest.ts';
import { NO_CHANGE, NORMALISED_STATUSES, REASONS } from '../statuses/status.ts';
import type { Findings } from './finding.ts';
import { type Entry, isNull, type Node, nodeOf } from './tree.ts';

export const STATUS_WORDS = [...NORMALISED_STATUSES, NO_CHANGE] as const;

/** Tables of `statuses` that hold rows: of all shipments, and those that returns have of their own. */
export const STATUS_TABLES = ['table', 'returns'] as const;

/** `In Transit: [1610, 1810]` becomes two rows, `Delivery Failed/NOT_HOME: [22]` one with its reason. */
export const ungroupStatuses = (root: Node, findings: Findings): Node =>
  changed(root, 'statuses', (statuses) =>
    STATUS_TABLES.reduce((node, key) => changed(node, key, (table) => ungroup(table, findings)), statuses),
  );

const changed = (node: Node, name: string, change: (value: Node) => Node): Node =>
  node.kind !== 'map'
    ? node
    : {
        ...node,
        entries: node.entries.map((entry) =>
          entry.key.text === name ? { key: entry.key, value: change(entry.value) } : entry,
        ),
      };

const ungroup = (table: Node, findings: Findings): Node => {
  if (table.kind !== 'map' || table.entries.every(({ value }) => value.kind !== 'list')) return table;
  const codes = new Set<string>();
  const entries = table.entries
    .flatMap((entry) => rowsOf(entry, findings))
    .filter(({ key }) => {
      // A key of the map itself is told by whoever read it.
      if (codes.has(key.text) && !table.entries.some((entry) => entry.key === key))
        findings.report('repeated-key', key.place, `there is a row for "${key.text.slice(0, 60)}" already`);
      return codes.size < codes.add(key.text).size;
    });
  return { ...table, entries };
};

/** What the key of a group says, `status` or `status/REASON`; undefined where either is none. */
export const readGroup = (key: string) => {
  const [status = '', reason] = key.split('/').map((part) => part.trim());
  const named = STATUS_WORDS.find((word) => word === status);
  const why = REASONS.find((word) => word === reason);
  return named === undefined || (reason !== undefined && why === undefined)
    ? undefined
    : { status: named, reason: why };
};

const rowsOf = (entry: Entry, findings: Findings): readonly Entry[] => {
  const { key, value } = entry;
  if (value.kind !== 'list') return [entry];
  const group = readGroup(key.text);
  if (group === undefined) {
    const [status = '', reason = ''] = key.text.split('/').map((part) => part.trim());
    const isStatus = readGroup(status) !== undefined;
    const message = `codes are listed under a status, and "${key.text.slice(0, 60)}" is none`;
    const help = isStatus ? didYouMean(reason, REASONS) : didYouMean(status, STATUS_WORDS);
    findings.report('unknown-status', key.place, message, help ?? 'write code: status, or status: [codes]');
    return [];
  }
  const { status, reason } = group;
  const means = { ...nodeOf(reason === undefined ? status : { status, reason }), place: key.place };
  return value.items.flatMap((item): readonly Entry[] => {
    if (item.kind === 'scalar' && !isNull(item)) return [{ key: item, value: means }];
    findings.report('wrong-type', item.place, `a code of ${status} must be text`);
    return [];
  });
};
