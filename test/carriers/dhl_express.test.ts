import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, shipmentOf, type Trip } from './trip.ts';

describe('against MyDHL API as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'dhl_express',
      settings: { account: '999000111', bookPickup: true },
      creates: [
        { consignment: 'one-box-de', service: 'Express', labels: '%PDF', data: { product: 'N' } },
        { consignment: 'three-boxes-de', service: 'Express 12:00', labels: '%PDF', data: { product: '1' } },
        { consignment: 'one-box-de', service: 'Economy', labels: '%PDF', data: { product: 'G' } },
        { consignment: 'one-box-de-us', service: 'Express', labels: '%PDF', data: { product: 'P' } },
        { consignment: 'one-box-de-us', service: 'Express 9:00', labels: '%PDF', data: { product: 'E' } },
        { consignment: 'three-boxes-de', service: 'Express', change: { labelFormat: 'ZPL' }, labels: '^XA' },
      ],
      rejects: [
        {
          consignment: 'one-box-de',
          service: 'Express',
          change: { shippingDateTime: '2026-06-04 10:00:00' },
          problem: { code: '998' },
        },
      ],
      unanswered: (['wrong_echo', 'wrong_count'] as const).map((how) => ({
        consignment: 'three-boxes-de',
        service: 'Express',
        how: { do: how },
        ends: 'held',
      })),
      probes: true,
    },
    (opened) => (trip = opened),
  );

  it('hears every breach of DHL’s schema', async () => {
    const wrong = { originPostalCode: '1234567890123', destinationContactNumber: '1'.repeat(80) };
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('one-box-de', wrong), 'Express'));
    expect(outcome).toMatchObject({ kind: 'rejected', problem: { code: 'http_422' } });
    expect(outcome.kind === 'rejected' && outcome.problem.messages).toHaveLength(2);
  });

  it('finds by its reference what was created without an answer', async () => {
    trip.simulator.behave('dhl_express', { do: 'reset', acted: true, method: 'POST' });
    const attemptLog = trip.attemptLog();
    const inputs = trip.inputsOf(trip.consignment('three-boxes-de'), 'Express');
    expect(await trip.run('create', inputs, { attemptLog })).toMatchObject({ kind: 'waiting' });
    trip.wait(10_000);
    const found = await trip.run('create', inputs, { attemptLog });
    const [shipment, another] = trip.simulator.shipments('dhl_express');
    expect(another).toBeUndefined();
    expect(found).toMatchObject({
      kind: 'done',
      result: {
        masterTrackingNumber: shipment?.trackingNumber,
        packages: shipment?.parcels.map(({ trackingNumber, reference }) => ({
          trackingNumber,
          itemReferenceNumber: reference,
        })),
      },
    });
  });

  it('creates again what DHL does not know', async () => {
    trip.simulator.behave('dhl_express', { do: 'status', status: 500, method: 'POST' });
    const attemptLog = trip.attemptLog();
    const inputs = trip.inputsOf(trip.consignment('one-box-de'), 'Express');
    expect(await trip.run('create', inputs, { attemptLog })).toMatchObject({ kind: 'waiting' });
    trip.wait(10_000);
    expect(await trip.run('create', inputs, { attemptLog })).toMatchObject({ kind: 'done' });
    expect(trip.simulator.shipments('dhl_express')).toHaveLength(1);
  });

  it('takes a shipment whose labels are missing all the same', async () => {
    trip.simulator.behave('dhl_express', { do: 'label_later' });
    const accepted = await trip.create(trip.consignment('one-box-de'), 'Express');
    expect(labelsOf(accepted)).toEqual(['none']);
  });

  it('sends the courier away, and takes a repeat for done', async () => {
    const consignment = trip.consignment('one-box-de');
    const shipment = shipmentOf(await trip.create(consignment, 'Express'));
    const cancel = { ...trip.inputsOf(consignment, 'Express'), shipment, remark: 'changed my mind' };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    const paths = trip.simulator.requests.filter(({ method }) => method === 'DELETE').map(({ status }) => status);
    expect(paths).toEqual([200, 400]);
  });

  it('tracks the pieces, each by its own events, in the offset DHL writes', async () => {
    const consignment = trip.consignment('three-boxes-de');
    const { packages: items } = shipmentOf(await trip.create(consignment, 'Express'));
    const [first, second, third] = items;
    expect(await trip.run('track', { items })).toMatchObject({ kind: 'done', result: [] });
    const at = new Date('2026-05-01T10:00:00Z');
    const move = async (trackingNumber: string | undefined, status: 'PICKED_UP' | 'DELIVERED', hours: number) =>
      await trip.simulator.advance('dhl_express', {
        trackingNumber: trackingNumber ?? '',
        status,
        at: new Date(at.getTime() + hours * 3_600_000),
      });
    await move(first?.trackingNumber, 'PICKED_UP', 0);
    await move(first?.trackingNumber, 'DELIVERED', 20);
    await move(second?.trackingNumber, 'PICKED_UP', 0);
    const tracked = await trip.run('track', { items });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    const said = updates.map((update) => {
      const { status, occurredAtMs, warnings } = normalise(trip.carrier, update, at.getTime());
      return [update.value, status, new Date(occurredAtMs).toISOString(), warnings];
    });
    expect(said).toEqual([
      [first?.trackingNumber, 'Order Picked Up', '2026-05-01T10:00:00.000Z', []],
      [first?.trackingNumber, 'Order Delivered', '2026-05-02T06:00:00.000Z', []],
      [second?.trackingNumber, 'Order Picked Up', '2026-05-01T10:00:00.000Z', []],
    ]);
    expect(updates[0]?.statusReceivedAt).toBe('2026-05-01T12:00:00+02:00');
    expect(third?.trackingNumber).toBeDefined();
  });
});
