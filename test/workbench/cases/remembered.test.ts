import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { rememberTexts } from '../../../src/engine/remembered.ts';
import { memoryCaseFiles, readCase } from '../../../src/workbench/cases/read.ts';
import { rememberingFiles } from '../../../src/workbench/cases/remembered.ts';

beforeEach(() => {
  rememberTexts(2);
  onTestFinished(() => rememberTexts(0));
});

const counted = () => {
  const made: string[] = [];
  const make = rememberingFiles((carrier, name, files: ReturnType<typeof memoryCaseFiles>) => {
    made.push(name);
    return [...files.list('all'), String(files.read(`${carrier}/${name}`))].join(' ');
  });
  return { made, make: (name: string, texts: Record<string, string>) => make('acme', name, memoryCaseFiles(texts)) };
};

it('what was made of files is made again where one that it read, or a list, is another', () => {
  const { made, make } = counted();
  const texts = { 'acme/a': '1', 'all/x': '', 'acme/unread': '1' };
  expect([make('a', texts), make('a', { ...texts, 'acme/unread': '2' }), made.length]).toEqual(['x 1', 'x 1', 1]);
  expect([make('a', { ...texts, 'acme/a': '2' }), made.length]).toEqual(['x 2', 2]);
  expect([make('a', { ...texts, 'acme/a': '2', 'all/y': '' }), made.length]).toEqual(['x y 2', 3]);
});

it('no more is remembered than was said, and nothing where nobody said so', () => {
  const { made, make } = counted();
  for (const name of ['a', 'b', 'c', 'a']) make(name, {});
  expect(made).toEqual(['a', 'b', 'c', 'a']);
  rememberTexts(0);
  make('a', {});
  expect(made).toHaveLength(5);
});

it('a case that is remembered reads the files beside it as they are now', () => {
  const CASE = 'case: one\ngiven: { consignment: { a: b } }\nflow: [ { do: create } ]\n';
  const read = (beside: string) => {
    const found = readCase(
      'acme',
      'a.yaml',
      memoryCaseFiles({ 'fixtures/acme/a.yaml': CASE, 'fixtures/acme/b': beside }),
    );
    return found.ok ? ([found.caseFile.content, String(found.caseFile.beside('b'))] as const) : undefined;
  };
  const [first, second] = [read('1'), read('2')];
  expect(second?.[0]).toBe(first?.[0]);
  expect([first?.[1], second?.[1]]).toEqual(['1', '2']);
});
