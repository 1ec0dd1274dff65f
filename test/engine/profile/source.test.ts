import { expect, test } from 'vitest';
import { parseSource } from '../../../src/engine/profile/source.ts';
import { valueOf, type Node, type ScalarNode } from '../../../src/engine/profile/tree.ts';

const parse = (text: string) => parseSource('carriers/acme.yaml', text);
const rulesOf = (text: string) =>
  parse(text).findings.map((finding) => `${finding.rule} ${finding.place.line}:${finding.place.column}`);
const scalarAt = (text: string, ...path: string[]): ScalarNode => {
  let node: Node | undefined = parse(text).root;
  for (const key of path) node = valueOf(node, key);
  if (node?.kind !== 'scalar') throw new Error(`no scalar at ${path.join('.')}`);
  return node;
};
/** Every non-blank character of the value stands in the source where `placeAt` says (unless it was escaped). */
const checkPlaces = (source: string, node: ScalarNode): void => {
  const lines = source.split('\n');
  for (const [offset, unit] of node.text.split('').entries()) {
    if (/\s/.test(unit)) continue;
    const { line, column } = node.placeAt(offset);
    expect(lines[line - 1]?.charAt(column - 1), `character ${offset} of ${node.text}`).toBe(unit);
  }
};

test('text keeps its characters as written', () => {
  for (const text of ['NO', '0123', '1e3', '12:30', '~', 'null', '1_000']) {
    expect(scalarAt(`a: { b: x }\nc: ${text}x`, 'c').text).toBe(`${text}x`);
    const { root } = parse(`c: ${text}`);
    expect(root?.kind === 'map' && root.entries[0]?.value.kind === 'scalar' && root.entries[0].value.text).toBe(text);
  }
});

test.each([
  ['plain', 'a:\n  b: one two # not this\n', 'one two'],
  ['plain over lines', 'a:\n  b: one\n    two\n\n    three\n', 'one two\nthree'],
  ['single-quoted', "a:\n  b: 'it''s\n     here'\n", "it's here"],
  ['literal', 'a:\n  b: | # comment\n    {\n      "x": y,\n\n      "z": 1 }\n', '{\n  "x": y,\n\n  "z": 1 }'],
  ['literal, stripped and indented by hand', 'a:\n  b: |2-\n      x\n    y\n', '  x\ny'],
  ['folded', 'a:\n  b: >\n    one\n    two\n\n    three\n      more\n    end\n', 'one two\n\nthree\n  more\nend'],
])('places in a %s scalar are exact', (_name, source, value) => {
  const node = scalarAt(source, 'a', 'b');
  expect(node.text.replaceAll(/\n+/g, '\n')).toBe(value.replaceAll(/\n+/g, '\n'));
  checkPlaces(source, node);
});

test('places behind escapes of a double-quoted scalar are exact', () => {
  const source = 'a: "x\\u0041\\ny \\"q\\" \\\n  end\\x41!"';
  const node = scalarAt(source, 'a');
  expect(node.text).toBe('xA\ny "q" endA!');
  const at = (unit: string) => node.placeAt(node.text.indexOf(unit));
  expect(at('x')).toEqual({ file: 'carriers/acme.yaml', line: 1, column: 5 });
  expect(at('A')).toMatchObject({ line: 1, column: 6 });
  expect(at('y')).toMatchObject({ line: 1, column: 14 });
  expect(at('q')).toMatchObject({ line: 1, column: 18 });
  expect(at('e')).toMatchObject({ line: 2, column: 3 });
  expect(at('!')).toMatchObject({ line: 2, column: 10 });
});

test('places hold in files with Windows line ends', () => {
  const node = scalarAt('a: |\r\n  one\r\n  two\r\nb: x\r\n', 'a');
  expect(node.text).toBe('one\ntwo');
  expect(node.placeAt(4)).toMatchObject({ line: 3, column: 3 });
});

