import { afterEach, describe, expect, it } from 'vitest';
import { greatCircleTable } from '../../../src/fleet/plan/great-circle.ts';
import type { Place } from '../../../src/fleet/plan/problem.ts';
import { createOsrm, createValhalla } from '../../../src/fleet/plan/tables.ts';
import { closeServers, openTransport, startHttp } from '../../engine/transport/servers.ts';

afterEach(closeServers);

const places: readonly Place[] = [
  { latitude: 52.52, longitude: 13.405 },
  { latitude: 48.137, longitude: 11.575, zone: 'city' },
  { latitude: 52.52, longitude: 13.405, zone: 'city' },
];
/** Of the place at `from` to that at `to`, told apart by their indexes: what the servers below answer. */
const seconds = (from: number, to: number): number => 100 * from + to;

describe('great circles', () => {
  const table = greatCircleTable(places, { detourFactor: 1, speedKmh: 72, zoneSpeedsKmh: { city: 36 } });

  it('are as long as the earth is round: Berlin to Munich, 504 km', () => {
    expect(table.distancesM[1]! / 1000).toBeCloseTo(504.4, 0);
    expect(table.distancesM[3]).toBeCloseTo(table.distancesM[1]!, 6);
    expect(table.distancesM[2]).toBe(0);
  });

  it('are driven at the speeds of the zones of both ends', () => {
    expect(table.durationsS[1]).toBeCloseTo(table.distancesM[1]! / 2 / 20 + table.distancesM[1]! / 2 / 10, 6);
    expect(table.durationsS[5]).toBeCloseTo(table.distancesM[5]! / 10, 6);
  });
});

describe('tables', () => {
  const many = Array.from({ length: 7 }, (_, index) => ({ latitude: index, longitude: index / 10 }));

  it('of OSRM are put together from blocks', async () => {
    const urls: string[] = [];
    const { url } = await startHttp((request, response) => {
      urls.push(request.url!);
      const { pathname, searchParams } = new URL(request.url!, 'http://osrm.example');
      const at = pathname
        .split('/')
        .at(-1)!
        .split(';')
        .map((pair) => Number(pair.split(',')[1]));
      const chosen = (name: string) =>
        searchParams
          .get(name)!
          .split(';')
          .map((index) => at[Number(index)]!);
      const cells = (factor: number) =>
        chosen('sources').map((from) =>
          chosen('destinations').map((to) => (from === 6 && to === 0 ? null : factor * seconds(from, to))),
        );
      response.end(JSON.stringify({ code: 'Ok', durations: cells(1), distances: cells(10) }));
    });
    const table = await createOsrm({ url: `${url}/`, send: openTransport().send, timeoutMs: 5_000, blockPlaces: 3 })(
      many,
    );
    expect(urls).toHaveLength(9);
    expect(urls[0]).toMatch(
      /^\/table\/v1\/driving\/0\.000000,0\.000000;0\.100000,1\.000000;.*annotations=duration,distance$/,
    );
    expect(table.durationsS[5 * 7 + 2]).toBe(502);
    expect(table.distancesM[2 * 7 + 6]).toBe(2060);
    expect(table.durationsS[6 * 7]).toBe(1e9);
  });

  it('of Valhalla are in kilometres', async () => {
    const { url } = await startHttp((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<'sources' | 'targets', { lat: number }[]>;
        const rows = body.sources.map(({ lat: from }, row) =>
          body.targets.map(({ lat: to }, column) => ({
            time: seconds(from, to),
            distance: from === to ? null : seconds(from, to) / 10,
            from_index: row,
            to_index: column,
          })),
        );
        response.end(JSON.stringify({ units: 'kilometers', sources_to_targets: rows }));
      });
    });
    const table = await createValhalla({ url, send: openTransport().send, timeoutMs: 5_000 })(many);
    expect(table.durationsS[5 * 7 + 2]).toBe(502);
    expect(table.distancesM[5 * 7 + 2]).toBe(50_200);
    expect(table.distancesM[0]).toBe(1e9);
  });

  it('that are none are refused with what the service said', async () => {
    const { url } = await startHttp((_, response) =>
      response.writeHead(400).end('{"code":"TooBig","message":"Too many"}'),
    );
    const options = { url, send: openTransport().send, timeoutMs: 5_000 };
    for (const source of [createOsrm(options), createValhalla(options)]) {
      await expect(source(many)).rejects.toMatchObject({
        code: 'routing_service_failed',
        message: expect.stringContaining('TooBig') as string,
      });
    }
  });
});
