import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { readLabel } from './trip.ts';

const trip = describeTrips({
  code: 'royal_mail',
  creates: [
    ['one-box-gb', 'Tracked 48', {}, { document: 'PDF', data: { service: 'TPS48' } }],
    ['three-boxes-gb', 'Special Delivery', {}, { document: 'PDF', data: { service: 'SD1' } }],
  ],
  rejects: [
    [
      ['one-box-gb', 'Tracked 48', { lastItem: { itemWeight: 31 } }],
      { messages: ['The weight must be from 1 to 30000 grams (Packages[0].WeightInGrams)'] },
    ],
  ],
  unanswered: { given: ['three-boxes-gb', 'Tracked 24'], done: ['reset'] },
  withoutLabels: { given: ['three-boxes-gb', 'Tracked 24'] },
  cancels: { given: ['one-box-gb', 'Tracked 48'], problem: { messages: ['The order is despatched'] } },
  probes: true,
});

it('fetches a label apart that did not come with the order', async () => {
  trip.simulator.behave('royal_mail', { do: 'label_later' });
  const { accepted, inputs, packages } = await trip.send('three-boxes-gb', 'Tracked 24');
  expect(accepted.label).toBeUndefined();
  expect(await trip.run('label', inputs)).not.toMatchObject({ kind: 'done' });
  const [fetched] = await trip.fetchLabels(inputs);
  expect(await readLabel(fetched?.label)).toBe(['PDF', ...packages.map((one) => one.trackingNumber)].join(' '));
  expect(trip.simulator.requests.at(-1)?.path).toMatch(/\/label\?documentType=postageLabel/);
});

it.each(['wrong_echo', 'wrong_count'] as const)('takes an answer with a %s for no success', async (mischief) => {
  trip.simulator.behave('royal_mail', { do: mischief });
  const outcome = await trip.run('create', trip.inputsOf('three-boxes-gb', 'Tracked 24'));
  expect(outcome).not.toMatchObject({ kind: 'done' });
});

it('tracks each piece with the credentials of the other product', async () => {
  const { packages } = await trip.send('three-boxes-gb', 'Tracked 24');
  const [, item] = packages;
  await trip.simulator.advance('royal_mail', { trackingNumber: item?.trackingNumber ?? '', status: 'DELIVERED' });
  expect((await trip.track({ item })).map(({ update }) => update)).toMatchObject([
    { carrierStatusCode: 'EVAIE' },
    { value: item?.trackingNumber, carrierStatusCode: 'EVKSP' },
  ]);
  expect(trip.simulator.requests.at(-1)?.headers['authorization']).toBeUndefined();
});
