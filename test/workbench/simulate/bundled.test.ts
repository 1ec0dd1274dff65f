import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CARRIERS } from '../../../simulator/demo/carriers.ts';
import { driving } from './driving.ts';

const CODES = DEMO_CARRIERS.map(({ code }) => code);
let world: Awaited<ReturnType<typeof driving>>;
beforeAll(async () => {
  world = await driving(CODES);
});
afterAll(async () => {
  await world.close();
});

describe.each(CODES)('%s, served from its cases', (code) => {
  it.each([1, 2, 3])('gives each of %i packages a number and a label', async (count) => {
    const carrier = world.of(code);
    const { packages, accepted, inputs } = await carrier.create(
      carrier.inputsOf('three-packages', count, `NEW-${code}-${count}`),
    );
    expect(packages).toHaveLength(count);
    expect(packages.every(({ trackingNumber }) => trackingNumber !== '')).toBe(true);
    const { label } = carrier.carrier.operations;
    // It may be there only when it is asked for again.
    const asked = async () => (label === undefined ? { kind: 'none' } : await carrier.run('label', inputs));
    const first = await asked();
    const later = JSON.stringify(first).includes('"result":[]') ? await asked() : first;
    if (label !== undefined) expect(later).not.toMatchObject({ result: [] });
    expect(
      label !== undefined || accepted.label !== undefined || packages.some(({ label }) => label !== undefined),
    ).toBe(true);
  });

  it('tells where packages are, once they are under way', async () => {
    const carrier = world.of(code);
    const { track } = carrier.carrier.operations;
    const { packages, inputs } = await carrier.create(carrier.inputsOf('three-packages', 2, `TRACK-${code}`));
    const [first] = packages;
    const asked = (track?.batch ?? 1) > 1 ? { items: packages } : { ...inputs, item: first };
    const eventsOf = async () => (track === undefined ? [] : await carrier.track(asked));
    expect(await eventsOf()).toEqual([]);
    await world.simulator.play(code, { number: first!.trackingNumber, intervalMs: 0 });
    const events = await eventsOf();
    expect(events.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(events.map(({ status }) => status).includes('Order Delivered')).toBe(track !== undefined);
  });

  it('cancels, but for what is under way where it refuses that', async () => {
    const carrier = world.of(code);
    const { cancel } = carrier.carrier.operations;
    if (cancel === undefined) return;
    const { inputs: free } = await carrier.create(carrier.inputsOf('one-package', 1, `FREE-${code}`));
    expect((await carrier.run('cancel', free)).kind).toBe('done');
    const { inputs: moving, packages } = await carrier.create(carrier.inputsOf('one-package', 1, `MOVING-${code}`));
    await world.simulator.advance(code, { number: packages[0]!.trackingNumber, status: 'In Transit' });
    expect(['done', 'rejected']).toContain((await carrier.run('cancel', moving)).kind);
  });

  it('refuses credentials that are not its own', async () => {
    const outcome = await world
      .of(code, 'wrong-secret')
      .run('create', world.of(code).inputsOf('one-package', 1, `WRONG-${code}`));
    expect(outcome.kind).not.toBe('done');
  });

  it('is not asked twice for one shipment when its answer is lost', async () => {
    const carrier = world.of(code);
    await carrier.create(carrier.inputsOf('one-package', 1, `FIRST-${code}`));
    const created = world.simulator.requests.find(
      ({ carrier: own, body }) => own === code && body.includes(`FIRST-${code}`),
    );
    const before = world.simulator.shipments(code).length;
    world.simulator.behave(code, { do: 'status', status: 500, acted: true, path: created?.path.split('?')[0] ?? '' });
    await carrier.finish('create', carrier.inputsOf('one-package', 1, `LOST-${code}`));
    expect(world.simulator.shipments(code)).toHaveLength(before + 1);
    world.simulator.clear();
  });
});
