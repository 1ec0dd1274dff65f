import { Composer, type CST, isAlias, isMap, isScalar, isSeq, Lexer, Parser, type ParsedNode, type Scalar } from 'yaml';
import type { Place } from '../failure.ts';
import { sliceOf, sourceText, type SourceText } from '../mapping/source-text.ts';
import { collectFindings, type Finding, type Findings } from './finding.ts';
import { checkFlowText, reportSyntaxErrors } from './source-errors.ts';
import { alignScalar } from './scalar-places.ts';
import type { Entry, Node, ScalarNode } from './tree.ts';

export interface ParsedSource {
  /** undefined when the text holds nothing that can be read on. */
  readonly root: Node | undefined;
  readonly findings: readonly Finding[];
}

const SIZE_MAX = 1_000_000;
/** Words and marks: what reading costs grows with these. The largest of our own files has some 2,500. */
const TOKENS_MAX = 40_000;
const DEPTH_MAX = 64;

/**
 * Reads one YAML 1.2 document to a tree that keeps every scalar's characters and places.
 * Anchors, aliases, merge keys, tags, directives, repeated keys and second documents are findings, as is what is
 * larger than 1 MB, made of more than 40,000 tokens or deeper than 64 levels. Never throws.
 */
export const parseSource = (file: string, text: string): ParsedSource => {
  const findings = collectFindings();
  const root = readRoot(file, text, findings);
  return { root, findings: findings.list() };
};

const readRoot = (file: string, text: string, findings: Findings): Node | undefined => {
  const start = { file, line: 1, column: 1 };
  if (text.length > SIZE_MAX) {
    findings.report('too-large', start, `the file is larger than ${SIZE_MAX} characters`);
    return undefined;
  }
  const source = sourceText(file, text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
  if (hasMoreTokens(source.text, TOKENS_MAX)) {
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

const hasMoreTokens = (text: string, most: number): boolean => {
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > most) return true;
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
        'use extends, or write it out',
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
  anchor: { message: 'anchors are not allowed', help: 'write the value where it is needed; extends merges profiles' },
  alias: { message: 'aliases are not allowed', help: 'write the value out, or quote text that begins with *' },
  tag: { message: 'tags are not allowed', help: 'remove it, or quote text that begins with !' },
  directive: { message: 'directives are not allowed', help: 'remove the line' },
};
