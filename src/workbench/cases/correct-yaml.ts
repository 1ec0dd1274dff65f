/** Corrects values in the text of a YAML document, by their ranges: comments, order and layout of the rest stay. */
import { readScalar } from '../../engine/profile/tree.ts';
import { isDeepStrictEqual } from 'node:util';
import { Document, isCollection, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, visit } from 'yaml';
import type { YAMLMap, YAMLSeq } from 'yaml';
import type { ValuePath } from '../../engine/value.ts';

export interface ValueCorrection {
  readonly path: ValuePath;
  /** undefined: nothing is to be there. */
  readonly value: unknown;
}

/**
 * One after the other; removals come last, from the end, as they move what comes behind them. Maps on the way to a
 * value are made where they are missing.
 */
export const correctYaml = (text: string, corrections: readonly ValueCorrection[]): string => {
  const changes = corrections.filter(({ value }) => value !== undefined);
  const removals = corrections.filter(({ value }) => value === undefined).toReversed();
  return [...changes, ...removals].reduce(correct, text);
};

const correct = (text: string, correction: ValueCorrection): string => {
  const document = parseDocument(text);
  const { path, value } = reachable(document, correction);
  if (value === undefined && !isCollection(nodeAt(document, path.slice(0, -1)))) return text;
  const edited = editText(text, document, path, value);
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, quoted(document.createNode(value)));
  // Where the text is laid out as no edit foresees, the document is written anew: right before beautiful.
  return isDeepStrictEqual(parsed(edited), document.toJS()) ? edited : document.toString({ lineWidth: 0 });
};

const nodeAt = (document: Document.Parsed, path: ValuePath): unknown =>
  path.length === 0 ? document.contents : document.getIn(path, true);

