/** What operators tell of their fleet, one by one or as a list. */
import { beforeAll, describe, expect, it } from 'vitest';
import { zoneAt } from '../../src/fleet/resources/place.ts';
import { readResources } from '../../src/fleet/resources/records.ts';
import { ALL_WEEK, DEPOT, fleetWorld, furnish } from './world.ts';

const world = fleetWorld();
beforeAll(async () => await furnish(world));

const importCsv = async (kind: string, lines: readonly string[]) =>
  await world.ask('POST', `/resources/${kind}/import`, lines.join('\n'), { 'content-type': 'text/csv' });
const messages = (body: { readonly findings: readonly { readonly message: string }[] }) =>
  body.findings.map(({ message }) => message);

describe('a resource', () => {
  it('is kept and read back, and is gone once nothing needs it', async () => {
    await world.put('vehicles', 'VAN-2', { type: 'van', depot: 'BER', weightKg: 500 });
    expect((await world.ask('GET', '/resources/vehicles/VAN-2')).body).toMatchObject({
      data: { type: 'van', weightKg: 500 },
    });
    expect((await world.ask('DELETE', '/resources/vehicles/VAN-2')).status).toBe(200);
    expect((await world.ask('GET', '/resources/vehicles/VAN-2')).status).toBe(404);
  });

  it('that another refers to stays', async () => {
    const { status, body } = await world.ask('DELETE', '/resources/depots/BER');
    expect(status).toBe(409);
    expect(body.message).toContain('drivers dana');
  });

  it.each([
    ['drivers', { name: 'X', depot: 'NONE', shifts: [] }, 'depot names NONE, which is none of the depots'],
    [
      'drivers',
      { name: 'X', depot: 'BER', shifts: [{ weekdays: ['MON'], from: '18:00', to: '08:00' }] },
      'shifts[0].to is not after from: 18:00 to 08:00',
    ],
    [
      'drivers',
      { name: 'X', depot: 'BER', shifts: ALL_WEEK, zones: ['moon'] },
      'zones[0] names moon, which is none of the zones',
    ],
    [
      'zones',
      { name: 'X', depot: 'BER', postcodes: ['12..1'] },
      'postcodes[0] must be like 10117, 10* or 20000..29999, and is 12..1',
    ],
    ['vehicles', { type: 'van', depot: 'BER', weightKg: -1 }, 'weightKg must be >= 0'],
    ['vehicles', { type: 'van', depot: 'BER', weightKg: 1, colour: 'red' }, 'colour is not a known field'],
    ['depots', { ...DEPOT, closes: '05:00' }, 'closes is not after opens'],
    ['reasons', { description: 'X', reason: 'BAD_MOOD' }, expect.stringContaining('reason must be one of NOT_HOME')],
  ])('of %s that is wrong is told at its field', async (kind, data, message) => {
    const { status, body } = await world.ask('PUT', `/resources/${kind}/x`, data);
    expect(status).toBe(400);
    expect(messages(body)).toEqual([message]);
  });
});

describe('CSV', () => {
  it('brings drivers with shifts and breaks, and zones with polygons', async () => {
    const drivers = await importCsv('drivers', [
      'code;name;depot;shifts;breaks;skills',
      'mia;"Mia; Example";BER;MON-FRI 08:00-16:30|SAT 09:00-12:00;12:00-13:00 30;installer|piano',
    ]);
    expect(drivers, JSON.stringify(drivers.body)).toMatchObject({ status: 200, body: { imported: 1 } });
    expect((await world.ask('GET', '/resources/drivers/mia')).body.data).toEqual({
      name: 'Mia; Example',
      depot: 'BER',
      shifts: [
        { weekdays: ['MON', 'TUE', 'WED', 'THU', 'FRI'], from: '08:00', to: '16:30' },
        { weekdays: ['SAT'], from: '09:00', to: '12:00' },
      ],
      breaks: [{ from: '12:00', to: '13:00', minutes: 30 }],
      skills: ['installer', 'piano'],
    });
    await importCsv('zones', [
      'code,name,depot,polygon',
      'park,Park,BER,52.50 13.34|52.52 13.34|52.52 13.38|52.50 13.38',
    ]);
    const resources = await readResources(world.deps.database);
    const at = (latitude: number, longitude: number) =>
      zoneAt(resources, { country: 'DE', postcode: '99999', latitude, longitude });
    expect([at(52.51, 13.36), at(52.51, 13.39), at(52.53, 13.36)]).toEqual(['park', undefined, undefined]);
  });

  it('that is wrong anywhere brings nothing, and says where by line and column', async () => {
    const { status, body } = await importCsv('vehicles', [
      'code,type,depot,weightKg,paint',
      'V1,van,BER,100,red',
      'V1,van,BER,heavy,red',
      'V3,,MARS,50,red,more',
    ]);
    expect(status).toBe(400);
    expect(messages(body)).toEqual([
      'line 1, column 5 (paint) is no field of vehicles',
      'line 4, column 6 is beyond the columns of the heading',
      'line 2, column 5 (paint): paint is not a known field',
      'line 3, column 1 (code) names V1 a second time',
      'line 3, column 5 (paint): paint is not a known field',
      'line 3, column 4 (weightKg): weightKg must be a number',
      'line 4, column 2 (type): type is required',
      'line 4, column 5 (paint): paint is not a known field',
    ]);
    expect((await world.ask('GET', '/resources/vehicles/V1')).status).toBe(404);
  });

  it('a list as JSON says which entry is wrong', async () => {
    const { body } = await world.ask('POST', '/resources/vehicles/import', [
      { code: 'V9', data: { type: 'van', depot: 'BER' } },
    ]);
    expect(messages(body)).toEqual(['[0].data.weightKg: weightKg is required']);
  });
});
