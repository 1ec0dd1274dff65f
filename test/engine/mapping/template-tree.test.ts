import { describe, expect, it } from 'vitest';
import type { Roots } from '../../../src/engine/mapping/mapping.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import { compileTree, type TemplateNode } from '../../../src/engine/mapping/template-tree.ts';
import { failureOf, context } from './evaluating.ts';

const whole = sourceText('carriers/acme.yaml', '');
const nodeOf = (value: unknown): TemplateNode => {
  if (typeof value === 'string') return { kind: 'text', source: sourceText('carriers/acme.yaml', value) };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(nodeOf) };
  if (typeof value === 'object' && value !== null) {
    return { kind: 'map', entries: Object.entries(value).map(([key, child]) => [key, nodeOf(child)]) };
  }
  return { kind: 'value', value: value as number | boolean | null };
};
const build = async (tree: unknown, roots: Roots): Promise<unknown> =>
  await compileTree(nodeOf(tree), whole).evaluate(roots, context());

describe('a tree', () => {
  it('fills its texts and keeps everything else', async () => {
    const tree = { url: '${webhook.url}', enabled: true, events: ['*', '${kind}'], depth: { n: 1, none: null } };
    expect(await build(tree, { webhook: { url: 'https://w.example' }, kind: 'all' })).toEqual({
      url: 'https://w.example',
      enabled: true,
      events: ['*', 'all'],
      depth: { n: 1, none: null },
    });
  });

  it('leaves out a key and an element whose one whole ${ } has no value, and keeps null', async () => {
    expect(await build({ a: '${x}', b: '${y}', c: ['${x}', 1] }, { y: null })).toEqual({ b: null, c: [1] });
  });

  it('fails when there is more around a missing value', async () => {
    expect((await failureOf(() => build({ a: ['no ${x}'] }, {}))).code).toBe('mapping_failed');
  });

  it('keeps the type of a value that stands alone', async () => {
    expect(await build({ a: '${x}', b: '${x} kg' }, { x: 2 })).toEqual({ a: 2, b: '2 kg' });
  });

  it('without any ${ } is a constant that nobody can change', () => {
    const mapping = compileTree(nodeOf({ a: [{ b: '$${' }] }), whole);
    expect(mapping.constant).toBe(true);
    const value = mapping.evaluate({}, context()) as { a: { b: string }[] };
    expect(value).toEqual({ a: [{ b: '${' }] });
    expect(() => value.a.push({ b: '' })).toThrow(TypeError);
  });

  it('treats __proto__ as a key', async () => {
    const tree: TemplateNode = { kind: 'map', entries: [['__proto__', nodeOf('${x}')]] };
    const built = await compileTree(tree, whole).evaluate({ x: { admin: true } }, context());
    expect(Object.keys(built as object)).toEqual(['__proto__']);
    expect((built as Record<string, unknown>)['admin']).toBeUndefined();
  });
});
