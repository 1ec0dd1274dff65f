/** Rows of a CSV file, written into the status table of a profile: layout, order and comments of the rest stay. */
import { formatPlace, Failure, type Place } from '../../engine/failure.ts';
import { didYouMean } from '../../engine/mapping/closest.ts';
import { sourceText } from '../../engine/mapping/source-text.ts';
import { profilePath } from '../../engine/profile/chain.ts';
import { type Cell, readCsv } from '../../engine/profile/csv.ts';
import { collectFindings, type Finding, type Findings, withExcerpts } from '../../engine/profile/finding.ts';
import { parseSource } from '../../engine/profile/source.ts';
import { readGroup, STATUS_WORDS, ungroupStatuses } from '../../engine/profile/status-groups.ts';
import {
  childrenOf,
  entriesOf,
  type ListNode,
  type MapNode,
  type Node,
  textOf,
  valueOf,
} from '../../engine/profile/tree.ts';
import { REASONS } from '../../engine/statuses/status.ts';

const COLUMNS = ['code', 'subcode', 'status', 'reason', 'direction', 'description'] as const;

interface ImportedRow {
  readonly table: 'table' | 'returns';
  readonly key: string;
  readonly status: string;
  readonly reason: string | undefined;
  /** For people. */
  readonly description: string;
  readonly place: Place;
}

export type ImportedStatuses =
  | { readonly ok: false; readonly findings: readonly Finding[] }
  | {
      readonly ok: true;
      /** The profile with the new rows. */
      readonly text: string;
      readonly added: number;
      /** Rows that the profile has already. */
      readonly known: number;
      /** Columns of which nothing was read. */
      readonly ignored: readonly string[];
    };

/**
 * `profile` and `csv`: texts of the files. A row that the profile has with another meaning is a finding, at its place in
 * the CSV file; with any finding nothing is changed.
 */
export const importStatuses = (
  carrier: string,
  profile: string,
  csv: { file: string; text: string },
): ImportedStatuses => {
  const findings = collectFindings();
  const path = profilePath(carrier);
  const { rows, ignored } = readRows(csv, findings);
  const before = rowsOf(path, profile, findings);
  const added = rows.filter((row) => {
    const own = before.get(idOf(row));
    if (own === undefined) return true;
    if (own.means !== meaningOf(row)) {
      const message = `"${row.key}" is ${own.means} at ${formatPlace(own.place)}, and ${meaningOf(row)} here`;
      findings.report('repeated-key', row.place, message, 'change one of them');
    }
    return false;
  });
  const found = findings.list();
  if (found.length > 0) {
    return {
      ok: false,
      findings: withExcerpts(
        found,
        new Map([
          [csv.file, csv.text],
          [path, profile],
        ]),
      ),
    };
  }
  const text = (['table', 'returns'] as const).reduce(
    (changed, table) =>
      addRows(
        path,
        changed,
        table,
        added.filter((row) => row.table === table),
      ),
    profile,
  );
  const after = rowsOf(path, text, collectFindings());
  if (after.size !== before.size + added.length || added.some((row) => after.get(idOf(row))?.means !== meaningOf(row)))
    throw new Failure(`${path} is laid out so that no rows can be added`, {
      code: 'layout_unknown',
      help: 'write statuses and table as blocks, one key a line',
    });
  return { ok: true, text, added: added.length, known: rows.length - added.length, ignored };
};

const idOf = ({ table, key }: Pick<ImportedRow, 'table' | 'key'>): string =>
  `${table} ${key
    .trim()
    .toLowerCase()
    .replace(/(?:\/\*)+$/, '')}`;
const meaningOf = ({ status, reason }: Pick<ImportedRow, 'status' | 'reason'>): string =>
  reason === undefined ? status : `${status}/${reason}`;

/** The rows of a profile as it stands, without its bases'. */
const rowsOf = (path: string, text: string, findings: Findings) => {
  const { root, findings: wrong } = parseSource(path, text);
  for (const finding of wrong) findings.add(finding);
  const statuses = root && valueOf(ungroupStatuses(root, findings), 'statuses');
  return new Map(
    (['table', 'returns'] as const).flatMap((table) =>
      entriesOf(valueOf(statuses, table)).map(({ key, value }) => {
        const status = textOf(value) ?? textOf(valueOf(value, 'status')) ?? '';
        const means = meaningOf({ status, reason: textOf(valueOf(value, 'reason')) });
        return [idOf({ table, key: key.text }), { means, place: key.place }] as const;
      }),
    ),
  );
};

