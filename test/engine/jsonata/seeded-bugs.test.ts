import { beforeAll, describe, expect, it } from 'vitest';
import { compileClosure } from '../../../src/engine/jsonata/closures.ts';
import { libraryWith } from '../../../src/engine/jsonata/functions/library.ts';
import { generate } from '../../../src/engine/jsonata/generate.ts';
import { runtime } from '../../../src/engine/jsonata/generate-runtime.ts';
import { parse } from '../../../src/engine/jsonata/parse.ts';
import { resolve } from '../../../src/engine/jsonata/resolve.ts';
import { plainResult } from '../../../src/engine/jsonata/result.ts';
import { Run, defaultLimits } from '../../../src/engine/jsonata/run.ts';
import { Wrapped } from '../../../src/engine/jsonata/value.ts';
import { fuzzCases } from './differential/campaign.ts';
import { evaluateStock, judge, outcomeOfCall, type FuzzCase, type Outcome } from './differential/compare.ts';

const library = libraryWith([]);
/** Bounded by steps: what a loaded machine takes must decide nothing. */
const config = {
  limits: { ...defaultLimits, steps: 100_000, timeoutMs: 60_000 },
  clock: Date.now,
  random: Math.random,
};
const cases = 4000;

type Code = (code: string) => string;
type Table = Partial<typeof runtime>;

/** Runs generated code after something was changed in it, or in what it calls. */
const evaluateSeeded = (source: string, input: unknown, change: Code, replaced: Table): Outcome =>
  outcomeOfCall(() => {
    const resolved = resolve(parse(source), source);
    const made = generate(resolved, library, compileClosure);
    if ('refused' in made) throw new Error(made.refused.why);
    // oxlint-disable-next-line typescript/no-implied-eval, no-new-func
    const build = new Function('R', 'K', change(made.code)) as (
      library: unknown,
      table: readonly unknown[],
    ) => { readonly evaluate: (input: unknown, run: Run) => unknown };
    const run = new Run(config, input, {}, undefined, false);
    const wrapped = Array.isArray(input) ? Object.assign(new Wrapped(), { 0: input }) : input;
    return plainResult(run, build({ ...runtime, ...replaced }, made.table).evaluate(wrapped, run));
  });

const same: Code = (code) => code;

/** What a careless hand could get wrong in a compiler like this one. */
const bugs: readonly (readonly [string, Code, Table])[] = [
  ['sequences of one are not collapsed', same, { collapse: (value) => value }],
  ['`[]` is forgotten', same, { keep: (value) => value }],
  ['a missing value is stored', (code) => code.replace(/if \((\w+) !== undefined\) \{/g, 'if (true) {'), {}],
  [
    'addition is subtraction',
    (code) => code.replaceAll("R_numeric('+'", "R_numeric('-'").replace(/(\w+) \+ (\w+) : R_n/g, '$1 - $2 : R_n'),
    {},
  ],
  [
    'the branches of a condition are exchanged',
    (code) => code.replace(/if \((t\d+) === true\)/g, 'if ($1 !== true)'),
    {},
  ],
  ['"and" is "or"', (code) => code.replace(/if \((t\d+)\) \{/g, 'if (!$1) {'), {}],
  ['an index is off by one', same, { filterIndex: (input, index) => runtime.filterIndex(input, index + 1) }],
  [
    'a predicate lets all pass',
    same,
    { filterItems: (run, input, _test, frame) => runtime.filterItems(run, input, () => true, frame) },
  ],
  ['an ordering is left out', same, { sortItems: (_run, items) => items }],
  ['an ordering runs backwards', same, { sortItems: (...args) => runtime.sortItems(...args).toReversed() }],
  ['null is taken for an object', (code) => code.replaceAll(' !== null', ' !== 0'), {}],
  ['an array in a path is taken for an object', (code) => code.replace(/ && !Array\.isArray\(\w+\);/g, ';'), {}],
  [
    'the last step of a path flattens its array',
    same,
    { step: (run, value, evaluate) => runtime.step(run, value, evaluate, false) },
  ],
  [
    'a missing argument is not taken from the context',
    same,
    { callStandard: (run, entry, args, _focus, site) => runtime.callStandard(run, entry, args, undefined, site) },
  ],
  [
    'arguments are not checked',
    (code) => code.replace(/\? (K\d+\(c[^:]*) : R_callStandard\([^;]*;/g, '? $1 : $1;'),
    {},
  ],
  ['the context of an object is not gathered from an array', same, { gather: (_run, items) => items[0] }],
  [
    'a number keeps all its digits as text',
    same,
    { text: (run, value) => (typeof value === 'number' ? JSON.stringify(value) : runtime.text(run, value)) },
  ],
  [
    'a variable keeps its first value',
    (code) => code.replace(/^(v\d+) = (.*);$/gm, 'if ($1 === R.unbound) $1 = $2;'),
    {},
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

  const firstCaught = (change: Code, replaced: Table): string | undefined =>
    corpus.find(
      ({ source, input, stock }) =>
        judge(source, stock, evaluateSeeded(source, structuredClone(input), change, replaced)) === 'different',
    )?.source;

  it('finds nothing where nothing was planted', () => {
    expect(firstCaught(same, {})).toBeUndefined();
  });

  it.each(bugs)('catches it when %s', (_name, change, replaced) => {
    expect(firstCaught(change, replaced)).toBeTypeOf('string');
  });
});
