import { describe, expect, it } from 'vitest';
import type { FetchedLabel } from '../../src/engine/dispatch/result.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, shipmentOf, type Trip } from './trip.ts';

describe('against UPS as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'ups',
      settings: { account: 'A1B2C3' },
      creates: (
        [
          ['one-box-us', 'Ground', '03'],
          ['three-boxes-us', 'Next Day Air', '01'],
          ['three-boxes-de', 'Standard', '11'],
          ['one-box-de-us', 'Worldwide Saver', '65'],
          ['one-box-au-us', 'Worldwide Expedited', '08'],
        ] as const
      ).map(([consignment, service, code]) => ({
        consignment,
        service,
        change: { labelFormat: 'ZPL', ...(consignment === 'one-box-au-us' ? { skuList: [] } : {}) },
        labels: '^XA^',
        data: { service: code },
      })),
      rejects: [
        {
          consignment: 'one-box-us',
          service: 'Ground',
          change: { destinationPostalCode: '9000' },
          problem: { code: '120207', messages: ['Missing/Invalid ShipTo PostalCode (120207)'] },
        },
      ],
      unanswered: [
        {
          consignment: 'three-boxes-us',
          service: 'Ground',
          change: { labelFormat: 'ZPL' },
          how: { do: 'reset', acted: true, path: '/ship' },
          ends: 'done',
        },
        ...(['wrong_echo', 'wrong_count'] as const).map((how) => ({
          consignment: 'three-boxes-us',
          service: 'Ground',
          how: { do: how, path: '/ship' },
          ends: 'held' as const,
        })),
      ],
      cancels: { consignment: 'one-box-us', service: 'Ground', problem: { code: '190101' } },
      tracks: {
        consignment: 'one-box-us',
        service: 'Ground',
        reference: 'REF-3001',
        call: 'item',
        ends: 'Returned to Origin',
      },
    },
    (opened) => (trip = opened),
  );

  it('fetches PDF from label recovery, once UPS has it', async () => {
    trip.simulator.behave('ups', { do: 'label_later', asks: 1 });
    const consignment = trip.consignment('three-boxes-us');
    const accepted = await trip.create(consignment, 'Ground');
    expect(labelsOf(accepted)).toEqual(['none', 'none', 'none']);
    const asked = { ...trip.inputsOf(consignment, 'Ground'), shipment: shipmentOf(accepted) };
    const attemptLog = trip.attemptLog();
    let outcome = await trip.run('label', asked, { attemptLog });
    for (let time = 0; outcome.kind === 'waiting' && time < 4; time += 1) {
      trip.wait(60_000);
      outcome = await trip.run('label', asked, { attemptLog });
    }
    const labels = outcome.kind === 'done' ? (outcome.result as FetchedLabel[]) : [];
    expect(labels.map(({ itemReferenceNumber }) => itemReferenceNumber)).toEqual(['PKG-1', 'PKG-2', 'PKG-3']);
    for (const { label } of labels)
      expect(Buffer.from(String(label.content), 'base64').subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('renews a token that UPS no longer takes', async () => {
    await trip.create(trip.consignment('one-box-us'), 'Ground');
    trip.wait(13_500_000);
    await trip.create(trip.consignment('one-box-us', { referenceId: 'REF-9' }), 'Ground');
    const logins = trip.simulator.requests.filter(({ path }) => path.endsWith('/token'));
    expect(logins.map(({ status }) => status)).toEqual([200, 200]);
  });
});
