import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type RuleExample, rulesDocument } from '../../src/engine/profile/reference/rules-document.ts';
import type { RuleName } from '../../src/engine/profile/rules.ts';
import { bestExamples, findingsOf, readBroken } from '../engine/profile/broken.ts';
import { PROJECT } from './examples.ts';

it('docs/lint.md shows each rule at work (npm run docs writes it anew)', async () => {
  const examples = new Map<RuleName, RuleExample>();
  for (const [rule, { why, files, mended }] of bestExamples(readBroken())) {
    const finding = findingsOf(files).find((found) => found.rule === rule);
    if (finding !== undefined) examples.set(finding.rule, { why, finding, mended: linesInstead(files, mended) });
  }
  const intro = readFileSync(path.join(PROJECT, 'docs/source/lint.md'), 'utf8');
  await expect(rulesDocument(intro, examples)).toMatchFileSnapshot(path.join(PROJECT, 'docs/lint.md'));
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
