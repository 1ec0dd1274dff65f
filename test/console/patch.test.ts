import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { type Change, writePatch } from '../../console/src/playground/patch.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'waybill-patch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git makes of it. */
const applied = (changes: readonly Change[]): Readonly<Record<string, string>> => {
  const home = mkdtempSync(path.join(folder, 'home-'));
  for (const { path: file, before } of changes) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    if (before !== undefined) writeFileSync(path.join(home, file), before);
  }
  const patch = writePatch(changes);
  if (patch !== '') execFileSync('git', ['apply', '-'], { cwd: home, input: patch });
  return Object.fromEntries(changes.map(({ path: file }) => [file, readFileSync(path.join(home, file), 'utf8')]));
};

it('git makes of a patch what was written, whatever was changed', () => {
  const line = fc.constantFrom('a: 1', 'b: 2', '', '- c', '+ d', '@@ e', '\\ f', 'g €');
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''));
  const change = fc.record({ before: fc.option(text, { nil: undefined }), after: text.filter((one) => one !== '') });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (made) => {
      const changes = made.map((one, at) => ({ ...one, path: `carriers/${at}.yaml` }));
      const wanted = Object.fromEntries(changes.map(({ path: file, after }) => [file, after]));
      expect(applied(changes)).toEqual(wanted);
    }),
    { numRuns: 25 },
  );
});

it('what is as it was is not in it', () => {
  expect(writePatch([{ path: 'carriers/acme.yaml', before: 'a\n', after: 'a\n' }])).toBe('');
});
