import { describe, expect, it } from 'vitest';
import type { FetchedLabel } from '../../src/engine/dispatch/result.ts';
import { describeTrips } from './common-trips.ts';
import { shipmentOf, type Trip } from './trip.ts';

describe('against eParcel as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'australia_post',
      settings: { account: '0001234567' },
      creates: [
        { consignment: 'one-box-au', service: 'Parcel Post', labels: 'none', data: { product: '3D55' } },
        { consignment: 'three-boxes-au', service: 'Express Post', labels: 'none', data: { product: '3J55' } },
      ],
      rejects: [
        {
          consignment: 'one-box-au',
          service: 'Parcel Post',
          change: ({ itemList }) => ({ itemList: itemList.map((item) => ({ ...item, itemWeight: 30 })) }),
          problem: { code: '44010', messages: ['The weight 30 exceeds the maximum weight of 22 kg.'] },
        },
      ],
      unanswered: (['reset', 'wrong_echo', 'wrong_count'] as const).map((how) => ({
        consignment: 'three-boxes-au',
        service: 'Parcel Post',
        how: { do: how, acted: true, path: '/shipments' },
        ends: 'held',
      })),
      cancels: { consignment: 'three-boxes-au', service: 'Parcel Post', problem: { code: '44014' } },
      tracks: {
        consignment: 'three-boxes-au',
        service: 'Parcel Post',
        reference: 'REF-2003',
        call: 'items',
        ends: 'Returned to Origin',
      },
      probes: true,
    },
    (opened) => (trip = opened),
  );

  const labelsFrom = async (shipment: ReturnType<typeof shipmentOf>): Promise<readonly FetchedLabel[]> => {
    const consignment = trip.consignment('three-boxes-au');
    const outcome = await trip.run('label', { ...trip.inputsOf(consignment, 'Parcel Post'), shipment });
    return outcome.kind === 'done' ? (outcome.result as FetchedLabel[]) : [];
  };

  it('keeps its own id and the job of the labels', async () => {
    const { memo } = await trip.create(trip.consignment('one-box-au'), 'Parcel Post');
    const [shipment] = trip.simulator.shipments('australia_post');
    expect(memo).toEqual({ shipmentId: shipment?.data['id'], labelJob: expect.stringMatching(/^[0-9a-f-]+$/) });
  });

  it('asks after the job of the labels until there is one document for all', async () => {
    trip.simulator.behave('australia_post', { do: 'label_later', path: '/labels', asks: 1 });
    const shipment = shipmentOf(await trip.create(trip.consignment('three-boxes-au'), 'Parcel Post'));
    expect(await labelsFrom(shipment)).toEqual([]);
    const [label, ...others] = await labelsFrom(shipment);
    expect(others).toEqual([]);
    expect(label?.itemReferenceNumber).toBeUndefined();
    const fetched = await fetch(String(label?.label.url));
    expect(
      Buffer.from(await fetched.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    expect(trip.simulator.requests.filter(({ path }) => path === '/shipping/v1/labels')).toHaveLength(1);
  });

  it('keeps a shipment whose label job is refused, and asks for another', async () => {
    trip.simulator.behave('australia_post', { do: 'status', status: 500, path: '/labels' });
    const accepted = await trip.create(trip.consignment('three-boxes-au'), 'Parcel Post');
    expect(accepted.memo['labelJob']).toBeUndefined();
    expect(await labelsFrom(shipmentOf(accepted))).toHaveLength(1);
  });
});
