import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type RuleExample, rulesDocument } from '../../src/profile/reference/rules-document.ts';
import type { RuleName } from '../../src/profile/rules.ts';
import { findingsOf, readBroken } from '../profile/broken.ts';
import { PROJECT } from './examples.ts';

it('docs/lint.md shows each rule at work (npm run docs writes it anew)', async () => {
  const examples = new Map<RuleName, RuleExample>();
  for (const broken of readBroken()) {
    for (const finding of findingsOf(broken)) {
      if (!examples.has(finding.rule)) examples.set(finding.rule, { why: broken.why, finding });
    }
  }
  const intro = readFileSync(path.join(PROJECT, 'docs/source/lint.md'), 'utf8');
  await expect(rulesDocument(intro, examples)).toMatchFileSnapshot(path.join(PROJECT, 'docs/lint.md'));
});