test.each([
  ['an alias', 'a: 1\nb: *x', 'yaml-feature 2:4'],
  ['a tag', 'a: !!str 5', 'yaml-feature 1:4'],
  ['a merge key', 'a:\n  <<: { b: c }', 'yaml-feature 2:3'],
  ['a directive', '%YAML 1.1\n---\na: 1', 'yaml-feature 1:1'],
  ['a key that is a list', '? [x]\n: y', 'yaml-feature 1:3'],
  ['nothing', '', 'empty 1:1'],
  ['an expression cut at its comma', "a:\n  - { when: $contains(a, 'b'), do: reject }", 'unquoted-expression 2:13'],
  ['a template in a flow map', 'a: { b: ${x.y} }', 'unquoted-expression 1:9'],
])('%s is a placed finding', (_name, source, expected) => {
  expect(rulesOf(source)).toContain(expected);
});

test.each([
  ["a: [ { when: $contains(a, 'b'), do: reject } ]", 'unquoted-expression 1:14'],
  ['a: { b: ${x[0].y}, c: d }\ne: { f: g }\n', 'unquoted-expression 1:9'],
  ['result: a ? { "b": { "c": d } }\noutcomes:\n  - { status: 404, do: succeed }\n', 'yaml-syntax 1:9'],
])('what follows from one cut or colon, in later lines too, is one finding: %j', (source, finding) => {
  expect(rulesOf(source)).toEqual([finding]);
});

test('quoted expressions and prose with apostrophes pass', () => {
  expect(rulesOf("a: { when: \"$contains(a, 'b')\", name: Jack's, note: (x) }")).toEqual([]);
});

test('size and depth are bounded', () => {
  expect(rulesOf('a'.repeat(1_000_001))).toEqual(['too-large 1:1']);
  expect(rulesOf(`a: ${'['.repeat(30_000)}`)[0]).toMatch(/^too-deep/);
  expect(rulesOf(`a: [${'b, '.repeat(20_000)}]`)).toEqual(['too-large 1:1']);
});

const IN_FLOW = 'inside { } and [ ] plain text ends at a comma or bracket: quote it, or use a block scalar';
test.each([
  ['an index inside { }', 'a: { do: b, code: x.y[0].c }', '1:22', IN_FLOW],
  ['a map inside { }', 'a: { "b": x.{ "c": d } }', '1:11', IN_FLOW],
  ['a map inside [ ]', 'a: [ x.{ "c": d } ]', '1:8', IN_FLOW],
  ['a map', 'a: x.{ "b": c, "d": e }', '1:4', 'quote text that holds a colon and a space, or write "key: |"'],
  ['a map over lines', 'a:\n  x.{\n    "b": c }', '2:3', 'write text over several lines as a block scalar: "key: |"'],
  ['a text that begins with a quote', 'a: "b" & c', '1:8', 'ends at the next: quote the whole'],
])('an expression with %s is one finding with help, however long the file', (_name, source, at, help) => {
  const rest = Array.from({ length: 60 }, (_, index) => `k${index}: { a: [ 1, 2 ], b: '}' }\n`).join('');
  const { findings } = parse(`${source}\n${rest}`);
  expect(findings.map(({ rule, place }) => `${rule} ${place.line}:${place.column}`)).toEqual([`yaml-syntax ${at}`]);
  expect(findings[0]?.help).toContain(help);
});

const unquoted = (count: number): string => Array.from({ length: count }, (_, at) => `k${at}: a ? "x": b\n`).join('');

test('errors that do not follow from each other are told together, but a few', () => {
  expect(rulesOf(`a: 1\na: 2\n${unquoted(2)}`)).toEqual(['repeated-key 2:1', 'yaml-syntax 3:5', 'yaml-syntax 4:5']);
  expect(rulesOf(unquoted(50))).toHaveLength(3);
});

test('nothing is read on from what is no YAML', () => {
  const { root, findings } = parse('a:\n  - when: b ? "x": "y"\n    do: reject\n');
  expect(root).toBeUndefined();
  expect(findings).toMatchObject([
    {
      rule: 'yaml-syntax',
      place: { line: 2, column: 11 },
      help: 'quote text that holds a colon and a space, or write "key: |" and the text indented below it',
    },
  ]);
});
