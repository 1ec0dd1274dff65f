import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, done, held, rejected } from './harness.ts';

const api = apiUnderTest();

/** A consignment whose last dispatch ended so: its create, or a cancel or update of what the carrier has. */
const heldAs = async (outcome: RunOutcome, operation: 'create' | 'update' | 'cancel' = 'create') => {
  const shipper = await api.newShipper();
  api.state.answering = operation === 'create' ? () => outcome : accepts();
  await shipper.create(leastOrder());
  api.state.answering = () => outcome;
  if (operation === 'update') await shipper.update(update('first'));
  if (operation === 'cancel') await shipper.cancel(CANCEL);
  const read = async () => await shipper.read('REF-1');
  const { dispatches } = await read();
  const { id } = dispatches.at(-1);
  const resolve = async (body: object) => await api.admin('POST', `/admin/dispatches/${id}/resolve`, body);
  const retry = async () => await shipper.retry('REF-1');
  return { shipper, read, id, resolve, retry };
};
const CANCEL = { consignments: [{ referenceNumber: 'REF-1' }] };
const update = (deliveryInstructions: string) => ({
  consignmentDetails: { referenceNumber: 'REF-1', deliveryInstructions },
});
const note = 'Seen in the carrier’s portal';
const numbers = (trackingNumber = 'OP-1') => [{ packageId: 'P1', trackingNumber }];
const events = async (): Promise<string[]> => {
  const { rows } = await api.database.pool.query(
    'select event from notices where consignment_id = (select max(id) from consignments) order by sequence',
  );
  return rows.map(({ event }) => event);
};

/** What a carrier that recreates leaves when it cancelled the old shipment and did not make the new one. */
const recreate = (why: 'fail' | 'unknown_outcome'): RunOutcome => ({ ...held(why), oldCancelled: true }) as RunOutcome;
const asked: string[] = [];
const noting = (outcome: RunOutcome) => {
  asked.length = 0;
  api.state.answering = (operation, consignment) => {
    asked.push(operation);
    return operation === 'create' && outcome.kind === 'done' ? accepts()(operation, consignment) : outcome;
  };
};

