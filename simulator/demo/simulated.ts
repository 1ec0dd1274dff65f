// The carriers' side of the demo, out of the cases of the bundled carriers.
import path from 'node:path';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../src/engine/profile/load.ts';
import { directoryCaseFiles } from '../../src/workbench/cases/read.ts';
import type { Simulator } from '../../src/workbench/simulate/running.ts';
import { startSimulator } from '../../src/workbench/simulate/simulator.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

export async function simulate(codes: readonly string[], nowMs?: () => number): Promise<Simulator> {
  const files = directoryFiles(PROJECT);
  const carriers = codes.map((code) => {
    const { carrier, findings } = loadCarrier(code, { home: files, shipped: files });
    if (carrier === undefined) throw new Error(JSON.stringify(findings));
    return carrier;
  });
  return await startSimulator({
    carriers,
    files: directoryCaseFiles(PROJECT),
    ...(nowMs === undefined ? {} : { nowMs }),
  });
}
