import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../src/engine/profile/load.ts';
import { evidence, homes, misspellAll, misspell, type Slip } from './misspelling.ts';

/** Every how many-th name is misspelt: all of them by `npm run misspell`, a sample each time else. */
const EVERY = Number(process.env['MISSPELL_EVERY'] ?? 29);
const codes = homes.home.list('carriers').map((file) => file.replace('.yaml', ''));

test('a misspelt name in any mapping of any carrier is found, and none that is spelt right', () => {
  const slips: Slip[] = [];
  let open = 0;
  for (const code of codes) {
    const misspelt = misspellAll(code, EVERY);
    expect(misspelt.untouched).toEqual([]);
    slips.push(...misspelt.slips);
    open += misspelt.open.length;
  }
  for (const ground of ['known', 'shown'] as const) {
    const all = slips.filter((slip) => slip.ground === ground);
    const missed = all.filter(({ found }) => !found);
    const share = (all.length - missed.length) / all.length;
    console.log(`${ground}: ${all.length - missed.length} of ${all.length} found (${(share * 100).toFixed(1)}%)`);
    for (const { place, name, misspelt } of missed) console.log(`  missed: ${name} as ${misspelt} at ${place}`);
    expect(all.length).toBeGreaterThan(10);
    expect(share).toBeGreaterThanOrEqual(0.98);
  }
  console.log(`nothing known of ${open}`);
  // Else the counts above would say little.
  expect(open / (open + slips.length)).toBeLessThan(0.15);
});

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[^]*?\*\//g, (comment) => ' '.repeat(comment.length));

describe('in a file, as an author would', () => {
  const files = codes.flatMap((code) =>
    homes.home.list(`mappings/${code}`).map((name) => ({ code, file: `mappings/${code}/${name}` })),
  );
  const withField = files.flatMap(({ code, file }) => {
    const field = /\b(?:destinationPostalCode|itemWeight|referenceId|trackingNumber)\b/.exec(
      withoutComments(homes.home.read(file) ?? ''),
    );
    return field === null ? [] : [{ code, file, field: field[0], at: field.index }];
  });

  test.each(withField.slice(0, 4))('$file: $field', ({ code, file, field, at }) => {
    const text = homes.home.read(file) ?? '';
    const broken = text.slice(0, at) + misspell(field, at) + text.slice(at + field.length);
    const changed = memoryFiles({ [file]: broken });
    const home = { read: (path: string) => changed.read(path) ?? homes.home.read(path), list: homes.home.list };
    const { findings } = loadCarrier(code, { ...homes, home }, evidence);
    const line = text.slice(0, at).split('\n').length;
    expect(findings.map(({ place }) => `${place.file}:${place.line}`)).toContain(`${file}:${line}`);
  });
});
