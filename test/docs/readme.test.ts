import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/app/config.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const README = readFileSync(path.join(PROJECT, 'README.md'), 'utf8');

/** A fenced block that follows a line which ends with the file's name in backticks and a colon. */
const fileIn = (name: string): string => {
  const escaped = name.replaceAll('.', String.raw`\.`);
  const found = new RegExp(`\`${escaped}\`:\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(README)?.[1];
  if (found === undefined) throw new Error(`README shows no ${name}`);
  return found;
};

describe('the ten-minute carrier of README', () => {
  let home: string;
  const waybill = (...args: readonly string[]) =>
    spawnSync(process.execPath, [path.join(PROJECT, 'src/cli/waybill.js'), ...args], {
      env: { ...process.env, WAYBILL_HOME: home },
      encoding: 'utf8',
    });

  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'waybill-readme-'));
    for (const name of ['carriers/acme.yaml', 'mappings/acme/parcel.jsonata', 'fixtures/acme/one-parcel.yaml']) {
      mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      writeFileSync(path.join(home, name), fileIn(name));
    }
    cpSync(path.join(PROJECT, 'fixtures/_consignments'), path.join(home, 'fixtures/_consignments'), {
      recursive: true,
    });
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('is free of findings', () => {
    const linted = waybill('lint', 'acme');
    expect(linted.stdout + linted.stderr).toMatch(/no findings/);
    expect(linted.status).toBe(0);
  });

  it('passes its case', () => {
    const tested = waybill('test', 'acme');
    expect(tested.stdout + tested.stderr).toMatch(/1 passed/);
    expect(tested.status).toBe(0);
  });
});

describe('what README says', () => {
  it('of the configuration is what the server reads', () => {
    const rows = Object.values(SETTINGS).map(
      ({ variable, standard, says }) => `| \`${variable}\` | ${standard} | ${says} |`,
    );
    expect(README).toContain(['| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n'));
  });

  it('names only scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...README.matchAll(/npm (?:run (?:-s )?)?(\w+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => name !== 'ci' && !(name in scripts))).toEqual([]);
  });

  it('links only to files that there are', () => {
    const linked = [...README.matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, file]) => path.join(PROJECT, file ?? ''));
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.filter((file) => !existsSync(file))).toEqual([]);
  });
});
