import { Composer, type CST, isAlias, isMap, isScalar, isSeq, Lexer, type ParsedNode, Parser, type Scalar } from 'yaml';
import type { Place } from '../failure.ts';
import { sliceOf, sourceText, type SourceText } from '../mapping/source-text.ts';
import { remembering } from '../remembered.ts';
import { collectFindings, type Findings } from './finding.ts';
import { checkFlowText, reportSyntaxErrors } from './source-errors.ts';
import type { Entry, Node, ScalarNode } from './tree.ts';

const SIZE_MAX = 1_000_000;
/** Words and marks: what reading costs grows with these. The largest of our own files has some 2,500. */
const TOKENS_MAX = 40_000;
const DEPTH_MAX = 64;

/**
 * Reads one YAML 1.2 document to a tree that keeps every scalar's characters and places.
 * Anchors, aliases, merge keys, tags, directives, repeated keys and second documents are findings, as is what is
 * larger than 1 MB, made of more than 40,000 tokens or deeper than 64 levels. Never throws.
 */
export const parseSource = remembering((file: string, text: string) => {
  const findings = collectFindings();
  const root = readRoot(file, text, findings);
  return { root, findings: findings.list() };
});

/** undefined when the text holds nothing that can be read on. */
const readRoot = (file: string, text: string, findings: Findings): Node | undefined => {
  const start = { file, line: 1, column: 1 };
  if (text.length > SIZE_MAX) {
    findings.report('too-large', start, `the file is larger than ${SIZE_MAX} characters`);
    return undefined;
  }
  const source = sourceText(file, text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
  if (hasTooManyTokens(source.text)) {
    findings.report('too-large', start, `the file has more than ${TOKENS_MAX} tokens`);
    return undefined;
  }
  const tokens = [...new Parser().parse(source.text)];
  if (!checkTokens(tokens, source, findings)) return undefined;
  const documents = [...new Composer(COMPOSER_OPTIONS).compose(tokens, true, source.text.length)];
  const [document, second] = documents;
  if (second !== undefined) {
    const help = 'remove the line --- and what follows it';
    findings.report('yaml-feature', source.placeAt(second.range[0]), 'a file must hold a single document', help);
  }
  const root = document?.contents ? toNode(document.contents, { ...source, findings }) : undefined;
  if (root !== undefined) checkFlowText(root, findings);
  const errors = documents.flatMap((each) => [...each.errors, ...each.warnings]);
  reportSyntaxErrors(errors, source, findings);
  // Behind a syntax error nothing that was read can be relied on.
  if (findings.list().some(({ rule }) => rule === 'yaml-syntax')) return undefined;
  if (root === undefined && findings.list().length === 0) findings.report('empty', start, 'the file is empty');
  return root;
};

const COMPOSER_OPTIONS = {
  // Every scalar stays the text it is; its position decides later what it means.
  schema: 'failsafe',
  prettyErrors: false,
  keepSourceTokens: true,
  logLevel: 'silent',
  // Its own check compares each key with each; ours looks them up.
  uniqueKeys: false,
} as const;

const hasTooManyTokens = (text: string): boolean => {
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > TOKENS_MAX) return true;
  }
  return false;
};

type Reader = SourceText & { readonly findings: Findings };

const toNode = (node: ParsedNode, reader: Reader): Node => {
  const place = reader.placeAt(node.range[0]);
  if (isScalar(node)) return toScalar(node, reader);
  if (isAlias(node)) return emptyAt(place);
  const flow = node.flow === true;
  const source = sliceOf(reader, node.range[0], node.range[1]);
  if (isSeq(node)) {
    return { kind: 'list', place, flow, source, items: node.items.map((item) => toNode(item, reader)) };
  }
  const entries: Entry[] = [];
  const names = new Set<string>();
  for (const pair of isMap(node) ? node.items : []) {
    const { key, value } = pair as { key: ParsedNode | null; value: ParsedNode | null };
    if (!isScalar(key)) {
      const at = key === null ? place : reader.placeAt(key.range[0]);
      reader.findings.report('yaml-feature', at, 'a key must be text', 'write the key as a word');
      continue;
    }
    const name = toScalar(key, reader);
    if (names.has(name.text)) reader.findings.report('repeated-key', name.place, 'this key is repeated');
    names.add(name.text);
    entries.push({ key: name, value: value === null ? emptyAt(reader.placeAt(key.range[1])) : toNode(value, reader) });
  }
  return { kind: 'map', place, flow, source, entries };
};

const emptyAt = (place: Place): ScalarNode => ({
  kind: 'scalar',
  place,
  style: 'plain',
  text: '',
  placeAt: () => place,
});

