import { describe, expect, test } from 'vitest';
import { applyFixes } from '../../../src/engine/profile/finding.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { findingsOf, readBroken } from './broken.ts';

const offered = readBroken().flatMap((broken) =>
  findingsOf(broken.files).some(({ fix }) => fix !== undefined) ? [broken] : [],
);

describe('a finding that offers a change is gone when the change is made', () => {
  test.each(offered)('$why', (broken) => {
    const before = findingsOf(broken.files);
    const files = { ...broken.files };
    for (const [file, text] of Object.entries(files)) {
      files[file] = applyFixes(
        text,
        before.filter(({ place }) => place.file === file),
      ).text;
    }
    const mended = before.filter(({ fix }) => fix !== undefined);
    const { findings } = loadCarrier('acme', { home: memoryFiles(files), shipped: memoryFiles({}) });
    for (const { rule, message } of mended) {
      expect(findings.filter((left) => left.rule === rule && left.message === message)).toEqual([]);
    }
  });
});

const finding = (column: number, old: string, text: string) =>
  ({
    rule: 'unknown-key',
    severity: 'error',
    place: { file: 'a', line: 1, column },
    message: '',
    fix: { place: { file: 'a', line: 1, column }, old, text },
  }) as const;

test('a change whose place holds something else is left out, and one within another, too', () => {
  expect(applyFixes('abc def', [finding(5, 'xyz', '!')])).toEqual({ text: 'abc def', applied: [] });
  expect(applyFixes('abc def', [finding(1, 'abc def', '[abc def]'), finding(5, 'def', 'DEF')]).text).toBe('abc DEF');
});
