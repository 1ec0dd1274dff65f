/** What the parser of YAML stumbles over, in the words of an author. */
import type { YAMLError } from 'yaml';
import type { SourceText } from '../mapping/source-text.ts';
import type { Findings } from './finding.ts';
import { childrenOf, type Node, type ScalarNode } from './tree.ts';

/** Errors after which the parser goes on as if nothing had been: one behind them is one of its own. */
const RECOVERED: ReadonlySet<string> = new Set(['BLOCK_AS_IMPLICIT_KEY', 'BAD_SCALAR_START', 'TAB_AS_INDENT']);

const SYNTAX_MAX = 3;

/**
 * Reports the errors that are worth it, in the order of the text: once the parser is off the track, it stumbles over
 * every token that follows. Of several in one line the first counts, and more than a few say nothing new. What it
 * stumbles over in a line with an unquoted expression follows from that.
 */
export const reportSyntaxErrors = (errors: readonly YAMLError[], source: SourceText, findings: Findings): void => {
  const unquoted = findings.list().filter(({ rule }) => rule === 'unquoted-expression');
  const explained = new Set(unquoted.map(({ place }) => place.line));
  const reported = new Set<number>();
  for (const { code, message, pos } of errors.toSorted((one, other) => one.pos[0] - other.pos[0])) {
    const place = source.placeAt(pos[0]);
    const isRecovered = RECOVERED.has(code);
    if (explained.has(place.line)) {
      if (isRecovered) continue;
      return;
    }
    if (reported.size === 0 || (isRecovered && !reported.has(place.line))) {
      const help = helpFor(code, message, source.text.slice(0, pos[0]));
      findings.report('yaml-syntax', place, `invalid YAML: ${message}`, help);
      reported.add(place.line);
    }
    if (!isRecovered || reported.size === SYNTAX_MAX) return;
  }
};

const IN_FLOW =
  'inside { } and [ ] plain text ends at a comma or bracket: quote it, or use a block scalar ("key: |" and the text indented below it)';
const BLOCK_SCALAR = 'write text over several lines as a block scalar: "key: |" and the text indented below it';

const HELP: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'quote text that holds a colon and a space, or write "key: |" and the text indented below it',
  BAD_SCALAR_START: 'quote the text',
  TAB_AS_INDENT: 'indent with spaces',
  BLOCK_IN_FLOW: IN_FLOW,
  MULTILINE_IMPLICIT_KEY: BLOCK_SCALAR,
};

const helpFor = (code: string, message: string, before: string): string | undefined => {
  if (code === 'MISSING_CHAR') return message.includes('quote') ? 'close the quote' : IN_FLOW;
  if (code !== 'UNEXPECTED_TOKEN') return HELP[code];
  if (/["']\s*$/.test(before)) return 'text that begins with a quote ends at the next: quote the whole';
  return /flow-(?:seq|map)/.test(message) ? IN_FLOW : undefined;
};

/**
 * Inside `{ }` and `[ ]` YAML ends plain text at a comma or bracket, so an expression that holds one is cut in the
 * middle. What is left of it has an open parenthesis, bracket or quote.
 */
export const checkFlowText = (node: Node, findings: Findings, inFlow = false): void => {
  if (node.kind === 'scalar') {
    if (!inFlow || !isCut(node)) return;
    const message = `YAML ended this text after "${node.text.slice(0, 60)}"`;
    findings.report('unquoted-expression', node.place, message, 'quote an expression inside { } or [ ]');
  } else for (const inner of childrenOf(node)) checkFlowText(inner, findings, inFlow || node.flow);
};

const isCut = (node: ScalarNode): boolean =>
  node.style === 'plain' && (node.text.endsWith('$') || staysOpen(node.text));

/** Does a text open a parenthesis or quote that it does not close? An apostrophe between letters is no quote. */
const staysOpen = (text: string): boolean => {
  const outside = text.replaceAll(/(?<=\p{L})'(?=\p{L})/gu, '').replaceAll(/"[^"]*"|'[^']*'/g, '');
  const count = (unit: string): number => outside.split(unit).length - 1;
  return count('(') > count(')') || (/["']/.test(outside) && /[($]/.test(outside));
};

/** What is left, behind the comma, of an expression that YAML cut: closes what it did not open. */
export const isRemainder = (text: string): boolean => text.split(')').length > text.split('(').length;
