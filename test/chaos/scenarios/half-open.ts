import { setTimeout as sleep } from 'node:timers/promises';
import { type SilentProxy, startSilentProxy } from '../../support/silent-proxy.ts';
import type { Dose, Scenario } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { steadyLoad } from '../world/load.ts';
import { conclude } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const SILENT_MS: Readonly<Record<Dose, number>> = { small: 12_000, quick: 16_000, full: 60_000 };
/** Between one create and the next. */
const EVERY_MS: Readonly<Record<Dose, number>> = { small: 100, quick: 200, full: 100 };
const BETWEEN_MS = 3_000;
const QUIET_WITHIN_S = 120;

export const halfOpen: Scenario = {
  name: 'half-open',
  promise: 'connections to PostgreSQL, Redis and carriers that fall silent: nothing hangs longer than 35 s; I1 to I5',
  limitMinutes: { small: 5, quick: 8, full: 15 },
  run: async (context) => {
    const proxies = new Map<string, SilentProxy>();
    const through = (name: string) => async (given: string) => {
      const url = new URL(given);
      const proxy = await startSilentProxy(Number(url.port));
      proxies.set(name, proxy);
      url.port = String(proxy.port);
      return url.href.replace(/\/$/, '');
    };
    try {
      await using world = await startWorld(context, {
        roles: ['api', 'worker'],
        patches: leases(context),
        waitsInFull: context.dose === 'full',
        through: { database: through('PostgreSQL'), redis: through('Redis'), carriers: through('carriers') },
      });
      const client = steadyLoad(world, context, { prefix: 'H', atOnce: 6, everyMs: EVERY_MS[context.dose] });
      for (const [name, proxy] of proxies) {
        await sleep(BETWEEN_MS);
        context.log(`${name} falls silent`);
        proxy.swallow();
        await sleep(SILENT_MS[context.dose]);
        proxy.heal();
      }
      const sinceMs = performance.now();
      context.log('all are there again');
      await sleep(BETWEEN_MS);
      await client.stop();
      const figures = { 'silent s': SILENT_MS[context.dose] / 1_000, parties: [...proxies.keys()].join(', ') };
      return await conclude(world, context, { quietWithinS: QUIET_WITHIN_S, sinceMs, figures });
    } finally {
      for (const proxy of proxies.values()) await proxy.close();
    }
  },
};
