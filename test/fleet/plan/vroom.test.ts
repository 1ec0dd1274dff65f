import * as fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Planner } from '../../../src/fleet/plan/problem.ts';
import { createVroom, vroomPlan } from '../../../src/fleet/plan/vroom.ts';
import { closeServers, openTransport, startHttp } from '../../engine/transport/servers.ts';
import { faultsOf } from './check.ts';
import { problems } from './problems.ts';
import { delivery, driver, HOUR_S, MINUTE_S, outline, planned, town } from './town.ts';
import { vroomListener, type VroomRequest } from './vroom-server.ts';

afterEach(closeServers);

const elsewhere: Planner = () => Promise.reject(new Error('went to the other planner'));

const openVroom = async (otherwise = elsewhere) => {
  const seen: VroomRequest[] = [];
  const { url } = await startHttp(vroomListener((request) => seen.push(request)));
  return { seen, plan: createVroom({ url, send: openTransport().send, otherwise }) };
};

it('sends a problem in VROOM’s format and reads the plan', async () => {
  const { seen, plan } = await openVroom();
  const problem = town(
    [
      driver('ann', {
        aboard: { weightKg: 5.5 },
        break: { window: { fromS: 9 * HOUR_S, toS: 9 * HOUR_S + 600.5 }, durationS: 900 },
      }),
      driver('bob', { skills: ['install'], costPerHour: 12 }),
    ],
    [
      delivery('a', 3, { priority: 2, delivers: { weightKg: 1.25, pallets: 0.5 } }),
      delivery('b', 5, {
        skills: ['install'],
        stop: { place: 5, windows: [{ fromS: 9 * HOUR_S + 0.5, toS: 10 * HOUR_S }], serviceS: MINUTE_S },
      }),
      {
        id: 'c',
        kind: 'shipment',
        pickup: { place: 1, windows: [], serviceS: 0 },
        delivery: { place: 2, windows: [], serviceS: 30 },
        carries: { volumeM3: 0.1 },
        skills: [],
        priority: 0,
      },
    ],
  );
  const made = await plan(problem);
  expect(faultsOf(problem, made)).toEqual([]);
  expect(outline(made).join(' ')).toContain('c c');
  const [{ vehicles, jobs, shipments } = expect.fail()] = seen;
  expect(vehicles[0]).toMatchObject({
    start_index: 0,
    capacity: [94_500, 1_000_000_000, 1_000_000_000],
    time_window: [8 * HOUR_S, 16 * HOUR_S],
    breaks: [{ time_windows: [[9 * HOUR_S, 9 * HOUR_S + 600]], service: 900 }],
    skills: [],
    costs: { per_km: 100, per_hour: 0 },
  });
  expect(vehicles[1]).toMatchObject({ skills: [1], costs: { per_hour: 1200 } });
  expect(jobs).toEqual([
    { id: 1, location_index: 3, service: 300, skills: [], priority: 20, delivery: [1250, 0, 50], pickup: [0, 0, 0] },
    expect.objectContaining({
      id: 2,
      skills: [1],
      time_windows: [[9 * HOUR_S + 1, 10 * HOUR_S]],
      delivery: [10_000, 0, 0],
    }),
  ]);
  expect(shipments).toEqual([
    expect.objectContaining({ pickup: { id: 3, location_index: 1, service: 0 }, amount: [0, 100, 0] }),
  ]);
});

it('a plan in whole numbers keeps the constraints of any problem', async () => {
  const { plan } = await openVroom((problem) => Promise.resolve(planned(problem)));
  await fc.assert(
    fc.asyncProperty(problems(40), async (random) => {
      const problem = { ...random, objective: 'least_cost' as const };
      expect(faultsOf(problem, await plan(problem))).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

it('what VROOM cannot express goes to the other planner', async () => {
  const { plan } = await openVroom((problem) => Promise.resolve(planned(problem)));
  const problem = town([driver('ann'), driver('bob')], [delivery('a', 3), delivery('b', 5)]);
  const balanced = await plan({ ...problem, objective: 'balanced' });
  expect(balanced.routes).toHaveLength(2);
  await expect((await openVroom()).plan({ ...problem, objective: 'balanced' })).rejects.toThrow('other planner');
});

it('errors of VROOM, answers that are none and a server that is none are told of by name', async () => {
  const problem = town([driver('ann')], [delivery('a', 3)]);
  const refused = { code: 'routing_service_failed' };
  const { url } = await startHttp((_, response) => response.writeHead(502).end('<html>'));
  const plan = createVroom({ url, send: openTransport().send, otherwise: elsewhere });
  await expect(plan(problem)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('HTTP 502') as string,
  });
  const nowhere = createVroom({ url: 'http://127.0.0.1:9', send: openTransport().send, otherwise: elsewhere });
  await expect(nowhere(problem)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('connection_refused') as string,
  });
  const guarded = createVroom({ url, send: openTransport({ allowPrivateNetworks: false }).send, otherwise: elsewhere });
  await expect(guarded(problem)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('plain_http_forbidden') as string,
  });
  expect(() => vroomPlan(problem, { code: 2, error: 'Invalid jobs.' })).toThrow('Invalid jobs.');
  const late = {
    ...problem,
    tasks: [delivery('a', 20, { stop: { place: 20, windows: [{ fromS: 0, toS: 8 * HOUR_S }], serviceS: 0 } })],
  };
  const steps = [{ type: 'start' }, { type: 'job', id: 1 }, { type: 'end' }];
  expect(() => vroomPlan(late, { code: 0, routes: [{ vehicle: 1, steps }] })).toThrow('reached after its window');
});
