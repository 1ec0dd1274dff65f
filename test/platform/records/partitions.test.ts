import { afterEach, expect, it } from 'vitest';
import { listExchanges } from '../../../src/platform/records/exchanges.ts';
import { addMonths, countUnplaced } from '../../../src/platform/records/partitions.ts';
import { countOlder, forgetOlder } from '../../../src/platform/records/retain.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { newConsignment, newOwner, notify } from './world.ts';

const database = freshDatabase();
afterEach(async () => void (await database.rows('delete from exchanges')));

const start = new Date();
/** The start of a month (UTC), so many from this one. */
const month = (from: number): Date => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + from, 1));
const before = (at: Date): Date => new Date(at.getTime() - 1);
const nameOf = (from: number): string => `exchanges_${month(from).toISOString().slice(2, 7).replace('-', '')}`;
const partitions = async () =>
  await database.values(
    `select relname::text from pg_inherits join pg_class on oid = inhrelid where inhparent = 'exchanges'::regclass
     order by relname collate "C"`,
  );

/** Exchanges as the database would have numbered them when they were written. */
const exchangedAt = async (...times: Date[]): Promise<readonly number[]> =>
  await database.values<number>(
    `insert into exchanges (id, at, carrier_code, environment, profile_hash, operation, step, element, attempt, method,
       url, request_headers, duration_ms, outcome)
     select history_from(at) + nextval('history_ids'), at, 'acme', 'production', 'h', 'create', 's', 0, 1, 'POST',
       'https://a', '{}', 1, 'ok' from unnest($1::timestamptz[]) as at returning id`,
    times,
  );
const placesOf = async (ids: readonly number[]) =>
  await database.values('select tableoid::regclass::text from exchanges where id = any ($1) order by id', ids);

it('months are there ahead of time, once, however many processes add them', async () => {
  expect(await partitions()).toEqual([...[0, 1, 2, 3].map(nameOf), 'exchanges_default', 'exchanges_past']);
  await Promise.all([1, 2, 3, 4].map(async () => await addMonths(database.pool, quietLog, 5)));
  expect(await partitions()).toEqual([...[0, 1, 2, 3, 4, 5].map(nameOf), 'exchanges_default', 'exchanges_past']);
});

const page = async (beforeId?: number) =>
  (await listExchanges(database.pool, { carrierCode: 'acme', limit: 3, beforeId })).map(({ id }) => id);

it('rows on both sides of a border are each in their month, and are read in one order', async () => {
  const ids = await exchangedAt(before(month(1)), month(1), before(month(2)), month(2));
  expect(await placesOf(ids)).toEqual([0, 1, 1, 2].map(nameOf));
  expect(await page()).toEqual(ids.slice(1).toReversed());
  expect(await page(ids[1])).toEqual([ids[0]]);
});

it('what has no month is kept, told of, and moves into its month when that is added', async () => {
  const ids = await exchangedAt(month(8), before(month(9)), month(9));
  expect(await placesOf(ids)).toEqual(Array(3).fill('exchanges_default'));
  expect(await countUnplaced(database.pool)).toBe(3);
  const log = recordingLog();
  await addMonths(database.pool, log, 8);
  expect(await placesOf(ids)).toEqual([nameOf(8), nameOf(8), 'exchanges_default']);
  expect(await countUnplaced(database.pool)).toBe(1);
  const fields = { partition: nameOf(8), rows: 2 };
  expect(log.lines).toEqual([{ level: 'warn', fields, message: expect.stringContaining('late') }]);
});

it('tries of a delivery are in the month of its id, and go with it', async () => {
  const owner = await newOwner(database.pool);
  await database.rows(
    `insert into subscriptions (id, shipper_id, environment, url, order_types, secret)
     values ('sub', $1, 'production', 'https://s', '{FORWARD}', '')`,
    owner.shipperId,
  );
  const [delivery] = await notify(database.pool, await newConsignment(database.pool, owner));
  await database.rows(
    `insert into delivery_attempts (delivery_id, attempt, at, duration_ms, outcome) values ($1, 1, now(), 1, 'ok')`,
    delivery,
  );
  const places = 'select tableoid::regclass::text from delivery_attempts';
  expect(await database.values(places)).toEqual([nameOf(0).replace('exchanges', 'delivery_attempts')]);
  await database.rows(`delete from subscriptions where id = 'sub'`);
  expect(await database.values(places)).toEqual([]);
});

it('what is older goes by whole months, and row by row only where the limit is within one', async () => {
  const limit = new Date(month(3).getTime() + 10 * 86_400_000);
  const times = [new Date(0), before(month(1)), month(1), before(month(3)), month(3), before(limit), limit, month(4)];
  await exchangedAt(...times);
  expect(await countOlder(database.pool, limit)).toMatchObject({ exchanges: 6 });
  expect(await forgetOlder(database.pool, limit)).toMatchObject({ exchanges: 6 });
  const left = await database.values<Date>('select at from exchanges order by id');
  expect(left).toEqual([limit, month(4)]);
  const names = await partitions();
  expect(names).toContain(nameOf(3));
  expect(names.filter((name) => [nameOf(0), nameOf(1), nameOf(2), 'exchanges_past'].includes(name))).toEqual([]);
});

it('a month that others are reading is not waited for: its rows are deleted', async () => {
  const [id] = await exchangedAt(month(4));
  const reader = await database.pool.connect();
  await reader.query('begin');
  await reader.query('select 1 from exchanges where id = $1', [id]);
  const forgotten = await forgetOlder(database.pool, month(5));
  await reader.query('commit');
  reader.release();
  expect(forgotten).toMatchObject({ exchanges: 1 });
  expect(await partitions()).toContain(nameOf(4));
});

it('a month with a push that is to be processed yet stays, and so does the push', async () => {
  await database.rows(
    `insert into pushes (id, carrier_code, source, received_at, request, body, state, due_at)
     select history_from($1) + n, 'acme', 'contract', $1, '{}', '', case n when 1 then 'pending' else 'done' end,
       case when n < 3 then now() end from generate_series(1, 4) as n`,
    month(4),
  );
  expect(await forgetOlder(database.pool, month(5))).toMatchObject({ pushes: 2 });
  expect(await database.values(`select count(*)::int from pushes`)).toEqual([2]);
  await database.rows(`update pushes set state = 'done', due_at = null`);
  expect(await forgetOlder(database.pool, month(5))).toMatchObject({ pushes: 2 });
  const [left] = await database.values('select to_regclass($1)', nameOf(4).replace('exchanges', 'pushes'));
  expect(left).toBeNull();
});

it('a late try of a delivery whose month is gone is kept, misses no month, and is forgotten by its own age', async () => {
  const owner = await newOwner(database.pool);
  await database.rows(
    `insert into subscriptions (id, shipper_id, environment, url, order_types, secret)
     values ('late', $1, 'production', 'https://s', '{FORWARD}', '')`,
    owner.shipperId,
  );
  const [delivery] = await notify(database.pool, await newConsignment(database.pool, owner));
  await forgetOlder(database.pool, month(1));
  await database.rows(
    `insert into delivery_attempts (delivery_id, attempt, at, duration_ms, outcome) values ($1, 1, $2, 1, 'ok')`,
    delivery,
    month(1),
  );
  expect(await countUnplaced(database.pool)).toBe(0);
  expect(await forgetOlder(database.pool, month(1))).toMatchObject({ deliveryAttempts: 0 });
  expect(await forgetOlder(database.pool, new Date(month(1).getTime() + 1))).toMatchObject({ deliveryAttempts: 1 });
});
