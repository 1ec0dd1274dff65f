import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Claim,
  ClaimLost,
  findActs,
  findRequest,
  holdClaim,
  keepReply,
  recordAct,
  releaseKey,
} from '../../../src/platform/records/idempotency.ts';
import { noteCutShort } from '../../../src/platform/records/cut-short.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import type { Owner } from '../../../src/platform/records/shippers.ts';
import { freshDatabase } from '../../support/database.ts';
import { newConsignment, ownerOfEachTest } from './world.ts';

const HASH = Buffer.from('one request');
const BEGAN_MS = Date.parse('2026-05-01T09:00:00Z');
const LATER_MS = BEGAN_MS + 1_000;

const claimOf = (key: Owner & { readonly key: string }): Claim => ({
  ...key,
  owner: randomUUID(),
  requestHash: HASH,
  begunAtMs: BEGAN_MS,
});

describe('the tries of a request', () => {
  const database = freshDatabase();
  const owner = ownerOfEachTest(database);

  const name = () => ({ ...owner, key: randomUUID() });
  const hold = async (claim: Claim) =>
    await transaction(database.pool, async (client) => await holdClaim(client, claim));
  const begin = async (claim: Claim, abandonedBeforeMs = BEGAN_MS) => {
    const known = await findRequest(database.pool, claim, abandonedBeforeMs);
    if (known === undefined) await hold(claim);
    return known;
  };
  /** Two tries, the second of which has taken over. */
  const twoTries = async (): Promise<{ first: Claim; second: Claim }> => {
    const key = name();
    const [first, second] = [claimOf(key), claimOf(key)];
    expect(await begin(first)).toBeUndefined();
    expect(await begin(second)).toEqual({ kind: 'in_progress' });
    await noteCutShort(database.pool, first.owner);
    expect(await begin(second)).toEqual({ kind: 'taken_over' });
    return { first, second };
  };

  it('follow each other: what was given up is taken over, and what is too old', async () => {
    const key = name();
    await begin(claimOf(key));
    expect(await begin(claimOf(key), LATER_MS)).toEqual({ kind: 'taken_over' });
    expect(await begin(claimOf(key))).toEqual({ kind: 'in_progress' });
    await twoTries();
  });

  it('follow each other where the first was given up before it had recorded anything', async () => {
    const first = claimOf(name());
    await noteCutShort(database.pool, first.owner);
    await hold(first);
    expect(await begin(claimOf(first))).toEqual({ kind: 'taken_over' });
  });

  it('leave the first nothing to change once the second has taken over', async () => {
    const { first, second } = await twoTries();
    await expect(hold(first)).rejects.toThrow(ClaimLost);
    await expect(hold(second)).resolves.toBeUndefined();
    await releaseKey(database.pool, first);
    await keepReply(database.pool, first, { status: 409, body: '"of the first"' });
    const reply = { status: 200, body: '"of the second"' };
    await keepReply(database.pool, second, reply);
    expect(await begin(claimOf(second))).toEqual({ kind: 'answered', reply });
  });

  it('wait for what the one before is doing, and then know of it', async () => {
    const key = name();
    const [first, second] = [claimOf(key), claimOf(key)];
    await begin(first);
    const consignmentId = await newConsignment(database.pool, owner);
    const acting = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const acted = transaction(database.pool, async (client) => {
      await holdClaim(client, first);
      held.resolve();
      await acting.promise;
      await recordAct(client, first, { consignmentId, dispatchId: undefined });
    });
    await held.promise;
    const takenOver = begin(second, LATER_MS);
    acting.resolve();
    await acted;
    expect(await takenOver).toEqual({ kind: 'taken_over' });
    expect(await findActs(database.pool, second)).toEqual([{ consignmentId, dispatchId: undefined }]);
  });
});