/** Where a scalar stands on the way, it is the scalar that gives way. */
const reachable = (document: Document.Parsed, correction: ValueCorrection): ValueCorrection => {
  const { path, value } = correction;
  if (value === undefined) return correction;
  for (let length = 1; length < path.length; length += 1) {
    const node = nodeAt(document, path.slice(0, length));
    if (!isScalar(node) || node.value === null) continue;
    const nested = path
      .slice(length)
      .reduceRight<unknown>((inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value);
    return { path: path.slice(0, length), value: nested };
  }
  return correction;
};

const parsed = (text: string): unknown => {
  const document = parseDocument(text);
  return document.errors.length === 0 ? (document.toJS() as unknown) : undefined;
};

const editText = (text: string, document: Document.Parsed, path: ValuePath, value: unknown): string => {
  const key = path.at(-1);
  const parent = nodeAt(document, path.slice(0, -1));
  if (isMap(parent)) {
    const at = parent.items.findIndex((one) => isScalar(one.key) && one.key.value === key);
    const pair = parent.items[at] as Pair<Node, Node | null> | undefined;
    if (value === undefined) return pair === undefined ? text : remove(text, parent, at);
    if (pair === undefined) return insert(text, parent, String(key), value);
    return pair.value === null ? text : replace(text, pair.value, value);
  }
  if (isSeq(parent) && typeof key === 'number') {
    const item = parent.items[key] as Node | undefined;
    if (item === undefined) return value === undefined ? text : append(text, parent, value);
    return value === undefined ? remove(text, parent, key) : replace(text, item, value);
  }
  if (value === undefined || path.length < 2 || key === undefined) return text;
  return editText(text, document, path.slice(0, -1), { [String(key)]: value });
};

const startOf = (node: Node): number => node.range?.[0] ?? 0;
const endOf = (node: Node): number => node.range?.[1] ?? 0;
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
const columnOf = (text: string, node: Node): number => startOf(node) - lineStart(text, startOf(node));
const isBlock = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.flow !== true;

const replace = (text: string, node: Node, value: unknown): string => {
  const old = text.slice(startOf(node), endOf(node));
  const trailing = /\s*$/.exec(old)?.[0] ?? '';
  const isTree = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  const written =
    isBlock(node) && isTree
      ? writeYaml(value, false).replaceAll('\n', `\n${' '.repeat(columnOf(text, node))}`)
      : writeYaml(value, true, isScalar(node) && node.type === 'QUOTE_SINGLE');
  return `${text.slice(0, startOf(node))}${written}${trailing}${text.slice(endOf(node))}`;
};

const insert = (text: string, map: YAMLMap, key: string, value: unknown): string => {
  const entry = `${writeYaml(key, true)}: ${writeYaml(value, true)}`;
  if (map.flow === true) {
    const close = endOf(map) - 1;
    const before = text.slice(0, close).trimEnd();
    return `${before}${map.items.length === 0 || before.endsWith(',') ? ' ' : ', '}${entry} ${text.slice(close)}`;
  }
  const last = map.items.at(-1) as Pair<Node, Node | null> | undefined;
  return last === undefined
    ? replace(text, map, { [key]: value })
    : writeBehind(text, last.value ?? last.key, map, entry);
};

/** Behind the last entry, as that is laid out. */
const append = (text: string, list: YAMLSeq, value: unknown): string => {
  const last = list.items.at(-1) as Node | undefined;
  const written = writeYaml(value, true);
  if (last === undefined) return replace(text, list, [value]);
  if (list.flow === true) return `${text.slice(0, endOf(last))}, ${written}${text.slice(endOf(last))}`;
  return writeBehind(text, last, list, `- ${written}`);
};

const writeBehind = (text: string, last: Node, collection: Node, entry: string): string => {
  const at = lineEnd(text, endOf(last));
  const before = text[at - 1] === '\n' ? text.slice(0, at) : `${text}\n`;
  return `${before}${' '.repeat(columnOf(text, collection))}${entry}\n${text.slice(at)}`;
};

/** Removes the entry `at`, with its comma or its lines. */
const remove = (text: string, collection: YAMLMap | YAMLSeq, at: number): string => {
  const nodes = collection.items.map((item): { start: number; end: number } => {
    const [first, last] = isPairLike(item) ? [item.key, item.value ?? item.key] : [item as Node, item as Node];
    return { start: startOf(first), end: endOf(last) };
  });
  const [one, before, after] = [nodes[at], nodes[at - 1], nodes[at + 1]];
  if (one === undefined) return text;
  if (nodes.length === 1) return replace(text, collection, isMap(collection) ? {} : []);
  if (collection.flow === true) {
    return after === undefined
      ? text.slice(0, before?.end) + text.slice(one.end)
      : text.slice(0, one.start) + text.slice(after.start);
  }
  const until = after === undefined ? lineEnd(text, one.end) : lineStart(text, after.start);
  // The first key may stand behind a dash: the next takes its place.
  if (isMap(collection) && before === undefined && after !== undefined) {
    return text.slice(0, one.start) + text.slice(after.start);
  }
  return text.slice(0, lineStart(text, one.start)) + text.slice(until);
};

const isPairLike = (item: unknown): item is Pair<Node, Node | null> =>
  typeof item === 'object' && item !== null && 'key' in item;

const lineEnd = (text: string, at: number): number => {
  if (text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
};

/** As a person would write it: in blocks, or in one line. */
export const writeYaml = (value: unknown, isFlow: boolean, isQuoted = false): string => {
  const document = new Document(value);
  quoted(document, isQuoted);
  visit(document, {
    Collection: (_, node) => {
      if (isFlow) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, singleQuote: true }).trimEnd();
};

/** Text that some reader of YAML takes for something else is quoted, as all is on demand. */
const quoted = <T extends Node | Document>(tree: T, all = false): T => {
  visit(tree, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string') return;
      if (/[\n\r\t]/.test(node.value)) node.type = 'QUOTE_DOUBLE';
      else node.type = all || !isPlain(node.value) ? 'QUOTE_SINGLE' : 'PLAIN';
    },
  });
  return tree;
};

/** Inside braces, which is where most of it stands, text ends at a comma. */
const isPlain = (text: string): boolean => {
  const place = { file: '', line: 1, column: 1 };
  const reading = readScalar({ kind: 'scalar', style: 'plain', text, place, placeAt: () => place });
  return reading.ok && reading.value === text && !/[,[\]{}]/.test(text);
};
