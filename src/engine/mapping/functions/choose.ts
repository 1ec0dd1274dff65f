import { isMap } from '../../value.ts';
import { ExpressionFailure } from '../../jsonata/failure.ts';
import { setKey } from '../../jsonata/value.ts';
import { Rejection } from '../mapping.ts';
import { define, misuse, type Budget } from './function.ts';
import { anything, optional, rest, text } from './parameter.ts';

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

const first = define({
  name: 'first',
  doc: 'The first of its arguments that is neither missing, null nor an empty text.',
  parameters: { values: rest() },
  evenIfMissing: true,
  examples: [
    { expression: "$first(item.itemName, 'Goods')", given: { item: {} }, result: 'Goods' },
    { expression: "$first('', null, 0)", result: 0 },
  ],
  call({ values }) {
    for (const value of values) if (!isNothing(value)) return value;
    return undefined;
  },
});

const list = define({
  name: 'list',
  doc: 'Always a list: a list stays as it is, a lone value becomes a list of one, nothing and null an empty list.',
  parameters: { x: optional(anything()) },
  evenIfMissing: true,
  examples: [
    { expression: '$list(body.piece)', given: { body: { piece: 'JD01' } }, result: ['JD01'] },
    { expression: '$list(body.piece)', given: { body: {} }, result: [] },
  ],
  call: ({ x }) => (x === undefined || x === null ? [] : Array.isArray(x) ? x : [x]),
});

const prune = define({
  name: 'prune',
  doc: 'The value without nulls, empty texts, empty lists and empty maps, at every depth. What is nothing at all becomes an empty map.',
  parameters: { x: optional(anything()) },
  evenIfMissing: true,
  examples: [
    { expression: '$prune({"a": ""})', result: {} },
    { expression: '$prune({"a": {"b": null}, "c": [1, ""], "d": false})', result: { c: [1], d: false } },
  ],
  call: ({ x }) => pruned(UNBOUNDED, x) ?? (Array.isArray(x) ? [] : {}),
  part: (budget, value) => pruned(budget, value),
});

const UNBOUNDED: Budget = { charge: () => undefined };
const DEPTH_MAX = 2_000;

/** Undefined where nothing is left. */
function pruned(budget: Budget, value: unknown, depth = 0): unknown {
  if (typeof value !== 'object') return value === '' ? undefined : value;
  if (value === null) return undefined;
  budget.charge(8);
  if (depth > DEPTH_MAX) throw new ExpressionFailure('W0006');
  if (Array.isArray(value)) {
    const kept: unknown[] = [];
    for (let at = 0; at < value.length; at += 1) {
      const element = pruned(budget, value[at], depth + 1);
      if (element !== undefined) kept.push(element);
    }
    return kept.length === 0 ? undefined : kept;
  }
  if (!isMap(value)) return value;
  // Quicker to add many fields to than {}.
  const kept = Object.create(Object.prototype) as Record<string, unknown>;
  let isEmpty = true;
  // Not by Object.keys, which would be half of what a mapping costs; the prototype of a map has nothing to list.
  for (const key in value) {
    const element = pruned(budget, value[key], depth + 1);
    if (element === undefined) continue;
    setKey(kept, key, element);
    isEmpty = false;
  }
  return isEmpty ? undefined : kept;
}

const table = define({
  name: 'table',
  doc: 'The row of a table of the profile: the one for `key`, else the row `*`, else `else`; without these an error that names both. A missing key matches as an empty text.',
  parameters: { name: text(), key: optional(text()), else: optional(anything()) },
  evenIfMissing: true,
  examples: [
    { expression: "$table('docFormat', 'ZPL')", result: 'ZPL2' },
    { expression: "$table('zone', 'FR')", result: 'abroad' },
    { expression: "$table('docFormat', 'PNG', 'PDF')", result: 'PDF' },
  ],
  call({ name, key = '', else: otherwise }, { tables }, given) {
    const rows = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (rows === undefined) throw misuse(`$table: the profile has no table '${name}'`);
    if (Object.hasOwn(rows, key)) return rows[key];
    if (Object.hasOwn(rows, '*')) return rows['*'];
    if (given > 2) return otherwise;
    throw misuse(`$table: the table '${name}' has no row '${key}', no row '*', and the call says nothing else`);
  },
});

const reject = define({
  name: 'reject',
  doc: 'Ends the operation as `reject`, before anything is sent: the shipper reads the message, and the code if there is one.',
  parameters: { message: text(), code: optional(text()) },
  evenIfMissing: true,
  examples: [{ expression: "weight > 25 ? $reject('over 25 kg') : weight", given: { weight: 20 }, result: 20 }],
  call({ message, code }) {
    throw new Rejection(message, code);
  },
});

export const CHOOSING = [first, list, prune, table, reject];
