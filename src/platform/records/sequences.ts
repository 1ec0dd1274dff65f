import type { Pool, PoolClient } from 'pg';
import type { SequenceOptions } from '../../engine/dispatch/ports.ts';
import { nextInSequence } from '../../engine/dispatch/attempt-log.ts';
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
  await execute(client, 'insert into sequences (account_id, name, next) values ($1, $2, $3) on conflict do nothing', [
    accountId,
    name,
    first,
  ]);
  const taken = await queryOne<{ next: number }>(
    client,
    'select next from sequences where account_id = $1 and name = $2 for update',
    [accountId, name],
  );
  const { value, next } = nextInSequence(taken.next, options);
  await execute(client, 'update sequences set next = $3 where account_id = $1 and name = $2', [accountId, name, next]);
  return value;
};

/** For runs that no dispatch records: each value is taken for good, once. */
export const takeFromSequences =
  (pool: Pool) =>
  (accountId: number) =>
  async (name: string, options: SequenceOptions): Promise<string> =>
    await transaction(pool, async (client) => await takeNext(client, accountId, name, options));
