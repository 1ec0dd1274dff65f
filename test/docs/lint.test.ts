import path from 'node:path';
import { expect, it } from 'vitest';
import type { Finding } from '../../src/engine/profile/finding.ts';
import { type RuleName, RULES } from '../../src/engine/profile/rules.ts';
import { bestExamples, findingsOf, readBroken } from '../engine/profile/broken.ts';
import { PROJECT, read } from '../support/project.ts';

it('docs/lint.md shows each rule at work (npm run docs writes it anew)', async () => {
  const examples = new Map<RuleName, RuleExample>();
  for (const [rule, { why, files, mended }] of bestExamples(readBroken())) {
    const finding = findingsOf(files).find((found) => found.rule === rule);
    if (finding !== undefined) examples.set(finding.rule, { why, finding, mended: linesInstead(files, mended) });
  }
  await expect(rulesDocument(read('docs/source/lint.md'), examples)).toMatchFileSnapshot(
    path.join(PROJECT, 'docs/lint.md'),
  );
});

/** The lines that are written otherwise in a mended home. */
const linesInstead = (
  files: Readonly<Record<string, string>>,
  mended: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.entries(mended).flatMap(([file, text]) => {
    const before = files[file]?.split('\n') ?? [];
    const after = text.split('\n');
    if (before.join('\n') === text) return [];
    const from = after.findIndex((line, at) => line !== before[at]);
    const same = after.toReversed().findIndex((line, at) => line !== before.at(-1 - at));
    return after.slice(from, Math.max(from + 1, after.length - same));
  });

/** A finding in an example, with its line, and the lines with which it passes. */
interface RuleExample {
  readonly why: string;
  readonly finding: Finding;
  readonly mended: readonly string[];
}

const rulesDocument = (intro: string, examples: ReadonlyMap<RuleName, RuleExample>): string =>
  [intro.trimEnd(), ...Object.entries(RULES).map(([name]) => section(name as RuleName, examples)), ''].join('\n\n');

const section = (name: RuleName, examples: ReadonlyMap<RuleName, RuleExample>): string => {
  const rule = RULES[name];
  const severity = rule.severity === 'either' ? 'Error or warning' : rule.severity === 'error' ? 'Error' : 'Warning';
  const waivable = 'waivable' in rule ? ', can be waived' : '';
  const example = examples.get(name);
  const lines = [`## \`${name}\``, `${severity}${waivable}. ${rule.description}`];
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
