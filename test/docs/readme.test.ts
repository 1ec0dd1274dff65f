import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/platform/processes/config.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const README = readFileSync(path.join(PROJECT, 'README.md'), 'utf8');

describe('what README says', () => {
  it('of the configuration is what the server reads', () => {
    const rows = Object.values(SETTINGS).map(
      (setting) => `| \`${setting.variable}\` | ${setting.default} | ${setting.description} |`,
    );
    expect(README).toContain(['| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n'));
  });

  it('names only scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...README.matchAll(/npm (?:run (?:-s )?)?(\w+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => name !== 'ci' && !(name in scripts))).toEqual([]);
  });

  it('links only to files that there are', () => {
    const linked = [...README.matchAll(/\]\(((?:docs\/|SECURITY)[^)#]+)(?:#[^)]*)?\)/g)].map(([, file]) =>
      path.join(PROJECT, file ?? ''),
    );
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.filter((file) => !existsSync(file))).toEqual([]);
  });
});
