import { isMap } from '../../value.ts';
import { ExpressionFailure, isRecoverable } from '../../jsonata/failure.ts';
import type { Budget } from '../../jsonata/signature.ts';
import { setKey } from '../../jsonata/value.ts';
import { Rejection } from '../mapping.ts';
import { define, misuse, anything, optional, rest, text } from './function.ts';

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

const first = define({
  name: 'first',
  doc: 'The first argument that is not missing, null or an empty text.',
  parameters: [rest('values')],
  evenIfMissing: true,
  examples: [
    { expression: "$first(item.itemName, 'Goods')", given: { item: {} }, result: 'Goods' },
    { expression: "$first('', null, 0)", result: 0 },
  ],
  call: (values) => values.find((value) => !isNothing(value)),
});

const list = define({
  name: 'list',
  doc: 'Always a list: a list is returned unchanged, a single value becomes a list of one, and a missing value or null an empty list.',
  parameters: [optional(anything('x'))],
  evenIfMissing: true,
  examples: [
    { expression: '$list(body.piece)', given: { body: { piece: 'JD01' } }, result: ['JD01'] },
    { expression: '$list(body.piece)', given: { body: {} }, result: [] },
  ],
  call: (x) => (x === undefined || x === null ? [] : Array.isArray(x) ? x : [x]),
});

const prune = define({
  name: 'prune',
  doc: 'The value without nulls, empty texts, empty lists and empty maps, at every depth. A missing value becomes an empty map.',
  parameters: [optional(anything('x'))],
  evenIfMissing: true,
  examples: [
    { expression: '$prune({"a": ""})', result: {} },
    { expression: '$prune({"a": {"b": null}, "c": [1, ""], "d": false})', result: { c: [1], d: false } },
  ],
  call(x, _context, budget) {
    budget.plainValue = pruned(budget, x) ?? (Array.isArray(x) ? [] : {});
    return budget.plainValue;
  },
});

const DEPTH_MAX = 2_000;

/** Undefined where nothing is left; the same value where nothing had to go. */
function pruned(budget: Budget, value: unknown, depth = 0): unknown {
  if (typeof value !== 'object') return value === '' ? undefined : value;
  if (value === null) return undefined;
  budget.charge(8);
  if (depth > DEPTH_MAX) throw new ExpressionFailure('W0006');
  if (Array.isArray(value)) return prunedList(budget, value, depth);
  return isMap(value) ? prunedMap(budget, value, depth) : value;
}

function prunedList(budget: Budget, list: readonly unknown[], depth: number): readonly unknown[] | undefined {
  // A list with marks of the engine's own becomes a plain one.
  let kept: unknown[] | undefined = list.constructor === Array ? undefined : [];
  for (let at = 0; at < list.length; at += 1) {
    const element = pruned(budget, list[at], depth + 1);
    if (element !== list[at] || element === undefined) kept ??= list.slice(0, at);
    if (element !== undefined) kept?.push(element);
  }
  const result = kept ?? list;
  return result.length === 0 ? undefined : result;
}

type Fields = Record<string, unknown>;

function prunedMap(budget: Budget, map: Readonly<Fields>, depth: number): Readonly<Fields> | undefined {
  let kept: Fields | undefined;
  let isEmpty = true;
  // Not by Object.keys, which would be half of what a mapping costs; the prototype of a map has nothing to list.
  for (const key in map) {
    const element = pruned(budget, map[key], depth + 1);
    if (element !== map[key] || element === undefined) kept ??= fieldsBefore(map, key);
    if (element === undefined) continue;
    if (kept !== undefined) setKey(kept, key, element);
    isEmpty = false;
  }
  return isEmpty ? undefined : (kept ?? map);
}

function fieldsBefore(map: Readonly<Fields>, end: string): Fields {
  const fields: Fields = {};
  for (const key in map) {
    if (key === end) break;
    setKey(fields, key, map[key]);
  }
  return fields;
}

const table = define({
  name: 'table',
  doc: 'Looks up `key` in a table of the profile: yields its row, else the row `*`, else `else`. A missing key is looked up as an empty text.',
  refuses: 'a key for which there is none of these, and a table that the profile does not have',
  parameters: [text('name'), optional(text('key')), rest('else', 1)],
  evenIfMissing: true,
  examples: [
    { expression: "$table('docFormat', 'ZPL')", result: 'ZPL2' },
    { expression: "$table('zone', 'FR')", result: 'abroad' },
    { expression: "$table('docFormat', 'PNG', 'PDF')", result: 'PDF' },
  ],
  call(name, key = '', otherwise, { tables }) {
    const rows = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (rows === undefined) throw misuse(`$table: the profile has no table '${name}'`);
    if (Object.hasOwn(rows, key)) return rows[key];
    if (Object.hasOwn(rows, '*')) return rows['*'];
    if (otherwise.length > 0) return otherwise[0];
    throw misuse(`$table: the table '${name}' has no row '${key}', no row '*', and the call says nothing else`, {
      argument: 1,
      said: `'${key.slice(0, 60)}' is nothing that the carrier knows`,
    });
  },
});

const reject = define({
  name: 'reject',
  doc: 'Ends the operation with the outcome `reject` before anything is sent. The shipper receives the message, the code if given, and the package that led to it, where that is one.',
  parameters: [text('message'), optional(text('code'))],
  evenIfMissing: true,
  examples: [{ expression: "weight > 25 ? $reject('over 25 kg') : weight", given: { weight: 20 }, result: 20 }],
  call(message, code) {
    throw new Rejection(message, code);
  },
});

const attempt = define({
  name: 'try',
  doc: 'The value of the first argument; where a function in it refuses a value, or an operator cannot use one, the value of `else`, or nothing without it. `$reject`, limits and a missing function end the evaluation all the same.',
  parameters: [anything('x'), optional(anything('else'))],
  evenIfMissing: true,
  isLazy: true,
  examples: [
    { expression: "$try($phone(number, 'DE', 'e164'), number)", given: { number: '110 or so' }, result: '110 or so' },
    { expression: "$try($number(floor), $reject('the floor is no number'))", given: { floor: '3' }, result: 3 },
  ],
  call(x, otherwise) {
    const orElse = (thrown: unknown): unknown => {
      if (!isRecoverable(thrown)) throw thrown;
      return valueOf(otherwise);
    };
    try {
      const value = valueOf(x);
      return value instanceof Promise ? value.catch(orElse) : value;
    } catch (thrown) {
      return orElse(thrown);
    }
  },
});

const valueOf = (argument: unknown): unknown =>
  typeof argument === 'function' ? (argument as () => unknown)() : argument;

export const CHOOSING = [first, list, prune, table, attempt, reject];
