/** Resources as CSV: a heading with fields, a line each; what is wrong is told by line and column. */
import type { TSchema } from 'typebox';
import { type Issue, issueAt } from '../../engine/validate.ts';
import { type Kind, SHAPES, WEEKDAYS } from './shapes.ts';

interface Cell {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** RFC 4180, with `,` or `;` between the cells, as the heading has it. Columns count cells, from 1. */
const parseCsv = (text: string): readonly (readonly Cell[])[] => {
  const separator = /^[^\n,;]*;/.test(text) ? ';' : ',';
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let line = 1;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const started = line;
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] === '"' && text[at + 1] === '"') at += 1;
        else if (text[at] === '"') break;
        if (text[at] === '\n') line += 1;
        cell += text[at];
      }
      at += 1;
    }
    while (at < text.length && text[at] !== separator && text[at] !== '\n') {
      cell += text[at];
      at += 1;
    }
    row.push({ text: cell.trim(), line: started, column: row.length + 1 });
    const isEnd = text[at] !== separator;
    at += 1;
    if (!isEnd && at < text.length) continue;
    if (row.some((one) => one.text !== '')) rows.push(row);
    row = [];
    line += 1;
  }
  return rows;
};

interface Field {
  readonly type?: string;
  readonly items?: Field;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly prefixItems?: unknown;
}

/** `MON-FRI 08:00-16:30`; the days are of shifts alone, ` 30` at the end are the minutes of a break. */
const SPAN = /^(?:([A-Z]{3}(?:[-,][A-Z]{3})*) )?(\d\d:\d\d)-(\d\d:\d\d)(?: (\d+))?$/;
const spanOf = (text: string): unknown => {
  const [, days, from, to, minutes] = SPAN.exec(text) ?? [];
  if (from === undefined) return text;
  const weekdays = days?.split(',').flatMap((part) => {
    const [first = '', last = first] = part.split('-');
    const [start, end] = [first, last].map((name) => WEEKDAYS.findIndex((weekday) => weekday === name));
    if (start === undefined || end === undefined) return [part];
    return start === -1 || end < start ? [part] : WEEKDAYS.slice(start, end + 1);
  });
  return { ...(weekdays && { weekdays }), from, to, ...(minutes !== undefined && { minutes: Number(minutes) }) };
};

/** Lists are parted by `|`; a point of a polygon is `52.5 13.4`. */
const valueOf = (field: Field | undefined, text: string): unknown => {
  if (field?.type === 'number' || field?.type === 'integer') {
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
  }
  if (field?.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (field?.type !== 'array') return text;
  const { items = {} } = field;
  return text.split('|').map((part) => {
    const one = part.trim();
    if (items.type === 'array') return one.split(/\s+/).map(Number);
    return items.type === 'object' ? spanOf(one) : valueOf(items, one);
  });
};

export interface Imported {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Where a field of it stands, for what is found wrong with it. */
  readonly placeOf: (path: string) => string;
}

/** Each line as a resource; `address.city` in the heading is a field within `address`. Throws nothing. */
export const readCsv = (
  kind: Kind,
  text: string,
): { readonly resources: readonly Imported[]; readonly issues: readonly Issue[] } => {
  const [heading = [], ...rows] = parseCsv(text);
  const shape = SHAPES[kind] as TSchema as Field;
  const fieldAt = (path: string): Field | undefined =>
    path.split('.').reduce<Field | undefined>((field, name) => field?.properties?.[name], shape);
  const issues: Issue[] = heading
    .filter(({ text: path }) => path !== 'code' && fieldAt(path) === undefined)
    .map(({ text: path, line, column }) =>
      issueAt(placeName(line, column, path), 'unknown_field', `is no field of ${kind}`),
    );
  if (!heading.some(({ text: path }) => path === 'code'))
    issues.push(issueAt('line 1', 'required', 'needs a column "code"'));
  const resources = rows.map((row): Imported => {
    const data: Record<string, unknown> = {};
    const places = new Map<string, string>();
    const [{ line } = { line: 1 }] = row;
    for (const [index, { text: path, column }] of heading.entries()) {
      const cell = row[index];
      places.set(path, placeName(cell?.line ?? line, column, path));
      if (cell === undefined || cell.text === '' || path === 'code') continue;
      const [outer = '', inner] = path.split('.');
      const value = valueOf(fieldAt(path), cell.text);
      if (inner === undefined) data[outer] = value;
      else data[outer] = { ...(data[outer] as object | undefined), [inner]: value };
    }
    const more = row[heading.length];
    if (more !== undefined)
      issues.push(issueAt(placeName(more.line, more.column), 'too_many', 'is beyond the columns of the heading'));
    const code = row[heading.findIndex(({ text: path }) => path === 'code')]?.text ?? '';
    const placeOf = (path: string): string =>
      [path, path.replace(/\[.*$/, ''), path.split('.')[0] ?? ''].map((one) => places.get(one)).find(Boolean) ??
      `line ${line}${path === '' ? '' : ` (${path})`}`;
    return { code, data, placeOf };
  });
  return { resources, issues };
};

const placeName = (line: number, column: number, field = ''): string =>
  `line ${line}, column ${column}${field === '' ? '' : ` (${field})`}`;
