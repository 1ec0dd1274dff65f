import { expect, it } from 'vitest';
import { type Called, order, simulating } from './call.ts';

const bulky = simulating('example_bulky', { 'x-api-key': 'simulated-bulky-key' });
const TWO_MAN = { vasCode: 'TWO_MAN_DELIVERY' };
const create = async (change: object = {}, headers: Record<string, string> = {}): Promise<Called> =>
  await bulky.ask('POST', '', order('example_bulky', 'one-package', change), headers);

it('refuses a wrong key', async () => {
  expect((await create({}, { 'x-api-key': 'wrong' })).status).toBe(401);
});

const INSTALLATION = { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['9'] };
it.each([
  [['GIFT_WRAP is not offered'], { vas: [{ vasCode: 'GIFT_WRAP' }, TWO_MAN] }],
  [['goods above 50 kg need TWO_MAN_DELIVERY'], { vas: [] }],
  [['destinationPreferredEndTime is required'], { destinationPreferredEndTime: '' }],
  [['info.serviceCode is not a service of ours'], { info: {} }],
  [['INSTALLATION names 9, which is unknown', 'INSTALLATION needs serviceTime'], { vas: [TWO_MAN, INSTALLATION] }],
])('refuses a consignment: %j', async (errors, change) => {
  const { status, body } = await create(change);
  expect([status, body.errors]).toEqual([400, errors]);
});

it('tells of each installation what became of it', async () => {
  const [carrier, reference] = ['example_bulky', 'REF-4001'];
  bulky.simulator.pushTo({ url: 'http://127.0.0.1:9', secrets: { [carrier]: 'nobody-listens' } });
  await create({ vas: [TWO_MAN, { ...INSTALLATION, targetIds: ['1'], serviceTime: 30 }] });
  await bulky.simulator.advance(carrier, { reference, status: 'DELIVERED' });
  await bulky.simulator.advance(carrier, { reference, status: { code: 'INSTALLATION_FAILED', description: '' } });
  expect(bulky.simulator.pushes.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { carrierStatusCode: 'INSTALLATION_COMPLETED', installationItems: [{ targetIds: ['1'], status: 'COMPLETED' }] },
    { carrierStatusCode: 'INSTALLATION_FAILED', installationItems: [{ targetIds: ['1'], status: 'FAILED' }] },
  ]);
});
