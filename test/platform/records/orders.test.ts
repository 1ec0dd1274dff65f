import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { effectsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { translate } from '../../../src/engine/consignment/translate.ts';
import { acceptCreate } from '../../../src/platform/records/accept-create.ts';
import { findConsignmentById } from '../../../src/platform/records/consignments.ts';
import { createDispatches, type DispatchView, listDispatches } from '../../../src/platform/records/dispatches.ts';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import { createRecordNotices } from '../../../src/platform/records/notices.ts';
import {
  acceptCancel,
  type AcceptedUpdate,
  acceptRetry,
  acceptUpdate,
  type OrderStore,
} from '../../../src/platform/records/accept-change.ts';
import { type Standing, standingOf } from '../../../src/platform/records/standing.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { saveShipper } from '../../../src/platform/records/shippers.ts';
import { fakeClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { leastOrder } from '../../engine/consignment/orders.ts';

const service = { name: 'Express', typeOfService: 'EXPRESS', code: undefined, orders: undefined } as const;
const nothing = () => Promise.resolve();
const order = leastOrder();
const consignment = translate(order, { operation: 'create', carrierCode: 'acme', service, labelFormat: 'PDF' });

const heldFor = (why: 'fail' | 'unknown_outcome'): RunOutcome => ({
  kind: 'held',
  why,
  problem: { code: why, messages: ['no luck'] },
});

const dispatchOf = (accepted: AcceptedUpdate): number => {
  if (accepted.kind !== 'accepted' || accepted.dispatchId === undefined) throw new Error(accepted.kind);
  return accepted.dispatchId;
};

describe('orders', () => {
  const database = freshDatabase();
  const clock = fakeClock();
  let store: OrderStore;
  let shipperId: number;

  beforeAll(async () => {
    const recordNotices = createRecordNotices({ publicUrl: 'https://waybill.example.com', nowMs: clock.now });
    store = { pool: database.pool, nowMs: clock.now, recordNotices, onProof: nothing, onLabel: nothing };
    shipperId = (await saveShipper(database.pool, { code: 'shop', name: 'Example Shop', details: undefined })).id;
    for (const hash of ['v1', 'v2']) await keepProfileVersion(database.pool, hash, 'acme', '{}');
  });

  const dispatches = () =>
    createDispatches({
      ...store,
      sealer: createSealer(Buffer.alloc(32).toString('base64')),
      settle: store,
    });

  const create = async (): Promise<{ consignmentId: number; dispatchId: number }> => {
    const accepted = await acceptCreate(database.pool, {
      shipperId,
      environment: 'production',
      orderTypes: ['FORWARD'],
      carrierCode: 'acme',
      accountId: undefined,
      profileHash: 'v1',
      orderText: JSON.stringify(order),
      referenceNumber: randomUUID(),
      consignment,
      service,
    });
    if (accepted.kind !== 'accepted') throw new Error('a reference came twice');
    return accepted;
  };

  const end = async (dispatchId: number, outcome: RunOutcome): Promise<void> => {
    const claim = await dispatches().claim(dispatchId);
    if (claim === undefined) throw new Error('not to be claimed');
    await dispatches().conclude(claim, effectsOf(claim.operation, outcome, NO_FACTS));
  };
  const taken: RunOutcome = {
    kind: 'done',
    result: { packages: [{ itemReferenceNumber: 'P1', trackingNumber: 'T1', memo: {} }], memo: {}, warnings: [] },
    answers: {},
  };

  const cancel = async (consignmentId: number) =>
    await acceptCancel(store, {
      consignmentId,
      remark: undefined,
      service,
      profileHash: 'v1',
      actor: 'shipper:shop',
      claim: undefined,
    });
  const update = async (consignmentId: number, basedOn = JSON.stringify(order)) =>
    await acceptUpdate(store, {
      consignmentId,
      basedOn,
      orderText: JSON.stringify({ ...order, changed: true }),
      orderTypes: ['FORWARD'],
      consignment: { ...consignment, typeOfAction: 'UPDATE' },
      service,
      profileHash: 'v1',
      tellCarrier: true,
      carrierUpdates: true,
      claim: undefined,
    });
  const retry = async (consignmentId: number) =>
    await acceptRetry(store, { consignmentId, profileHash: 'v2', actor: 'shipper:shop', claim: undefined });
  const jobs = async () =>
    (await database.pool.query<{ job_id: string }>('select job_id from outbox order by id')).rows.map(
      (row) => row.job_id,
    );

  it('lets either the worker or the cancel have a pending create, never both', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { consignmentId, dispatchId } = await create();
      const [claim, cancelled] = await Promise.all([dispatches().claim(dispatchId), cancel(consignmentId)]);
      expect([claim === undefined, cancelled.kind]).toEqual(claim === undefined ? [true, 'accepted'] : [false, 'busy']);
    }
  });

  it('accepts one of two cancels at once', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, taken);
    const kinds = (await Promise.all([cancel(consignmentId), cancel(consignmentId)])).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['accepted', 'busy']);
  });

  it('accepts one of an update and a cancel at once', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, taken);
    const kinds = (await Promise.all([update(consignmentId), cancel(consignmentId)])).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['accepted', 'busy']);
  });

  it('wants an update to be laid over the order as it is', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, taken);
    expect(await update(consignmentId, '{"of": "yesterday"}')).toEqual({ kind: 'outdated' });
  });

  it('leaves the order as it is until the carrier has taken the update', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, taken);
    const accepted = await update(consignmentId);
    expect((await findConsignmentById(database.pool, consignmentId))?.orderText).toBe(JSON.stringify(order));
    await end(dispatchOf(accepted), { kind: 'done', result: undefined, answers: {} });
    expect((await findConsignmentById(database.pool, consignmentId))?.orderText).toContain('changed');
  });

  it('drops a held update when a later one or a cancel is accepted', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, taken);
    const first = await update(consignmentId);
    await end(dispatchOf(first), heldFor('fail'));
    expect((await cancel(consignmentId)).kind).toBe('accepted');
    const states = (await listDispatches(database.pool, consignmentId)).map(({ state }) => state);
    expect(states).toEqual(['done', 'cancelled', 'pending']);
  });

  it('retries what certainly failed with the carrier as it is now, as a new dispatch', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, heldFor('fail'));
    const retried = await retry(consignmentId);
    if (retried.kind !== 'accepted') throw new Error(retried.kind);
    expect(retried.dispatchId).not.toBe(dispatchId);
    const { rows } = await database.pool.query(
      'select profile_hash, seed, input from dispatches where consignment_id = $1 order by id',
      [consignmentId],
    );
    expect(rows.map((row) => row.profile_hash)).toEqual(['v1', 'v2']);
    expect(rows[0].seed).not.toBe(rows[1].seed);
    expect(rows[0].input).toBe(rows[1].input);
    expect(await jobs()).toContain(`d-${retried.dispatchId}-a1`);
  });

  it('goes on with what nobody knows in the version and under the keys it has', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, heldFor('unknown_outcome'));
    expect(await retry(consignmentId)).toEqual({ kind: 'accepted', dispatchId });
    expect(await jobs()).toContain(`d-${dispatchId}-a2`);
    expect(await dispatches().claim(dispatchId)).toMatchObject({ profileHash: 'v1' });
  });

  it('accepts one of two retries at once', async () => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, heldFor('fail'));
    const kinds = (await Promise.all([retry(consignmentId), retry(consignmentId)])).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['accepted', 'busy']);
  });

  it('tells shippers and the records of a cancel that no carrier had to hear of', async () => {
    const { consignmentId } = await create();
    expect(await cancel(consignmentId)).toEqual({ kind: 'accepted', dispatchId: undefined });
    const { rows } = await database.pool.query('select event, body from notices where consignment_id = $1', [
      consignmentId,
    ]);
    expect(rows.map(({ event, body }) => [event, JSON.parse(body).status])).toEqual([
      ['consignment.status', 'Cancelled'],
    ]);
    const audit = await database.pool.query('select actor, action from audit_log where subject = $1', [
      `consignment:${consignmentId}`,
    ]);
    expect(audit.rows).toEqual([{ actor: 'shipper:shop', action: 'cancel' }]);
  });
});

