import { describe, expect, it, test } from 'vitest';
import * as fc from 'fast-check';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { memoryCaseFiles } from '../../../src/workbench/cases/read.ts';
import { completeAt, explainAt } from '../../../src/workbench/playground/hints.ts';
import { yamlCursor } from '../../../src/workbench/playground/yaml-cursor.ts';
import { PROJECT, read } from '../../support/project.ts';

const shipped = directoryFiles(PROJECT);

const PROFILE = `carrier: acme
name: Acme
environments:
  production: { url: 'https://api.acme.example' }
credentials:
  token: { secret: true }
settings:
  account: { title: Account number }
auth: { bearer: { token: '\${credentials.token}' } }
operations:
  create:
    post: /shipments
    body: { json: create.jsonata }
    outcomes:
      - status: 2xx
        do: succeed
    result: >-
      { "itemsTrackDetails": [] }
`;
const MAPPING = `{
  "reference": consignment.referenceId,
  "parcels": consignment.itemList.{ "weight": $convert(itemWeight, itemWeightUom, "KG") }
}
`;

/** The place in a text that `|` marks. */
const marked = (text: string): { readonly text: string; readonly offset: number } => {
  const offset = text.indexOf('|');
  return { text: text.slice(0, offset) + text.slice(offset + 1), offset };
};

const askedOf = (path: string, marking: string) => {
  const { text, offset } = marked(marking);
  const files = { 'carriers/acme.yaml': PROFILE, 'mappings/acme/create.jsonata': MAPPING, [path]: text };
  const homes = { home: memoryFiles({}), shipped };
  return { draft: { carrier: 'acme', files }, path, offset, homes, files: memoryCaseFiles({}) };
};
const complete = (path: string, marking: string) => {
  const { from, options = [] } = completeAt(askedOf(path, marking)) ?? {};
  return { from, names: options.map(({ label }) => label), options };
};
const explain = (path: string, marking: string) => explainAt(askedOf(path, marking));

describe('a place of YAML', () => {
  test.each([
    ['', [], true, ''],
    ['car', [], true, 'car'],
    ['a:\n  b:\n    c', ['a', 'b'], true, 'c'],
    ['a:\n  b: x', ['a', 'b'], false, 'x'],
    ['a:\n  b: x\n  ', ['a'], true, ''],
    ['a:\n  b: x\n', [], true, ''],
    ['a:\n- b: 1\n- c', ['a', 1], true, 'c'],
    ['a:\n  - b: 1\n    c: 2\n  - d: { e: 1, f', ['a', 1, 'd'], true, 'f'],
    ['a: { b: { c: 1 }, d: [x, y', ['a', 'd', 1], false, 'y'],
    ['a: { b: "x: y", c: \'', ['a', 'c'], false, ''],
    ['a: {\n  b: 1,\n  c', ['a'], true, 'c'],
    ['a: { b: 1 }\nc', [], true, 'c'],
    ['a: |\n  b: c\n  d', ['a'], false, 'd'],
    ['a: >-\n  b\nc:\n  d', ['c'], true, 'd'],
    ['"a b":\n  c: ${d', ['a b', 'c'], false, '${d'],
    ['a: https://x.example/y # z\nb', [], true, 'b'],
  ] as const)('%j', (text, path, isKey, word) => {
    expect(yamlCursor(text, text.length)).toEqual({ path, isKey, word, from: text.length - word.length });
  });

  it('is found in whatever is half written, and in no time', () => {
    const parts = fc.constantFrom('a', ':', ' ', '\n', '-', '{', '}', '[', ']', ',', "'", '"', '|', '#', '${', '  ');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), (made) => {
        const text = made.join('');
        const { from, word } = yamlCursor(text, text.length);
        expect(text.slice(from)).toBe(word);
      }),
    );
  });
});

