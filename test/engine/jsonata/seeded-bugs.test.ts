import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Compile from '../../../src/engine/jsonata/compile.ts';
import { fuzzCases } from './differential/campaign.ts';
import { evaluateStock, judge, outcomeOfCall, type FuzzCase, type Outcome } from './differential/compare.ts';

/** Bounded by steps: what a loaded machine takes must decide nothing. */
const limits = { steps: 100_000, timeoutMs: 60_000 };
const cases = 8000;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const copies: string[] = [];

/** The compiler with one text of one of its files replaced. */
const compilerWith = async (file: string, text: string, replacement: string): Promise<typeof Compile.compile> => {
  const copy = mkdtempSync(join(tmpdir(), 'seeded-'));
  copies.push(copy);
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const beside of ['failure.ts', 'codecs']) symlinkSync(join(root, 'src/engine', beside), join(copy, beside));
  cpSync(join(root, 'src/engine/jsonata'), join(copy, 'jsonata'), { recursive: true });
  const seeded = join(copy, 'jsonata', file);
  const source = readFileSync(seeded, 'utf8');
  if (!source.includes(text)) throw new Error(`${file} has no ${text}`);
  writeFileSync(seeded, source.replaceAll(text, replacement));
  const { compile } = (await import(/* @vite-ignore */ join(copy, 'jsonata/compile.ts'))) as typeof Compile;
  return compile;
};

/** What a careless hand could get wrong in a compiler like this one. */
const bugs: readonly (readonly [what: string, file: string, text: string, replacement: string])[] = [
  ['sequences of one are not collapsed', 'value.ts', 'value.length === 1 && !value.keep ? value[0] : value', 'value'],
  ['`[]` is forgotten', 'paths.ts', '  if (value instanceof Sequence) value.keep = true;\n', ''],
  ['a missing value is stored', 'closure-paths.ts', 'if (value === undefined) continue;', ''],
  ['addition is subtraction', 'operators.ts', 'left + right', 'left - right'],
  ['the branches of a condition are exchanged', 'closures.ts', 'truth(test(', '!truth(test('],
  [
    '"and" is "or"',
    'closures.ts',
    'truth(left(input, frame)) && truth(right(input, frame))',
    'truth(left(input, frame)) || truth(right(input, frame))',
  ],
  [
    'an index is off by one',
    'paths.ts',
    'items[atIndex(index, items.length)]',
    'items[atIndex(index + 1, items.length)]',
  ],
  ['a predicate lets all pass', 'paths.ts', 'return truth(selected) ? 1 : 0', 'return 1'],
  ['an ordering is left out', 'ordering.ts', 'if (items.length <= 1) return items;', 'return items;'],
  ['an ordering runs backwards', 'ordering.ts', '? !greater : greater', '? greater : !greater'],
  ['null is taken for an object', 'text.ts', "if (value === null) return 'null';", "if (value === null) return '{}';"],
  [
    'an array in a path is taken for an object',
    'closure-paths.ts',
    "typeof value !== 'object' || value === null || Array.isArray(value)",
    "typeof value !== 'object' || value === null",
  ],
  [
    'the last step of a path flattens its array',
    'paths.ts',
    'last && results === 1 && Array.isArray(only)',
    'false && Array.isArray(only)',
  ],
  [
    'a missing argument is not taken from the context',
    'closure-calls.ts',
    'validate(signature, values, input)',
    'validate(signature, values, undefined)',
  ],
  ['arguments are not checked', 'signature.ts', 'if ((mask & (BITS[typeof value] ?? 0)) === 0) return false;', ''],
  ['the context of an object is not gathered from an array', 'grouping.ts', 'else group.items.push(item);', ''],
  ['a number keeps all its digits as text', 'text.ts', 'toPrecision(15)', 'toPrecision(17)'],
  [
    'a variable keeps its first value',
    'scope.ts',
    'climb(frame, distance).slots[index] = value;',
    'const { slots } = climb(frame, distance); if (slots[index] === unbound) slots[index] = value;',
  ],
];

// Each looks through the corpus until it finds what it wants, however slow the machine is.
describe('the differential harness', { timeout: 300_000 }, () => {
  const corpus: (FuzzCase & { readonly stock: Outcome })[] = [];

  beforeAll(async () => {
    for (const one of fuzzCases(7)) {
      if (corpus.length >= cases) break;
      corpus.push({ ...one, stock: await evaluateStock(one) });
    }
  }, 300_000);

  afterAll(() => {
    for (const copy of copies) rmSync(copy, { recursive: true });
  });

  const firstCaught = (compile: typeof Compile.compile): string | undefined =>
    corpus.find(({ source, input, stock }) => {
      const ours = outcomeOfCall(() => compile(source, { limits }).evaluate(structuredClone(input)));
      return judge(source, stock, ours) === 'different';
    })?.source;

  it('finds nothing where nothing was planted', async () => {
    expect(firstCaught(await compilerWith('compile.ts', 'evaluate', 'evaluate'))).toBeUndefined();
  });

  it.each(bugs)('catches it when %s', async (_what, file, text, replacement) => {
    expect(firstCaught(await compilerWith(file, text, replacement))).toBeTypeOf('string');
  });
});
