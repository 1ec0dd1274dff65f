/** No typo ends in anything but a finding, a problem or a pending scenario. */
import { expect, test } from 'vitest';
import type { HomeFiles } from '../../../src/engine/profile/home-files.ts';
import { testCarrier } from '../../../src/workbench/cases/test-carrier.ts';
import { caseFiles, exampleCodes, homes } from '../../docs/examples.ts';

const SLIPS = [
  "'",
  '"',
  '{',
  '}',
  '[',
  ']',
  ':',
  ' ',
  '-',
  '#',
  '&',
  '*',
  '!',
  '%',
  '\t',
  '0',
  '$',
  '${',
  '~',
  '|',
  '<<: ',
];
const VALUES = [
  'null',
  '1',
  '[]',
  '{}',
  'true',
  '{ a: 1 }',
  '-1',
  '1e999',
  '"\\u0000"',
  '__proto__',
  'no.json',
  '${x}',
  '"["',
];
const SEEDS = 6;

/** One line of a text with a typo that only `seed` decides. */
const withTypo = (text: string, seed: number): string => {
  const lines = text.split('\n');
  const at = (seed * 7919) % lines.length;
  const line = lines[at] ?? '';
  const column = (seed * 104_729) % (line.length + 1);
  const slip = SLIPS[seed % SLIPS.length] ?? '';
  const value = VALUES[seed % VALUES.length] ?? '';
  const kinds = [
    line.slice(0, column) + line.slice(column + 1),
    line.slice(0, column) + slip + line.slice(column),
    line.replace(/:\s.*$/, () => `: ${value}`),
    line.replace(/: [^,{}[\]]+/, () => `: ${value}`),
    line.replace(/[\w.]+:/, 'constructor:'),
    `  ${line}`,
  ];
  lines[at] = kinds[seed % kinds.length] ?? '';
  return lines.join('\n');
};

const beginning = Number(process.env['TYPO_SEED'] ?? 1);

test.each(exampleCodes)('in the profile or a case of %s', async (code) => {
  const cases = caseFiles.list(`fixtures/${code}`).map((name) => `fixtures/${code}/${name}`);
  for (let seed = beginning; seed < beginning + SEEDS; seed += 1) {
    for (const file of [`carriers/${code}.yaml`, ...cases]) {
      const text = withTypo(caseFiles.read(file)?.toString() ?? homes.home.read(file) ?? '', seed * 31 + file.length);
      const home: HomeFiles = { ...homes.home, read: (path) => (path === file ? text : homes.home.read(path)) };
      const files = {
        ...caseFiles,
        read: (path: string) => (path === file ? Buffer.from(text) : caseFiles.read(path)),
      };
      const tested = await testCarrier(code, { homes: { ...homes, home }, files, pack: seed % 3 === 0 });
      expect(tested.carrier, `${file}:\n${text}`).toBe(code);
    }
  }
});