const STYLES: Readonly<Record<string, ScalarNode['style']>> = {
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

const toScalar = (node: Scalar.Parsed | Scalar, reader: Reader): ScalarNode => {
  const [from, to] = node.range ?? [0, 0];
  const style = STYLES[node.type ?? ''] ?? 'plain';
  const block = style === 'literal' || style === 'folded';
  const value = typeof node.value === 'string' ? node.value : (node.source ?? '');
  const text = block && value.endsWith('\n') ? value.slice(0, -1) : value;
  const start = block ? lineAfter(reader.text, from) : style === 'plain' ? from : from + 1;
  let offsets: readonly number[] | undefined;
  const placeAt = (offset: number): Place => {
    offsets ??= alignScalar(text, reader.text.slice(start, to), style);
    const index = Math.max(0, Math.min(offset, text.length));
    return reader.placeAt(start + (offsets[index] ?? 0));
  };
  return { kind: 'scalar', place: reader.placeAt(from), style, text, placeAt };
};

const lineAfter = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
};

/** Walks the tokens without recursion: the depth they reach, and the features of YAML that a profile may not use. */
const checkTokens = (tokens: readonly CST.Token[], { placeAt }: SourceText, findings: Findings): boolean => {
  const open: { token: CST.Token | CST.SourceToken; depth: number; key: boolean }[] = [];
  const push = (list: readonly (CST.Token | CST.SourceToken)[] | undefined, depth: number): void => {
    for (const token of list ?? []) open.push({ token, depth, key: false });
  };
  push(tokens, 0);
  let shallow = true;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth, key } = next;
    const feature = FEATURES[token.type];
    if (feature !== undefined) findings.report('yaml-feature', placeAt(token.offset), feature.message, feature.help);
    if (key && 'source' in token && token.type === 'scalar' && token.source === '<<') {
      findings.report(
        'yaml-feature',
        placeAt(token.offset),
        'merge keys are not allowed',
        'use extends or fragments, or write it out',
      );
    }
    if (depth > DEPTH_MAX) {
      if (shallow) findings.report('too-deep', placeAt(token.offset), `nested more than ${DEPTH_MAX} levels deep`);
      shallow = false;
      continue;
    }
    if ('start' in token && Array.isArray(token.start)) push(token.start, depth);
    if ('props' in token) push(token.props, depth);
    if ('value' in token && token.value !== undefined) open.push({ token: token.value, depth, key: false });
    if (!('items' in token)) continue;
    for (const item of token.items) {
      push(item.start, depth + 1);
      if (item.key !== undefined && item.key !== null) open.push({ token: item.key, depth: depth + 1, key: true });
      push(item.sep, depth + 1);
      if (item.value !== undefined) open.push({ token: item.value, depth: depth + 1, key: false });
    }
  }
  return shallow;
};

const FEATURES: Readonly<Record<string, { readonly message: string; readonly help: string }>> = {
  anchor: {
    message: 'anchors are not allowed',
    help: 'write the value where it is needed; fragments hold what steps share, extends merges profiles',
  },
  alias: { message: 'aliases are not allowed', help: 'write the value out, or quote text that begins with *' },
  tag: { message: 'tags are not allowed', help: 'remove it, or quote text that begins with !' },
  directive: { message: 'directives are not allowed', help: 'remove the line' },
};

/**
 * Where the characters of a scalar's value stand in its source. Folding and indentation only touch white space, so
 * every other character of the value is found by walking both texts side by side; quotes and escapes are decoded on
 * the way. White space is placed at, or right after, the character before it.
 *
 * `raw` is the source from the first character of the content on (after a quote or a block's header). Yields one
 * offset into `raw` for each UTF-16 unit of `value`, and one more for its end.
 */
const alignScalar = (value: string, raw: string, style: ScalarNode['style']): readonly number[] => {
  const offsets: number[] = [];
  let at = 0;
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charAt(index);
    const blank = isBlank(unit);
    if (!blank) at = skipBlank(raw, at, style);
    offsets.push(at);
    const length = lengthAt(raw, at, style);
    if (!blank) {
      // One escape may stand for two UTF-16 units: stay until the second is placed too.
      if (!(isHighSurrogate(unit) && raw.charAt(at) === '\\')) at += length;
    } else if (length > 1 || raw.charAt(at) === unit) at += length;
    else if (unit === '\n' && raw.startsWith('\r\n', at)) at += 2;
  }
  offsets.push(at);
  return offsets;
};

const isBlank = (unit: string): boolean => unit === ' ' || unit === '\n' || unit === '\t' || unit === '\r';
const isHighSurrogate = (unit: string): boolean => unit >= '\uD800' && unit <= '\uDBFF';

const skipBlank = (raw: string, from: number, style: ScalarNode['style']): number => {
  let at = from;
  for (;;) {
    if (isBlank(raw.charAt(at))) at += 1;
    else if (style === 'double' && /^\\\r?\n/.test(raw.slice(at, at + 3))) at += 2;
    else return at;
  }
};

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

/** How many characters of the source stand for the one character at an offset. */
const lengthAt = (raw: string, at: number, style: ScalarNode['style']): number => {
  if (style === 'single') return raw.startsWith("''", at) ? 2 : 1;
  if (style !== 'double' || raw.charAt(at) !== '\\') return 1;
  return ESCAPE_LENGTHS[raw.charAt(at + 1)] ?? 2;
};
