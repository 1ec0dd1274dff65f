import type { Pool, PoolClient } from 'pg';
import { nextInSequence } from '../../engine/dispatch/attempt-log.ts';
import type { SequenceOptions } from '../../engine/dispatch/ports.ts';
import { transaction } from './pool.ts';
import { execute, queryOne } from './sql.ts';

/** Takes the next value of an account's sequence, in the caller's transaction: no other draw gets it. */
export const takeNext = async (
  client: PoolClient,
  accountId: number | undefined,
  name: string,
  options: SequenceOptions,
): Promise<string> => {
  const first = Number(nextInSequence(undefined, options).value);
  // There before it is locked: of two that draw the very first value, one has to wait.
  await execute(client)`
    insert into sequences (account_id, name, next) values (${accountId}, ${name}, ${first}) on conflict do nothing`;
  const taken = await queryOne<{ next: number }>(client)`
    select next from sequences where account_id = ${accountId} and name = ${name} for update`;
  const { value, next } = nextInSequence(taken.next, options);
  await execute(client)`update sequences set next = ${next} where account_id = ${accountId} and name = ${name}`;
  return value;
};

/** For runs that no dispatch records: each value is taken for good, once. */
export const takeFromSequences =
  (pool: Pool) =>
  (accountId: number) =>
  async (name: string, options: SequenceOptions): Promise<string> =>
    await transaction(pool, async (client) => await takeNext(client, accountId, name, options));
