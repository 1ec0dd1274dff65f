/** What is forgotten, by age and for a person's sake. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { erasePerson, forgetPositions, forgetProofs } from '../../src/fleet/upkeep.ts';
import { until } from '../support/until.ts';
import { consignment, DAY, fleetWorld, furnish } from './world.ts';

const world = fleetWorld();
const proof = randomUUID();
let trackingNumber = '';
let link = '';
beforeAll(async () => {
  await furnish(world);
  const { body } = await world.carrier('POST', '/consignments', consignment('GONE'));
  trackingNumber = body.itemsTrackDetails[0].trackingNumber;
  const { planId } = (await world.ask('POST', '/plans', { depot: 'BER', day: DAY, iterations: 1 })).body;
  await until('the plan is made', async () => (await world.ask('GET', `/plans/${planId}`)).body.state === 'solved');
  const [route] = (await world.ask('POST', `/plans/${planId}/adopt`)).body.routes;
  const { token } = (await world.ask('POST', `/resources/drivers/${route.driver}/token`)).body;
  const auth = { authorization: `Bearer ${token}` };
  const stopId = route.stops[0].id as string;
  const png = Buffer.from('\x89PNG\r\n\x1a\n____IEND', 'latin1');
  const uploaded = await world.ask('PUT', `/driver/proofs/${proof}?stopId=${stopId}&kind=photo`, png, {
    ...auth,
    'content-type': 'image/png',
  });
  link = new URL(uploaded.body.url).pathname.replace('/fleet/v1', '');
  const event = {
    id: randomUUID(),
    type: 'delivered',
    at: '2026-12-01T06:00:00Z',
    stopId,
    proofs: [proof],
    receivedBy: 'Max Sample',
    latitude: 52.5,
    longitude: 13.4,
  };
  expect((await world.ask('POST', '/driver/events', [event], auth)).body.results).toMatchObject([
    { result: 'recorded' },
  ]);
});

const event = async () => (await world.database.values<Record<string, unknown>>('select data from fleet.events'))[0];

it('where drivers were is forgotten by age', async () => {
  expect(await world.database.values('select count(*) from fleet.positions')).toEqual([1]);
  await forgetPositions(world.deps.database, new Date('2026-12-01T05:00:00Z'));
  expect(await event()).toHaveProperty('latitude');
  await forgetPositions(world.deps.database, new Date('2026-12-02T00:00:00Z'));
  expect(await world.database.values('select count(*) from fleet.positions')).toEqual([0]);
  expect(await event()).not.toHaveProperty('latitude');
  expect(await event()).toHaveProperty('receivedBy');
});

it('a person is erased from task, report and proof; counting changes nothing', async () => {
  expect(await erasePerson(world.deps.database, [trackingNumber], false)).toBe(1);
  expect((await world.ask('GET', link)).status).toBe(200);
  expect(await erasePerson(world.deps.database, [trackingNumber], true)).toBe(1);
  expect((await world.ask('GET', link)).status).toBe(404);
  expect(await event()).not.toHaveProperty('receivedBy');
  const [latitude] = await world.database.values<number>(`select (demand -> 'latitude')::float from fleet.tasks`);
  expect(String(latitude)).toMatch(/^\d+\.\d$/);
  const [kept] = await world.database.values<object>('select consignment from fleet.tasks');
  expect(JSON.stringify(kept)).not.toContain('Sample');
  expect(kept).toMatchObject({ referenceId: 'GONE' });
});

it('photos are forgotten by age', async () => {
  await world.database.rows(`update fleet.proofs set content = 'x'`);
  const later = new Date(Date.now() + 60_000);
  expect(await forgetProofs(world.deps.database, later, false)).toBe(1);
  expect(await forgetProofs(world.deps.database, later, true)).toBe(1);
  expect(await forgetProofs(world.deps.database, later, false)).toBe(0);
});
