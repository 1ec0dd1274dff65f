/** `docs/lint.md`: every rule, what it says, a text in which it finds something, and what passes instead. */
import type { Finding } from '../finding.ts';
import { type RuleName, RULES } from '../rules.ts';

/** A finding in an example, with its line, and the lines with which it passes. */
export interface RuleExample {
  readonly why: string;
  readonly finding: Finding;
  readonly mended: readonly string[];
}

export const rulesDocument = (intro: string, examples: ReadonlyMap<RuleName, RuleExample>): string =>
  [intro.trimEnd(), ...Object.entries(RULES).map(([name]) => section(name as RuleName, examples)), ''].join('\n\n');

const section = (name: RuleName, examples: ReadonlyMap<RuleName, RuleExample>): string => {
  const rule = RULES[name];
  const severity = rule.severity === 'either' ? 'Error or warning' : rule.severity === 'error' ? 'Error' : 'Warning';
  const waivable = 'waivable' in rule ? ', can be waived' : '';
  const example = examples.get(name);
  const lines = [`## \`${name}\``, `${severity}${waivable}. ${rule.says}`];
  return [...lines, ...(example === undefined ? [] : [shown(example), passing(example)])].join('\n\n');
};

const shown = ({ why, finding: { place, message, help, excerpt = '' } }: RuleExample): string => {
  const line = excerpt.trimEnd();
  const lead = line.length - line.trimStart().length;
  const caret = `${' '.repeat(Math.max(0, place.column - 1 - lead))}^`;
  const said = help === undefined ? message : `${message} (${help})`;
  return `${why}:\n\n\`\`\`text\n${line.trimStart()}\n${caret} ${said}\n\`\`\``;
};

const passing = ({ mended }: RuleExample): string => {
  const lead = Math.min(...mended.map((line) => line.length - line.trimStart().length));
  return `Passes:\n\n\`\`\`text\n${mended.map((line) => line.slice(lead)).join('\n')}\n\`\`\``;
};