const readRows = ({ file, text }: { file: string; text: string }, findings: Findings) => {
  const [head = [], ...lines] = readCsv(sourceText(file, text.replace(/^\uFEFF/, '')), findings);
  const names = head.map((cell) => cell.text.toLowerCase().replaceAll(/[^a-z]/g, ''));
  for (const column of ['code', 'status'] as const) {
    if (names.includes(column)) continue;
    const message = `the first line names no column "${column}"`;
    findings.report(
      'missing-key',
      head[0]?.place ?? { file, line: 1, column: 1 },
      message,
      `columns: ${COLUMNS.join(', ')}`,
    );
  }
  const ignored = head.filter((_, at) => !COLUMNS.some((column) => column === names[at])).map((cell) => cell.text);
  if (!names.includes('code') || !names.includes('status')) return { rows: [], ignored };
  const first = new Map<string, ImportedRow>();
  for (const line of lines) {
    const row = readRow(Object.fromEntries(names.map((name, at) => [name, line[at]])), line[0], findings);
    if (row === undefined) continue;
    const other = first.get(idOf(row));
    if (other === undefined) first.set(idOf(row), row);
    else if (meaningOf(other) !== meaningOf(row)) {
      const message = `"${row.key}" is ${meaningOf(other)} in line ${other.place.line} already`;
      findings.report('repeated-key', row.place, message, 'keep one of them');
    }
  }
  return { rows: [...first.values()], ignored };
};

type Cells = Readonly<Partial<Record<string, Cell>>>;

const readRow = (cells: Cells, start: Cell | undefined, findings: Findings): ImportedRow | undefined => {
  const place = start?.place ?? { file: '', line: 1, column: 1 };
  const textIn = (name: string): string => cells[name]?.text ?? '';
  const wordIn = (
    name: string,
    words: readonly string[],
    rule: 'wrong-value' | 'unknown-status',
  ): string | undefined => {
    const given = textIn(name);
    const word = words.find((one) => one.toLowerCase() === given.toLowerCase());
    if (word === undefined && given !== '') {
      findings.report(
        rule,
        cells[name]?.place ?? place,
        `"${given.slice(0, 60)}" is no ${name}`,
        didYouMean(given, words),
      );
    }
    return word;
  };
  const [code, subCode] = [textIn('code'), textIn('subcode')];
  if (code === '') findings.report('missing-key', cells['code']?.place ?? place, 'this row has no code');
  if (textIn('status') === '')
    findings.report(
      'missing-key',
      cells['status']?.place ?? place,
      `no status is given for "${code}"`,
      'write No Change for one that means nothing',
    );
  const group = readGroup(textIn('status'));
  const status = group?.status ?? wordIn('status', STATUS_WORDS, 'unknown-status');
  const reason = wordIn('reason', REASONS, 'wrong-value') ?? group?.reason;
  const direction = wordIn('direction', ['FORWARD', 'REVERSE'], 'wrong-value');
  if (code === '' || status === undefined) return undefined;
  const key = [code, subCode]
    .filter((part) => part !== '')
    .map((part) => part.replaceAll('/', String.raw`\/`))
    .join('/');
  const description = textIn('description').replaceAll(/\s+/g, ' ');
  return { table: direction === 'REVERSE' ? 'returns' : 'table', key, status, reason, description, place };
};

// Text ----------------------------------------------------------------------------------------------------------------

const WIDTH = 120;

const addRows = (path: string, text: string, table: ImportedRow['table'], rows: readonly ImportedRow[]): string => {
  if (rows.length === 0) return text;
  const { root } = parseSource(path, text);
  const statuses = valueOf(root, 'statuses');
  const map = valueOf(statuses, table);
  if (map?.kind === 'map') return addTo(text, map, rows);
  if (statuses?.kind === 'map' && statuses.flow)
    return insertIn(text, statuses, [`${table}: { ${rows.map((row) => entryOf(row)).join(', ')} }`]);
  const lines = (indent: string): readonly string[] => [`${table}:`, ...rows.map((row) => indent + lineOf(row))];
  if (statuses?.kind === 'map') return insertIn(text, statuses, lines('  '));
  if (root?.kind !== 'map') return text;
  return insertIn(text, root, ['statuses:', ...lines('  ').map((line) => `  ${line}`)]);
};