describe('a held dispatch', () => {
  it('is listed for operators, with why and for whom', async () => {
    const { id, shipper } = await heldAs(held('undo_failed', 'could not take back step create'));
    const { data } = await api.admin('GET', '/admin/dispatches/held?limit=500');
    expect(data.data.find((one: { id: number }) => one.id === id)).toEqual({
      id,
      operation: 'create',
      shipper: shipper.code,
      environment: 'production',
      referenceNumber: 'REF-1',
      carrierCode: 'acme',
      packages: ['P1'],
      failure: { why: 'undo_failed', code: 'undo_failed', messages: ['could not take back step create'] },
      heldAt: '2026-05-01T09:00:00.000Z',
    });
    await heldAs(held('fail'));
    const first = (await api.admin('GET', '/admin/dispatches/held?limit=1')).data;
    const second = (await api.admin('GET', `/admin/dispatches/held?limit=1&after=${first.nextAfter}`)).data;
    expect(second.data[0].id).toBeGreaterThan(first.data[0].id);
  });

  it('for a part that stayed at the carrier is open to the shipper again once an operator has cleared it', async () => {
    const { resolve, retry, read } = await heldAs(held('undo_failed'));
    expect((await retry()).statusCode).toBe(409);
    expect((await resolve({ outcome: 'not_done', note })).data).toMatchObject({ state: 'held', acceptance: 'pending' });
    api.state.answering = accepts();
    expect((await retry()).data.data[0].trackingDetails).toHaveLength(1);
    expect((await read()).acceptance).toBe('accepted');
  });

  it('that the carrier did carry out ends well with the numbers it gave', async () => {
    const { resolve, read } = await heldAs(held('unknown_outcome'));
    expect((await resolve({ outcome: 'done', note })).statusCode).toBe(400);
    const strange = await resolve({ outcome: 'done', note, trackingNumbers: [{ ...numbers()[0], packageId: 'P9' }] });
    expect(JSON.stringify(strange.data)).toMatch(/lacks package P1.*names P9/);
    const told = await resolve({
      outcome: 'done',
      note,
      trackingNumbers: numbers(' OP-1 '),
      masterTrackingNumber: 'OP-M',
    });
    expect(told.data).toMatchObject({ state: 'done', acceptance: 'accepted', referenceNumber: 'REF-1' });
    expect(await read()).toMatchObject({
      masterTrackingNumber: 'OP-M',
      trackingDetails: [{ packageId: 'P1', trackingNumber: 'OP-1' }],
    });
    expect(await events()).toEqual(['consignment.held', 'consignment.tracking']);
  });

  it('that will not be done frees the reference of a create', async () => {
    const { resolve, shipper } = await heldAs(held('undo_failed'));
    expect((await resolve({ outcome: 'rejected', note })).data).toMatchObject({ acceptance: 'rejected' });
    api.state.answering = accepts();
    expect((await shipper.create(leastOrder())).statusCode).toBe(200);
  });

  it('of a cancel that the carrier did carry out cancels', async () => {
    const { resolve, read } = await heldAs(held('unknown_outcome'), 'cancel');
    expect((await resolve({ outcome: 'done', note })).data).toMatchObject({ acceptance: 'cancelled' });
    expect((await read()).status).toBe('Cancelled');
  });

  it('is resolved once, and the audit log says by whom and how it was known', async () => {
    const { resolve, id } = await heldAs(held('unknown_outcome'), 'update');
    expect((await resolve({ outcome: 'rejected', note })).data).toMatchObject({ state: 'rejected' });
    expect((await resolve({ outcome: 'rejected', note })).statusCode).toBe(409);
    const { rows } = await api.database.pool.query(`select actor, detail from audit_log where action = 'resolve'
      order by id desc limit 1`);
    expect(rows).toEqual([{ actor: 'admin', detail: `dispatch ${id} (update) is rejected: ${note}` }]);
  });

  it('is no business of shippers, and nothing else is taken for one', async () => {
    const { shipper, id, resolve } = await heldAs(held('undo_failed'));
    const path = `/admin/dispatches/${id}/resolve`;
    expect((await shipper('POST', path, { outcome: 'rejected', note })).statusCode).toBe(401);
    expect((await resolve({ outcome: 'rejected' })).statusCode).toBe(400);
    expect((await resolve({ outcome: 'gone', note })).statusCode).toBe(400);
    expect((await resolve({ outcome: 'not_done', note, trackingNumbers: numbers() })).statusCode).toBe(400);
    const none = await api.admin('POST', '/admin/dispatches/999999/resolve', { outcome: 'rejected', note });
    expect(none.statusCode).toBe(404);
  });
});

