import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { directoryFiles, type HomeFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadHome } from '../../../src/engine/profile/load.ts';

const root = mkdtempSync(join(tmpdir(), 'waybill-home-'));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, 'carriers', 'folder.yaml'), { recursive: true });
writeFileSync(join(root, 'carriers', 'b.yaml'), 'carrier: b');
writeFileSync(join(root, 'carriers', 'a.yaml'), 'carrier: a');

test.each([
  ['a directory', directoryFiles(root)],
  [
    'memory',
    memoryFiles({ 'carriers/b.yaml': 'carrier: b', 'carriers/a.yaml': 'carrier: a', 'carriers/x/c.yaml': '' }),
  ],
])('files of %s are listed in order and read by their path', (_name, files) => {
  expect(files.list('carriers')).toEqual(['a.yaml', 'b.yaml']);
  expect(files.read('carriers/a.yaml')).toBe('carrier: a');
});

test('what is not there, or is no file, is undefined; a folder that is not there is empty', () => {
  const files = directoryFiles(root);
  expect(files.read('carriers/c.yaml')).toBeUndefined();
  expect(files.read('carriers/folder.yaml')).toBeUndefined();
  expect(files.list('mappings/a')).toEqual([]);
});

test('a name that no file can have is that of none', () => {
  for (const name of ['a\0.yaml', `${'a'.repeat(300)}.yaml`])
    expect(directoryFiles(root).read(`carriers/${name}`)).toBe(undefined);
});

test('a file that is far too large is not read, and said to be too large', () => {
  writeFileSync(join(root, 'carriers', 'huge.yaml'), Buffer.alloc(9_000_000, 'a'));
  const { findings } = loadHome({ home: directoryFiles(root), shipped: memoryFiles({}) });
  expect(findings.filter((each) => each.place.file === 'carriers/huge.yaml')).toMatchObject([{ rule: 'too-large' }]);
});

test('a file that cannot be read is the problem of its carrier alone', () => {
  const good =
    "carrier: good\nenvironments: { production: { url: 'https://a.example' } }\noperations: { create: { post: /, result: response.body } }";
  const files = memoryFiles({ 'carriers/good.yaml': good, 'carriers/locked.yaml': 'x' });
  const home: HomeFiles = {
    ...files,
    read: (path) => {
      if (path.includes('locked')) throw Object.assign(new Error('EACCES: permission denied'), { syscall: 'open' });
      return files.read(path);
    },
  };
  const { carriers, findings } = loadHome({ home, shipped: memoryFiles({}) });
  expect([...carriers.keys()]).toEqual(['good']);
  expect(findings).toMatchObject([{ rule: 'unreadable', place: { file: 'carriers/locked.yaml' } }]);
});