/** Into the list of its status, where there is one; the others as rows of their own, at the end. */
const addTo = (text: string, map: MapNode, rows: readonly ImportedRow[]): string => {
  const groups = entriesOf(map).flatMap(({ key, value }) => {
    const group = readGroup(key.text);
    return value.kind === 'list' && group !== undefined ? [{ list: value, means: meaningOf(group) }] : [];
  });
  const listOf = (row: ImportedRow): ListNode | undefined => groups.find(({ means }) => means === meaningOf(row))?.list;
  const own = rows.filter((row) => listOf(row) === undefined);
  const changes = [
    ...Map.groupBy(
      rows.filter((row) => listOf(row) !== undefined),
      listOf,
    ),
  ]
    .flatMap(([list, grouped]) =>
      list === undefined ? [] : [{ node: list, entries: grouped.map(({ key }) => wordOf(key)) }],
    )
    .toSorted((one, other) => startOf(text, other.node) - startOf(text, one.node));
  // From the end on, so that the places before it stay true.
  const whole = insertIn(text, map, own.map(map.flow ? entryOf : lineOf));
  return changes.reduce(
    (changed, { node, entries }) => insertIn(changed, node, node.flow ? entries : entries.map((one) => `- ${one}`)),
    whole,
  );
};

const wordOf = (text: string): string =>
  /^\w(?:[\w .+-]*\w)?$/.test(text) && !/^null$/i.test(text) ? text : `'${text.replaceAll("'", "''")}'`;

const entryOf = ({ key, status, reason }: ImportedRow): string =>
  `${wordOf(key)}: ${reason === undefined ? status : `{ status: ${status}, reason: ${reason} }`}`;

const lineOf = (row: ImportedRow): string =>
  row.description === '' ? entryOf(row) : `${entryOf(row)} # ${row.description}`;

const offsetOf = (text: string, { line, column }: Place): number => {
  const starts = [0, ...[...text.matchAll(/\r\n?|\n/g)].map((match) => match.index + match[0].length)];
  return (starts[line - 1] ?? text.length) + column - 1;
};
const startOf = (text: string, node: Node): number => offsetOf(text, node.place);

const endOf = (text: string, node: Node): number => {
  if (node.kind === 'scalar')
    return offsetOf(text, node.placeAt(node.text.length)) + Number(/single|double/.test(node.style));
  if (node.flow) return startOf(text, node) + node.source.text.trimEnd().length;
  const last = childrenOf(node).at(-1);
  return last === undefined ? startOf(text, node) : endOf(text, last);
};

/** Entries behind the last one of a map or list: lines of a block, else before its closing bracket, broken at 120 columns. */
const insertIn = (text: string, node: MapNode | ListNode, entries: readonly string[]): string => {
  if (entries.length === 0) return text;
  const end = endOf(text, node);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const first = node.kind === 'map' ? node.entries[0]?.key : node.items[0];
  if (!node.flow) {
    const indent = ' '.repeat((node.place.column ?? 1) - 1);
    const [lineEnd = ''] = /[^\r\n]*/.exec(text.slice(end)) ?? [];
    const at = end + lineEnd.length;
    return text.slice(0, at) + entries.map((entry) => newline + indent + entry).join('') + text.slice(at);
  }
  const before = text.slice(0, end - 1).trimEnd();
  const indent = ' '.repeat(first === undefined ? 2 : Math.min(first.place.column - 1, indentOf(before) + 2));
  let written = before;
  for (const [at, entry] of entries.entries()) {
    const separator = at === 0 && first === undefined ? ' ' : ',';
    const width = written.length - written.lastIndexOf('\n') + entry.length + 3;
    written +=
      (separator === ' ' || (before.endsWith(',') && at === 0) ? '' : separator) +
      (width > WIDTH ? newline + indent : ' ') +
      entry;
  }
  return written + (node.kind === 'map' ? ' ' : '') + text.slice(end - 1);
};

const indentOf = (text: string): number => /[^\r\n]*$/.exec(text)?.[0].search(/\S|$/) ?? 0;
