import { expect, it } from 'vitest';
import { queryAll, rowsOf } from '../../../src/platform/records/sql.ts';
import { freshDatabase } from '../../support/database.ts';

const database = freshDatabase();

const rows = (length: number) => [
  { id: 1, text: `{"a\\b'c",NULL}`.repeat(length), bytes: Buffer.alloc(length, '\\x00\0') },
  { id: 2, text: undefined, bytes: Buffer.from('small') },
  { id: undefined, text: '', bytes: undefined },
  { id: 3, text: 'Łódź 😀', bytes: Buffer.alloc(0) },
];
const tableOf = (items: ReturnType<typeof rows>) => rowsOf('item', items, 'id bigint, text text, bytes bytea');

it.each([1, 100_000])('items are rows as they were, with values of any length (%i)', async (length) => {
  const items = rows(length);
  expect(await queryAll(database.pool)`select * from ${tableOf(items)}`).toEqual(items);
});

it('no items are no rows', async () => {
  expect(await queryAll(database.pool)`select * from ${tableOf([])}`).toEqual([]);
});

it('a character that PostgreSQL does not take is refused, in whichever row it stands', async () => {
  const items = [...rows(1), { id: 4, text: 'a\0b', bytes: Buffer.alloc(1) }];
  await expect(queryAll(database.pool)`select * from ${tableOf(items)}`).rejects.toMatchObject({ code: '22021' });
});

it('a column holds the field of its name, a time also in milliseconds, JSON as text, or what a function yields', async () => {
  const items = [
    { dueAtMs: 86_400_000, memo: { a: [1] }, count: 2 },
    { dueAtMs: undefined, memo: 'text', count: 3 },
  ];
  const rows = rowsOf('item', items, `due_at timestamptz, memo json, weight_kg double precision`, {
    weight_kg: ({ count }) => count / 2,
  });
  expect(await queryAll(database.pool)`select due_at as due_at_ms, memo, weight_kg from ${rows}`).toEqual([
    { dueAtMs: 86_400_000, memo: '{"a":[1]}', weightKg: 1 },
    { memo: '"text"', weightKg: 1.5 },
  ]);
});
