import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { translate } from '../../../src/engine/consignment/translate.ts';
import { canonicalOf, findConsignmentById } from '../../../src/platform/records/consignments.ts';
import { createDispatches, type DispatchView, listDispatches } from '../../../src/platform/records/dispatches.ts';
import {
  acceptCancel,
  type AcceptedUpdate,
  acceptRetry,
  acceptUpdate,
  type OrderStore,
} from '../../../src/platform/records/accept-change.ts';
import { type ConsignmentStanding, standingOf } from '../../../src/platform/records/standing.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { findRecordedDispatch } from '../../../src/platform/records/recorded-traffic.ts';
import { fakeClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { conclude, heldFor, made } from './dispatch-world.ts';
import { accept, sealer } from './world.ts';

const service = { name: 'Express', typeOfService: 'EXPRESS', code: undefined, orders: undefined } as const;
const order = leastOrder();
const consignment = translate(order, { operation: 'create', carrierCode: 'acme', service, labelFormat: 'PDF' });

const dispatchOf = (accepted: AcceptedUpdate | Awaited<ReturnType<typeof acceptRetry>>): number => {
  if (accepted.kind !== 'accepted' || accepted.dispatchId === undefined) throw new Error(accepted.kind);
  return accepted.dispatchId;
};

describe('orders', () => {
  const database = freshDatabase();
  const clock = fakeClock();
  let store: OrderStore;

  beforeAll(async () => {
    const publicUrl = 'https://waybill.example.com';
    store = { pool: database.pool, nowMs: clock.now, publicUrl, factsOf: () => NO_FACTS };
    await keepProfileVersion(database.pool, 'v2', 'acme', '{}');
  });

  const dispatches = () => createDispatches({ ...store, sealer });
  const create = () =>
    accept(database.pool, {
      orderText: JSON.stringify(order),
      consignment: { ...consignment, consignmentNumber: randomUUID() },
      service,
    });
  /** A consignment that its carrier has. */
  const created = async (): Promise<number> => {
    const { consignmentId, dispatchId } = await create();
    await end(dispatchId, made('T1'));
    return consignmentId;
  };
  const end = (dispatchId: number, outcome: RunOutcome) => conclude(dispatches(), dispatchId, outcome);

  const asked = { service, profileHash: 'v1', actor: 'shipper:shop', claim: undefined };
  const cancel = (consignmentId: number) => acceptCancel(store, { consignmentId, ...asked, remark: undefined });
  const update = (consignmentId: number, basedOn = JSON.stringify(order)) =>
    acceptUpdate(store, {
      consignmentId,
      ...asked,
      basedOn: { orderText: basedOn, carrierCode: 'acme' },
      orderText: JSON.stringify({ ...order, changed: true }),
      orderTypes: ['FORWARD'],
      consignment: { ...consignment, typeOfAction: 'UPDATE' },
      tellCarrier: true,
      carrierUpdates: true,
    });
  const retry = (consignmentId: number) => acceptRetry(store, { consignmentId, ...asked, profileHash: 'v2' });
  const orderText = async (id: number) => (await findConsignmentById(database.pool, id))?.orderText;

  const inputsOf = async (dispatchId: number) => (await findRecordedDispatch(database.pool, dispatchId))?.inputs;

  it('keeps with each dispatch the consignment that it was given, whatever becomes of it', async () => {
    const { consignmentId, dispatchId } = await create();
    const given = await inputsOf(dispatchId);
    expect(given).toMatchObject({
      service: { name: 'Express' },
      consignment: { typeOfAction: 'CREATE', itemList: [{}] },
    });
    await end(dispatchId, made('T1'));
    const updated = dispatchOf(await update(consignmentId));
    await end(updated, { kind: 'done', result: undefined, answers: {} });
    expect(await inputsOf(dispatchId)).toEqual(given);
    expect(await inputsOf(updated)).toMatchObject({ consignment: { typeOfAction: 'UPDATE' } });
    const now = await findConsignmentById(database.pool, consignmentId);
    expect(now && canonicalOf(now)).toMatchObject({ typeOfAction: 'UPDATE' });
  });

  it('lets either the worker or the cancel have a pending create, never both', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { consignmentId, dispatchId } = await create();
      const [[claim], cancelled] = await Promise.all([dispatches().claim([dispatchId]), cancel(consignmentId)]);
      expect([claim === undefined, cancelled.kind]).toEqual(claim === undefined ? [true, 'accepted'] : [false, 'busy']);
    }
  });

  const createHeld = async (why: 'fail' | 'unknown_outcome') => {
    const accepted = await create();
    await end(accepted.dispatchId, heldFor(why));
    return accepted;
  };
  const heldCreate = async () => (await createHeld('fail')).consignmentId;

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
    expect(await orderText(consignmentId)).toBe(JSON.stringify(order));
    await end(dispatchOf(accepted), { kind: 'done', result: undefined, answers: {} });
    expect(await orderText(consignmentId)).toContain('changed');
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
    const { consignmentId, dispatchId } = await createHeld('fail');
    const retried = dispatchOf(await retry(consignmentId));
    expect(retried).not.toBe(dispatchId);
    const [old, anew] = await database.rows<{ profile_hash: string; seed: string }>(
      'select profile_hash, seed from dispatches where consignment_id = $1 order by id',
      consignmentId,
    );
    expect([old!.profile_hash, anew!.profile_hash]).toEqual(['v1', 'v2']);
    expect(old!.seed).not.toBe(anew!.seed);
    expect(await inputsOf(retried)).toEqual(await inputsOf(dispatchId));
  });

  it('goes on with what nobody knows in the version and under the keys it has', async () => {
    const { consignmentId, dispatchId } = await createHeld('unknown_outcome');
    await database.rows(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
       values ($1, 'create', 0, 1, 'unknown', now(), now())`,
      dispatchId,
    );
    expect(await retry(consignmentId)).toEqual({ kind: 'accepted', dispatchId });
    expect(await dispatches().claim([dispatchId])).toMatchObject([{ profileHash: 'v1' }]);
  });

  it('tells shippers and the records of a cancel that no carrier had to hear of', async () => {
    const { consignmentId } = await create();
    expect(await cancel(consignmentId)).toEqual({ kind: 'accepted', dispatchId: undefined });
    const noticed = `select event, body::json ->> 'status' as status from notices where consignment_id = $1`;
    expect(await database.rows(noticed, consignmentId)).toEqual([
      { event: 'consignment.cancelled', status: 'Cancelled' },
    ]);
    const audited = 'select actor, action from audit_log where subject = $1';
    expect(await database.rows(audited, `consignment:${consignmentId}`)).toEqual([
      { actor: 'shipper:shop', action: 'cancel' },
    ]);
  });
});

const dispatch = (id: number, operation: string, state: string, why = 'fail') =>
  ({ id, operation, state, failure: { why, problem: { code: why, messages: [] } } }) as unknown as DispatchView;
const record = (acceptance: string, status = 'Order Created') =>
  ({ acceptance, status, packages: [{ status }] }) as unknown as Parameters<typeof standingOf>[0];
const inTransit = record('accepted', 'In Transit');
const CREATED = dispatch(1, 'create', 'done');
const GIVEN_UP = dispatch(1, 'create', 'cancelled');

describe('standingOf', () => {
  it.each<[string, ConsignmentStanding['kind'], ReturnType<typeof record>, readonly DispatchView[]]>([
    ['rejected by the carrier', 'rejected', record('rejected'), [dispatch(1, 'create', 'rejected')]],
    ['cancelled', 'cancelled', record('cancelled'), []],
    ['picked up, whatever is under way', 'dispatched', inTransit, [dispatch(1, 'update', 'sending')]],
    ['its create is under way', 'busy', record('pending'), [dispatch(1, 'create', 'waiting')]],
    ['its create is held', 'create_held', record('pending'), [dispatch(1, 'create', 'held')]],
    ['held, but tried again', 'busy', record('pending'), [GIVEN_UP, dispatch(2, 'create', 'pending')]],
    ['with the carrier', 'accepted', record('accepted'), [CREATED]],
    ['with the carrier, an update held', 'accepted', record('accepted'), [CREATED, dispatch(2, 'update', 'held')]],
  ])('a consignment %s is %s', (_, kind, consignment, list) => {
    expect(standingOf(consignment, list).kind).toBe(kind);
  });
});
