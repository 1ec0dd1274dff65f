import { execFile } from 'node:child_process';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Dose, Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import { leases } from '../seam/patches.ts';
import { startPostgres } from '../world/postgres.ts';
import { steadyLoad } from '../world/load.ts';
import { answersOf, conclude, countStatuses, countsText } from '../world/row.ts';
import { startWorld } from '../world/world.ts';

const run = promisify(execFile);

const FULL_MS: Readonly<Record<Dose, number>> = { small: 4_000, quick: 6_000, full: 20_000 };
const SIZE = '400m';

export const diskFull: Scenario = {
  name: 'disk-full',
  promise: 'the disk of the records is full for a while: no false success; I1 to I5 once there is room again',
  limitMinutes: { small: 4, quick: 6, full: 10 },
  run: async (context) => {
    // Not in the row's folder, into which PostgreSQL's own user may not look.
    const disk = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'tmpfs', disk]);
    } catch {
      await rmdir(disk);
      return { figures: {}, violations: [], skipped: 'a tmpfs cannot be mounted here' };
    }
    try {
      return await fill(context, disk);
    } finally {
      await run('umount', ['--lazy', disk]);
      await rmdir(disk).catch(() => undefined);
    }
  },
};

const fill = async (context: ScenarioContext, disk: string): Promise<Outcome> => {
  await using postgres = await startPostgres(path.join(disk, 'postgres'));
  await using world = await startWorld(context, {
    roles: ['api', 'worker'],
    patches: leases(context),
    postgres,
  });
  const client = steadyLoad(world, context, { prefix: 'D', atOnce: 8, everyMs: 60 });
  await sleep(2_000);
  const filler = path.join(disk, 'filler');
  const fromMs = Date.now();
  const filling = keepFull(filler);
  await sleep(FULL_MS[context.dose] * context.patience);
  filling.stop();
  const toMs = Date.now();
  await rm(filler);
  context.log(`room again; meanwhile ${JSON.stringify(countStatuses(answersOf(world), fromMs, toMs))}`);
  const sinceMs = performance.now();
  await sleep(2_000);
  await client.stop();
  const meanwhile = countStatuses(answersOf(world), fromMs, toMs);
  const figures = {
    'full for s': Math.round((toMs - fromMs) / 1_000),
    'answers meanwhile': countsText(meanwhile),
  };
  const violations = meanwhile[503] === undefined ? ['nobody was sent away, as if the disk had not been full'] : [];
  return await conclude(world, context, { quietWithinS: 120, sinceMs, figures, violations });
};

const CHUNK = Buffer.alloc(1_048_576);

/** Takes whatever room there is, and what is given back meanwhile. */
const keepFull = (file: string): { stop(): void } => {
  const descriptor = openSync(file, 'a');
  const takeAll = (): void => {
    for (const chunk of [CHUNK, CHUNK.subarray(0, 4_096)]) {
      try {
        for (;;) writeSync(descriptor, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    fdatasyncSync(descriptor);
  };
  takeAll();
  const timer = setInterval(takeAll, 50);
  return {
    stop: () => {
      clearInterval(timer);
      closeSync(descriptor);
    },
  };
};