describe('an update that cancelled the shipment of before and made no new one', () => {
  it('leaves a create to do: a retry creates, and cancels nothing', async () => {
    const { retry, read } = await heldAs(recreate('fail'), 'update');
    const before = await read();
    expect(before).toMatchObject({ acceptance: 'pending', trackingDetails: [] });
    expect(before.labels.map(({ state }: { state: string }) => state)).toEqual(['revoked']);
    noting(done());
    expect((await retry()).data.data[0].trackingDetails).toHaveLength(1);
    expect(asked).toEqual(['create']);
    const { rows } = await api.database.pool.query('select input from dispatches order by id desc limit 1');
    const input = JSON.parse(rows[0].input);
    expect(input.consignment).toMatchObject({ typeOfAction: 'CREATE', deliveryInstructions: 'first' });
    expect(input).not.toHaveProperty('shipment');
  });

  it('takes a further change into what a retry creates', async () => {
    const { shipper, retry } = await heldAs(recreate('fail'), 'update');
    noting(done());
    expect((await shipper.update(update('second'))).statusCode).toBe(200);
    expect(asked).toEqual([]);
    await retry();
    expect(asked).toEqual(['create']);
    const { rows } = await api.database.pool.query('select input from dispatches order by id desc limit 1');
    expect(rows[0].input).toContain('"second"');
  });

  it('is cancelled here, as the carrier has nothing', async () => {
    const { shipper, read } = await heldAs(recreate('fail'), 'update');
    noting(done());
    expect((await shipper.cancel(CANCEL)).data).toMatchObject({ successCount: 1 });
    expect(asked).toEqual([]);
    expect((await read()).acceptance).toBe('cancelled');
  });

  it('frees its reference when the carrier refuses the create for good', async () => {
    const { retry, shipper } = await heldAs(recreate('fail'), 'update');
    noting(rejected('no'));
    expect((await retry()).statusCode).toBe(422);
    api.state.answering = accepts();
    expect((await shipper.create(leastOrder())).statusCode).toBe(200);
  });

  it('goes on with itself where nobody knows of the new one, and takes no other action before', async () => {
    const { shipper, retry, read } = await heldAs(recreate('unknown_outcome'), 'update');
    expect((await shipper.update(update('second'))).statusCode).toBe(409);
    expect((await shipper.cancel(CANCEL)).data).toMatchObject({ failedCount: 1 });
    const result = {
      packages: [{ itemReferenceNumber: 'P1', trackingNumber: 'NEW', memo: {} }],
      memo: {},
      warnings: [],
    };
    noting({ kind: 'done', result, answers: {}, oldCancelled: true });
    await retry();
    expect(asked).toEqual(['update']);
    expect(await read()).toMatchObject({ acceptance: 'accepted', trackingDetails: [{ trackingNumber: 'NEW' }] });
  });
});

describe('an update', () => {
  it('changes what subscriptions an order matches, once the carrier has taken it', async () => {
    const types = async () => {
      const { rows } = await api.database.pool.query(
        'select order_types, consignment_type from consignments order by id desc limit 1',
      );
      return [...rows[0].order_types, rows[0].consignment_type];
    };
    const shipper = await api.newShipper();
    api.state.answering = accepts();
    for (const code of ['NORTH', 'SOUTH']) {
      const { contact, address } = leastOrder().shipFrom;
      await shipper('PUT', `/v2/facilities/${code}`, { contact, address: { ...address, county: 'Example' } });
    }
    await shipper.create(leastOrder());
    const exchange = {
      consignmentDetails: { referenceNumber: 'REF-1', additionalInformation: { exchangeOrderNumber: 'O-0' } },
    };
    api.state.answering = () => rejected('no');
    expect((await shipper.update(exchange)).statusCode).toBe(422);
    expect(await types()).toEqual(['FORWARD', 'FORWARD']);
    api.state.answering = accepts();
    expect((await shipper.update(exchange)).statusCode).toBe(200);
    expect(await types()).toEqual(['FORWARD', 'EXCHANGE', 'FORWARD']);
    const moved = {
      consignmentDetails: { referenceNumber: 'REF-1', consignmentType: 'REVERSE' },
      shipFrom: { originFacilityCode: 'NORTH' },
      shipTo: { destinationFacilityCode: 'SOUTH' },
    };
    const response = await shipper.update(moved);
    expect(response.statusCode, response.body).toBe(200);
    expect(await types()).toEqual(['REVERSE', 'EXCHANGE', 'TRANSFER', 'REVERSE']);
  });

  it('of an order that the carrier does not have yet changes them at once', async () => {
    const shipper = await api.newShipper();
    api.state.answering = () => held('fail');
    await shipper.create(changed(leastOrder(), {}));
    const exchange = {
      consignmentDetails: { referenceNumber: 'REF-1', additionalInformation: { exchangeOrderNumber: 'O-0' } },
    };
    await shipper.update(exchange);
    const { rows } = await api.database.pool.query('select order_types from consignments order by id desc limit 1');
    expect(rows[0].order_types).toEqual(['FORWARD', 'EXCHANGE']);
  });
});
