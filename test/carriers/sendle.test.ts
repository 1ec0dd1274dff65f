import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';

const trip = describeTrips({
  code: 'sendle',
  unanswered: { given: ['one-box-au', 'Standard'], done: ['reset'] },
  takesBack: [
    ['three-boxes-au', 'Standard', { lastItem: { itemHeight: 0 } }],
    { messages: ['dimensions.height: must be greater than 0'] },
  ],
  probes: true,
});

it('makes an order of each package, tracks each, and cancels what is not under way', async () => {
  const { accepted, packages, inputs } = await trip.send('three-boxes-au', 'Express');
  expect(packages).toHaveLength(3);
  expect(new Set(packages.map(({ memo }) => memo['orderId'])).size).toBe(3);
  const cropped = { url: expect.stringMatching(/\/labels\/cropped\.pdf$/) as unknown };
  expect(accepted.packages.map(({ label }) => label)).toMatchObject([cropped, cropped, cropped]);

  const [item] = packages;
  const value = item?.trackingNumber ?? '';
  await trip.simulator.advance('sendle', { trackingNumber: value, status: 'PICKED_UP' });
  expect((await trip.track({ item })).map(({ update }) => update)).toMatchObject([
    { value, carrierStatusCode: 'Info' },
    { value, carrierStatusCode: 'Pickup' },
  ]);
  const problem = { messages: ['Order can not be cancelled.'] };
  expect(await trip.run('cancel', inputs)).toMatchObject({ kind: 'rejected', problem });
});

it('cancels all orders, and takes a repeat for done', async () => {
  const { inputs } = await trip.send('three-boxes-au', 'Standard');
  const cancel = async () => (await trip.run('cancel', inputs)).kind;
  expect([await cancel(), await cancel()]).toEqual(['done', 'done']);
  expect(trip.simulator.shipments('sendle').map(({ cancelled }) => cancelled)).toEqual([true, true, true]);
  const answers = trip.requestsTo('/api/orders/').filter(({ method }) => method === 'DELETE');
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422, 422, 422]);
});
