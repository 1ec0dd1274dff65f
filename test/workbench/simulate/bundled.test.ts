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

const labelOf = ({ label, packages }: { label?: unknown; packages: readonly { label?: unknown }[] }) => [
  label,
  ...packages.map((one) => one.label),
];

describe.each(CODES)('%s, served from its cases', (code) => {
  it.each([1, 2, 3, 4])('gives each of %i packages a number of its own', async (count) => {
    const carrier = world.of(code);
    const inputs = carrier.inputsOf('three-packages', Math.min(count, 3), `NEW-${code}-${count}`);
    const { packages, accepted } = await carrier.create(inputs);
    expect(packages).toHaveLength(Math.min(count, 3));
    expect(packages.every(({ trackingNumber }) => trackingNumber !== '')).toBe(true);
    expect(labelOf(accepted)).not.toEqual([]);
  });
  it('tracks', async () => {
    const carrier = world.of(code);
    if (carrier.carrier.operations.track === undefined) return;
    const { packages, inputs } = await carrier.create(carrier.inputsOf('three-packages', 2, `TRACK-${code}`));
    const [first] = packages;
    const asked = (carrier.carrier.operations.track?.batch ?? 1) > 1 ? { items: packages } : { ...inputs, item: first };
    expect(await carrier.track(asked)).toEqual([]);
    await world.simulator.play(code, { number: first!.trackingNumber, intervalMs: 0 });
    const events = await carrier.track(asked);
    expect(events.map(({ status }) => status)).toContain('Order Delivered');
  });
});
