import { isMap } from '../../../../src/engine/value.ts';
import type { Random } from '../../../support/random.ts';

const base = {
  name: 'Example Order',
  code: 'A-12',
  price: 12.5,
  qty: 3,
  on: true,
  a: 1,
  b: { a: [1, 2, { c: 'deep' }], c: null },
  c: [[1, 2], [3]],
  tags: ['red', 'x'],
  addr: { name: 'Example Street', code: '0012', nested: { a: 5 } },
  items: [
    {
      name: 'one',
      code: 'x',
      price: 2,
      qty: 1,
      tags: ['red'],
      nested: [{ code: 'n1', qty: 4 }, { code: 'n2' }],
      list: [{ qty: 1 }],
    },
    { name: 'two', code: 'y', price: 1.25, qty: 5, tags: [], nested: { code: 'n3', qty: 2 } },
    { name: 'three', code: 'x', price: 9, qty: 1, list: [{ qty: 5 }, { qty: 1 }] },
  ],
  list: [3, 1, 2],
  nested: { nested: { nested: [] } },
};

export const strangeValues: readonly unknown[] = [
  null,
  0,
  1,
  -2.5,
  '',
  'x',
  'red',
  true,
  false,
  [],
  {},
  [[]],
  ['a'],
  [1, 'b'],
  1e21,
  '007',
];

export interface Mutations {
  /** Values give way to some of these. */
  readonly strange: readonly unknown[];
  /** How often a field that is neither map nor list becomes a list of one, and an element of a list comes twice. */
  readonly wrapped?: number;
  readonly doubled?: number;
}

/** A copy changed in a few random places. */
export const mutate = (random: Random, value: unknown, mutations: Mutations, depth = 0): unknown => {
  const { strange, wrapped, doubled } = mutations;
  if (random.chance(0.04)) return random.pick(strange);
  if (depth > 6) return value;
  const inner = (part: unknown): unknown => mutate(random, part, mutations, depth + 1);
  if (Array.isArray(value)) {
    if (value.length > 0 && random.chance(0.06)) return inner(value[0]);
    const items = value
      .filter(() => !random.chance(0.08))
      .flatMap((item) => (doubled !== undefined && random.chance(doubled) ? [item, item] : [item]))
      .map(inner);
    if (random.chance(0.05)) items.push(random.pick(strange));
    return items;
  }
  if (!isMap(value)) return wrapped !== undefined && random.chance(wrapped) ? [value] : value;
  const entries = Object.entries(value)
    .filter(() => !random.chance(0.05))
    .map(([key, field]) => [key, inner(field)] as const);
  if (random.chance(0.04))
    entries.push([random.pick(['length', 'constructor', 'a', '1', 'toString']), random.pick(strange)]);
  const mutated = Object.fromEntries(entries);
  return random.chance(0.05) ? [mutated] : mutated;
};

const OF_DOCUMENTS: Mutations = { strange: strangeValues };

/** A document like a mapping's input, changed in a few random places. */
export const randomDocument = (random: Random): unknown => {
  if (random.chance(0.03)) return random.pick(strangeValues);
  const document = mutate(random, base, OF_DOCUMENTS);
  return random.chance(0.08) ? [document, mutate(random, base, OF_DOCUMENTS)] : document;
};
