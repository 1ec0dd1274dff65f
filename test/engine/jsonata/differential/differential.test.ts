import { describe, expect, it } from 'vitest';
import { runCampaign } from './campaign.ts';
import { evaluateOurs, evaluateStock, judgeWithTrial } from './compare.ts';

const cases = Number(process.env['JSONATA_FUZZ_CASES'] ?? 10_000);
const seed = Number(process.env['JSONATA_FUZZ_SEED'] ?? 20_260_501);

describe('random expressions on random documents', () => {
  it(
    `give what the stock evaluator gives, ${cases} times from seed ${seed}`,
    async () => {
      const { differences, ...figures } = await runCampaign(seed, cases);
      console.info(JSON.stringify({ seed, ...figures, differences: differences.length }));
      expect(differences.slice(0, 5)).toEqual([]);
      // A generator that repeats itself, or writes mostly nonsense, would prove little.
      expect(figures.unique / figures.cases).toBeGreaterThan(0.7);
      expect(figures.undefinedRate).toBeLessThan(0.5);
      expect(figures.errorRate).toBeLessThan(0.35);
      expect((figures.stockCrashes + figures.stockChanges) / figures.cases).toBeLessThan(0.02);
      expect(figures.otherErrorFirst / figures.cases).toBeLessThan(0.01);
    },
    30_000 + cases * 10,
  );
});

/** What differed, the expression, the document, and whether the interpreter changes a value that it reads there. */
const regressions: readonly (readonly [was: string, source: string, input: unknown, stockChanges?: true])[] = [
  [
    'a name of an item that is an array kept the array it found',
    'items[[0..1]].tags',
    { items: [{ tags: ['x'] }, [{ tags: [] }]] },
  ],
  ['the same with that item alone', 'items[[1..1]].tags', { items: [{ tags: ['x'] }, [{ tags: [] }]] }],
  ['a filtered array inside an array kept its class in the result', '[1, [0, "7", 2][$ != 2]]', {}],
  [
    'the result of a tail call inside a block was collapsed by the block',
    '$map(code, function($x){ (nested; $each({"12": b}, function($x, $y){ ("x"; 3) })) })',
    { code: 'A' },
  ],
  [
    'a path with @ over an empty array gave the array instead of nothing',
    '{"name": items@$x.list@$y[$x.qty = $y.qty].{"x": $x.name, "y": $y}}',
    [],
  ],
  ['an empty array that begins a path kept its class in the result', '[missing].a.{"b": 1}', {}],
  ['a sole item behind an ordering came out as an array', '$[0]^(age)', [{ name: 'Example', age: 35 }]],
  ["an empty array that begins a path is the path's value", '[].a.b.[{"c": d}][]', { d: 1 }],
  ['the same in front of a step that looks at its parent', '[][].name[].%.addr[2]', { name: 'x' }],
  ['a grouping behind nothing still makes its object', 'missing.code@$y.addr[$y in 92]{"a": 4}', {}],
  ['a block collapses a sequence within a sequence once more', '($y := 1; $map((code)[], $keys))', { code: 'A' }],
  [
    'the values of a group are one array',
    'items{code: $string(qty)}',
    {
      items: [
        { code: 'x', qty: 1 },
        { code: 'x', qty: 2 },
      ],
    },
  ],
  ['a kept sequence inside an object is let go when it is read', '{"a": items[]}.a', { items: [1] }],
  ['a wildcard over an array gives an array proper', 'b.*', { b: { x: [1] } }],
  ['the single item of an array that begins a path has no items', '[{"a": 5}][0].a', {}],
  ['an array written out stays an array', '$distinct([1, 1])', {}],
  ['a predicate that is true of a missing value lets it pass', 'missing[$not(a)].{"k": 1}', {}],
  ['an argument that is not an array of numbers must not pass', '$sum(items.qty)', { items: [{ qty: '1' }] }],
  ['a function named but not called', '$now', {}],
  ['arrays in arrays in the middle of a path', 'a.b.c', { a: [{ b: [[{ c: [1] }]] }] }],
  ['an ordering forgets the [] of the step before it', '*[]^([])', { nested: {} }],
  [
    'a callback of a built-in in tail position sees the context it was written in',
    '(function(){$sift({"a":1},function(){$spread()})})()',
    { nested: {} },
  ],
  [
    'a callback in tail position, with a context to take an argument from',
    '(function(){$map([1],function(){$keys()})})()',
    { nested: {} },
  ],
  ['@$ binds nothing', 'items@$.a', { items: [{ a: 1 }] }],
  ['#$ binds nothing', 'items#$.a', { items: [{ a: 1 }] }],
  ['the truth of a list that holds one missing value', '$boolean(s[$boolean("2")][])', 'x'],
  ['an ordering of one object kept as an array', '{}[0][]^(6)', {}],
  ['$ in an array that begins a path, with a list as input', '[$[0]^(e)].$', [{}, {}]],
  ['$ in an array that begins a path, with a lone value as input', '$lookup([$number($)].e)', 1],
  ['an object built of an array that the expression holds', '[[]][{"a": 1}].c', {}, true],
  ['an object built of an empty variable, which stays empty', '($x := []; $x{"a": 1}; $count($x))', {}, true],
  ['an object built of an empty list of the input, which stays empty', '(a{"b": 1}; $count(a))', { a: [] }, true],
  ['an ordering of one item, picked from a variable and kept as an array', '$[0][]^(6)', {}],
];

describe('what once differed from the stock evaluator', () => {
  const rows = regressions.map(([was, source, input, stockChanges]) => ({ was, source, input, stockChanges }));
  it.each(rows)('$was: $source', async ({ source, input, stockChanges }) => {
    const stock = await evaluateStock({ source, input });
    expect(['value', 'undefined', 'error']).toContain(stock.kind);
    // Where it changes what it reads, it is judged as if it did not.
    const verdict = stockChanges === true ? 'stock changed a value' : 'equal';
    expect(await judgeWithTrial({ source, input }, stock, evaluateOurs({ source, input }))).toBe(verdict);
  });
});
