/**
 * What this process remembers of rows that seldom change. PostgreSQL tells of each change by triggers, whoever makes it;
 * while that cannot be heard, nothing is remembered and all is asked of the records.
 */
import type { Pool } from 'pg';
import type { Listener } from './listener.ts';

/** The tables whose triggers notify. */
type Table = 'tokens' | 'shippers' | 'accounts' | 'facilities';
/** Those that tell of new rows as well: that there is none may be remembered. */
const TELL_OF_NEW: ReadonlySet<Table> = new Set(['facilities']);

const CHANGED_CHANNEL = 'waybill_changed';
const ROWS_MAX = 10_000;

interface Memory {
  readonly rows: Map<string, unknown>;
  /** What was read before one of them may be older than it. */
  changes: number;
  isHearing: boolean;
}

const memories = new WeakMap<Pool, Memory>();

const drop = (memory: Memory, name?: string): void => {
  memory.changes += 1;
  if (name === undefined) memory.rows.clear();
  else memory.rows.delete(name);
};

/** From now on rows that are read over this pool are remembered. */
export const openCache = async (pool: Pool, listener: Listener): Promise<void> => {
  const memory: Memory = { rows: new Map(), changes: 0, isHearing: true };
  const hearing = (isHearing: boolean) => (): void => {
    memory.isHearing = isHearing;
    drop(memory);
  };
  await listener.hear(CHANGED_CHANNEL, {
    heard: (name) => drop(memory, name),
    lost: hearing(false),
    missed: hearing(true),
  });
  memories.set(pool, memory);
};

/** The row as `read` yields it, or as it was remembered, where that `fits`. */
export const remember = async <Row>(
  pool: Pool,
  [table, key]: readonly [Table, key: string | number],
  read: () => Promise<Row | undefined>,
  fits: (row: Row) => boolean = () => true,
): Promise<Row | undefined> => {
  const memory = memories.get(pool);
  if (memory?.isHearing !== true) return await read();
  const name = `${table}:${key}`;
  const isUsable = (row: Row | undefined): boolean => (row === undefined ? TELL_OF_NEW.has(table) : fits(row));
  const known = memory.rows.get(name) as Row | undefined;
  if (memory.rows.has(name) && isUsable(known)) return known;
  const { changes } = memory;
  const row = await read();
  if (!isUsable(row) || changes !== memory.changes) return row;
  if (memory.rows.size >= ROWS_MAX) for (const oldest of memory.rows.keys()) if (memory.rows.delete(oldest)) break;
  memory.rows.set(name, row);
  return row;
};

/** This process has changed the row: what it reads from now on is to show that, before PostgreSQL tells. */
export const forget = (pool: Pool, table: Table, key: string | number): void => {
  const memory = memories.get(pool);
  if (memory !== undefined) drop(memory, `${table}:${key}`);
};
