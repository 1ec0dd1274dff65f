import { expect, it } from 'vitest';
import { freshDatabase } from '../../support/database.ts';
import { differsByOrder } from './status-orders.ts';

const database = freshDatabase();
const SEEDS = Number(process.env['FUZZ_RUNS'] ?? 4);

it('what a carrier says five times and in any order is one event each, and ends in the same state', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) expect(await differsByOrder(database.pool, seed)).toBeUndefined();
});
