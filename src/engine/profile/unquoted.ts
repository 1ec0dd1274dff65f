import type { Findings } from './finding.ts';
import type { Node, ScalarNode } from './tree.ts';

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
