import { beforeAll, describe, expect, it } from 'vitest';
import { effectsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { translate } from '../../../src/engine/consignment/translate.ts';
import { findConsignmentById } from '../../../src/platform/records/consignments.ts';
import { createDispatches, type DispatchView, listDispatches } from '../../../src/platform/records/dispatches.ts';
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
import { fakeClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { accept, sealer } from './world.ts';

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

  beforeAll(async () => {
    const recordNotices = createRecordNotices({ publicUrl: 'https://waybill.example.com', nowMs: clock.now });
    store = { pool: database.pool, nowMs: clock.now, recordNotices, onProof: nothing, onLabel: nothing };
    await keepProfileVersion(database.pool, 'v2', 'acme', '{}');
  });

  const dispatches = () => createDispatches({ ...store, sealer, settle: store });
  const create = () => accept(database.pool, { orderText: JSON.stringify(order), consignment, service });
  /** A consignment that its carrier has. */
  const created = async (): Promise<number> => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, taken);
    return consignmentId;
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

  const heldCreate = async (): Promise<number> => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, heldFor('fail'));
    return consignmentId;
  };

  it.each([
    ['two cancels', created, cancel, cancel],
    ['an update and a cancel', created, (id: number) => update(id), cancel],
    ['two retries', heldCreate, retry, retry],
  ])('accepts one of %s at once', async (_, prepare, one, other) => {
    const consignmentId = await prepare();
    const kinds = (await Promise.all([one(consignmentId), other(consignmentId)])).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['accepted', 'busy']);
  });

  it('wants an update to be laid over the order as it is', async () => {
    const consignmentId = await created();
    expect(await update(consignmentId, '{"of": "yesterday"}')).toEqual({ kind: 'outdated' });
  });

  it('leaves the order as it is until the carrier has taken the update', async () => {
    const consignmentId = await created();
    const accepted = await update(consignmentId);
    expect((await findConsignmentById(database.pool, consignmentId))?.orderText).toBe(JSON.stringify(order));
    await end(dispatchOf(accepted), { kind: 'done', result: undefined, answers: {} });
    expect((await findConsignmentById(database.pool, consignmentId))?.orderText).toContain('changed');
  });

  it('drops a held update when a later one or a cancel is accepted', async () => {
    const consignmentId = await created();
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

const dispatch = (id: number, operation: string, state: string, why = 'fail') =>
  ({ id, operation, state, failure: { why, problem: { code: why, messages: [] } } }) as unknown as DispatchView;
const record = (acceptance: string, status = 'Order Created') =>
  ({ acceptance, status, packages: [{ status }] }) as unknown as Parameters<typeof standingOf>[0];
const CREATED = dispatch(1, 'create', 'done');

describe('standingOf', () => {
  it.each<[string, Standing['kind'], ReturnType<typeof record>, readonly DispatchView[]]>([
    ['rejected by the carrier', 'rejected', record('rejected'), [dispatch(1, 'create', 'rejected')]],
    ['cancelled', 'cancelled', record('cancelled'), []],
    [
      'picked up, whatever is under way',
      'dispatched',
      record('accepted', 'In Transit'),
      [dispatch(1, 'update', 'sending')],
    ],
    ['its create is under way', 'busy', record('pending'), [dispatch(1, 'create', 'waiting')]],
    ['its create is held', 'create_held', record('pending'), [dispatch(1, 'create', 'held')]],
    [
      'held, but tried again',
      'busy',
      record('pending'),
      [dispatch(1, 'create', 'cancelled'), dispatch(2, 'create', 'pending')],
    ],
    ['with the carrier', 'accepted', record('accepted'), [CREATED]],
    ['with the carrier, an update held', 'accepted', record('accepted'), [CREATED, dispatch(2, 'update', 'held')]],
  ])('a consignment %s is %s', (_, kind, consignment, list) => {
    expect(standingOf(consignment, list).kind).toBe(kind);
  });
});
