import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { acceptCreate, type ChosenInputs, type NewConsignment } from '../../../src/platform/records/accept-create.ts';
import { canonicalOf, findConsignmentById } from '../../../src/platform/records/consignments.ts';
import { noteCutShort } from '../../../src/platform/records/cut-short.ts';
import { type Claim, ClaimLost, findActs, findRequest } from '../../../src/platform/records/idempotency.ts';
import { findRecordedDispatch } from '../../../src/platform/records/recorded-traffic.ts';
import { freshDatabase } from '../../support/database.ts';
import { accept, newOrder, newOwner } from './world.ts';

const BEGAN_MS = Date.parse('2026-05-01T09:00:00Z');

const claimOf = ({ shipperId, environment }: NewConsignment, key: string, request = 'one request'): Claim => ({
  shipperId,
  environment,
  key,
  owner: randomUUID(),
  requestHash: Buffer.from(request),
  begunAtMs: BEGAN_MS,
});
/** The same order, tried again. */
const repeated = (order: NewConsignment) => ({ ...order, seed: randomUUID() });

describe('accepting a create', () => {
  const database = freshDatabase();
  const count = () =>
    database.rows(`select (select count(*) from consignments), (select count(*) from dispatches) as dispatches,
      (select count(*) from idempotency_keys) as keys`);
  const keyed = async (key: string, request?: string) => {
    const order = await newOrder(database.pool);
    return { ...order, claim: claimOf(order, key, request) };
  };
  /** Counts statements, and may lose the answer to one. */
  const counting = () => {
    const seen = { statements: 0, isLosing: false };
    const pool = new Proxy(database.pool, {
      get: (real, name) => {
        if (name !== 'query') return Reflect.get(real, name, real) as unknown;
        return async (...args: unknown[]) => {
          seen.statements += 1;
          const result = await (real.query as (...of: unknown[]) => Promise<unknown>)(...args);
          if (seen.isLosing) throw new Error('Connection terminated unexpectedly');
          return result;
        };
      },
    });
    return { pool, seen };
  };

  /** An order whose answer was lost with the connection. */
  const lost = async () => {
    const { pool, seen } = counting();
    const order = await newOrder(database.pool);
    seen.isLosing = true;
    await expect(acceptCreate(pool, order)).rejects.toThrow('terminated');
    return order;
  };

  it('writes the consignment, its packages, and its dispatch', async () => {
    const { consignmentId, dispatchId } = await accept(database.pool, { packages: 2, service: { code: 'S' } });
    const packed = 'select reference from packages where consignment_id = $1 order by position';
    expect(await database.values(packed, consignmentId)).toEqual(['P1', 'P2']);
    const rows = await database.rows(
      'select state, operation, attempt, input from dispatches where id = $1',
      dispatchId,
    );
    expect(rows).toEqual([{ state: 'pending', operation: 'create', attempt: 0, input: '{"service":{"code":"S"}}' }]);
    const recorded = await findRecordedDispatch(database.pool, dispatchId);
    const record = await findConsignmentById(database.pool, consignmentId);
    expect(recorded?.inputs).toEqual({ consignment: record && canonicalOf(record), service: { code: 'S' } });
    const names = 'select kind from identifiers where consignment_id = $1 order by kind';
    expect(await database.values(names, consignmentId)).toEqual(['Consignment', 'Order', 'Reference']);
  });

  it('keeps the consignment with a create that may go on to another carrier, which makes it another', async () => {
    const chosen = { choice: { policy: 'cheapest' }, next: [{ carrierCode: 'b' }] } as unknown as ChosenInputs;
    const { consignmentId, dispatchId } = await accept(database.pool, { service: { code: 'S' }, chosen });
    const recorded = async () => (await findRecordedDispatch(database.pool, dispatchId))?.inputs;
    const given = await recorded();
    expect(given).toMatchObject({ consignment: { typeOfAction: 'CREATE' }, service: { code: 'S' }, next: chosen.next });
    await database.rows(`update consignments set canonical = '{"of":"b"}' where id = $1`, consignmentId);
    expect(await recorded()).toEqual(given);
  });

  it('takes one statement, also for many that come at once', async () => {
    const { pool, seen } = counting();
    expect(await acceptCreate(pool, await keyed('alone'))).toMatchObject({ kind: 'accepted' });
    expect(seen.statements).toBe(1);
    const orders = await Promise.all(Array.from({ length: 20 }, (_, at) => keyed(`many-${at}`)));
    const accepted = await Promise.all(orders.map((order) => acceptCreate(pool, order)));
    expect(seen.statements).toBe(2);
    for (const [at, one] of accepted.entries()) {
      if (one.kind !== 'accepted') throw new Error(one.kind);
      const own = 'select reference_number from consignments where id = $1';
      expect(await database.values(own, one.consignmentId)).toEqual([orders[at]!.referenceNumber]);
      const { consignmentId, dispatchId } = one;
      expect(await findActs(pool, orders[at]!.claim)).toEqual([{ consignmentId, dispatchId }]);
    }
  });

  it('takes no more of them where shippers gave tracking numbers', async () => {
    const { shipperId } = await newOwner(database.pool, 'example');
    const sealed = `insert into accounts (shipper_id, carrier_code, environment, credentials, settings)
      values ($1, 'acme', 'production', '', '{}') on conflict (shipper_id, carrier_code, environment)
      do update set version = 1 returning id`;
    const [accountId] = await database.values<number>(sealed, shipperId);
    const orders = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const order = await newOrder(database.pool, { accountId });
        const itemList = [{ itemReferenceNumber: 'P1', itemTrackingNumber: `GIVEN-${at % 10}` }];
        return { ...order, consignment: { ...order.consignment, itemList } as never };
      }),
    );
    const { pool, seen } = counting();
    const first = await Promise.all(orders.slice(0, 10).map((order) => acceptCreate(pool, order)));
    expect([seen.statements, new Set(first.map(({ kind }) => kind))]).toEqual([1, new Set(['accepted'])]);
    const again = await Promise.all(orders.slice(10).map((order) => acceptCreate(pool, order)));
    expect(again).toMatchObject(
      first.map((one) => ({
        kind: 'duplicate',
        name: 'tracking_number',
        existing: { id: (one as { consignmentId: number }).consignmentId },
      })),
    );
  });

  it('of many at once with one reference takes one, and shows the others that', async () => {
    const one = await newOrder(database.pool);
    const accepted = await Promise.all(Array.from({ length: 8 }, () => acceptCreate(database.pool, one)));
    const [first, ...others] = accepted.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    if (first?.kind !== 'accepted') throw new Error('none is accepted');
    const existing = expect.objectContaining({ id: first.consignmentId }) as object;
    const taken = { field: 'consignmentDetails.referenceNumber', value: one.referenceNumber };
    expect(others).toEqual(others.map(() => ({ kind: 'duplicate', name: 'reference', ...taken, existing })));
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

  it('leaves nothing of one that could not be written whole, and all of those that came with it', async () => {
    const before = await count();
    const unkept = { ...(await keyed('unkept')), profileHash: 'nobody kept it' };
    await expect(acceptCreate(database.pool, unkept)).rejects.toThrow();
    expect(await count()).toEqual(before);

    const others = await Promise.all(Array.from({ length: 9 }, (_, at) => keyed(`beside-${at}`)));
    const ended = await Promise.allSettled([...others, unkept].map((order) => acceptCreate(database.pool, order)));
    expect(ended.map(({ status }) => status)).toEqual([...others.map(() => 'fulfilled'), 'rejected']);
    const more = Object.entries(before[0]!).map(([name, number]) => [name, Number(number) + 9]);
    expect(await count()).toEqual([Object.fromEntries(more)]);
  });

  it('takes nothing under a key that is known, whatever its order', async () => {
    const first = await keyed('known');
    await acceptCreate(database.pool, first);
    const before = await count();
    const repeat = { ...first, claim: claimOf(first, 'known') };
    await expect(acceptCreate(database.pool, repeat)).rejects.toThrow(ClaimLost);
    const other = await keyed('known', 'another request');
    await expect(acceptCreate(database.pool, other)).rejects.toThrow(ClaimLost);
    expect(await count()).toEqual(before);
    expect(await findRequest(database.pool, other.claim, 0)).toEqual({ kind: 'other_request' });
  });

  it('of many at once with one key takes one', async () => {
    const orders = await Promise.all(Array.from({ length: 8 }, () => keyed('contended')));
    const ended = await Promise.allSettled(orders.map((order) => acceptCreate(database.pool, order)));
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of ended) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(ClaimLost);
  });

  it('leaves the key of a duplicate free', async () => {
    const { reference: referenceNumber } = await accept(database.pool);
    const order = await newOrder(database.pool, { referenceNumber });
    const claim = claimOf(order, 'duplicate');
    expect(await acceptCreate(database.pool, { ...order, claim })).toMatchObject({ kind: 'duplicate' });
    expect(await findRequest(database.pool, claim, 0)).toBeUndefined();
  });

  describe('whose answer was lost with the connection', () => {
    it('yields what was recorded to each repeat of the same order', async () => {
      const order = await lost();
      await noteCutShort(database.pool, order.seed);
      const again = await Promise.all([1, 2, 3].map(() => acceptCreate(database.pool, repeated(order))));
      expect(again).toEqual([1, 2, 3].map(() => ({ ...again[0], kind: 'accepted' })));
      const [dispatches] = await database.values(
        'select count(*) from dispatches d join consignments c on c.id = consignment_id where reference_number = $1',
        order.referenceNumber,
      );
      expect(dispatches).toBe(1);
    });

    it('yields nothing to another order of that reference', async () => {
      const order = await lost();
      await noteCutShort(database.pool, order.seed);
      const other = { ...repeated(order), orderText: '{"another":1}' };
      expect(await acceptCreate(database.pool, other)).toMatchObject({ kind: 'duplicate' });
    });

    it('is noted of what that very try has recorded only', async () => {
      const order = await lost();
      await noteCutShort(database.pool, randomUUID());
      expect(await acceptCreate(database.pool, repeated(order))).toMatchObject({ kind: 'duplicate' });
    });
  });
});
