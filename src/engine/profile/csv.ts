/** CSV as spreadsheets write it (RFC 4180): separated by commas, semicolons or tabs, as the first line is. */
import type { Place } from '../failure.ts';
import type { SourceText } from '../mapping/source-text.ts';
import type { Findings } from './finding.ts';

export interface Cell {
  /** Without spaces around it. */
  readonly text: string;
  readonly place: Place;
}

/** The rows that are not blank, each with its cells; a quote that is never closed, or that text follows, is a finding. */
export const readCsv = ({ text, placeAt }: SourceText, findings: Findings): readonly (readonly Cell[])[] => {
  const [first = ''] = text.split(/\r\n?|\n/, 1);
  const separator = [',', ';', '\t'].reduce((best, one) => (countOf(first, one) > countOf(first, best) ? one : best));
  const rows: Cell[][] = [[]];
  const plain = new RegExp(`[^${separator}\r\n]*`, 'y');
  let at = 0;
  while (at <= text.length) {
    const place = placeAt(at);
    const quoted = /[ ]*"((?:[^"]|"")*)(")?[ ]*/y;
    quoted.lastIndex = at;
    plain.lastIndex = at;
    const [, inner, close] = quoted.exec(text) ?? [];
    if (inner === undefined) {
      rows.at(-1)?.push({ text: plain.exec(text)?.[0].trim() ?? '', place });
      at = plain.lastIndex;
    } else {
      rows.at(-1)?.push({ text: inner.replaceAll('""', '"').trim(), place });
      at = quoted.lastIndex;
      if (close === undefined) findings.report('wrong-value', place, 'this quote is never closed', 'close it with "');
    }
    const next = text[at];
    if (next === separator) at += 1;
    else if (next === undefined) break;
    else if (next === '\r' || next === '\n') {
      at += text.startsWith('\r\n', at) ? 2 : 1;
      rows.push([]);
    } else {
      findings.report('wrong-value', placeAt(at), 'text follows the closing quote', 'double a quote that is meant: ""');
      plain.lastIndex = at;
      plain.exec(text);
      at = plain.lastIndex;
      if (text[at] === separator) at += 1;
    }
  }
  return rows.filter((row) => row.some((cell) => cell.text !== ''));
};

const countOf = (text: string, part: string): number => text.split(part).length;
