import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { countUnderWay } from './records.ts';
import type { World } from './world.ts';

const LOOK_EVERY_MS = 500;
/** For so long nothing may have been said by anybody: carriers repeat a push after two seconds at most. */
const STILL_MS = 3_000;

export interface Quiet {
  /** Until the last thing happened. */
  readonly afterS: number;
  readonly violations: readonly string[];
}

/** Waits until the records have nothing under way and nobody says anything. */
export const untilQuiet = async (world: World, limitS: number, beganMs = performance.now()): Promise<Quiet> => {
  const { folder: _, journals, databaseUrl } = world;
  const sizes = (): string =>
    Object.values(journals)
      .map((file) => statSync(file).size)
      .join();
  let [lastSizes, lastChangeMs] = [sizes(), performance.now()];
  for (;;) {
    const underWay = await countUnderWay(databaseUrl).catch(() => ({ records: 1 }));
    const left = Object.entries(underWay).filter(([, count]) => count > 0);
    const nowMs = performance.now();
    if (sizes() !== lastSizes || left.length > 0) [lastSizes, lastChangeMs] = [sizes(), nowMs];
    const afterS = Math.round((lastChangeMs - beganMs) / 100) / 10;
    if (nowMs - lastChangeMs > STILL_MS) return { afterS, violations: [] };
    if (nowMs - beganMs > limitS * 1_000 + STILL_MS) {
      const what = left.map(([name, count]) => `${count} ${name}`).join(', ');
      return { afterS, violations: [`not quiet within ${limitS} s: ${what === '' ? 'somebody still sends' : what}`] };
    }
    await sleep(LOOK_EVERY_MS);
  }
};