const dispatch = (id: number, operation: string, state: string, why?: string) =>
  ({
    id,
    operation,
    state,
    failure: why === undefined ? undefined : { why, problem: { code: why, messages: [] } },
  }) as unknown as DispatchView;
const record = (acceptance: string, status = 'Order Created') =>
  ({ acceptance, status, packages: [{ status }] }) as unknown as Parameters<typeof standingOf>[0];

describe('standingOf', () => {
  it.each<[string, Standing['kind'], Parameters<typeof standingOf>]>([
    ['rejected by the carrier', 'rejected', [record('rejected'), [dispatch(1, 'create', 'rejected')]]],
    ['cancelled', 'cancelled', [record('cancelled'), []]],
    [
      'picked up, whatever is under way',
      'dispatched',
      [record('accepted', 'In Transit'), [dispatch(1, 'update', 'sending')]],
    ],
    ['its create is under way', 'busy', [record('pending'), [dispatch(1, 'create', 'waiting')]]],
    ['its create is held', 'create_held', [record('pending'), [dispatch(1, 'create', 'held', 'fail')]]],
    [
      'held, but tried again',
      'busy',
      [record('pending'), [dispatch(1, 'create', 'cancelled'), dispatch(2, 'create', 'pending')]],
    ],
    ['with the carrier', 'accepted', [record('accepted'), [dispatch(1, 'create', 'done')]]],
    ['with the carrier, an update held', 'accepted', [record('accepted'), [dispatch(2, 'update', 'held', 'fail')]]],
  ])('a consignment %s is %s', (_, kind, [consignment, list]) => {
    expect(standingOf(consignment, list).kind).toBe(kind);
  });
});
