import { expect, it } from 'vitest';
import { queryAll, rowsOf } from '../../../src/platform/records/sql.ts';
import { freshDatabase } from '../../support/database.ts';

const database = freshDatabase();

const rows = (length: number) => [
  { id: 1, text: `{"a\\b'c",NULL}`.repeat(length), bytes: Buffer.alloc(length, '\\x00\0') },
  { id: 2, text: undefined, bytes: Buffer.from('small') },
  { id: undefined, text: '', bytes: undefined },
];
const tableOf = (items: ReturnType<typeof rows>) =>
  rowsOf('item', items, {
    id: ['bigint', ({ id }) => id],
    text: ['text', ({ text }) => text],
    bytes: ['bytea', ({ bytes }) => bytes],
  });

it.each([1, 100_000])('items are rows as they were, with values of any length (%i)', async (length) => {
  const items = rows(length);
  expect(await queryAll(database.pool)`select * from ${tableOf(items)}`).toEqual(items);
});

it('what is large is a parameter of its own: text and bytes in an array are escaped one by one', () => {
  expect(tableOf(rows(1)).values).toHaveLength(3);
  const [large] = rows(100_000);
  expect(tableOf(rows(100_000)).values).toEqual(expect.arrayContaining([large?.text, large?.bytes]));
});
