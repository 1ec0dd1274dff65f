/** What the parser of YAML stumbles over, in the words of an author. */
import type { Findings } from './finding.ts';
import type { ErrorRule } from './rules.ts';
import type { Node, ScalarNode } from './tree.ts';

export interface YamlError {
  readonly code: string;
  readonly message: string;
  /** Where it is in the text. */
  readonly offset: number;
  readonly line: number;
}

export interface DescribedError {
  readonly rule: ErrorRule;
  readonly message: string;
  readonly help?: string;
}

/** Errors after which the parser goes on as if nothing had been: one behind them is one of its own. */
const RECOVERED: ReadonlySet<string> = new Set(['BLOCK_AS_IMPLICIT_KEY', 'BAD_SCALAR_START', 'TAB_AS_INDENT']);

const SYNTAX_MAX = 3;

/**
 * The errors that are worth telling, in the order of the text: once the parser is off the track, it stumbles over
 * every token that follows. Of several in one line the first counts, and more than a few say nothing new. Those in
 * the lines `explained` have a finding already.
 */
export const firstErrors = <E extends YamlError>(
  errors: readonly E[],
  explained: ReadonlySet<number>,
): readonly E[] => {
  const first: E[] = [];
  let syntax = 0;
  for (const error of errors.toSorted((one, other) => one.offset - other.offset)) {
    if (explained.has(error.line)) {
      if (RECOVERED.has(error.code)) continue;
      break;
    }
    if (syntax === 0 || (RECOVERED.has(error.code) && !first.some(({ line }) => line === error.line))) {
      first.push(error);
      syntax += 1;
    }
    if (!RECOVERED.has(error.code) || syntax === SYNTAX_MAX) break;
  }
  return first;
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

/** `text` is the whole file. */
export const describeYamlError = ({ code, message, offset }: YamlError, text: string): DescribedError => {
  const help = helpFor(code, message, text, offset);
  return { rule: 'yaml-syntax', message: `this is not YAML: ${message}`, ...(help === undefined ? {} : { help }) };
};

const helpFor = (code: string, message: string, text: string, offset: number): string | undefined => {
  if (code === 'MISSING_CHAR') return message.includes('quote') ? 'close the quote' : IN_FLOW;
  if (code !== 'UNEXPECTED_TOKEN') return HELP[code];
  if (/["']\s*$/.test(text.slice(0, offset))) return 'text that begins with a quote ends at the next: quote the whole';
  return /flow-(?:seq|map)/.test(message) ? IN_FLOW : undefined;
};

/**
 * Inside `{ }` and `[ ]` YAML ends plain text at a comma or bracket, so an expression that holds one is cut in the
 * middle. What is left of it has an open parenthesis, bracket or quote.
 */
export const checkFlowText = (root: Node, findings: Findings): void => {
  const walk = (node: Node, flow: boolean): void => {
    if (node.kind === 'scalar') {
      if (!flow || !isCut(node)) return;
      const message = `YAML ended this text after "${node.text.slice(0, 60)}"`;
      findings.error('unquoted-expression', node.place, message, 'quote an expression inside { } or [ ]');
    } else if (node.kind === 'list') for (const item of node.items) walk(item, flow || node.flow);
    else for (const entry of node.entries) walk(entry.value, flow || node.flow);
  };
  walk(root, false);
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
