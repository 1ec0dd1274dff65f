import { beforeEach, describe, expect, it } from 'vitest';
import { schedulePolls, takeDuePackages } from '../../../src/platform/records/polls.ts';
import { freshDatabase } from '../../support/database.ts';
import { NOW, statusWorld } from './status-world.ts';

const MINUTE_MS = 60_000;
const heldUntilMs = NOW + 5 * MINUTE_MS;

describe('packages to be asked about', () => {
  const database = freshDatabase();
  const world = statusWorld(() => database.pool);
  beforeEach(async () => {
    await world.empty();
    accountId = await world.account();
  });

  let accountId: number;
  /** A package to be asked about at `atMs`; of an account, unless told otherwise. */
  const due = async (reference: string, atMs: number | undefined, more: object = { accountId }): Promise<number> => {
    const id = await world.consignmentWith({ reference, trackingNumbers: [`T-${reference}`], ...more });
    await pollAt(id, atMs);
    return id;
  };
  const pollAt = async (id: number, atMs: number | undefined) => {
    const at = atMs === undefined ? null : new Date(atMs);
    const update = `update packages set poll_at = $2, memo = '{"orderId":"7"}' where consignment_id = $1`;
    await database.rows(update, id, at);
  };
  const take = async (nowMs = NOW, limit = 10) => await takeDuePackages(database.pool, nowMs, 5 * MINUTE_MS, limit);

  it('are those that are due, with what a carrier is asked by', async () => {
    const id = await due('R1', NOW - 1);
    await due('R2', NOW + 1);
    await due('R3', undefined);
    const canonical = {
      originCountry: 'DE',
      destinationCountry: 'US',
      destinationTimezone: 'America/New_York',
      itemList: [],
    };
    await database.rows('update consignments set canonical = $1', JSON.stringify(canonical));
    expect(await take()).toEqual([
      {
        consignmentId: id,
        position: 0,
        reference: 'P1',
        trackingNumber: 'T-R1',
        memo: { orderId: '7' },
        status: 'Order Created',
        carrierCode: 'example',
        environment: 'production',
        accountId,
        createdAtMs: expect.any(Number) as number,
        ends: { originCountry: 'DE', destinationCountry: 'US', destinationTimezone: 'America/New_York' },
        heldUntilMs: NOW + 5 * MINUTE_MS,
      },
    ]);
  });

  it('are taken once by however many pollers', async () => {
    for (const number of [1, 2, 3, 4, 5, 6]) await due(`R${number}`, NOW - number);
    const taken = await Promise.all([1, 2, 3, 4].map(async () => await take(NOW, 3)));
    const references = [...taken.flat(), ...(await take())].map(({ trackingNumber }) => trackingNumber);
    expect(references.toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `T-R${number}`));
  });

  it('are passed over, not waited for, while another poller takes them', async () => {
    const [taken, free] = [await due('R1', NOW - 2), await due('R2', NOW - 1)];
    const other = await database.pool.connect();
    try {
      await other.query('begin');
      await other.query('select 1 from packages where consignment_id = $1 for update', [taken]);
      const limited = new Promise<string>((resolve) => setTimeout(() => resolve('waited'), 2_000));
      const got = await Promise.race([take(), limited]);
      expect(got).toMatchObject([{ consignmentId: free }]);
    } finally {
      await other.query('rollback');
      other.release();
    }
  });

  it('come back when the poller that had them died', async () => {
    await due('R1', NOW - 1);
    expect(await take()).toHaveLength(1);
    expect(await take(NOW + 4 * MINUTE_MS)).toHaveLength(0);
    expect(await take(NOW + 5 * MINUTE_MS)).toHaveLength(1);
  });

  it('are next due when it was said, or never', async () => {
    const [soon, never] = [await due('R1', NOW - 1), await due('R2', NOW - 1)];
    await take();
    await schedulePolls(database.pool, [
      { consignmentId: soon, position: 0, atMs: NOW + MINUTE_MS, heldUntilMs },
      { consignmentId: never, position: 0, atMs: undefined, heldUntilMs },
    ]);
    expect((await take(NOW + MINUTE_MS)).map(({ consignmentId }) => consignmentId)).toEqual([soon]);
    expect(await take(NOW + 10_000 * MINUTE_MS)).toHaveLength(1);
  });

  it('stay due when a push has asked for a poll meanwhile, and stay done when one has ended them', async () => {
    const [asked, ended] = [await due('R1', NOW - 1), await due('R2', NOW - 1)];
    await take();
    await pollAt(asked, NOW);
    await pollAt(ended, undefined);
    await schedulePolls(
      database.pool,
      [asked, ended].map((consignmentId) => ({ consignmentId, position: 0, atMs: NOW + MINUTE_MS, heldUntilMs })),
    );
    expect((await take()).map(({ consignmentId }) => consignmentId)).toEqual([asked]);
    expect(await take(NOW + MINUTE_MS)).toHaveLength(0);
  });

  it('do not stand behind others that nobody can ask about', async () => {
    for (const number of [1, 2, 3]) await due(`N${number}`, NOW - 100, {});
    await due('R1', NOW - 1);
    expect(await take(NOW, 2)).toHaveLength(1);
  });
});
