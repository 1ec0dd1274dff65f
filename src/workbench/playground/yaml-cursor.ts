/** Where in a YAML document a place is. Unlike a parser, it reads what is only half written. */
import type { ValuePath } from '../../engine/value.ts';

export interface YamlCursor {
  /** Keys and positions from the root to the map, list or value that the place is in. */
  readonly path: ValuePath;
  /** Whether a key may stand there; in a block of entries also an item of a list may. */
  readonly isKey: boolean;
  /** What is written there, up to the place, and where that begins. */
  readonly word: string;
  readonly from: number;
}

interface Level {
  readonly column: number;
  readonly key: string | number;
}

/** A key of a block, and all up to its value. */
const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#:{}[\],&*!|>'"%@`-][^:#]*?|-[^\s:#][^:#]*?)\s*:(?:\s+|$)/;
const unquoted = (key: string): string => key.replace(/^(["'])(.*)\1$/s, '$2');

export const yamlCursor = (text: string, offset: number): YamlCursor => {
  const lines = text.slice(0, offset).split('\n');
  const levels: Level[] = [];
  let flow = '';
  /** Lines that are indented more are the text of a block scalar. */
  let scalarColumn: number | undefined;
  let rest = '';
  let hasKey = false;
  for (const [at, line] of lines.entries()) {
    const isLast = at === lines.length - 1;
    const indent = line.length - line.trimStart().length;
    if (flow !== '') {
      flow += `\n${line}`;
      if (!isLast && flowLevels(flow) === undefined) flow = '';
      continue;
    }
    if (scalarColumn !== undefined) {
      if (line.trim() === '' || indent > scalarColumn) {
        rest = line.trimStart();
        continue;
      }
      scalarColumn = undefined;
    }
    if (!isLast && (line.trim() === '' || line.trim().startsWith('#'))) continue;
    let column = indent;
    rest = line.trimStart();
    hasKey = false;
    while (/^-(?:\s|$)/.test(rest)) {
      while ((levels.at(-1)?.column ?? -1) > column) levels.pop();
      const before = levels.at(-1);
      const isNext = before?.column === column && typeof before.key === 'number';
      if (isNext) levels.pop();
      levels.push({ column, key: typeof before?.key === 'number' && isNext ? before.key + 1 : 0 });
      const mark = /^-\s*/.exec(rest)?.[0].length ?? 1;
      column += mark;
      rest = rest.slice(mark);
    }
    while ((levels.at(-1)?.column ?? -1) >= column) levels.pop();
    const key = KEY.exec(rest);
    if (key === null) continue;
    levels.push({ column, key: unquoted(key[1] ?? '') });
    rest = rest.slice(key[0].length);
    hasKey = true;
    if (/^[|>][-+\d]*\s*(?:#.*)?$/.test(rest) && !isLast) scalarColumn = column;
    else if (/^[{[]/.test(rest)) {
      flow = rest;
      if (!isLast && flowLevels(flow) === undefined) flow = '';
    }
  }
  const path = levels.map(({ key }) => key);
  const inFlow = flow === '' ? undefined : flowLevels(flow);
  if (inFlow !== undefined) {
    const { keys, word, isKey } = inFlow;
    return { path: [...path, ...keys], isKey, word, from: offset - word.length };
  }
  if (scalarColumn !== undefined) return { path, isKey: false, word: rest, from: offset - rest.length };
  const word = rest.replace(/^["']/, '');
  return { path, isKey: !hasKey, word, from: offset - word.length };
};

/** Of a map or list in one line, up to a place in it; undefined where it has ended. */
const flowLevels = (text: string) => {
  const open: { isMap: boolean; key: string | number | undefined }[] = [];
  let from = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const one = text.charAt(at);
    const word = text.slice(from, at).trim();
    const top = open.at(-1);
    if (quote !== '') {
      if (one === quote) quote = '';
    } else if ((one === '"' || one === "'") && word === '') quote = one;
    else if (one === '{' || one === '[') open.push({ isMap: one === '{', key: one === '{' ? undefined : 0 });
    else if (one === '}' || one === ']') {
      open.pop();
      if (open.length === 0) return undefined;
    } else if (one === ':' && top?.isMap === true && /^\s?$/.test(text.charAt(at + 1))) top.key = unquoted(word);
    else if (one === ',' && top !== undefined) top.key = typeof top.key === 'number' ? top.key + 1 : undefined;
    else continue;
    if (quote === '') from = at + 1;
  }
  const top = open.at(-1);
  const keys = open.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const word = text.slice(from).trimStart().replace(/^["']/, '');
  return { keys, word, isKey: top?.isMap === true && top.key === undefined };
};