describe('what may be written', () => {
  const profile = 'carriers/acme.yaml';
  it('is the keys that the language knows there, with what they mean', () => {
    const { from, options } = complete(profile, 'carrier: acme\nauth:\n  oauth2:\n    tok|');
    expect(from).toBe('carrier: acme\nauth:\n  oauth2:\n    '.length);
    expect(options.find(({ label }) => label === 'tokenUrl')).toMatchObject({
      kind: 'key',
      info: expect.stringMatching(/\w/),
    });
    expect(options.map(({ label }) => label)).not.toContain('environments');
  });
  it('is the words of a key that has a few', () => {
    expect(complete(profile, 'carrier: acme\nlabels: { formats: [PDF, |').names).toEqual(['PDF', 'ZPL', 'PNG']);
    expect(complete(profile, 'carrier: acme\nabstract: |').names).toEqual(['true', 'false']);
  });
  it('is the mapping files of the draft', () => {
    expect(complete(profile, PROFILE.replace('create.jsonata', '|')).names).toContain('create.jsonata');
  });
  it('is what the roots hold, inside an expression of a profile', () => {
    const { names } = complete(profile, PROFILE.replace('credentials.token}', 'credentials.|}'));
    expect(names).toEqual(['token']);
    expect(complete(profile, PROFILE.replace('/shipments', "'/shipments/${|}'")).names).toContain('consignment');
  });
  it('is the steps of a case', () => {
    expect(complete('fixtures/acme/create.yaml', 'case: x\nflow:\n  - do: |').names).toContain('create');
    expect(complete('fixtures/acme/create.yaml', 'case: x\nflow:\n  - do: create\n    exch|').names).toContain(
      'exchanges',
    );
  });

  const mapping = 'mappings/acme/create.jsonata';
  it('is the fields of the contract, with their types', () => {
    const { options } = complete(mapping, '{ "a": consignment.dest|');
    expect(options.find(({ label }) => label === 'destinationName')).toMatchObject({
      kind: 'field',
      detail: 'a text, may be missing',
    });
    expect(options.some(({ label }) => label.startsWith('$'))).toBe(false);
  });
  it('is the fields of an element, inside a step over a list', () => {
    const { names } = complete(mapping, '{ "parcels": consignment.itemList.{ "w": item|');
    expect(names).toContain('itemWeight');
    expect(names).not.toContain('destinationName');
  });
  it('is the variables and functions, behind a dollar', () => {
    const { names, options } = complete(mapping, '( $one := 1; $map(consignment.itemList, function($item) { $o|');
    expect(names).toContain('$one');
    expect(names).toContain('$item');
    expect(options.find(({ label }) => label === '$cut')).toMatchObject({
      kind: 'function',
      detail: expect.stringContaining('$cut('),
      info: expect.stringContaining('→'),
    });
    expect(names).toContain('$substringBefore');
  });
  it('is what the profile declares, and only where that may be used', () => {
    expect(complete(mapping, '{ "a": settings.|').names).toEqual(['account']);
    expect(
      complete('carriers/acme.yaml', PROFILE.replace('{ "itemsTrackDetails": [] }', '{ "x": | }')).names,
    ).not.toContain('credentials');
  });
});

describe('what stands there', () => {
  it('is explained: a key, a word, a root, a field, a function', () => {
    expect(explain('carriers/acme.yaml', PROFILE.replace('environments:', 'envir|onments:'))).toMatchObject({
      title: 'environments: map',
      text: expect.stringContaining('environments'),
    });
    expect(explain('carriers/acme.yaml', PROFILE.replace('do: succeed', 'do: succ|eed'))?.title).toMatch(/outcomes/);
    expect(
      explain('mappings/acme/create.jsonata', MAPPING.replace('consignment.ref', 'consig|nment.ref')),
    ).toMatchObject({
      title: 'consignment',
    });
    expect(explain('mappings/acme/create.jsonata', MAPPING.replace('referenceId', 'refer|enceId'))).toMatchObject({
      title: 'consignment.referenceId: a text',
      text: expect.stringContaining('consignmentDetails.referenceNumber'),
    });
    expect(explain('mappings/acme/create.jsonata', MAPPING.replace('$convert', '$conv|ert'))?.title).toMatch(
      /^\$convert\(/,
    );
  });
  it('is nothing where nothing stands', () => {
    expect(explain('mappings/acme/create.jsonata', `${MAPPING}|`)).toBeUndefined();
    expect(explain('carriers/acme.yaml', `${PROFILE}|`)).toBeUndefined();
  });
  it('is explained in every bundled profile: each key that stands at the top', () => {
    const text = read('carriers/fedex.yaml');
    for (const { 0: key, index } of text.matchAll(/^\w+(?=:)/gm)) {
      const homes = { home: shipped, shipped };
      const draft = { carrier: 'fedex', files: { 'carriers/fedex.yaml': text } };
      const asked = { draft, path: 'carriers/fedex.yaml', offset: index + 1, homes, files: memoryCaseFiles({}) };
      expect([key, explainAt(asked)?.text]).toEqual([key, expect.stringMatching(/\w/)]);
    }
  });
});
