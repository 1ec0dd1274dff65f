import { describe, expect, it } from 'vitest';
import { acceptCreate } from '../../../src/platform/records/accept-create.ts';
import { freshDatabase } from '../../support/database.ts';
import { accept, newOrder } from './world.ts';

describe('accepting a create', () => {
  const database = freshDatabase();
  const count = () =>
    database.rows('select (select count(*) from consignments), (select count(*) from outbox) as jobs');

  it('writes the consignment, its packages, its dispatch and the job that takes it up', async () => {
    const { consignmentId, dispatchId } = await accept(database.pool, { packages: 2 });
    const packed = 'select reference from packages where consignment_id = $1 order by position';
    expect(await database.values(packed, consignmentId)).toEqual(['P1', 'P2']);
    expect(await database.rows('select state, operation, attempt from dispatches where id = $1', dispatchId)).toEqual([
      { state: 'pending', operation: 'create', attempt: 0 },
    ]);
    expect(await database.rows('select queue, job_id from outbox')).toEqual([
      { queue: 'dispatch', job_id: `d-${dispatchId}-a1` },
    ]);
  });

  it('of many at once with one reference takes one, and shows the others that', async () => {
    const one = await newOrder(database.pool);
    const accepted = await Promise.all(Array.from({ length: 8 }, () => acceptCreate(database.pool, one)));
    const [first, ...others] = accepted.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    if (first?.kind !== 'accepted') throw new Error('none is accepted');
    expect(others).toEqual(
      others.map(() => ({ kind: 'duplicate', existing: expect.objectContaining({ id: first.consignmentId }) })),
    );
  });

  it('takes the same reference of another environment', async () => {
    const { reference: referenceNumber } = await accept(database.pool);
    await expect(accept(database.pool, { referenceNumber, environment: 'sandbox' })).resolves.toBeDefined();
  });

  it('takes a reference again that a rejection has freed', async () => {
    const { consignmentId, reference: referenceNumber } = await accept(database.pool);
    await database.rows('update consignments set released_at = now() where id = $1', consignmentId);
    await expect(accept(database.pool, { referenceNumber })).resolves.toBeDefined();
  });

  it('leaves nothing of one that could not be written whole', async () => {
    const before = await count();
    const unkept = { ...(await newOrder(database.pool)), profileHash: 'nobody kept it' };
    await expect(acceptCreate(database.pool, unkept)).rejects.toThrow();
    expect(await count()).toEqual(before);
  });
});
