/** Three workers are one platform to a carrier that allows so many calls a second. */
import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { minimalProfile } from './server.ts';
import { flowWorld, onBothQueues } from './world.ts';

const CALLS = 50;
const A_SECOND = 10;

onBothQueues('three workers', (options) => {
  const flow = flowWorld({
    ...options,
    isServing: false,
    env: { WORKER_PORT: 'off' },
    profiles: (url) => ({ plain: `${minimalProfile(url)}limits: { rate: ${A_SECOND}/s }\n` }),
  });

  it('make as many calls a second together as the rate says', async () => {
    for (let worker = 0; worker < 3; worker += 1) await flow.serve({ role: 'worker' });
    await flow.serve({ role: 'api' });
    await flow.openShop();
    const headers = { prefer: 'respond-async' };
    await Promise.all(Array.from({ length: CALLS }, async (_, n) => await flow.create(`RATE-${n}`, 1, headers)));
    await until('all are dispatched', () => flow.carrier.seen.length === CALLS);
    const [first, last] = [flow.carrier.seen[0], flow.carrier.seen.at(-1)];
    const seconds = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1_000;
    // Ten at once, then ten a second; what was sent late came early in its span.
    expect(seconds).toBeGreaterThan(CALLS / A_SECOND - 1 - 0.5);
    // They know of one another, and the first two seconds are for dividing what the first to come had taken.
    expect(seconds).toBeLessThan(CALLS / A_SECOND + 1.5);
  });
});
