import { describe, expect, it } from 'vitest';
import { acceptCreate, type NewConsignment } from '../../../src/platform/records/accept-create.ts';
import { dispatchJobId, parseDispatchJobId } from '../../../src/platform/records/outbox.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { saveShipper } from '../../../src/platform/records/shippers.ts';
import { freshDatabase } from '../../support/database.ts';

describe('accepting a create', () => {
  const database = freshDatabase();

  const order = async (reference: string, more: Partial<NewConsignment> = {}): Promise<NewConsignment> => {
    await keepProfileVersion(database.pool, 'v1', 'acme', '{}');
    const { id: shipperId } = await saveShipper(database.pool, {
      code: 'shop',
      name: 'Example Shop',
      details: undefined,
    });
    return {
      shipperId,
      environment: 'production',
      orderTypes: ['FORWARD'],
      carrierCode: 'acme',
      accountId: undefined,
      profileHash: 'v1',
      orderText: '{"as":"it came"}',
      referenceNumber: reference,
      consignment: {
        referenceId: reference,
        orderNumber: 'O-1',
        consignmentNumber: 'C-1',
        typeOfOrder: 'FORWARD',
        itemList: [{ itemReferenceNumber: 'P1' }, { itemReferenceNumber: 'P2' }],
      } as unknown as Consignment,
      service: { name: 'Express' },
      ...more,
    };
  };
  const count = async (table: string): Promise<number> => {
    const { rows } = await database.pool.query<{ count: number }>(`select count(*) from ${table}`);
    return rows[0]!.count;
  };

  it('writes the consignment, its packages, its dispatch and the job that takes it up', async () => {
    const accepted = await acceptCreate(database.pool, await order('R1'));
    if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
    const { rows: packages } = await database.pool.query(
      'select reference from packages where consignment_id = $1 order by position',
      [accepted.consignmentId],
    );
    expect(packages).toEqual([{ reference: 'P1' }, { reference: 'P2' }]);
    const { rows: dispatches } = await database.pool.query(
      'select state, operation, attempt from dispatches where id = $1',
      [accepted.dispatchId],
    );
    expect(dispatches).toEqual([{ state: 'pending', operation: 'create', attempt: 0 }]);
    const { rows: jobs } = await database.pool.query('select queue, job_id from outbox');
    expect(jobs).toEqual([{ queue: 'dispatch', job_id: `d-${accepted.dispatchId}-a1` }]);
  });

  it('of many at once with one reference takes one, and shows the others that', async () => {
    const one = await order('R2');
    const accepted = await Promise.all(Array.from({ length: 8 }, async () => await acceptCreate(database.pool, one)));
    expect(accepted.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    const [first] = accepted.flatMap((each) => (each.kind === 'accepted' ? [each.consignmentId] : []));
    for (const each of accepted) if (each.kind === 'duplicate') expect(each.existing.id).toBe(first);
  });

  it('takes the same reference of another environment', async () => {
    await acceptCreate(database.pool, await order('R3'));
    expect((await acceptCreate(database.pool, await order('R3', { environment: 'sandbox' }))).kind).toBe('accepted');
  });

  it('takes a reference again that a rejection has freed', async () => {
    const accepted = await acceptCreate(database.pool, await order('R4'));
    if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
    await database.pool.query('update consignments set released_at = now() where id = $1', [accepted.consignmentId]);
    expect((await acceptCreate(database.pool, await order('R4'))).kind).toBe('accepted');
  });

  it('leaves nothing of one that could not be written whole', async () => {
    const before = [await count('consignments'), await count('outbox')];
    await expect(acceptCreate(database.pool, await order('R5', { profileHash: 'nobody kept it' }))).rejects.toThrow();
    expect([await count('consignments'), await count('outbox')]).toEqual(before);
  });
});

describe('the id of a job', () => {
  it('says which dispatch it is about', () => {
    expect(parseDispatchJobId(dispatchJobId(17, 3))).toBe(17);
  });
  it.each(['d-17', 'd-x-a1', 'd-17-a1; drop', 'x-17-a1', 'd-1234567890123456-a1'])(
    'that is none (%s) is nobody’s',
    (id) => {
      expect(parseDispatchJobId(id)).toBeUndefined();
    },
  );
});
