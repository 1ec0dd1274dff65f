import { describe, expect, it } from 'vitest';
import { carrier } from '../../simulator/example_bulky.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf } from './barcode.ts';
import { call, type Called, simulating } from './call.ts';
import { now, plainOrder } from './orders.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const order = (change: Record<string, unknown> = {}): Record<string, unknown> =>
  plainOrder({
    carrierCode: 'example_bulky',
    destinationPreferredStartTime: '2026-05-06 09:00:00',
    destinationPreferredEndTime: '2026-05-06 13:00:00',
    itemList: [{ itemReferenceNumber: 'PKG-1', itemQuantity: 1, itemWeight: 72, itemWeightUom: 'KG' }],
    skuList: [
      {
        itemReferenceNumber: 'PKG-1',
        skuCode: 'WASH-8',
        skuNumber: 'WASH-8',
        skuItemName: 'Washing machine',
        skuQuantity: 1,
        skuLineItemNo: '1',
      },
    ],
    vas: [
      { vasCode: 'TWO_MAN_DELIVERY', level: 'CONSIGNMENT', targetIds: ['PKG-1'] },
      { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['1'], serviceTime: 30 },
    ],
    info: { serviceCode: 'TWO_MAN' },
    ...change,
  });
const ask = async (json: unknown, key = 'simulated-bulky-key'): Promise<Called> =>
  await call('POST', simulator.carriers['example_bulky']!, { json, headers: { 'x-api-key': key } });

it('creates by the contract, once for each reference, with a label at a URL', async () => {
  const first = await ask(order());
  expect(first.status).toBe(200);
  expect((await ask(order())).body.itemsTrackDetails).toEqual(first.body.itemsTrackDetails);
  const [{ trackingNumber, labelUrl }] = first.body.itemsTrackDetails;
  expect(await readPdf((await call('GET', labelUrl)).bytes)).toEqual([[trackingNumber]]);
  expect(simulator.requests[0]?.findings).toEqual([]);
});

describe('a consignment is refused', () => {
  it('without a key', async () => {
    expect((await ask(order(), 'wrong')).status).toBe(401);
  });

  it.each([
    ['GIFT_WRAP is not offered', { vas: [{ vasCode: 'GIFT_WRAP' }, { vasCode: 'TWO_MAN_DELIVERY' }] }],
    ['goods above 50 kg need TWO_MAN_DELIVERY', { vas: [] }],
    ['destinationPreferredEndTime is required', { destinationPreferredEndTime: '' }],
    ['info.serviceCode is not a service of ours', { info: {} }],
  ])('as %s', async (error, change) => {
    const { status, body } = await ask(order(change));
    expect([status, body.errors]).toEqual([400, [error]]);
  });

  it('whose installation names nothing, or takes no time', async () => {
    const vas = [{ vasCode: 'TWO_MAN_DELIVERY' }, { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['9'] }];
    expect((await ask(order({ vas }))).body.errors).toEqual([
      'INSTALLATION names 9, which is unknown',
      'INSTALLATION needs serviceTime',
    ]);
  });
});

it('tells of each installation what became of it', async () => {
  simulator.pushTo({ url: 'http://127.0.0.1:9', secrets: { example_bulky: 'nobody-listens' } });
  await ask(order());
  await simulator.advance('example_bulky', { reference: 'REF-1', status: 'DELIVERED' });
  await simulator.advance('example_bulky', {
    reference: 'REF-1',
    status: { code: 'INSTALLATION_FAILED', description: '' },
  });
  const bodies = simulator.pushes.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies).toMatchObject([
    { carrierStatusCode: 'INSTALLATION_COMPLETED', installationItems: [{ targetIds: ['1'], status: 'COMPLETED' }] },
    { carrierStatusCode: 'INSTALLATION_FAILED', installationItems: [{ targetIds: ['1'], status: 'FAILED' }] },
  ]);
});
