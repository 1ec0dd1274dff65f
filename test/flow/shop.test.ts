/** A shop's day in outsourced mode, as the demo tells it, on both queues. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepShop, shopProfiles, startShopCarriers } from '../../simulator/demo/outsourced.ts';
import { readZpl } from '../support/barcode.ts';
import { flowWorld, onBothQueues } from './world.ts';

onBothQueues('A shop in outsourced mode', (options) => {
  let carriers: Awaited<ReturnType<typeof startShopCarriers>>;
  const flow = flowWorld({
    ...options,
    profiles: async () => {
      carriers = await startShopCarriers();
      return shopProfiles(carriers.url);
    },
    isServing: false,
  });
  beforeAll(async () => {
    await flow.serve();
    const { body } = await flow.asAdmin('POST', '/admin/shippers', { code: 'shop', name: 'Example Shop' });
    flow.shop = String(body['token']);
    for (const code of ['strict', 'kind']) await flow.openAccount(code, {});
  });
  afterAll(async () => await carriers.close());

  it('goes from the checkout to the handover: an offer, a slot, a policy that falls back, a label, a pickup, a manifest', async () => {
    const broken: object[] = [];
    await keepShop({
      call: flow.asShop,
      readLabel: async (zpl) => (await readZpl(zpl)).flat(),
      story: { check: (promise, holds, detail) => void (holds || broken.push({ promise, detail })) },
    });
    expect(broken).toEqual([]);
    expect(carriers.asked.filter((path) => !path.endsWith('/rates'))).toEqual([
      'POST /kind/orders',
      'POST /strict/orders',
      'POST /kind/orders',
      'POST /kind/pickups',
      'POST /kind/cancels',
    ]);
  });
});
